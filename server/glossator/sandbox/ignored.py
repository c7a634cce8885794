"""What lies below the folders that the listing leaves out, as far as commands are kept from it.

A folder is read again when its times say that an entry came or went; to ask for those takes a tenth
of the time that reading takes. What is in a protected folder is protected with it, and read only
where rules hide files. A folder that is closed to us is kept as a whole: a command could open it.
"""

from __future__ import annotations

import os
import stat
import time
from dataclasses import dataclass, field

from glossator.documents.snapshot import WorkspaceSnapshot
from glossator.permissions.hidden import HiddenFiles
from glossator.permissions.protected import protected_entry, protected_in

_RACY_NS = 2_000_000_000  # within which some file systems give one time to two changes

_CLOSED = 0  # the mode of what cannot be looked at

_Stamp = tuple[int, int, int]


@dataclass(slots=True)
class Below:
    """What was found, FIFOs among the sockets.

    `complete` is false if there is too much to be looked through.
    """

    protected: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    sockets: list[str] = field(default_factory=list)
    entries: int = 0
    complete: bool = True


@dataclass(slots=True)
class _Folder:
    """A folder as it was when it was read; `hidden` holds no links, they may lead elsewhere now."""

    path: str
    stamp: _Stamp | None = None
    inside: tuple[_Folder, ...] = ()
    protected: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    sockets: tuple[str, ...] = ()
    entries: int = 0


class LeftOut:
    """Remembers the folders; blocking, for one thread at a time."""

    def __init__(self) -> None:
        self._tops: dict[str, _Folder] = {}
        self._hidden: HiddenFiles | None = None

    def look(
        self, snapshot: WorkspaceSnapshot, hidden: HiddenFiles | None, max_entries: int
    ) -> Below:
        """What of that is protected, hidden, a socket or a FIFO, now."""
        if hidden is not self._hidden:
            self._tops, self._hidden = {}, hidden
        found = Below()
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
                self._keep_closed(path, found)
            elif _is_reached(mode):
                found.sockets.append(path)
            elif stat.S_ISDIR(mode) and (hidden is not None or not entry):
                self._tops[path] = top = before.get(path) or _Folder(path)
                self._below(top, root, found, max_entries)
        return found

    def _below(self, top: _Folder, root: str, found: Below, max_entries: int) -> None:
        folders = [top]
        while folders and found.complete:
            folder = folders.pop()
            if not self._renew(folder, root):
                self._keep_closed(folder.path, found)
                continue
            found.entries += folder.entries
            found.complete = found.entries <= max_entries
            found.protected += folder.protected
            found.hidden += folder.hidden
            found.sockets += folder.sockets
            if self._hidden is not None:
                found.hidden += filter(self._hidden, folder.links)
            folders += folder.inside

    def _keep_closed(self, path: str, found: Below) -> None:
        found.protected.append(path)
        if self._hidden is not None:
            found.hidden.append(path)

    def _renew(self, folder: _Folder, root: str) -> bool:
        """Read a folder unless it is as it was; false if it is closed to us."""
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

    def _take(self, folder: _Folder, entries: list[os.DirEntry[str]], root: str) -> None:
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
                    inside.append(known.get(entry.path) or _Folder(entry.path))
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
    """Whether it may lead to another program: a socket, or a FIFO, which is used as one."""
    return stat.S_ISSOCK(mode) or stat.S_ISFIFO(mode)
