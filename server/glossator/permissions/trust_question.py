"""Asking for trust, once: before the first process that a workspace has a say in."""

from __future__ import annotations

import asyncio
import os
import shlex
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from glossator.core.permission import Access
from glossator.core.question import Option, Question, QuestionAnswer
from glossator.core.shown import shown
from glossator.permissions.trust import Trust, why_never_remembered

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
    "No command is run in this workspace: nobody has said that it is trusted. The user has not"
    f" refused anything.\n{_WITHOUT_WORDS} Say, too, that `glossator trust`, or --trust for one"
    " run, allows commands here."
)
_CHANGED = (
    "The workspace's folders changed while the user was asked whether to trust them, so nothing was"
    " run.\nTry again."
)


@dataclass(frozen=True, slots=True)
class TrustQuestion:
    """Puts the question of trust to the user where nobody has answered it.

    `roots` are the workspace's folders at this moment, `said` what the editor knows of its user's
    trust; a no of the editor is final. `tell` shows the user what to do where nobody answered.
    """

    trust: Trust
    roots: Callable[[], tuple[str, ...]]
    ask: Callable[[Question], Awaitable[QuestionAnswer]]
    tell: Callable[[str], object]
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
                if not answer:
                    self.tell(_notice(folders))
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


def how_to_trust(folder: str) -> str:
    """What trusts a folder, given by its real path, from a terminal."""
    if reason := why_never_remembered(folder):
        return f"{reason} Pass --trust to trust it for one run."
    command = f"glossator trust {shlex.quote(shown(folder))}"
    return f"Trust it with `{command}`, or for one run with --trust."


def _notice(folders: tuple[str, ...]) -> str:
    """What the user is told where nobody could be asked, or nobody answered."""
    return "\n".join(
        f"No command was run, because nobody has said that {shown(folder)} is trusted."
        f" {how_to_trust(folder)}"
        for folder in folders
    )


def _is_still_there(folder: str) -> bool:
    return os.path.realpath(folder) == folder


def _question(folders: tuple[str, ...]) -> Question:
    names = "\n".join(map(shown, folders))
    text = (
        "Do you trust what is in these folders? Commands in them may run programs and settings"
        f" that came with them.\n{names}"
    )
    lasting = () if any(map(why_never_remembered, folders)) else (_ALWAYS,)
    return Question(text, (*lasting, _SESSION, _NEVER))
