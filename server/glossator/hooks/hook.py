"""What a hook is: when it runs, about what, and the id by which it is named."""

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

    @property
    def occasions(self) -> tuple[str, ...]:
        """What a matcher can name instead of tools: why a session begins, or is compacted."""
        match self:
            case HookEvent.SESSION_START:  # `clear` never happens here
                return ("startup", "resume", "compact", "clear")
            case HookEvent.BEFORE_COMPACTION:
                return ("auto", "manual")
        return ()


@dataclass(frozen=True, slots=True)
class KnownHook:
    """A hook that can run: one of the user's, or one that a `folder` of the workspace asks for.

    `folder` is "" for the user's own. `rules` are what its matcher names: tools or occasions.
    """

    id: str
    event: HookEvent
    hook: Hook
    rules: tuple[ToolRule, ...]
    folder: str = ""

    def is_for(self, event: HookEvent, about: str) -> bool:
        """Whether it runs at a moment that is `about` a tool or an occasion; "": any."""
        named = not about or any(is_about(rule, about) for rule in self.rules)
        return self.event is event and named


class HookIds:
    """Gives hooks their ids: eight digits of a hash of what tells them apart, to be typed."""

    def __init__(self) -> None:
        self._given = Counter[str]()

    def id(self, *parts: str) -> str:
        """The id of the next hook of which these are true."""
        said = json.dumps(parts)
        self._given[said] += 1
        return digest(f"{said}{self._given[said]}".encode())[:8]


def rules_of(event: HookEvent, matcher: str, where: str) -> tuple[ToolRule, ...]:
    """What a matcher names. Raises `UsageError`, which says `where` it stands."""
    names = (matcher.strip() or "*").split("|")
    known = (*event.occasions, "*")
    if event.occasions and (wrong := next((each for each in names if each not in known), None)):
        raise UsageError(
            f"The matcher {shown(wrong)} in {where} names no occasion. Write"
            f" {', '.join(event.occasions)} or *, or several with | between them."
        )
    return tuple(_rule(name, where) for name in names)


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
