"""How it is shown what may be done, obeyed or run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from glossator.cli.messages import NO_CUSTOMIZATIONS, NO_RULES, NO_TRUSTED
from glossator.cli.render import Column, Part, Styled, Table, listed
from glossator.cli.render.context_sources import context_parts, preview_parts
from glossator.cli.render.customizations import customization_table
from glossator.cli.render.hooks import hook_parts
from glossator.commands import ContextSourceList, PreviewAnswer, RuleList
from glossator.core.shown import shown
from glossator.customizations import CustomizationList
from glossator.hooks import HookList

_EFFECTS = {"deny": "red", "ask": "yellow", "allow": "green"}
_SOURCES = {
    "settings": "settings or options",
    "always": "answered: always here",
    "session": "answered: in the session",
}


@dataclass(frozen=True, slots=True)
class Trusted:
    """The folders that are remembered as trusted; no server answers this."""

    trusted: tuple[str, ...]


def listing_parts(
    answer: (RuleList | Trusted | CustomizationList | HookList | ContextSourceList | PreviewAnswer),
) -> Iterator[Part]:
    """What may be done, obeyed or run."""
    match answer:
        case ContextSourceList():
            yield from context_parts(answer)
        case PreviewAnswer():
            yield from preview_parts(answer)
        case HookList():
            yield from hook_parts(answer)
        case CustomizationList():
            yield listed(customization_table(answer), NO_CUSTOMIZATIONS)
        case RuleList():
            yield listed(_rules(answer), NO_RULES)
        case Trusted():
            yield _trusted(answer)


def _trusted(answer: Trusted) -> Part:
    return listed(Table((Column(),), tuple((shown(each),) for each in answer.trusted)), NO_TRUSTED)


def _rules(answer: RuleList) -> Table:
    """A row for each rule; denials are red."""
    columns = (Column(whole=True), Column("rule"), Column("from", "dim"))
    rows = (
        (Styled(each.effect, _EFFECTS[each.effect]), shown(each.text), _SOURCES[each.source])
        for each in answer.rules
    )
    return Table(columns, tuple(rows))
