"""Pictures of reports, as PNG: retrieval by variant and group, a verifier by what it judged.

Matplotlib is the optional extra `glossator[eval]`; nothing else imports it. It is used without
pyplot, so it needs no display and keeps no state.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from glossator.core.errors import UsageError
from glossator_eval.report import (
    MISSED,
    NDCG,
    GroundingReport,
    GroupFigures,
    RetrievalReport,
    Variant,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's colours, which people see apart whatever colours they see; black stays for text
_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#8C8C8C")
_CAUGHT = ("#009E73", "#DADCE0", "#D55E00")  # caught, undecided, missed
_GREY = "#5F6368"
_FAINT = "#DADCE0"
_ROW = 0.27  # inches
_MOST_ROWS = 30  # repositories that are drawn, the weakest
_WIDTH = 0.7  # of the place of a measure that its variants take


def check_plot(file: Path) -> None:
    """Raises `UsageError` if no picture could be written there; before hours of measuring."""
    if find_spec("matplotlib") is None:
        raise UsageError(
            "--plot needs matplotlib, which is not installed; install it with"
            " pip install 'glossator[eval]', or leave --plot out."
        )
    if file.suffix.lower() != ".png":
        raise UsageError(f"The picture is a PNG; give {file.name} the ending .png.")
    if not file.absolute().parent.is_dir():
        raise UsageError(f"There is no folder {file.parent} for the picture; make it first.")


def plot_grounding(report: GroundingReport, file: Path) -> None:
    """Draw what a verifier catches into a PNG file: false statements left, true ones right."""
    from matplotlib import rc_context  # noqa: PLC0415 - an optional extra, and slow
    from matplotlib.figure import Figure  # noqa: PLC0415 - likewise

    parts = ((report.overall,), report.falsifications, report.kinds)
    count = sum(map(len, parts))
    with rc_context({"font.family": "DejaVu Sans", "font.size": 9, "text.color": "#202124"}):
        figure = Figure(figsize=(11, 1.8 + _ROW * (count + 2)), layout="constrained")
        said = f"{report.statements:,} statements about {report.files:,} files"
        title = f"{said}, phrasings: {report.phrasings}.  Thin lines are 95 % intervals."
        figure.suptitle(title, x=0.012, ha="left", fontsize=10, color=_GREY)
        left, right = figure.subplots(1, 2, width_ratios=(3, 2), sharey=True)
        place, ticks = 0.0, []
        for part in parts:
            for each in part:
                start = 0.0
                shares = (each.caught, each.false_undecided, each.missed)
                for share, colour in zip(shares, _CAUGHT, strict=True):
                    left.barh(place, 100 * share.share, left=start, height=0.62, color=colour)
                    start += 100 * share.share
                if each.refused.total:
                    low, mean, high = (
                        100 * at for at in (each.refused.low, each.refused.share, each.refused.high)
                    )
                    right.plot([low, high], [place] * 2, color=_CAUGHT[2], linewidth=1.1)
                    right.plot([mean], [place], "o", color=_CAUGHT[2], markersize=5)
                ticks.append((place, f"{each.name} ({each.caught.total:,})"))
                place += 1
            place += 0.6
        left.set_yticks([at for at, _ in ticks], [name for _, name in ticks])
        left.set_ylim(place - 1, -0.8)
        left.set_xlim(0, 100)
        right.set_xlim(left=0)
        right.tick_params(labelleft=False)
        for axes, heading in ((left, "False statements, %"), (right, "True ones refused, %")):
            _plain(axes, "x")
            axes.set_title(heading, loc="left", fontsize=11, fontweight="bold")
        for name, colour in zip(("caught", "undecided", "missed"), _CAUGHT, strict=True):
            left.barh(0, 0, color=colour, label=name)
        left.legend(loc="upper center", bbox_to_anchor=(0.5, -0.05), ncols=3, frameon=False)
        figure.savefig(file, dpi=160)


def plot(report: RetrievalReport, file: Path) -> None:
    """Draw the report into a PNG file."""
    from matplotlib import rc_context  # noqa: PLC0415 - an optional extra, and slow
    from matplotlib.figure import Figure  # noqa: PLC0415 - likewise

    full = report.variants[0]
    parts = [full.categories if len(full.categories) > 1 else ()]
    parts.append(full.repositories if len(full.repositories) > 1 else ())
    groups = [each for part in parts for each in part]
    rows = min(len(groups), _MOST_ROWS) + len(parts)
    with rc_context({"font.family": "DejaVu Sans", "font.size": 9, "text.color": "#202124"}):
        height = max(4.2, 1.5 + _ROW * rows)
        figure = Figure(figsize=(11 if groups else 6.4, height), layout="constrained")
        figure.suptitle(_title(report), x=0.012, ha="left", fontsize=10, color=_GREY)
        if groups:
            left, right = figure.subplots(1, 2, width_ratios=(3, 2))
            _draw_groups(right, parts)
        else:
            left = figure.subplots()
        _draw_variants(left, report.variants)
        figure.savefig(file, dpi=160)


def _title(report: RetrievalReport) -> str:
    return (
        f"{report.set}: {report.questions:,} questions, {report.documents:,} files. "
        f" Thin lines are 95 % intervals (bootstrap by {report.clusters})."
    )


def _draw_variants(axes: Axes, variants: Sequence[Variant]) -> None:
    """Each measure with a dot for each variant, the mean beside it where there is room."""
    names = [name for name in variants[0].overall.figures if name != MISSED]
    step = _WIDTH / len(variants)
    for number, variant in enumerate(variants):
        colour = _COLOURS[number % len(_COLOURS)]
        figures = [variant.overall.figures[name] for name in names]
        at = [place + step * (number + 0.5) - _WIDTH / 2 for place in range(len(names))]
        means = [100 * each.mean for each in figures]
        spans = [
            [100 * (each.mean - each.low) for each in figures],
            [100 * (each.high - each.mean) for each in figures],
        ]
        label = _label(variant, only=len(variants) == 1)
        axes.errorbar(
            at,
            means,
            yerr=spans,
            fmt="o",
            markersize=6,
            color=colour,
            elinewidth=1.6,
            label=label,
        )
        if len(variants) <= 2:
            for x, y in zip(at, means, strict=True):
                axes.annotate(
                    f"{y:.1f}",
                    (x, y),
                    xytext=(7, 0),
                    textcoords="offset points",
                    va="center",
                    fontsize=9,
                    color=colour,
                )
    axes.set_xticks(range(len(names)), names)
    axes.set_xlim(-0.5, len(names) - 0.5)
    axes.set_ylim(0, 100)
    _plain(axes, "y")
    axes.set_title("All questions, %", loc="left", fontsize=11, fontweight="bold")
    axes.legend(
        loc="upper center", bbox_to_anchor=(0.5, -0.07), ncols=min(3, len(variants)), frameon=False
    )


def _label(variant: Variant, *, only: bool) -> str:
    stages = " + ".join(variant.stages)
    return stages if only or variant.name == "full" else variant.name


def _draw_groups(axes: Axes, parts: Iterable[Sequence[GroupFigures]]) -> None:
    """NDCG of the first variant by category, then by repository, the best on top."""
    place = 0.0
    ticks: list[tuple[float, str]] = []
    for colour, part in zip(_COLOURS, parts, strict=False):
        ranked = sorted(part, key=lambda each: -each.figures[NDCG].mean)[-_MOST_ROWS:]
        for each in ranked:
            figure = each.figures[NDCG]
            axes.barh(place, 100 * figure.mean, height=0.62, color=colour, alpha=0.85)
            axes.plot(
                [100 * figure.low, 100 * figure.high], [place] * 2, color="#202124", linewidth=1.1
            )
            ticks.append((place, f"{each.name} ({each.questions})"))
            place += 1
        place += 0.6 if ranked else 0
    axes.set_yticks([at for at, _ in ticks], [name for _, name in ticks])
    axes.set_ylim(place - 0.6, -0.8)
    axes.set_xlim(0, 100)
    _plain(axes, "x")
    axes.set_title(f"{NDCG} by group (questions), %", loc="left", fontsize=11, fontweight="bold")


def _plain(axes: Axes, grid: str) -> None:
    """No frame, and faint lines across the scale alone."""
    for side in ("top", "right", "left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.tick_params(length=0, colors=_GREY)
    axes.set_axisbelow(True)
    axes.grid(axis="x" if grid == "x" else "y", color=_FAINT, linewidth=0.8)
