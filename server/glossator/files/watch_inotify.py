"""inotify(7), read on the event loop: what happens in the folders that are listed.

A folder is watched by the thread that lists it, just before it does, so no change falls between the
two, and an event from a watch not yet known here can be dropped. Watches follow a folder that is
renamed; listing it under its new name corrects the path. The folders above a root are watched, too,
because when one of them is moved, nothing happens to the root itself.
"""

from __future__ import annotations

import asyncio
import ctypes
import errno
import os
import struct
import threading
from collections.abc import Collection

from glossator.files.roots import Roots, is_inside, outermost
from glossator.files.watcher import Lost, Report, Watcher

_MODIFY, _ATTRIB, _CLOSE_WRITE = 0x2, 0x4, 0x8
_MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x40, 0x80, 0x100, 0x200
_DELETE_SELF, _MOVE_SELF, _UNMOUNT, _OVERFLOW, _IGNORED = 0x400, 0x800, 0x2000, 0x4000, 0x8000
_ONLYDIR, _DONT_FOLLOW, _EXCL_UNLINK = 0x1000000, 0x2000000, 0x4000000

_OF_ENTRIES = _MODIFY | _ATTRIB | _CLOSE_WRITE | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE
_OF_ITSELF = _DELETE_SELF | _MOVE_SELF
_APPEARS = _CREATE | _MOVED_TO | _OF_ITSELF | _ONLYDIR
_MOVES = _OF_ITSELF | _ONLYDIR
_ANYTHING = _OF_ENTRIES | _OF_ITSELF | _ONLYDIR | _DONT_FOLLOW | _EXCL_UNLINK

_EVENT = struct.Struct("iIII")  # watch, mask, cookie, length of the name
_BUFFER = 32_768  # bytes read in one turn of the event loop, about 4 ms of work
_GAP_SECONDS = 0.003  # between two reports, so that a burst of events becomes a few
_FULL = "not all: raise the system's limit fs.inotify.max_user_watches"


class InotifyWatcher(Watcher):
    """Watches listed folders, and of `.git` what matters. Raises `OSError` if there is no way."""

    def __init__(self, roots: Roots, report: Report, lost: Lost) -> None:
        super().__init__("not started")
        self._roots = roots
        self._report = report
        self._lost = lost
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._descriptor: int | None = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._descriptor == -1:
            raise _last_error()
        self._calling = threading.Lock()  # so that a descriptor is closed while no call uses it
        self._folders: dict[int, str] = {}  # by watch
        self._above: frozenset[int] = frozenset()  # the watches on folders above the roots
        self._newest = 0
        self._full = False
        self._heard: set[str] = set()
        self._reported_at = 0.0
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def status(self) -> str:
        """The number of folders watched, or why there are none."""
        count = len(self._folders) - len(self._above)
        if self._descriptor is None or count == 0:
            return super().status
        missing = "".join(f" (not all: {root} is not there)" for root in self._unwatched()[:1])
        return f"inotify: {count:,} folders" + (f" ({_FULL})" if self._full else missing)

    @property
    def reliable(self) -> bool:
        """Whether every listed folder is watched, and every root is there to be."""
        return self._descriptor is not None and not self._full and not self._unwatched()

    def start(self) -> None:
        """Listen; `enter` says to what."""
        if self._descriptor is None:
            return
        self._reason = "the scan has not begun" if self._roots.paths else "no folder is open"
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._descriptor, self._read)

    def enter(self, folder: str, watches: set[int], /) -> None:
        """From a thread: watch `folder`, if it is one and may be read."""
        self._watch(folder, _ANYTHING, watches)

    def enter_git(self, folder: str, watches: set[int], /) -> None:
        """From a thread: watch `.git` and its `info`, and have the rules there read again."""
        before = self._newest
        self.enter(folder, watches)
        self.enter(os.path.join(folder, "info"), watches)
        if self._newest > before and self._loop is not None:
            path = os.path.join(folder, "info", "exclude")
            self._loop.call_soon_threadsafe(self._note, path)

    def renew(self) -> None:
        """From a thread: begin anew, and watch what is above the roots now."""
        self._full = False
        masks: dict[str, int] = {}
        for root in outermost(self._roots.paths):
            folder, awaited = root, True  # a root that was gone may come back
            while (above := os.path.dirname(folder)) != folder:
                masks[above] = masks.get(above, 0) | (_APPEARS if awaited else _MOVES)
                folder, awaited = above, not os.path.isdir(above)
        before, now = self._above, set[int]()
        for folder, mask in masks.items():
            self._watch(folder, mask, now)
        self._above = frozenset(now)
        for watch in before - self._above:
            self._end(watch)

    def begin(self) -> int:
        """The newest watch, whose number is higher than all before."""
        return self._newest

    def leave_others(self, below: tuple[str, ...], kept: Collection[int], begun: int) -> None:
        """From a thread: end watches in and below the folders `below`, apart from some."""
        inside = tuple(os.path.join(folder, "") for folder in below)
        for watch, folder in list(self._folders.items()):
            if watch > begun or watch in kept or watch in self._above:
                continue
            if folder in below or folder.startswith(inside):
                self._end(watch)

    def stop(self) -> None:
        """Forget all watches; nothing is reported any more."""
        super().stop()
        with self._calling:
            descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            if self._loop is not None:
                self._loop.remove_reader(descriptor)
            os.close(descriptor)
        self._heard.clear()

    def _watch(self, folder: str, mask: int, watches: set[int]) -> None:
        with self._calling:
            if self._descriptor is None:
                return
            watch: int = self._libc.inotify_add_watch(self._descriptor, os.fsencode(folder), mask)
            if watch != -1:
                self._folders[watch] = folder
                watches.add(watch)
                self._newest = max(self._newest, watch)
                return
        error = _last_error()
        self._full |= error.errno in (errno.ENOSPC, errno.ENOMEM)
        if folder in self._roots.paths or self._full:
            self._reason = f"{folder}: {_FULL if self._full else error.strerror}"

    def _unwatched(self) -> list[str]:
        """The roots that are not watched, because they are gone or cannot be."""
        watched = set(self._folders.copy().values())
        return [root for root in self._roots.paths if root not in watched]

    def _end(self, watch: int) -> None:
        with self._calling:
            if self._descriptor is not None:
                self._libc.inotify_rm_watch(self._descriptor, watch)
        self._folders.pop(watch, None)

    def _read(self) -> None:
        if self._descriptor is None:
            return
        try:
            events = os.read(self._descriptor, _BUFFER)
        except BlockingIOError:
            return
        start = 0
        while start < len(events):
            watch, mask, _, length = _EVENT.unpack_from(events, start)
            name_at = start + _EVENT.size
            start = name_at + length
            if mask & _OVERFLOW:
                self._lost("the system's queue of file events ran over")
            elif mask & _IGNORED:
                self._folders.pop(watch, None)
                self._above -= {watch}
            elif watch in self._folders:
                name = events[name_at:start].rstrip(b"\0")
                self._hear(watch, os.fsdecode(name), mask)

    def _hear(self, watch: int, name: str, mask: int) -> None:
        folder = self._folders[watch]
        path = os.path.join(folder, name) if name else folder
        if watch in self._above or not name:
            # of other folders, the folder above tells
            if path in self._roots.paths or mask & _UNMOUNT:
                self._note(path)
            elif watch in self._above and any(is_inside(root, path) for root in self._roots.paths):
                self._lost("a folder above the workspace was moved")
            return
        if name == "info" and os.path.basename(folder) == ".git":
            self.enter(path, set())
            path = os.path.join(path, "exclude")
        self._note(path)

    def _note(self, path: str) -> None:
        if self._loop is None or self._descriptor is None:
            return
        if not self._heard:
            wait = self._reported_at + _GAP_SECONDS - self._loop.time()
            self._loop.call_later(max(0.0, wait), self._tell)
        self._heard.add(path)

    def _tell(self) -> None:
        heard, self._heard = frozenset(self._heard), set()
        if heard and self._loop is not None:
            self._reported_at = self._loop.time()
            self._report(heard)


def _last_error() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))
