"""How hooks are listed."""

from __future__ import annotations

from collections.abc import Iterator

from glossator.cli.messages import NO_HOOKS
from glossator.cli.render import Column, Part, Styled, Table, line, listed
from glossator.core.shown import shown
from glossator.hooks import HookList

_STATES = {
    "on": ("on", "green"),
    "untrusted": ("not trusted", "yellow"),
    "unavailable": ("no sandbox", "red"),
    "off": ("off", "dim"),
    "proposed": ("not adopted", "yellow"),
    "changed": ("changed", "yellow"),
    "problem": ("problem", "red"),
}
_OWNERS = {"user": "yours", "project": "the project's"}


def hook_parts(answer: HookList) -> Iterator[Part]:
    """A row for each, with the reason why it does not run; then what could not be read."""
    columns = (Column(whole=True), Column(style="dim", whole=True), Column(), Column())
    rows, plain = [], []
    for each in answer.hooks:
        word, style = _STATES[each.state]
        name = f"{each.name}({shown(each.matcher)})" if "Tool" in each.name else each.name
        owner, command = _OWNERS[each.source], shown(each.command)
        said = each.why or each.description
        named = Styled(name, "bold", each.uri)
        about = Styled(f"  {owner}: {said}", "dim")
        rows.append((Styled(word, style), each.id, named, (Styled(command), about)))
        plain.append("\t".join((word, each.id, name, command, owner, said, shown(each.path))))
    yield listed(Table(columns, tuple(rows), tuple(plain)), NO_HOOKS)
    for problem in answer.problems:
        yield line(problem)
