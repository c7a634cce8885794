"""How what goes into the window is listed."""

from __future__ import annotations

from collections.abc import Iterator

from glossator.cli.messages import NO_INSTRUCTIONS, NOTHING_GOES, amount
from glossator.cli.render import Column, Part, Styled, Table, line, listed
from glossator.commands import ContextSourceList, ContextState, PreviewAnswer

_STATES = {
    ContextState.ON: ("on", "green"),
    ContextState.OFF: ("off", "dim"),
    ContextState.STALE: ("stale", "yellow"),
    ContextState.PROPOSED: ("not adopted", "yellow"),
    ContextState.CHANGED: ("changed", "yellow"),
    ContextState.UNTRUSTED: ("not trusted", "yellow"),
    ContextState.WAITING: ("waiting", "yellow"),
    ContextState.LOGIN: ("needs login", "yellow"),
    ContextState.PROBLEM: ("problem", "red"),
}
_OWNERS = {"user": "yours", "project": "the project's"}


def context_parts(answer: ContextSourceList) -> Iterator[Part]:
    """A row for each, with the reason why it is not on; then what is wrong with files."""
    columns = (Column(whole=True), Column(whole=True), Column(whole=True), Column())
    rows, plain = [], []
    for each in answer.sources:
        word, style = _STATES[each.state]
        owner, said = _OWNERS[each.source], " ".join(filter(None, (each.why, each.detail)))
        rows.append((Styled(word, style), Styled(each.name, "bold", each.uri), owner, said))
        plain.append(f"{word}\t{each.name}\t{owner}\t{said}")
    yield listed(Table(columns, tuple(rows), tuple(plain)), NO_INSTRUCTIONS)
    for problem in answer.problems:
        yield line(problem, "yellow", aside=True)


def preview_parts(answer: PreviewAnswer) -> Iterator[Part]:
    """A row for each part that would go with a question, then what cannot."""
    columns = (
        Column(whole=True),
        Column(right=True, whole=True),
        Column(least=14),
        Column("", "dim"),
    )
    rows, plain = [], []
    for each in answer.parts:
        tokens = "" if each.tokens is None else amount(each.tokens)
        rows.append((each.kind.value, tokens, Styled(each.name, "bold", each.uri), each.why))
        plain.append(f"{each.kind.value}\t{tokens}\t{each.name}\t{each.why}")
    yield listed(Table(columns, tuple(rows), tuple(plain)), NOTHING_GOES)
    for problem in answer.problems:
        yield line(problem, "yellow", aside=True)
    if answer.tokens:
        said = f"At least {amount(answer.tokens)} tokens beside the question."
        yield line(said, "dim", kind="table", aside=True)
