"""What goes with a question."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class GoingKind(StrEnum):
    """What goes with a question."""

    ATTACHED = "attached"
    MENTIONED = "mentioned"
    INSTRUCTIONS = "instructions"
    MEMORY = "memory"
    FACT = "fact"
    EDITOR = "editor"
    GIT = "git"
    WORKSPACE = "workspace"


@dataclass(frozen=True, slots=True)
class Going:
    """A part; `uri` and the lines are where it comes from, `tokens` is null where it is not known.

    `why` says what puts it there, or what keeps it out, for which `tokens` is 0.
    """

    kind: GoingKind
    name: str
    why: str
    tokens: int | None
    uri: str | None = None
    first_line: int | None = None
    last_line: int | None = None


@dataclass(frozen=True, slots=True)
class PreviewAnswer:
    """The user's and the project's parts, the tokens of those that are known, and problems.

    What every session begins with, such as tools, is not among them: see `glossator.showContext`.
    """

    parts: tuple[Going, ...]
    tokens: int
    problems: tuple[str, ...]
