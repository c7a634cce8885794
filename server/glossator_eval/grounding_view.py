"""How a report on the verifier is shown: what is caught by group, and examples of errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from glossator.cli import (
    Cell,
    Code,
    Column,
    Part,
    Styled,
    Table,
    TextLine,
    line,
    one_line,
    plural,
)
from glossator.core.citations import place
from glossator.core.shown import shown
from glossator_eval.report import GroundingFigures, GroundingReport, Misjudged, Share

_FEWEST = 20  # statements that an interval is shown for
_TRUE = ("true\nrefused", "true\nundecided")
_FALSE = ("false\ncaught", "false\nundecided", "false\nmissed")
_MOST_LINES = 30  # of an example


def grounding_parts(report: GroundingReport) -> Iterator[Part]:
    """The parts of a report."""
    about = f"  about {plural(report.files, 'file')}, phrasings: {report.phrasings}"
    how = f", seed {report.seed}, {report.milliseconds:.2f} ms each"
    count = Styled(plural(report.statements, "statement"), "bold")
    yield TextLine((count, Styled(about + how)), kind="heading")
    yield _table("", (report.overall,))
    for title, groups in (
        ("kind", report.kinds),
        ("falsification", report.falsifications),
        ("language", report.languages),
        ("repository", report.repositories),
    ):
        if len(groups) > 1:
            yield TextLine((Styled(f"By {title}", "bold"),), kind=title)
            yield _table(title, groups, false_only=title == "falsification")
    yield line("Small figures are 95 % intervals, by Wilson.", "dim", kind="footnote", aside=True)
    for each in report.misjudged:
        yield from _example(each)


def _table(title: str, groups: Sequence[GroundingFigures], *, false_only: bool = False) -> Table:
    names = _FALSE if false_only else (*_TRUE, *_FALSE)
    heads = (Column(each, right=True) for each in ("pairs", *names))
    columns = (Column(title, whole=True), *heads)
    rows = []
    for group in groups:
        total = Styled(f"{group.caught.total:,}", "dim")
        cells: list[Cell] = [Styled(shown(group.name)), total]
        if not false_only:
            cells += map(_cell, (group.refused, group.undecided))
        cells += map(_cell, (group.caught, group.false_undecided, group.missed))
        rows.append(tuple(cells))
    titles = "\t".join(column.name.replace("\n", " ") for column in columns)
    lines = ("\t".join(map(one_line, row)) for row in rows)
    return Table(columns, tuple(rows), (titles, *lines))


def _cell(share: Share) -> Cell:
    """The share and, of enough statements, the interval below."""
    if share.total < _FEWEST:
        return Styled(_percent(share.share))
    interval = f"\n{100 * share.low:.0f}-{100 * share.high:.0f}"
    return (Styled(_percent(share.share)), Styled(interval, "dim"))


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _example(wrong: Misjudged) -> Iterator[Part]:
    what = f"false: {wrong.falsification}" if wrong.falsification else "true"
    kind = f"example {wrong.statement}"
    yield TextLine(
        (Styled(shown(wrong.statement), "bold"), Styled(f"  {wrong.kind}, {what}", "dim")),
        kind=kind,
    )
    reason = f": {wrong.reason}" if wrong.reason else ""
    yield line(f"{wrong.verdict}{shown(reason)}", "yellow", kind=kind)
    for each in wrong.cited:
        last = each.first_line + len(each.lines) - 1
        where = shown(f"{wrong.repository}/{place(each.path, each.first_line, last)}")
        yield line(where, "bold blue", kind=kind)
        for header in each.enclosing:
            yield line(f"{shown(header)} …", "dim", kind=kind)
        lines = each.lines[:_MOST_LINES]
        numbers = tuple(range(each.first_line, each.first_line + len(lines)))
        yield Code("\n".join(lines), each.path, each.first_line, numbers, (), kind)
