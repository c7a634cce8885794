"""Watching with inotify(7), read on the event loop by the package inotify_simple.

The thread that lists a folder watches it first, so no change falls between the two; an event of a
watch that is not known here can be dropped. A watch follows its folder when that is renamed;
listing the folder under its new name corrects the path. The folders above a root are watched, too:
when one of them moves, the root itself gets no event.
"""

from __future__ import annotations

import asyncio
import errno
import os
import threading
from collections.abc import Collection
from contextlib import suppress

from inotify_simple import INotify, flags, parse_events

from glossator.workspace.files.roots import Roots, is_inside, outermost
from glossator.workspace.files.watch import Lost, Report, Watcher

_OF_ENTRIES = (
    flags.MODIFY
    | flags.ATTRIB
    | flags.CLOSE_WRITE
    | flags.MOVED_FROM
    | flags.MOVED_TO
    | flags.CREATE
    | flags.DELETE
)
_MOVES = flags.DELETE_SELF | flags.MOVE_SELF | flags.ONLYDIR
_APPEARS = flags.CREATE | flags.MOVED_TO | _MOVES
_ANYTHING = _OF_ENTRIES | _MOVES | flags.DONT_FOLLOW | flags.EXCL_UNLINK

_BUFFER = 32_768  # bytes read in one turn of the event loop, about 4 ms of work
_GAP_SECONDS = 0.003  # between two reports, so that a burst of events becomes a few
_FULL = "not all: raise the system's limit fs.inotify.max_user_watches"


class InotifyWatcher(Watcher):
    """Watches listed folders, and what matters in `.git`. Raises `OSError` if it cannot."""

    def __init__(self, roots: Roots, report: Report, lost: Lost) -> None:
        super().__init__("not started")
        self._roots = roots
        self._report = report
        self._lost = lost
        self._inotify = INotify(nonblocking=True)
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
        if self._inotify.closed or count == 0:
            return super().status
        missing = "".join(f" (not all: {root} is not there)" for root in self._unwatched()[:1])
        return f"inotify: {count:,} folders" + (f" ({_FULL})" if self._full else missing)

    @property
    def reliable(self) -> bool:
        """Whether every root exists, and every listed folder is watched."""
        return not (self._inotify.closed or self._full or self._unwatched())

    def start(self) -> None:
        """Read events from now on; `enter` adds folders."""
        if self._inotify.closed:
            return
        self._reason = "the scan has not begun" if self._roots.paths else "no folder is open"
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._inotify, self._read)

    def catch_up(self) -> bool:
        """Report now what the system has noted already; false if that was all."""
        if self._loop is None or self._inotify.closed:
            return False
        some = self._read()
        self._tell()
        return some

    def enter(self, folder: str, watches: set[int], /) -> None:
        """Watch `folder`, if it is one and may be read; called in a thread."""
        self._watch(folder, _ANYTHING, watches)

    def enter_git(self, folder: str, watches: set[int], /) -> None:
        """Watch `.git` and its `info`, and have the rules there read again; called in a thread."""
        before = self._newest
        self.enter(folder, watches)
        self.enter(os.path.join(folder, "info"), watches)
        if self._newest > before and self._loop is not None:
            path = os.path.join(folder, "info", "exclude")
            self._loop.call_soon_threadsafe(self._note, path)

    def renew(self) -> None:
        """Watch the current folders above the roots; every folder is entered again after this."""
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
        """The newest watch, whose number is the highest so far."""
        return self._newest

    def leave_others(self, below: tuple[str, ...], kept: Collection[int], begun: int) -> None:
        """End watches in and below the folders `below`, apart from some; called in a thread."""
        inside = tuple(os.path.join(folder, "") for folder in below)
        for watch, folder in list(self._folders.items()):
            if watch > begun or watch in kept or watch in self._above:
                continue
            if folder in below or folder.startswith(inside):
                self._end(watch)

    def stop(self) -> None:
        """Drop all watches; nothing is reported any more."""
        super().stop()
        if self._loop is not None and not self._inotify.closed:
            self._loop.remove_reader(self._inotify)
        with self._calling:
            self._inotify.close()
        self._heard.clear()

    def _watch(self, folder: str, mask: int, watches: set[int]) -> None:
        try:
            with self._calling:
                if self._inotify.closed:
                    return
                watch = self._inotify.add_watch(folder, mask)
                self._folders[watch] = folder
                watches.add(watch)
                self._newest = max(self._newest, watch)
        except OSError as error:
            self._full |= error.errno in (errno.ENOSPC, errno.ENOMEM)
            if folder in self._roots.paths or self._full:
                self._reason = f"{folder}: {_FULL if self._full else error.strerror}"

    def _unwatched(self) -> list[str]:
        """The roots that are not watched, because they are gone or cannot be watched."""
        watched = set(self._folders.copy().values())
        return [root for root in self._roots.paths if root not in watched]

    def _end(self, watch: int) -> None:
        with self._calling:
            if not self._inotify.closed:
                with suppress(OSError):  # it ended together with its folder
                    self._inotify.rm_watch(watch)
        self._folders.pop(watch, None)

    def _read(self) -> bool:
        """Note some events; false if there were none."""
        try:  # not all at once, as `INotify.read` does: a flood would hold up the event loop
            events = os.read(self._inotify.fileno(), _BUFFER)
        except BlockingIOError:
            return False
        for watch, mask, _, name in parse_events(events):
            if mask & flags.Q_OVERFLOW:
                self._lost("the system's queue of file events ran over")
            elif mask & flags.IGNORED:
                self._folders.pop(watch, None)
                self._above -= {watch}
            elif watch in self._folders:
                self._hear(watch, name, mask)
        return True

    def _hear(self, watch: int, name: str, mask: int) -> None:
        folder = self._folders[watch]
        path = os.path.join(folder, name) if name else folder
        if watch in self._above or not name:
            # what happens to any other folder, the one above it reports
            if path in self._roots.paths or mask & flags.UNMOUNT:
                self._note(path)
            elif watch in self._above and any(is_inside(root, path) for root in self._roots.paths):
                self._lost("a folder above the workspace was moved")
            return
        if name == "info" and os.path.basename(folder) == ".git":
            self.enter(path, set())
            path = os.path.join(path, "exclude")
        self._note(path)

    def _note(self, path: str) -> None:
        if self._loop is None or self._inotify.closed:
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
