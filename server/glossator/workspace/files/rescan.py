"""Compares the disk with the listing: decides when to look at all of it, and looks at some paths.

One sweep is due at a time, with a cause. A rescan runs in steps in a worker thread, so that the
thread can do more urgent work in between. Only a gentle rescan pauses for the event loop: each
system call lets other threads go first anyway.
"""

from __future__ import annotations

import math
import os
import re
import stat
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path

from glossator.workspace.files.entries import FileEntry, are_same, paths_of
from glossator.workspace.files.ignore import GIT_RULE, IGNORE_FILES, IgnoreRules
from glossator.workspace.files.listing import FileIndex
from glossator.workspace.files.listing_cache import Memory
from glossator.workspace.files.roots import Roots, folder_of, is_inside, outermost
from glossator.workspace.files.walk import Found, examine
from glossator.workspace.files.watch import Watcher

_ESCAPED = re.compile(rb"\\([0-7]{3})")  # a character of a path in /proc
_TIMER = "timer"
_REST_FACTOR = 20  # a sweep that can wait waits this many times as long as the last one took
_INTERVAL_FACTOR = (
    200  # times as long: with what follows a sweep, less than 0.5 % of a processor, …
)
_MAX_INTERVAL_SECONDS = 3_600  # … unless it is a very long one, or the disk a slow one
_UNWATCHED_SECONDS = 30  # between sweeps, at most, when changes may go unreported
_ASLEEP_SECONDS = 1.0  # a gap between the clocks that is no rounding

_MAX_DIFFERENCES = (
    500  # differences handed over in one step; the event loop takes them in within 2 ms
)
_STEP = 0.05, _MAX_DIFFERENCES  # seconds and differences
_STEP_INTO_NEW = 0.1, 6_000  # the same where nothing is known yet; taken in within 6 ms
_SLICE_SECONDS = _PAUSE_SECONDS = 0.004  # of work and of rest, when it is gentle
_EXCLUDE = os.path.join("info", "exclude")


def interval(asked: float, seconds: float, *, watched: bool) -> float:
    """Seconds until the timer's next sweep, where `asked` are set and the last one took `seconds`.

    `watched`: every change is reported, so a sweep should find nothing.
    """
    if not watched:
        return min(asked, _UNWATCHED_SECONDS)
    return max(asked, min(_INTERVAL_FACTOR * seconds, _MAX_INTERVAL_SECONDS))


class SweepSlot:
    """The one sweep that is due next: the earliest of those that were asked for, with its cause."""

    def __init__(self, interval: float) -> None:
        self.urgent = False  # whether the listing may be wrong until it is done
        self._cause = _TIMER
        self._due_at = time.monotonic() + interval
        self._rested_at = 0.0

    def ask(self, cause: str, wait: float | None = None) -> None:
        """Sweep in `wait` seconds, unless the last one was just now; None: at once."""
        now = time.monotonic()
        due_at = now if wait is None else max(now + wait, self._rested_at)
        if due_at < self._due_at:
            self._due_at, self._cause = due_at, cause
        self.urgent |= wait is None

    def seconds_left(self) -> float:
        """The seconds until the sweep is due."""
        return max(0.0, self._due_at - time.monotonic())

    def take(self) -> str:
        """Begin the sweep and return its cause."""
        cause, self._cause = self._cause, _TIMER
        self._due_at = math.inf
        self.urgent = False
        return cause

    def done(self, seconds: float, interval: float) -> None:
        """Note that the sweep is done and took so long; the next one is due in `interval`."""
        now = time.monotonic()
        self._rested_at = now + _REST_FACTOR * seconds
        self._due_at = min(self._due_at, now + interval)


class Suspension:
    """Notices that the machine was asleep, by a clock that went on meanwhile."""

    def __init__(self, seconds_asleep: Callable[[], float] | None = None) -> None:
        self._seconds_asleep = seconds_asleep or _seconds_asleep
        self._before = self._seconds_asleep()

    def ended(self) -> bool:
        """Whether the machine was asleep since this was last asked."""
        before, self._before = self._before, self._seconds_asleep()
        return self._before - before > _ASLEEP_SECONDS


def _seconds_asleep() -> float:
    """The time asleep since the machine started; always 0 where the system does not say it."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return 0.0 if clock is None else time.clock_gettime(clock) - time.monotonic()


def _unescaped(place: bytes) -> str:
    return os.fsdecode(_ESCAPED.sub(lambda found: bytes([int(found[1], 8)]), place))


def mounted_below(folders: Iterable[str]) -> frozenset[tuple[bytes, str]]:
    """The mounts at and below these folders, by number and place; none where there is no /proc.

    Mounting something changes no folder, and causes no event.
    """
    try:
        mounts = Path("/proc/self/mountinfo").read_bytes().splitlines()
    except OSError:
        return frozenset()
    places = [(fields[0], _unescaped(fields[4])) for fields in map(bytes.split, mounts)]
    tops = tuple(folders)
    return frozenset(
        (number, place) for number, place in places if any(is_inside(place, top) for top in tops)
    )


@dataclass(frozen=True, slots=True)
class Differences:
    """What is new or changed, files that are no longer listed, and paths no longer skipped."""

    found: Found = field(default_factory=Found)
    gone: list[str] = field(default_factory=list)
    lifted: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.found) + len(self.gone) + len(self.lifted)

    def extend(self, other: Differences) -> None:
        """Take in `other`, which was found later."""
        self.found.extend(other.found)
        self.gone.extend(other.gone)
        self.lifted.extend(other.lifted)

    def without(self, paths: Collection[str]) -> Differences:
        """The differences that concern neither `paths` nor anything below them."""

        @cache
        def other(path: str) -> bool:
            above = os.path.dirname(path)
            return path not in paths and (above == path or other(above))

        concerned = set(map(folder_of, paths))
        kept = {folder: files for folder, files in self.found.folders.items() if other(folder)}
        for folder in concerned & kept.keys():
            kept[folder] = [entry for entry in kept[folder] if entry.path not in paths]
        return Differences(
            Found(
                {folder: files for folder, files in kept.items() if files},
                {path: rule for path, rule in self.found.skipped.items() if other(path)},
            ),
            [path for path in self.gone if other(path)],
            [path for path in self.lifted if other(path)],
        )

    def paths(self) -> set[str]:
        """All paths concerned."""
        files = (entry.path for entry in self.found.files)
        return set(files).union(self.found.skipped, self.gone, self.lifted)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a rescan reads and changes."""

    roots: Roots
    rules: IgnoreRules
    index: FileIndex
    watcher: Watcher


class Rescan:
    """One comparison at and below `paths`; a `gentle` one pauses half of the time.

    `newer` are the paths that others checked since this began, `watches` those of the folders it
    met; the indexer adds to both.
    """

    def __init__(
        self,
        paths: Iterable[str],
        around: Surroundings,
        *,
        gentle: bool = False,
        memory: Memory | None = None,
    ) -> None:
        self.newer: set[str] = set()
        self.watches: set[int] = set()
        self.gentle = gentle
        self.done = False
        self._around = around
        self._memory = memory or Memory()
        self._unchanged: dict[str, Sequence[FileEntry]] = {}  # directories as they were listed
        self._seen: set[str] = set()  # files of the others
        self._seen_skipped: set[str] = set()
        self._paths = frozenset(paths)
        self._wide: list[str] = []  # what of `paths` matters, and no path below another
        self._folders: tuple[str, ...] = ()  # those that are or were directories
        self._begun = 0
        self._nothing_known = False
        self._parts = self._compare_all()

    def prepare(self) -> None:
        """Step one, in the worker thread: find what to compare."""
        roots, rules, index = self._around.roots, self._around.rules, self._around.index
        wide = (widen(path, roots, rules) for path in self._paths)
        self._wide = outermost(path for path in wide if path is not None)
        self._folders = tuple(
            path for path in self._wide if index.holds_folder(path) or is_folder(path)
        )

    def begin(self) -> None:
        """Step two, in the event loop: forget the rules, and what others checked by them."""
        self._around.rules.forget(*self._folders)
        self._begun = self._around.watcher.begin()
        self._nothing_known = not any(map(self._around.index.knows, self._wide))
        self.newer.clear()

    def step(self) -> Differences:
        """Step three, in the worker thread, until `done`: work for about one step's time."""
        found = Differences()
        seconds, room = _STEP_INTO_NEW if self._nothing_known else _STEP
        now = time.perf_counter()
        until, pause_at = now + seconds, now + _SLICE_SECONDS
        for part in self._parts:
            found.extend(part)
            room -= len(part)
            now = time.perf_counter()
            if now > until or room <= 0:
                return found
            if self.gentle and now > pause_at:
                time.sleep(_PAUSE_SECONDS)
                pause_at = time.perf_counter() + _SLICE_SECONDS
        self.done = True
        return found

    def _compare_all(self) -> Iterator[Differences]:
        roots, rules, watcher = self._around.roots, self._around.rules, self._around.watcher
        if self._paths.issuperset(roots.paths):
            watcher.renew()

        def enter(folder: str) -> None:
            watcher.enter(folder, self.watches)

        for path in self._wide:
            for found in examine(path, roots, rules, enter, self._memory):
                yield self._compare(found)
        if not self._nothing_known:
            yield from self._missing(self._wide, self._folders)
        watcher.leave_others(self._folders, self.watches, self._begun)

    def _compare(self, found: Found) -> Differences:
        for path, rule in found.skipped.items():
            if rule == GIT_RULE:
                self._around.watcher.enter_git(path, self.watches)
        if self._nothing_known:  # apart from what is `newer`
            return Differences(found)
        self._seen_skipped.update(found.skipped)
        index, skipped = self._around.index, self._around.index.skipped
        changed: list[FileEntry] = []
        for folder, files in found.folders.items():
            known = index.within(folder)
            if self._folders and are_same(known, files):
                self._unchanged[folder] = known
            else:
                self._seen.update(paths_of(files))
                before = set(known)
                changed += (entry for entry in files if entry not in before)
        ruled = {path: rule for path, rule in found.skipped.items() if skipped.get(path) != rule}
        return Differences(
            Found.of(changed, ruled),
            [path for path in found.skipped if path in index],
            [entry.path for entry in changed if entry.path in skipped],
        )

    def _missing(self, paths: list[str], folders: tuple[str, ...]) -> Iterator[Differences]:
        """The known paths in these places that the walk did not meet."""
        index = self._around.index
        at, below = frozenset(paths), tuple(os.path.join(folder, "") for folder in folders)

        def not_met(known: Iterable[str], met: set[str]) -> Iterator[str]:
            for path in known:
                if (path in at or path.startswith(below)) and path not in met:
                    yield path

        listed = self._others(at, below) if below else filter(index.__contains__, at)
        gone = not_met(listed, self._seen)
        while part := list(islice(gone, _MAX_DIFFERENCES)):
            yield Differences(gone=part)
        skipped = index.skipped if below else filter(index.skipped.__contains__, at)
        lifted = not_met(skipped, self._seen_skipped)
        while part := list(islice(lifted, _MAX_DIFFERENCES)):
            yield Differences(lifted=part)

    def _others(self, at: Collection[str], below: tuple[str, ...]) -> Iterator[str]:
        """The listed files in these places, except for those in unchanged folders."""
        of_single = set(map(folder_of, at))
        for folder, files in self._around.index.folders():
            met = self._unchanged.get(folder, ())
            here = folder in of_single or os.path.join(folder, "").startswith(below)
            if here and met is not files:
                unchanged = set(paths_of(met))
                yield from (path for path in paths_of(files) if path not in unchanged)


def widen(path: str, roots: Roots, rules: IgnoreRules) -> str | None:
    """What to rescan when `path` changed: itself, a folder above, or None if it cannot matter."""
    root = roots.owner(path)
    if root is None:
        return None
    above, git, inner = path.removeprefix(root).partition(f"{os.sep}.git{os.sep}")
    if git:
        top = root + above
        return top if inner == _EXCLUDE and rules.reread(top) else None
    folder, name = os.path.split(path)
    if path != root and isinstance(rules.within(folder), str):
        return None  # below a directory that is left out
    if name == ".git":
        return folder
    return folder if name in IGNORE_FILES and rules.reread(folder) else path


def is_folder(path: str) -> bool:
    """Whether there is a directory at `path`, not a link to one."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False
