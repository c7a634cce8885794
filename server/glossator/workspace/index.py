"""The file index: every listed file, changed by path and frozen lazily.

A listing is the sorted tuple of an earlier one and the entries changed since; it is merged when
someone asks for its files, so freezing costs as much as was changed.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter

from glossator.workspace.roots import Roots, is_inside
from glossator.workspace.walk import FileEntry, Found

_MERGE_AFTER = 1000  # changes that freezing copies at most, before it merges them
_by_relative = attrgetter("relative")


@dataclass(frozen=True, slots=True)
class Skipped:
    """`count` paths left out by one rule or for one reason; a directory counts once."""

    rule: str
    count: int
    example: str


@dataclass(frozen=True)
class Listing:
    """The index at one moment."""

    base: tuple[FileEntry, ...]
    changed: Mapping[str, FileEntry | None]  # by path; None: no longer listed
    skipped: Mapping[str, str]  # path -> rule

    @cached_property
    def files(self) -> tuple[FileEntry, ...]:
        """All files, sorted by relative path."""
        if not self.changed:
            return self.base
        kept = [entry for entry in self.base if entry.path not in self.changed]
        kept.extend(entry for entry in self.changed.values() if entry is not None)
        return tuple(sorted(kept, key=_by_relative))

    def get(self, path: str) -> FileEntry | None:
        """The file listed at the absolute path `path`."""
        return self.changed[path] if path in self.changed else self._by_path.get(path)

    def summarise_skipped(self, roots: Roots) -> tuple[Skipped, ...]:
        """What was left out, by rule, most first; the examples are workspace-relative."""
        counts = Counter(self.skipped.values())
        examples: dict[str, str] = {}
        for path, rule in self.skipped.items():
            examples.setdefault(rule, path)
        return tuple(
            Skipped(rule, count, roots.relative(examples[rule]))
            for rule, count in counts.most_common()
        )

    @cached_property
    def _by_path(self) -> dict[str, FileEntry]:
        return {entry.path: entry for entry in self.base}


class FileIndex:
    """Files and skipped paths by absolute path; used by the host alone."""

    def __init__(self) -> None:
        self._files: dict[str, FileEntry] = {}
        self._skipped: dict[str, str] = {}
        self._changed: dict[str, FileEntry | None] = {}
        self._folders: set[str] = set()  # all that ever held a file or a skipped path
        self._listing = Listing((), {}, {})

    def __len__(self) -> int:
        return len(self._files)

    def __contains__(self, path: object) -> bool:
        return path in self._files

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._files))

    @property
    def skipped(self) -> Mapping[str, str]:
        """The paths left out, with the rule; never changed, but replaced."""
        return self._skipped

    def get(self, path: str) -> FileEntry | None:
        """The file listed at the absolute path `path`."""
        return self._files.get(path)

    def holds_folder(self, path: str) -> bool:
        """Whether anything at or below the directory `path` may be known."""
        return path in self._folders

    def add(self, found: Found) -> set[str]:
        """Take in what was found; returns the paths whose entries are new or changed."""
        new = [entry for entry in found.files if self._files.get(entry.path) != entry]
        for entry in new:
            self._files[entry.path] = self._changed[entry.path] = entry
            self._note_folders(entry.path)
        if found.skipped:
            self._skipped = self._skipped | found.skipped
            for path in found.skipped:
                self._note_folders(path)
        return {entry.path for entry in new}

    def remove(self, gone: Iterable[str], lifted: Iterable[str]) -> set[str]:
        """Drop files, and skipped paths that are `lifted`; returns the files that were listed."""
        removed = {path for path in gone if self._files.pop(path, None) is not None}
        self._changed.update(dict.fromkeys(removed))
        if known := self._skipped.keys() & set(lifted):
            self._skipped = {path: why for path, why in self._skipped.items() if path not in known}
        return removed

    def replace(self, path: str, found: Found) -> set[str]:
        """Make `found` all there is at and below `path`; returns the paths that changed."""
        now = {entry.path for entry in found.files}
        gone = [known for known in self._at(path, self._files) if known not in now]
        for known in gone:
            del self._files[known]
            self._changed[known] = None
        if lifted := set(self._at(path, self._skipped)):
            self._skipped = {
                known: rule for known, rule in self._skipped.items() if known not in lifted
            }
        return self.add(found) | set(gone)

    def freeze(self) -> Listing:
        """The listing now; the same object until something changes."""
        last = self._listing
        if self._changed or last.skipped is not self._skipped:
            merged = "files" in last.__dict__ or len(last.changed) > _MERGE_AFTER
            base, before = (last.files, {}) if merged else (last.base, last.changed)
            self._listing = Listing(base, {**before, **self._changed}, self._skipped)
            self._changed = {}
        return self._listing

    def _at(self, path: str, known: Mapping[str, object]) -> list[str]:
        if path in self._folders:
            return [item for item in known if is_inside(item, path)]
        return [path] if path in known else []

    def _note_folders(self, path: str) -> None:
        while (path := os.path.dirname(path)) not in self._folders:
            self._folders.add(path)
