"""The permission rules, as they are listed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Source = Literal["settings", "session", "always"]


@dataclass(frozen=True, slots=True)
class ListedRule:
    """A rule and where it is from.

    `settings`: the client's settings or options, where alone it can be changed. `session` and
    `always` (in this workspace): the user answered so, and can have it removed.
    """

    text: str
    effect: Literal["allow", "ask", "deny"]
    source: Source
    removable: bool


@dataclass(frozen=True, slots=True)
class RuleList:
    """The rules that hold now: those that deny first, then those that ask, and that allow."""

    rules: tuple[ListedRule, ...]
