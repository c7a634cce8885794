"""The files of a workspace as they are before a command runs, and what it changed in them.

A baseline covers the listed files, not ignored ones (build results, installed packages, `.git`). It
compares every file's stamp, and keeps the bytes of files with a new stamp, up to `BaselineLimits`,
the newest first. A stamp as new as the file system's tick is not trusted: the file is read again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from time import time_ns

from glossator.store import Objects
from glossator.undo.file_states import (
    Content,
    DiskFiles,
    FileState,
    NoFile,
    Stored,
    Unkept,
    as_state,
    same,
)
from glossator.undo.turn_log import state_from_json, state_to_json
from glossator.workspace import Stamp

_FILE_TIME_MARGIN_NS = 50_000_000  # ns: several times what file systems' clocks lag behind
_BATCH = 16_000_000  # bytes held until they are written
_IGNORE_FILES = frozenset({".gitignore", ".ignore", "exclude"})
_UNLISTED = Unkept("was perhaps there before, but hidden by an ignore rule that has changed")


@dataclass(frozen=True, slots=True)
class BaselineLimits:
    """What is kept before a command: at most so many bytes of a file, of all, and so many files."""

    file_bytes: int = 5_000_000
    bytes: int = 300_000_000
    files: int = 50_000


@dataclass(frozen=True, slots=True)
class BaselineCoverage:
    """How much a baseline holds: files kept, and how many were not."""

    kept: int
    left_out: int


@dataclass(frozen=True, slots=True)
class Baseline:
    """The stamp and the state of each listed file, by absolute path, at `taken` (ns since 1970)."""

    taken: int
    stamps: Mapping[str, Stamp]
    states: Mapping[str, FileState]

    @property
    def coverage(self) -> BaselineCoverage:
        """How much of the workspace is kept."""
        left_out = sum(isinstance(state, Unkept) for state in self.states.values())
        return BaselineCoverage(len(self.states) - left_out, left_out)


def encoded(baseline: Baseline) -> bytes:
    """A baseline as it is kept while a command runs."""
    files = [
        [path, *baseline.stamps[path], state_to_json(state)]
        for path, state in baseline.states.items()
    ]
    return json.dumps([baseline.taken, files], separators=(",", ":")).encode()


def decoded(kept: bytes) -> Baseline:
    """A baseline that was kept."""
    taken, files = json.loads(kept)
    stamps = {path: Stamp(*stamp) for path, *stamp, _ in files}
    return Baseline(taken, stamps, {path: state_from_json(state) for path, *_, state in files})


@dataclass(slots=True)
class Baselines:
    """Takes baselines, and remembers what it has read; belongs to one thread."""

    objects: Objects
    files: DiskFiles
    limits: BaselineLimits
    _known: dict[str, tuple[Stamp, FileState]] = field(default_factory=dict)

    def take(self, paths: Iterable[str]) -> Baseline:
        """The files at `paths` as they are now, kept. Raises `StoreUnavailable`."""
        taken = time_ns()
        stamps = dict(_stamps(paths))
        newest = sorted(stamps, key=lambda path: stamps[path].mtime_ns, reverse=True)
        states: dict[str, FileState] = {}
        wanted: list[str] = []
        room = self.limits.bytes
        for number, path in enumerate(newest):
            room -= stamps[path].size
            if number >= self.limits.files or room < 0:
                states[path] = Unkept("lies beyond what is kept of a workspace before a command")
            elif (known := self._known.get(path)) and known[0] == stamps[path]:
                states[path] = known[1]
            else:
                wanted.append(path)
        wanted += self._lost(states)
        self._known = {path: (stamps[path], state) for path, state in states.items()}
        states.update(self._read(wanted))
        for path in wanted:
            if max(stamps[path].ctime_ns, stamps[path].mtime_ns) < taken - _FILE_TIME_MARGIN_NS:
                self._known[path] = (stamps[path], states[path])
        return Baseline(taken, stamps, states)

    def changes(
        self, before: Baseline, paths: Iterable[str]
    ) -> tuple[dict[str, FileState], dict[str, FileState], dict[str, str]]:
        """What was found and what is left at the paths that changed since `before`.

        `paths` are those listed now. Then the new paths of files that were renamed.
        """
        stamps = dict(_stamps({*paths, *before.stamps}))
        suspects = [
            path
            for path in stamps.keys() | before.stamps.keys()
            if stamps.get(path) != before.stamps.get(path)
        ]
        rules_changed = any(os.path.basename(path) in _IGNORE_FILES for path in suspects)
        folders = _folders(before.stamps)
        moved = {
            _identity(stamp)
            for path, stamp in before.stamps.items()
            if path not in stamps or _identity(stamps[path]) != _identity(stamp)
        }
        found: dict[str, FileState] = {}
        left: dict[str, FileState] = {}
        for path in suspects:
            state: FileState | None = before.states.get(path)
            if state is None:
                is_old = stamps[path].ctime_ns < before.taken - _FILE_TIME_MARGIN_NS
                if is_old and _identity(stamps[path]) not in moved:
                    continue  # it was there, and is listed only now
                state = _UNLISTED if rules_changed else NoFile(_new_folder(path, folders))
            now = as_state(self.files.look(path, self.limits.file_bytes))
            if not same(state, now):
                found[path], left[path] = state, now
        came = {_content(stamps[path]): path for path in suspects if path not in before.stamps}
        went = {
            path: _content(stamp) for path, stamp in before.stamps.items() if path not in stamps
        }
        return found, left, {path: came[each] for path, each in went.items() if each in came}

    def _lost(self, states: Mapping[str, FileState]) -> list[str]:
        """The paths whose bytes have had to make room since they were kept."""
        names = {path: state.object for path, state in states.items() if isinstance(state, Stored)}
        kept = self.objects.known(names.values())
        return [path for path, name in names.items() if name not in kept]

    def _read(self, paths: Iterable[str]) -> Iterator[tuple[str, FileState]]:
        batch: list[bytes] = []
        size = 0
        for path in paths:
            found = self.files.look(path, self.limits.file_bytes)
            if isinstance(found, Content):
                batch.append(found.data)
                size += len(found.data)
            if size > _BATCH:
                self.objects.put(batch)
                batch, size = [], 0
            yield path, as_state(found)
        self.objects.put(batch)


def _stamps(paths: Iterable[str]) -> Iterator[tuple[str, Stamp]]:
    for path in paths:
        try:
            yield path, Stamp.of(os.lstat(path))
        except OSError:
            continue  # not there


def _identity(stamp: Stamp) -> tuple[int, int]:
    """What a file keeps when it, or a folder above it, is moved."""
    return stamp.device, stamp.inode


def _content(stamp: Stamp) -> tuple[int, int, int, int]:
    """What a file that is renamed keeps, and the next one with its inode does not."""
    return (*_identity(stamp), stamp.size, stamp.mtime_ns)


def _folders(paths: Iterable[str]) -> set[str]:
    folders: set[str] = set()
    for path in paths:
        folder = os.path.dirname(path)
        while folder not in folders:
            folders.add(folder)
            folder = os.path.dirname(folder)
    return folders


def _new_folder(path: str, folders: set[str]) -> str | None:
    """The highest folder above `path` in which no file was listed."""
    new = None
    folder = os.path.dirname(path)
    while folder not in folders and folder != os.path.dirname(folder):
        new, folder = folder, os.path.dirname(folder)
    return new
