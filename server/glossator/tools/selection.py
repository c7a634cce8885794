"""Which files a search looks at, and an account of what it did not look at."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from glossator.core.document import Missing, MissingReason
from glossator.core.errors import UsageError
from glossator.tools.file_types import extensions_of
from glossator.workspace.glob import compile_glob
from glossator.workspace.snapshot import WorkspaceSnapshot
from glossator.workspace.walk import FileEntry

_RULES_SHOWN = 5


@dataclass(frozen=True)
class Selection:
    """The chosen files, and in words how they were chosen.

    `fits` tells of one file; `files` looks at all of them, so it is for those who need them all.
    """

    snapshot: WorkspaceSnapshot
    fits: Callable[[FileEntry], bool]
    filters: str

    def among(self, files: Iterable[FileEntry]) -> Iterator[FileEntry]:
        """Those of `files` that are chosen."""
        return filter(self.fits, files) if self.filters else iter(files)

    @cached_property
    def files(self) -> tuple[FileEntry, ...]:
        """The chosen files, by relative path."""
        everything = self.snapshot.files()
        return tuple(filter(self.fits, everything)) if self.filters else everything

    @property
    def total(self) -> int:
        """The number of all files."""
        return len(self.snapshot.files())


def select(
    snapshot: WorkspaceSnapshot,
    path: str | None = None,
    glob: str | None = None,
    file_type: str | None = None,
) -> Selection:
    """Files under `path` that fit `glob` and `file_type`.

    Raises `UsageError` for a path outside the workspace or where there is nothing, a bad pattern
    or an unknown type.
    """
    filters: list[str] = []
    place = place_of(snapshot, path)
    if place is not None:
        filters.append(f"under {place}")
    fits_glob = compile_glob(glob) if glob else None
    if glob:
        filters.append(f"glob {glob}")
    endings = extensions_of(file_type) if file_type else None
    if file_type:
        filters.append(f"type {file_type}")

    def fits(file: FileEntry) -> bool:
        name: str | None = file.relative
        if place is not None:
            name = _name_below(place, file.relative)
        return (
            name is not None
            and (endings is None or name.endswith(endings))
            and (fits_glob is None or fits_glob(name))
        )

    selection = Selection(snapshot, fits, ", ".join(filters))
    if place is not None:
        _expect_something(selection, place)
    return selection


def place_of(snapshot: WorkspaceSnapshot, path: str | None) -> str | None:
    """The workspace-relative path of a file or folder; None for the whole workspace.

    Raises `UsageError` for a path outside the workspace.
    """
    if path in (None, "", ".", "./"):
        return None
    resolved = snapshot.resolve(path)
    if isinstance(resolved, Missing):
        raise UsageError(resolved.message)
    relative = snapshot.relative(resolved)
    return None if relative == "." else relative


def account(snapshot: WorkspaceSnapshot, selection: Selection, extra: Sequence[str] = ()) -> str:
    """How much was looked at and what was left out: what makes "nothing found" a proof."""
    if not snapshot.roots:
        return "No folder is open, so there was nothing to look at."
    looked = len(selection.files)
    lines = [
        f"Looked at {looked:,} of {selection.total:,} files"
        + (f" ({selection.filters})." if selection.filters else ".")
    ]
    lines += extra
    rules = sorted(snapshot.skipped, key=lambda skipped: -skipped.count)
    shown = [f"{rule.rule} ({rule.count})" for rule in rules[:_RULES_SHOWN]]
    if len(rules) > _RULES_SHOWN:
        shown.append(f"{len(rules) - _RULES_SHOWN} more rules")
    if shown:
        lines.append(f"Left out by rule: {'; '.join(shown)}.")
    if not snapshot.index_complete:
        lines.append("The first scan of the workspace is still going on: ask again for the rest.")
    return "\n".join(lines)


def _name_below(place: str, relative: str) -> str | None:
    """`relative` as seen from the folder `place`, or from the folder of the file `place`."""
    if not relative.startswith(place):
        return None
    rest = relative[len(place) :]
    if not rest:
        return place.rpartition("/")[2]
    return rest[1:] if rest[0] == "/" else None


def _expect_something(selection: Selection, place: str) -> None:
    """Nothing found in a place that does not exist would prove nothing."""
    resolved = selection.snapshot.resolve(place)
    if isinstance(resolved, str) and not os.path.lexists(resolved) and not selection.files:
        there = selection.snapshot.read(place)
        if isinstance(there, Missing) and there.reason is MissingReason.ABSENT:
            raise UsageError(there.message)
