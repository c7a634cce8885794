"""What an edge asks the user before a tool acts, and what the user may answer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Choice(StrEnum):
    """What the user decided, and for how long."""

    ONCE = "once"
    SESSION = "session"
    ALWAYS = "always"  # in this workspace
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class Cut:
    """What is left out of a detail that is too long to be sent: so many bytes before `tail`."""

    bytes: int
    tail: str


@dataclass(frozen=True, slots=True)
class PermissionRequest:
    """A question to the user; nothing runs before it is answered.

    `title` is one line, `detail` the whole command or change; where it is too long to be sent, its
    beginning, and `cut` says what follows. `suggestions` are the rules that would together allow it
    next time; without any it can be allowed once only.
    """

    tool: str
    title: str
    detail: str
    reasons: tuple[str, ...]
    suggestions: tuple[str, ...] = ()
    cut: Cut | None = None

    @property
    def choices(self) -> tuple[Choice, ...]:
        """What can be answered."""
        if self.suggestions:
            return tuple(Choice)
        return (Choice.ONCE, Choice.DENY)


@dataclass(frozen=True, slots=True)
class PermissionAnswer:
    """The user's answer; `message` is what the model is to be told of a denial, if anything.

    `asked` is false where nobody could be asked: the message is not the user's then. `rules` are
    kept instead of those suggested, if the user wrote other ones; an empty list keeps none.
    """

    choice: Choice
    message: str = ""
    asked: bool = True
    rules: tuple[str, ...] | None = None
