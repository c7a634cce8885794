"""How sub-agents, skills and slash commands are listed."""

from __future__ import annotations

from glossator.cli.render import Column, Styled, Table
from glossator.core.customization import (
    Customization,
    CustomizationKind,
    CustomizationList,
    CustomizationState,
)
from glossator.core.shown import shown

_STATES = {
    CustomizationState.ON: ("on", "green"),
    CustomizationState.OFF: ("off", "dim"),
    CustomizationState.UNTRUSTED: ("not trusted", "yellow"),
    CustomizationState.PROBLEM: ("problem", "red"),
}
_OWNERS = {"user": "yours", "project": "the project's"}


def customization_table(answer: CustomizationList) -> Table:
    """A row for each, with the reason where it is not used."""
    columns = (Column(whole=True), Column(), Column(style="bold"), Column(), Column(), Column())
    return Table(columns, tuple(map(_row, answer.items)))


def _row(each: Customization) -> tuple[Styled | str, ...]:
    word, style = _STATES[each.state]
    slash = "/" if each.kind is CustomizationKind.COMMAND else ""
    name = f"{slash}{shown(each.name)} {shown(each.hint)}".rstrip()
    said = shown(each.why or each.description)
    return (
        Styled(word, style),
        each.kind.value,
        name,
        _OWNERS[each.source],
        said,
        shown(each.path),
    )
