"""Asking for trust, once: before the first process that a workspace has a say in."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from glossator.core.question import Option, Question, QuestionAnswer
from glossator.core.shown import shown
from glossator.service.trust import Trust
from glossator.tools.base import Access

_ALWAYS = Option("Trust it", "Remembered for these folders and all below them.")
_SESSION = Option("Trust it this time", "Until the server ends.")
_NEVER = Option("Do not trust it", "Files can be read and edited; no command is run.")

_RESTRICTED = (
    "The editor says that this workspace is not trusted, so files are only read and no command is"
    " run; trust it in the editor to allow more.\nGo on by reading alone, or tell the user to trust"
    " the workspace in the editor."
)
_REFUSED = "The user does not trust this workspace, so no command is run in it.\n"
_WITHOUT_WORDS = "Go on without commands, and say in your answer what was left undone."
_UNANSWERED = (
    "No command is run in this workspace: nobody has said that it is trusted.\n"
    f"{_WITHOUT_WORDS} The user is asked again by a new server, in an editor or at a terminal."
)
_CHANGED = (
    "The workspace's folders changed while the user was asked whether to trust them, so nothing was"
    " run.\nTry again."
)


@dataclass(frozen=True, slots=True)
class TrustQuestion:
    """Puts the question of trust to the user where nobody has answered it.

    `roots` are the workspace's folders at this moment, `said` what the editor knows of its user's
    trust; a no of the editor is final.
    """

    trust: Trust
    roots: Callable[[], tuple[str, ...]]
    ask: Callable[[Question], Awaitable[QuestionAnswer]]
    said: bool | None = None
    _refused: dict[tuple[str, ...], str] = field(default_factory=dict)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def is_trusted(self) -> bool:
        """Whether the workspace is known to be trusted: nobody is asked."""
        return self.said is not False and not self._untrusted()

    async def refusal(self, access: Access) -> str | None:
        """Why what acts may not be done in the workspace, for the model; None if it may.

        In one that the editor does not trust nothing is changed; otherwise only starting a process
        takes trust.
        """
        if self.said is False:
            return _RESTRICTED
        if access is not Access.EXECUTE:
            return None
        async with self._turn:  # several sessions may need the same answer
            folders = self._untrusted()
            if not folders:
                return None
            if (known := self._refused.get(folders)) is not None:
                return known
            answer = await self.ask(_question(folders))
            if _ALWAYS.label in answer.chosen:
                for folder in filter(_is_still_there, folders):
                    self.trust.remember(folder)
            elif _SESSION.label in answer.chosen:
                self.trust.trust_for_session(filter(_is_still_there, folders))
            else:
                self._refused[folders] = refusal = _refusal(answer)
                return refusal
            return _CHANGED if self._untrusted() else None

    def _untrusted(self) -> tuple[str, ...]:
        """The folders that are not trusted, by real path: it is what the user is shown."""
        real = map(os.path.realpath, self.roots())
        return tuple(folder for folder in real if not self.trust.trusted((folder,)))


def _refusal(answer: QuestionAnswer) -> str:
    """What the model is told of an answer that gives no trust."""
    if not answer:
        return _UNANSWERED
    words = answer.words.strip()
    return _REFUSED + (f"The user says: {words}" if words else _WITHOUT_WORDS)


def _is_still_there(folder: str) -> bool:
    return os.path.realpath(folder) == folder


def _question(folders: tuple[str, ...]) -> Question:
    names = "\n".join(map(shown, folders))
    text = (
        "Do you trust what is in these folders? Commands in them may run programs and settings"
        f" that came with them.\n{names}"
    )
    return Question(text, (_ALWAYS, _SESSION, _NEVER))
