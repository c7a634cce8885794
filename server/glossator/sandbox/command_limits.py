"""The paths of the workspace that a command may not touch, found again for each command.

The listing has nearly all of them. Folders that it leaves out (ignored ones) are searched, too:
a folder is read again when its times say that an entry came or went, which takes a tenth of the
time that reading takes. Below a protected folder everything is protected, so it is read only where
rules hide files. A folder that is closed to us is protected as a whole: a command could open it.
"""

from __future__ import annotations

import os
import re
import stat
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from glossator.permissions import (
    HiddenFiles,
    folded,
    git_protected_paths,
    obeyed_at_once,
    own_folders,
    protected_entry,
    protected_in,
)
from glossator.sandbox.confinement import CommandLimits
from glossator.sandbox.mounts import is_placeholder
from glossator.sandbox.quarantine import ProtectedNames
from glossator.workspace import (
    FileEntry,
    Listing,
    WorkspaceSnapshot,
    git_outside,
    is_inside,
    outermost,
)

_OURS = re.compile(r"\.glossator-[0-9a-f]{16}")  # as edits are written; nobody reads it
_MAX_ENTRIES = 500_000  # looked through in some three seconds; again in a tenth of that
_MAX_HIDDEN = 500  # mounts
_TOO_MUCH = (
    "The workspace holds too many files to be looked through for those that {whose}, so the command"
    " might {what} them."
)
_PROTECTED = _TOO_MUCH.format(whose="are protected", what="change")
_HIDDEN = _TOO_MUCH.format(whose="rules hide", what="read")
_TOO_MANY_HIDDEN = (
    f"Rules hide more than {_MAX_HIDDEN} files and folders, too many to be kept from the command."
)
_RACY_NS = 2_000_000_000  # within which some file systems give one time to two changes
_CLOSED = 0  # the mode of what cannot be looked at

_Stamp = tuple[int, int, int]


class LimitFinder:
    """Finds the limits of commands and remembers what folders hold; blocking, for threads."""

    def __init__(self) -> None:
        self._own = own_folders()
        self._protected = _ByFolder()
        self._hidden = _ByFolder()
        self._ignored = IgnoredFolders()
        self._looking = threading.Lock()

    def of(self, snapshot: WorkspaceSnapshot, hidden: HiddenFiles | None) -> CommandLimits:
        """The limits of a command that starts now."""
        with self._looking:
            ignored = self._ignored.look(snapshot, hidden, _MAX_ENTRIES)
            names = self._names(snapshot, ignored)
            protected = self._protected_paths(snapshot, names)
            covered: tuple[str, ...] = ()
            doubt = None
            if hidden is not None:
                covered, doubt = self._hidden_paths(snapshot, hidden, ignored)
        doubts = filter(None, (None if ignored.complete else _PROTECTED, doubt))
        patterns = () if hidden is None else hidden.patterns
        sockets = tuple(ignored.sockets)
        repositories = tuple(os.path.dirname(path) for path in names if _is_git(path))
        reasons = " ".join(doubts) or None
        return CommandLimits(
            protected,
            covered,
            patterns,
            sockets,
            reasons,
            repositories,
            tuple(git_outside({*snapshot.roots, *repositories}, snapshot.roots)),
            names=_without_placeholders(names),
        )

    def names(self, snapshot: WorkspaceSnapshot, hidden: HiddenFiles | None) -> ProtectedNames:
        """The existing paths with protected names."""
        with self._looking:
            ignored = self._ignored.look(snapshot, hidden, _MAX_ENTRIES)
            return _without_placeholders(self._names(snapshot, ignored))

    def _names(self, snapshot: WorkspaceSnapshot, ignored: IgnoredContents) -> set[str]:
        """The existing paths with protected names, placeholders included."""
        found = set(ignored.protected)

        def look_in(files: Sequence[FileEntry]) -> tuple[str, ...]:
            folder = os.path.dirname(files[0].path)
            root = snapshot.folders.owner(folder)
            names = (os.path.basename(file.path) for file in files)
            return () if root is None else protected_in(folder, names, root)

        self._protected.begin(snapshot.roots)
        found.update(self._protected.of(snapshot.listing, look_in))
        return set(filter(os.path.lexists, found))

    def _protected_paths(
        self, snapshot: WorkspaceSnapshot, names: Iterable[str]
    ) -> tuple[str, ...]:
        """The paths that commands may neither change nor create: found names and fixed ones."""
        fixed: set[str] = set()
        for root in snapshot.roots:
            fixed.update(filter(_is_in_place, obeyed_at_once(root)))
            fixed.update(folder for folder in self._own if is_inside(folder, root))
        kept = (path for name in (*fixed, *names) for path in _protected_parts(name))
        return tuple(sorted(set(kept)))

    def _hidden_paths(
        self, snapshot: WorkspaceSnapshot, hidden: HiddenFiles, ignored: IgnoredContents
    ) -> tuple[tuple[str, ...], str | None]:
        def look_in(files: Sequence[FileEntry]) -> tuple[str, ...]:
            return tuple(
                file.path
                for file in files
                if (hidden(file.path) if file.is_link else hidden.names(file.path))
            )

        self._hidden.begin(hidden)
        found = {*self._hidden.of(snapshot.listing, look_in), *ignored.hidden}
        real = {_top(path, snapshot, hidden) for path in map(os.path.realpath, found)}
        covered = outermost(path for path in real if snapshot.folders.owner(path) is not None)
        if not ignored.complete:
            return tuple(covered[:_MAX_HIDDEN]), _HIDDEN
        if len(covered) > _MAX_HIDDEN:
            return tuple(covered[:_MAX_HIDDEN]), _TOO_MANY_HIDDEN
        return tuple(covered), None


class _ByFolder:
    """What was found in each folder of the listing; unchanged folders are not looked at again."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Sequence[FileEntry], tuple[str, ...]]] = {}
        self._subject: object = None

    def begin(self, subject: object) -> None:
        """Forget everything if something else is searched than before."""
        if subject is not self._subject:
            self._known, self._subject = {}, subject

    def of(
        self, listing: Listing, look: Callable[[Sequence[FileEntry]], tuple[str, ...]]
    ) -> Iterator[str]:
        """The union of what `look` finds in all folders of a listing."""
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


def _without_placeholders(names: Iterable[str]) -> ProtectedNames:
    """The names without placeholders and temporary files of ours."""
    made: dict[str, str | None] = {}
    for path in names:
        if _OURS.fullmatch(os.path.basename(path)):
            continue
        with suppress(OSError):  # gone since
            if not is_placeholder(path):
                made[path] = os.readlink(path) if os.path.islink(path) else None
    return made


def _is_git(path: str) -> bool:
    return folded(os.path.basename(path)) == ".git"


def _is_in_place(path: str) -> bool:
    """Whether to keep a protected path; one that a link leads to belongs to another folder."""
    folder = os.path.dirname(path)
    return os.path.realpath(folder) == folder or not os.path.lexists(path)


def _protected_parts(path: str) -> Iterator[str]:
    """The parts of a protected path that a command may not change: of a `.git` only some.

    A link cannot be kept from being replaced; edits through it are asked about all the same.
    """
    if os.path.islink(path):
        return
    if os.path.basename(path) == ".git" and os.path.isdir(path):
        yield from git_protected_paths(path)
    else:
        yield path


@dataclass(slots=True)
class IgnoredContents:
    """What ignored folders hold; FIFOs count as sockets. Not `complete` if it is too much."""

    protected: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    sockets: list[str] = field(default_factory=list)
    entries: int = 0
    complete: bool = True


@dataclass(slots=True)
class _IgnoredFolder:
    """A folder as it was read; `hidden` has no links, whose targets may have changed."""

    path: str
    stamp: _Stamp | None = None
    inside: tuple[_IgnoredFolder, ...] = ()
    protected: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    sockets: tuple[str, ...] = ()
    entries: int = 0


class IgnoredFolders:
    """Searches ignored folders, and remembers them; blocking, for one thread at a time."""

    def __init__(self) -> None:
        self._tops: dict[str, _IgnoredFolder] = {}
        self._hidden: HiddenFiles | None = None

    def look(
        self, snapshot: WorkspaceSnapshot, hidden: HiddenFiles | None, max_entries: int
    ) -> IgnoredContents:
        """The protected, hidden and socket paths (FIFOs count as sockets) that exist now."""
        if hidden is not self._hidden:
            self._tops, self._hidden = {}, hidden
        found = IgnoredContents()
        before, self._tops = self._tops, {}
        for path in snapshot.listing.skipped:
            root = snapshot.folders.owner(path)
            mode = _mode(path)
            if root is None or mode is None:
                continue
            if entry := protected_entry(path, root):
                found.protected.append(entry)
            if hidden is not None and hidden(path):
                found.hidden.append(path)
            elif mode == _CLOSED:
                self._protect_closed(path, found)
            elif _is_reached(mode):
                found.sockets.append(path)
            elif stat.S_ISDIR(mode) and (hidden is not None or not entry):
                self._tops[path] = top = before.get(path) or _IgnoredFolder(path)
                self._below(top, root, found, max_entries)
        return found

    def _below(
        self, top: _IgnoredFolder, root: str, found: IgnoredContents, max_entries: int
    ) -> None:
        folders = [top]
        while folders and found.complete:
            folder = folders.pop()
            if not self._renew(folder, root):
                self._protect_closed(folder.path, found)
                continue
            found.entries += folder.entries
            found.complete = found.entries <= max_entries
            found.protected += folder.protected
            found.hidden += folder.hidden
            found.sockets += folder.sockets
            if self._hidden is not None:
                found.hidden += filter(self._hidden, folder.links)
            folders += folder.inside

    def _protect_closed(self, path: str, found: IgnoredContents) -> None:
        found.protected.append(path)
        if self._hidden is not None:
            found.hidden.append(path)

    def _renew(self, folder: _IgnoredFolder, root: str) -> bool:
        """Read a folder again unless it is unchanged; false if we may not read it."""
        looked = time.time_ns()
        try:
            status = os.lstat(folder.path)
            stamp = (status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
            if stamp == folder.stamp:
                return True
            with os.scandir(folder.path) as found:
                entries = list(found)
        except PermissionError:
            folder.stamp = None
            return False
        except OSError:  # gone
            folder.stamp, entries = None, []
        else:
            folder.stamp = stamp if looked - max(stamp[:2]) > _RACY_NS else None
        self._take(folder, entries, root)
        return True

    def _take(self, folder: _IgnoredFolder, entries: list[os.DirEntry[str]], root: str) -> None:
        hides = self._hidden.entry if self._hidden else None
        folder.entries = len(entries)
        folder.protected = protected_in(folder.path, (entry.name for entry in entries), root)
        closed = set() if hides else set(folder.protected)
        known = {each.path: each for each in folder.inside}
        inside, hidden, links, sockets = [], [], [], []
        for entry in entries:
            if entry.is_symlink():
                links.append(entry.path)
            elif hides and hides(folder.path, entry.name):
                hidden.append(entry.path)
            elif entry.is_dir(follow_symlinks=False):
                if entry.path not in closed:
                    inside.append(known.get(entry.path) or _IgnoredFolder(entry.path))
            elif not entry.is_file(follow_symlinks=False) and _is_socket(entry.path):
                sockets.append(entry.path)
        folder.inside, folder.hidden = tuple(inside), tuple(hidden)
        folder.links, folder.sockets = tuple(links) if hides else (), tuple(sockets)


def _mode(path: str) -> int | None:
    try:
        return os.lstat(path).st_mode
    except PermissionError:
        return _CLOSED
    except OSError:
        return None


def _is_socket(path: str) -> bool:
    mode = _mode(path)
    return mode is not None and _is_reached(mode)


def _is_reached(mode: int) -> bool:
    """Whether a path may lead to another program: it is a socket or a FIFO."""
    return stat.S_ISSOCK(mode) or stat.S_ISFIFO(mode)
