"""Compares the disk with the index at and below some paths, in a worker thread.

A rescan runs in steps, so that its thread can do more urgent work in between. Only a gentle one
pauses for the event loop: each system call lets other threads go first anyway.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice

from glossator.workspace.files.entries import FileEntry, are_same, paths_of
from glossator.workspace.files.folder_file import Memory
from glossator.workspace.files.ignore import GIT_RULE, IGNORE_FILES, IgnoreRules
from glossator.workspace.files.listing import FileIndex
from glossator.workspace.files.roots import Roots, folder_of, outermost
from glossator.workspace.files.walk import Found, examine
from glossator.workspace.files.watcher import Watcher

_MANY = 500  # differences handed over in one step; the event loop takes them in within 2 ms
_STEP = 0.05, _MANY  # seconds and differences
_STEP_INTO_NEW = 0.1, 6_000  # the same where nothing is known yet; taken in within 6 ms
_SLICE_SECONDS = _PAUSE_SECONDS = 0.004  # of work and of rest, when it is gentle
_EXCLUDE = os.path.join("info", "exclude")


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
        """What does not concern `paths` or anything below them."""

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
    """One comparison at and below `paths`; a `gentle` one rests half of the time.

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
        """In the worker thread, first: find what to compare."""
        roots, rules, index = self._around.roots, self._around.rules, self._around.index
        wide = (widen(path, roots, rules) for path in self._paths)
        self._wide = outermost(path for path in wide if path is not None)
        self._folders = tuple(
            path for path in self._wide if index.holds_folder(path) or is_folder(path)
        )

    def begin(self) -> None:
        """In the event loop, second: forget the rules, and what others checked by them."""
        self._around.rules.forget(*self._folders)
        self._begun = self._around.watcher.begin()
        self._nothing_known = not any(map(self._around.index.knows, self._wide))
        self.newer.clear()

    def step(self) -> Differences:
        """In the worker thread, until `done`: go on for about as long as one step may take."""
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
        for path in self._wide:
            for found in examine(path, roots, rules, self._enter, self._memory):
                yield self._compare(found)
        if not self._nothing_known:
            yield from self._missing(self._wide, self._folders)
        watcher.leave_others(self._folders, self.watches, self._begun)

    def _enter(self, folder: str) -> None:
        self._around.watcher.enter(folder, self.watches)

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
        """Known paths in these places that were not met."""
        index = self._around.index
        at, below = frozenset(paths), tuple(os.path.join(folder, "") for folder in folders)

        def not_met(known: Iterable[str], met: set[str]) -> Iterator[str]:
            for path in known:
                if (path in at or path.startswith(below)) and path not in met:
                    yield path

        listed = self._others(at, below) if below else filter(index.__contains__, at)
        gone = not_met(listed, self._seen)
        while part := list(islice(gone, _MANY)):
            yield Differences(gone=part)
        skipped = index.skipped if below else filter(index.skipped.__contains__, at)
        lifted = not_met(skipped, self._seen_skipped)
        while part := list(islice(lifted, _MANY)):
            yield Differences(lifted=part)

    def _others(self, at: Collection[str], below: tuple[str, ...]) -> Iterator[str]:
        """The listed files in these places, but for those in unchanged folders."""
        of_single = set(map(folder_of, at))
        for folder, files in self._around.index.folders():
            met = self._unchanged.get(folder, ())
            here = folder in of_single or os.path.join(folder, "").startswith(below)
            if here and met is not files:
                unchanged = set(paths_of(met))
                yield from (path for path in paths_of(files) if path not in unchanged)


def widen(path: str, roots: Roots, rules: IgnoreRules) -> str | None:
    """What to rescan when `path` changed: it, a folder above, or None: it cannot matter."""
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
