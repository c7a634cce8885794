"""What a hook is: when it runs, about which tools, and the id by which it is named."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from glossator.core.errors import UsageError
from glossator.core.shown import shown
from glossator.permissions import ToolRule, digest, is_about, parse_rule
from glossator.settings import Hook


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
class KnownHook:
    """A hook that can run: one of the user's, or one that a `folder` of the workspace asks for.

    `folder` is "" for the user's own.
    """

    id: str
    event: HookEvent
    hook: Hook
    rules: tuple[ToolRule, ...]
    folder: str = ""

    def is_for(self, event: HookEvent, tool: str) -> bool:
        """Whether it runs at a moment; for tool hooks, whether it is about the tool."""
        about = not tool or any(is_about(rule, tool) for rule in self.rules)
        return self.event is event and about


class HookIds:
    """Gives hooks their ids: eight digits of a hash of what tells them apart, to be typed."""

    def __init__(self) -> None:
        self._given = Counter[str]()

    def id(self, *parts: str) -> str:
        """The id of the next hook of which these are true."""
        said = json.dumps(parts)
        self._given[said] += 1
        return digest(f"{said}{self._given[said]}".encode())[:8]


def rules_of(matcher: str, where: str) -> tuple[ToolRule, ...]:
    """The tools that a matcher names. Raises `UsageError`, which says `where` it stands."""
    return tuple(_rule(name, where) for name in (matcher.strip() or "*").split("|"))


def _rule(name: str, where: str) -> ToolRule:
    try:
        rule = parse_rule(name)
    except UsageError:
        rule = None
    if isinstance(rule, ToolRule):
        return rule
    raise UsageError(
        f"The matcher {shown(name)} in {where} names no tool. Write a"
        " tool's name, Edit or Read for all tools that do such, mcp__server, * for every tool, or"
        " several with | between them."
    )
