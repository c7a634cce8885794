"""What of the workspace a command is kept from: found anew for each, as it comes and goes.

The listing tells nearly all of it; what that leaves out (ignored folders) is looked through, too.
In both only folders that changed are looked at again.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress

from glossator.documents.snapshot import WorkspaceSnapshot
from glossator.files.entries import FileEntry
from glossator.files.listing import Listing
from glossator.files.roots import is_inside, outermost
from glossator.permissions.folding import folded
from glossator.permissions.hidden import HiddenFiles
from glossator.permissions.protected import obeyed_at_once, own_folders, protected_in
from glossator.sandbox.guards import is_guard
from glossator.sandbox.ignored import Below, LeftOut
from glossator.sandbox.policy import Limits
from glossator.sandbox.repository import of_repository
from glossator.sandbox.set_aside import Names

_OURS = re.compile(r"\.glossator-[0-9a-f]{16}")  # as edits are written; nobody reads it
_MAX_ENTRIES = 500_000  # looked through in some three seconds; again in a tenth of that
_MAX_HIDDEN = 500  # mounts
_TOO_MUCH = (
    "The workspace holds too many files to be looked through for those that {whose}, so the command"
    " might {what} them."
)
_PROTECTED = _TOO_MUCH.format(whose="are protected", what="change")
_HIDDEN = _TOO_MUCH.format(whose="rules hide", what="read")
_MANY = (
    f"Rules hide more than {_MAX_HIDDEN} files and folders, too many to be kept from the command."
)


class CommandLimits:
    """Remembers what was found in which folder; blocking, for threads."""

    def __init__(self) -> None:
        self._own = own_folders()
        self._protected = _ByFolder()
        self._hidden = _ByFolder()
        self._left_out = LeftOut()
        self._looking = threading.Lock()

    def of(self, snapshot: WorkspaceSnapshot, hidden: HiddenFiles | None) -> Limits:
        """The limits of a command that starts now."""
        with self._looking:
            left_out = self._left_out.look(snapshot, hidden, _MAX_ENTRIES)
            names = self._names(snapshot, left_out)
            protected = self._kept(snapshot, names)
            covered: tuple[str, ...] = ()
            doubt = None
            if hidden is not None:
                covered, doubt = self._covered(snapshot, hidden, left_out)
        doubts = filter(None, (None if left_out.complete else _PROTECTED, doubt))
        patterns = () if hidden is None else hidden.patterns
        sockets = tuple(left_out.sockets)
        repositories = tuple(os.path.dirname(path) for path in names if _is_git(path))
        reasons = " ".join(doubts) or None
        return Limits(
            protected, covered, patterns, sockets, reasons, repositories, names=_made(names)
        )

    def names(self, snapshot: WorkspaceSnapshot, hidden: HiddenFiles | None) -> Names:
        """What is there now by a protected name."""
        with self._looking:
            left_out = self._left_out.look(snapshot, hidden, _MAX_ENTRIES)
            return _made(self._names(snapshot, left_out))

    def _names(self, snapshot: WorkspaceSnapshot, left_out: Below) -> set[str]:
        """What is there by a protected name."""
        found = set(left_out.protected)

        def look_in(files: Sequence[FileEntry]) -> tuple[str, ...]:
            folder = os.path.dirname(files[0].path)
            root = snapshot.folders.owner(folder)
            names = (os.path.basename(file.path) for file in files)
            return () if root is None else protected_in(folder, names, root)

        self._protected.begin(snapshot.roots)
        found.update(self._protected.of(snapshot.listing, look_in))
        return set(filter(os.path.lexists, found))

    def _kept(self, snapshot: WorkspaceSnapshot, names: Iterable[str]) -> tuple[str, ...]:
        """What commands may neither change nor create of these names, and of others."""
        fixed: set[str] = set()
        for root in snapshot.roots:
            fixed.update(filter(_is_in_place, obeyed_at_once(root)))
            fixed.update(folder for folder in self._own if is_inside(folder, root))
        kept = (path for name in (*fixed, *names) for path in _kept_from_commands(name))
        return tuple(sorted(set(kept)))

    def _covered(
        self, snapshot: WorkspaceSnapshot, hidden: HiddenFiles, left_out: Below
    ) -> tuple[tuple[str, ...], str | None]:
        def look_in(files: Sequence[FileEntry]) -> tuple[str, ...]:
            return tuple(
                file.path
                for file in files
                if (hidden(file.path) if file.is_link else hidden.names(file.path))
            )

        self._hidden.begin(hidden)
        found = {*self._hidden.of(snapshot.listing, look_in), *left_out.hidden}
        real = {_top(path, snapshot, hidden) for path in map(os.path.realpath, found)}
        covered = outermost(path for path in real if snapshot.folders.owner(path) is not None)
        if not left_out.complete:
            return tuple(covered[:_MAX_HIDDEN]), _HIDDEN
        if len(covered) > _MAX_HIDDEN:
            return tuple(covered[:_MAX_HIDDEN]), _MANY
        return tuple(covered), None


class _ByFolder:
    """What was found among the files of each folder; a folder that did not change is known."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Sequence[FileEntry], tuple[str, ...]]] = {}
        self._subject: object = None

    def begin(self, subject: object) -> None:
        """What is looked for; if it is another thing than before, nothing is known."""
        if subject is not self._subject:
            self._known, self._subject = {}, subject

    def of(
        self, listing: Listing, look: Callable[[Sequence[FileEntry]], tuple[str, ...]]
    ) -> Iterator[str]:
        """What `look` finds in all folders of a listing."""
        known, self._known = self._known, {}
        for folder, files in listing.folders.items():
            before = known.get(folder)
            now = before if before and before[0] is files else (files, look(files))
            self._known[folder] = now
            yield from now[1]


def _top(path: str, snapshot: WorkspaceSnapshot, hidden: HiddenFiles) -> str:
    """The outermost folder above a hidden path that is hidden, too; else the path."""
    while (folder := os.path.dirname(path)) not in snapshot.roots and hidden.names(folder):
        path = folder
    return path


def _made(names: Iterable[str]) -> Names:
    """The names that somebody made: no stand-ins, and no files of ours on their way."""
    made: dict[str, str | None] = {}
    for path in names:
        if _OURS.fullmatch(os.path.basename(path)):
            continue
        with suppress(OSError):  # gone since
            if not is_guard(path):
                made[path] = os.readlink(path) if os.path.islink(path) else None
    return made


def _is_git(path: str) -> bool:
    return folded(os.path.basename(path)) == ".git"


def _is_in_place(path: str) -> bool:
    """Whether a protected path is to be kept: one that a link leads to is another folder's."""
    folder = os.path.dirname(path)
    return os.path.realpath(folder) == folder or not os.path.lexists(path)


def _kept_from_commands(path: str) -> Iterator[str]:
    """What of a protected path a command may not change: of a repository what runs programs.

    A link cannot be kept from being replaced; edits through it are asked about all the same.
    """
    if os.path.islink(path):
        return
    if os.path.basename(path) == ".git" and os.path.isdir(path):
        yield from of_repository(path)
    else:
        yield path
