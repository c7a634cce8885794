"""How sub-agents, skills and slash commands are listed."""

from __future__ import annotations

from glossator.cli.render import Column, Styled, Table
from glossator.core.shown import shown
from glossator.customizations import CustomizationKind, CustomizationList, CustomizationState

_STATES = {
    CustomizationState.ON: ("on", "green"),
    CustomizationState.OFF: ("off", "dim"),
    CustomizationState.UNTRUSTED: ("not trusted", "yellow"),
    CustomizationState.PROBLEM: ("problem", "red"),
}
_OWNERS = {"user": "yours", "project": "the project's"}


def customization_table(answer: CustomizationList) -> Table:
    """A row for each; at a terminal the name leads to the file, in a pipe its path ends the line.

    Where it is not used, the reason stands in the place of its description; what has no effect
    follows it.
    """
    columns = (Column(whole=True), Column(whole=True), Column(), Column(whole=True), Column())
    rows, plain = [], []
    for each in answer.items:
        word, style = _STATES[each.state]
        slash = "/" if each.kind is CustomizationKind.COMMAND else ""
        name, owner = f"{slash}{shown(each.name)}", _OWNERS[each.source]
        used = each.state is CustomizationState.ON
        said = shown(f"{each.description} {each.why}".strip() if used else each.why)
        hint = Styled(f" {shown(each.hint)}" if each.hint else "", "dim")
        named = Styled(name, "bold", each.uri), hint
        rows.append((Styled(word, style), each.kind.value, named, owner, said))
        plain.append("\t".join((word, each.kind.value, name, owner, said, shown(each.path))))
    return Table(columns, tuple(rows), tuple(plain))
