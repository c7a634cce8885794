"""How a report on searches is shown: the variants, then each group of questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from glossator.cli import (
    Cell,
    Column,
    Part,
    Styled,
    Table,
    TextLine,
    duration,
    line,
    one_line,
    plural,
    price,
)
from glossator.core.shown import shown
from glossator_eval.report import (
    DEFINITION,
    MISSED,
    NDCG,
    Figure,
    Generated,
    GroupFigures,
    RetrievalReport,
    Variant,
)

_FEWEST = 5  # questions that an interval is shown for
_HEADS = {MISSED: "1 -\nrecall\n@20", DEFINITION: "def.\nfirst"}


def retrieval_parts(answer: RetrievalReport) -> Iterator[Part]:
    """The parts of a report."""
    full = answer.variants[0]
    yield _heading(answer)
    measures = tuple(full.overall.figures)
    several = len(answer.variants) > 1
    stages = f"  full is {' + '.join(full.stages)}" if several else ""
    if several:
        yield TextLine((Styled("By stage", "bold"), Styled(stages, "dim")), kind="stage")
    yield _variants(answer.variants, measures)
    for title, groups in (("category", full.categories), ("repository", full.repositories)):
        if len(groups) > 1:
            which = "  full" if several else ""
            yield TextLine((Styled(f"By {title}", "bold"), Styled(which, "dim")), kind=title)
            yield _groups(title, groups, measures)
    yield line(
        f"Small figures are 95 % intervals, by bootstrap over each {answer.clusters}.",
        "dim",
        kind="footnote",
        aside=True,
    )


def generated_parts(made: Generated) -> Iterator[Part]:
    """What was generated."""
    yield line(
        f"{plural(made.questions, 'question')} about {plural(made.files, 'file')}, chosen among"
        f" {plural(made.candidates, 'doc comment')}, in {shown(made.folder)}."
    )
    yield line(f"Measure with: glossator eval retrieval {shown(made.folder)}", "dim", aside=True)


def _heading(report: RetrievalReport) -> TextLine:
    chunks = f" in {plural(report.chunks, 'chunk')}" if report.chunks else ""
    cost = f" for {price(report.dollars)}" if report.dollars else ""
    rest = (
        f"  {plural(report.questions, 'question')}, {plural(report.documents, 'file')}{chunks},"
        f" indexed in {duration(report.index_seconds * 1000)}{cost}"
    )
    return TextLine((Styled(shown(report.set), "bold"), Styled(rest)), kind="heading")


def _variants(variants: Sequence[Variant], measures: Sequence[str]) -> Table:
    paid = any(variant.dollars for variant in variants)
    more = (Column("p50\np95", right=True), *([Column("cost", right=True)] if paid else []))
    rows = []
    for number, variant in enumerate(variants):
        name = variant.name if len(variants) > 1 else " + ".join(variant.stages)
        times = (duration(variant.p50_milliseconds), duration(variant.p95_milliseconds))
        cells: list[Cell] = [Styled(name, "" if number else "bold")]
        cells += _figures(variant.overall, measures, "" if number else "bold")
        cells.append(_above(*times))
        if paid:
            cells.append(price(variant.dollars))
        rows.append(tuple(cells))
    return _table("stages", measures, rows, more)


def _groups(title: str, groups: Sequence[GroupFigures], measures: Sequence[str]) -> Table:
    rows = []
    for group in groups:
        name = (
            Styled(shown(group.name)),
            Styled(f"\n{plural(group.questions, 'question')}", "dim"),
        )
        rows.append((name, *_figures(group, measures)))
    return _table(title, measures, rows)


def _table(
    name: str,
    measures: Sequence[str],
    rows: Sequence[tuple[Cell, ...]],
    more: Sequence[Column] = (),
) -> Table:
    heads = (Column(_HEADS.get(each, each.replace("@", "\n@")), right=True) for each in measures)
    columns = (Column(name, whole=True), *heads, *more)
    titles = "\t".join((name, *measures, *(" ".join(each.name.split()) for each in more)))
    plain = ("\t".join(map(one_line, row)) for row in rows)
    return Table(columns, tuple(rows), (titles, *plain))


def _figures(group: GroupFigures, measures: Sequence[str], style: str = "") -> Iterator[Cell]:
    for name in measures:
        figure = group.figures.get(name)
        if figure is None:
            yield ""
        elif figure.questions < _FEWEST:
            yield Styled(_number(name, figure.mean), style)
        else:
            yield _above(_number(name, figure.mean), _interval(name, figure), style)


def _number(name: str, value: float) -> str:
    """NDCG by tradition as a fraction, all else in percent."""
    return f"{value:.3f}".removeprefix("0") if name == NDCG else f"{100 * value:.1f}"


def _interval(name: str, figure: Figure) -> str:
    if name == NDCG:
        return "-".join(f"{each:.2f}".removeprefix("0") for each in (figure.low, figure.high))
    return f"{100 * figure.low:.0f}-{100 * figure.high:.0f}"


def _above(main: str, below: str, style: str = "") -> Cell:
    return (Styled(main, style), Styled(f"\n{below}", "dim"))
