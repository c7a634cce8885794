"""The workspaces that the user trusts: in others nothing of theirs is obeyed or started.

A folder is trusted if it, or a folder above it, was remembered in `<user state folder>/trust.json`,
or is trusted for this session. Only its real path counts, not what lies in it, such as a `.git`
that points into another repository. Several servers and `glossator trust` share the file, so it is
read again when it has changed. The user is asked once, before the first process that a workspace
can influence.
"""

from __future__ import annotations

import asyncio
import os
import shlex
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import platformdirs

from glossator.core.errors import StoreUnavailable, UsageError
from glossator.core.permission import Access
from glossator.core.question import Option, Question, QuestionAnswer
from glossator.core.shown import shown
from glossator.core.uri import to_path, to_uri
from glossator.permissions.private_file import (
    DamagedFile,
    PrivateFile,
    read_private,
    update_private,
)
from glossator.permissions.worktrees import counts_as
from glossator.workspace import is_inside

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
    "No command is run in this workspace: it is not marked as trusted. The user has not"
    f" refused anything.\n{_WITHOUT_WORDS} Say, too, that `glossator trust`, or at a terminal"
    " --trust for one run, allows commands here."
)
_CHANGED = (
    "The workspace's folders changed while the user was asked whether to trust them, so nothing was"
    " run.\nTry again."
)


def trust_file() -> Path:
    """The file that remembers trusted folders."""
    return Path(platformdirs.user_state_dir("glossator")) / "trust.json"


def real_folder(folder: str) -> str | None:
    """The real path by which a folder is known, see `counts_as`; None if it does not exist now."""
    try:
        return counts_as(os.path.realpath(folder, strict=True))
    except (OSError, ValueError):
        return None


def why_never_remembered(path: str) -> str:
    """Why a folder, by real path, is trusted for one session at most; "" if it can be remembered.

    Folders are compared as the file system does, so no spelling of a name makes a difference.
    """
    home = Path(os.path.realpath(os.path.expanduser("~")))
    if not any(_is_same(path, folder) for folder in (home, *home.parents)):
        return ""
    what = "is" if _is_same(path, home) else "holds"
    return (
        f"{shown(path)} {what} your home folder, so it is never remembered as trusted: whatever is"
        " unpacked there later would be trusted, too."
    )


def remembered_folders(file: Path | None = None) -> frozenset[str]:
    """The folders that are trusted with all below them. Raises `StoreUnavailable`."""
    file = file or trust_file()
    try:
        return _paths(read_private(file))
    except (OSError, DamagedFile) as error:
        raise StoreUnavailable(_unusable(file, error)) from error


def remember_folder(folder: str, file: Path | None = None) -> str:
    """Trust a folder and all below it from now on; returns its real path.

    Raises `UsageError` for one that is not there or is never remembered, `StoreUnavailable`.
    """
    path = real_folder(folder)
    if path is None or not os.path.isdir(path):
        raise UsageError(f"There is no folder {shown(folder)}. Check the name.")
    if reason := why_never_remembered(path):
        raise UsageError(f"{reason} Trust a folder in it, or pass --trust for one run.")
    update_private(file or trust_file(), lambda before: {**before, to_uri(path): ()})
    return path


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The result of forgetting a folder: whether it was remembered, and what still is.

    `above` are the folders that it is still trusted by, `below` those inside it that still are.
    """

    known: bool
    above: tuple[str, ...]
    below: tuple[str, ...]


def forget_folder(folder: str, file: Path | None = None) -> Forgotten:
    """Stop trusting a folder, whether it exists or not. Raises `StoreUnavailable`.

    It is forgotten both as it is named and where links lead now.
    """
    file = file or trust_file()
    named = {os.path.abspath(folder), os.path.realpath(folder)}
    before = remembered_folders(file)
    if before & named:
        gone = set(map(to_uri, before & named))
        update_private(file, lambda entries: {u: v for u, v in entries.items() if u not in gone})
    left = sorted(before - named)
    return Forgotten(
        known=bool(before & named),
        above=tuple(each for each in left if any(is_inside(name, each) for name in named)),
        below=tuple(each for each in left if any(is_inside(each, name) for name in named)),
    )


@dataclass(frozen=True, slots=True)
class TrustReason:
    """Why a folder is trusted: by which folder, and whether that one is remembered."""

    by: str
    remembered: bool


class Trust:
    """What one server knows about the user's trust; blocking, but short.

    `warn` reports a file that cannot be used; then nothing is trusted by it.
    """

    def __init__(self, warn: Callable[[str], object], file: Path | None = None) -> None:
        self._warn = warn
        self._file = PrivateFile(file or trust_file())
        self._session: set[str] = set()

    def trusted(self, roots: Iterable[str]) -> bool:
        """Whether every one of these folders is there and trusted.

        With none there is nothing to obey. Ask with the paths that will be used afterwards, links
        resolved, and again when they change.
        """
        return all(self.why_trusted(root) is not None for root in roots)

    def why_trusted(self, root: str) -> TrustReason | None:
        """The folder and the reason by which a folder is trusted; None if it is not."""
        path = real_folder(root)
        if path is None:
            return None
        for folders, remembered in ((self._known(), True), (self._session, False)):
            above = [folder for folder in folders if is_inside(path, folder)]
            if above:
                return TrustReason(max(above, key=len), remembered)
        return None

    def trust_for_session(self, roots: Iterable[str]) -> None:
        """Trust folders for this session, because the client asked its user."""
        self._session.update(path for root in roots if (path := real_folder(root)) is not None)

    def distrust_for_session(self) -> None:
        """Take back what the client said about these folders."""
        self._session.clear()

    def remember(self, root: str) -> bool:
        """Trust a folder and all below it from now on; whether it will be known next time.

        The top of the file system and the home folder count for this session only, and others do
        where the file cannot be written.
        """
        try:
            remember_folder(root, self._file.path)
        except UsageError:
            self.trust_for_session((root,))
            return False
        except StoreUnavailable as error:
            self.trust_for_session((root,))
            self._warn(f"{shown(root)} is trusted for this session only. {error}")
            return False
        return True

    def _known(self) -> frozenset[str]:
        try:
            return _paths(self._file.now())
        except (OSError, DamagedFile) as error:
            self._warn(_unusable(self._file.path, error))
            return frozenset()


def _unusable(file: Path, error: Exception) -> str:
    return (
        f"No folder is known as trusted, because {file} cannot be used ({error}). Glossator"
        " asks again; the next folder you trust starts a new file."
    )


def _is_same(path: str, folder: Path) -> bool:
    try:
        return os.path.samefile(path, folder)
    except OSError:  # one of them is not there
        return False


def _paths(uris: Iterable[str]) -> frozenset[str]:
    return frozenset(path for uri in uris if (path := to_path(uri)) is not None)


@dataclass(frozen=True, slots=True)
class TrustQuestion:
    """Asks the user whether to trust the workspace, unless the answer is known.

    `roots` are the current folders of the workspace, `said` is what the editor knows of its user's
    trust; a no of the editor is final. `tell` shows the user what to do if nobody answered, and
    `changed` is called when folders were trusted.
    """

    trust: Trust
    roots: Callable[[], tuple[str, ...]]
    ask: Callable[[Question], Awaitable[QuestionAnswer]]
    tell: Callable[[str], object]
    said: bool | None = None
    changed: Callable[[], object] = lambda: None
    _refused: dict[tuple[str, ...], str] = field(default_factory=dict)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def is_trusted(self) -> bool:
        """Whether the workspace is known to be trusted: nobody is asked."""
        return self.trusts(self.roots())

    def trusts(self, folders: Iterable[str]) -> bool:
        """Whether all these folders, of the workspace as it was found, are known to be trusted."""
        return self.said is not False and not self._untrusted(folders)

    async def refusal(self, access: Access) -> str | None:
        """Why what acts may not be done in the workspace, for the model; None if it may.

        Nothing changes in one that the editor does not trust; otherwise only starting a process
        takes trust.
        """
        if self.said is False:
            return _RESTRICTED
        if access is not Access.EXECUTE:
            return None
        async with self._turn:  # several sessions may need the same answer
            folders = self._untrusted(self.roots())
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
            self.changed()
            return _CHANGED if self._untrusted(self.roots()) else None

    def _untrusted(self, folders: Iterable[str]) -> tuple[str, ...]:
        """The folders that are not trusted, by real path, as the user sees them."""
        real = map(os.path.realpath, folders)
        return tuple(folder for folder in real if not self.trust.trusted((folder,)))


def _refusal(answer: QuestionAnswer) -> str:
    """The refusal for the model after an answer that gives no trust."""
    if not answer:
        return _UNANSWERED
    words = answer.words.strip()
    return _REFUSED + (f"The user says: {words}" if words else _WITHOUT_WORDS)


def how_to_trust(folder: str) -> str:
    """The terminal command that trusts a folder, given by its real path."""
    if reason := why_never_remembered(folder):
        return f"{reason} Pass --trust to trust it for one run."
    command = f"glossator trust {shlex.quote(shown(folder))}"
    return f"Trust it with `{command}`, or at a terminal for one run with --trust."


def _notice(folders: tuple[str, ...]) -> str:
    """The notice for the user if nobody could be asked, or nobody answered."""
    return "\n".join(
        f"No command was run, because {shown(folder)} is not marked as trusted."
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
    return Question(text, (*lasting, _SESSION, _NEVER), refusal=_NEVER.label)
