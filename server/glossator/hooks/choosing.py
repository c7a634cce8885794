"""Which hooks the user has set, and which of them are about a tool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from glossator.core.errors import UsageError
from glossator.core.shown import shown
from glossator.permissions import ToolRule, is_about, parse_rule
from glossator.settings import Hook, HookSettings


class HookEvent(StrEnum):
    """When hooks run; the value is the name that hooks of other agents are told."""

    SESSION_START = "SessionStart"
    PROMPT_SUBMIT = "UserPromptSubmit"
    BEFORE_TOOL = "PreToolUse"
    AFTER_TOOL = "PostToolUse"
    STOP = "Stop"
    BEFORE_COMPACTION = "PreCompact"

    @property
    def setting(self) -> str:
        """The setting that lists its hooks, without `hooks.`."""
        first, *rest = self.name.lower().split("_")
        return first + "".join(map(str.capitalize, rest))


@dataclass(frozen=True, slots=True)
class _Matched:
    hook: Hook
    rules: tuple[ToolRule, ...]


class Hooks:
    """The hooks of the settings. Raises `UsageError` for a matcher that cannot be used."""

    def __init__(self, settings: HookSettings) -> None:
        self._of: Mapping[HookEvent, tuple[_Matched, ...]] = {
            event: tuple(
                _Matched(hook, _rules(event, hook))
                for hook in getattr(settings, event.name.lower())
            )
            for event in HookEvent
        }
        self.began = set[str]()  # ids of the sessions whose start hooks know of

    def of(self, event: HookEvent, tool: str = "") -> tuple[Hook, ...]:
        """Those that run at a moment; for tool hooks, those about the tool."""
        return tuple(
            each.hook
            for each in self._of[event]
            if not tool or any(is_about(rule, tool) for rule in each.rules)
        )

    def __iter__(self) -> Iterator[tuple[HookEvent, Hook]]:
        """All of them."""
        return ((event, each.hook) for event, matched in self._of.items() for each in matched)


def _rules(event: HookEvent, hook: Hook) -> tuple[ToolRule, ...]:
    return tuple(_rule(event, name) for name in (hook.matcher.strip() or "*").split("|"))


def _rule(event: HookEvent, name: str) -> ToolRule:
    try:
        rule = parse_rule(name)
    except UsageError:
        rule = None
    if isinstance(rule, ToolRule):
        return rule
    raise UsageError(
        f"The matcher {shown(name)} in the setting hooks.{event.setting} names no tool. Write a"
        " tool's name, Edit or Read for all tools that do such, mcp__server, * for every tool, or"
        " several with | between them."
    )
