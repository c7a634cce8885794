"""What files describe, as it is listed: sub-agents, skills and slash commands."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

Owner = Literal["user", "project"]


class CustomizationKind(StrEnum):
    """What a file describes."""

    AGENT = "agent"
    SKILL = "skill"
    COMMAND = "command"


class CustomizationState(StrEnum):
    """Whether it is used: switched off or hidden (`off`), of a folder that is not trusted, wrong.

    The reason stands beside it.
    """

    ON = "on"
    OFF = "off"
    UNTRUSTED = "untrusted"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Customization:
    """One that a file describes; `why` says why it is not on, or what of it has no effect.

    `source` says whose it is. `path` is absolute; `hint` says what a command's arguments are.
    """

    kind: CustomizationKind
    name: str
    source: Owner
    path: str
    uri: str
    state: CustomizationState
    why: str
    description: str
    hint: str


@dataclass(frozen=True, slots=True)
class CustomizationList:
    """What files describe, the user's own first; `left_out` counts what takes trust."""

    items: tuple[Customization, ...]
    left_out: tuple[str, ...]
