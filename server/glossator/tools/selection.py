"""Which files a search looks at."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property

from glossator.core.document import Document, Missing, MissingReason
from glossator.core.errors import UsageError
from glossator.core.shown import shown
from glossator.documents import WorkspaceSnapshot
from glossator.files import FileEntry, compile_glob, is_inside
from glossator.search import best_files
from glossator.tools.file_types import extensions_of

Hidden = Callable[[str], bool]  # whether rules keep the file at an absolute path from being shown

_NAMED = 5  # files that are similar to one that is not there
_CANDIDATES = 50
_BESIDE = 1_000  # files of the same folder that are compared, 20 ms
_WITHIN_NAME = 5  # the last way of `workspace.fuzzy` in which the letters are those of the name
_SHORTEST = 3  # letters of a name; fewer fit too many
_ALIKE = 0.75  # ratio of `difflib`

SPECIAL_CHARACTER = re.compile(r"[*?\[{\\]")  # in a file-name pattern


@dataclass(frozen=True)
class Selection:
    """The chosen files, and in words how they were chosen.

    `fits` tells of one file; `files` looks at all of them, so it is for those who need them all.
    `named` is as `fits`, but for what rules hide. `place` is the relative path they are under, and
    `pattern` what their names fit. `alone` is the file at `place`, where a file is listed there.
    """

    snapshot: WorkspaceSnapshot
    named: Callable[[FileEntry], bool]
    filters: str
    place: str | None
    pattern: str | None
    hides: Hidden | None = None
    alone: FileEntry | None = None

    def fits(self, file: FileEntry) -> bool:
        """Whether a file is chosen."""
        return self.named(file) and (self.hides is None or not self.hides(file.path))

    def among(self, files: Iterable[FileEntry]) -> Iterator[FileEntry]:
        """Those of `files` that are chosen."""
        return iter(files) if self.is_all else filter(self.fits, files)

    @cached_property
    def files(self) -> tuple[FileEntry, ...]:
        """The chosen files, by relative path."""
        hides = self.hides
        if hides is None:
            return self._named
        return tuple(file for file in self._named if not hides(file.path))

    @property
    def count(self) -> int:
        """How many files are chosen."""
        return self.total if self.is_all else len(self.files)

    @property
    def total_bytes(self) -> int:
        """What the chosen files hold together."""
        return self.snapshot.total_bytes if self.is_all else sum(file.size for file in self.files)

    @property
    def hidden(self) -> int:
        """How many files were not chosen only because rules hide them."""
        return 0 if self.hides is None else len(self._named) - len(self.files)

    @property
    def total(self) -> int:
        """The number of all files."""
        return self.snapshot.file_count

    @property
    def is_all(self) -> bool:
        """Whether all files are chosen."""
        return not self.filters and self.hides is None

    @cached_property
    def _named(self) -> tuple[FileEntry, ...]:
        everything = self.snapshot.files() if self.alone is None else (self.alone,)
        return tuple(filter(self.named, everything)) if self.filters else everything


def refusal(snapshot: WorkspaceSnapshot, path: str, hides: Hidden | None) -> str | None:
    """Why what is at `path` may not be shown, for the model; None if it may."""
    located = snapshot.folders.locate(path)
    if hides is None or isinstance(located, Missing) or not hides(located):
        return None
    return (
        f"The user's permission rules keep {shown(path)} from being read.\nDo not try to reach it"
        " in another way; go on without it, or tell the user."
    )


def visible(snapshot: WorkspaceSnapshot, path: str, hides: Hidden | None) -> Document | str:
    """The document at `path`; or, in words for the model, why it is not shown."""
    if (reason := refusal(snapshot, path, hides)) is not None:
        return reason
    document = snapshot.read(path)
    if isinstance(document, Missing):
        names = near(snapshot, path, hides) if document.reason is MissingReason.ABSENT else []
        if names:
            return f"{document.message}\nSimilar names: {', '.join(names)}."
        return document.model_message
    # a link on the way may lead elsewhere by now
    return refusal(snapshot, document.path, hides) or document


def near(snapshot: WorkspaceSnapshot, path: str, hides: Hidden | None) -> list[str]:
    """Files that may be meant by a `path` where there is none, as they are shown, best first.

    They have the same name elsewhere, a longer one, another ending, or stand beside it with a name
    that is spelled much like it.
    """
    folder, name = os.path.split(snapshot.folders.relative(path) if os.path.isabs(path) else path)

    def hidden(file: FileEntry) -> bool:
        return hides is not None and hides(file.path)

    def steps(file: FileEntry) -> int:
        return -len({*folder.split("/")}.intersection(file.relative.split("/")[:-1]))

    found: dict[str, FileEntry] = {}
    for typed in dict.fromkeys((name, os.path.splitext(name)[0])):
        if len(typed) < _SHORTEST:
            continue
        ranked = best_files(snapshot, typed, _CANDIDATES, hidden)
        ranked = [each for each in ranked if each[0] <= _WITHIN_NAME]
        ranked.sort(key=lambda each: (each[0], steps(each[1])))
        found |= {file.relative: file for _, file in ranked if file.relative not in found}
    located = snapshot.folders.locate(path)
    if isinstance(located, str):
        beside = snapshot.listing.folders.get(os.path.dirname(located), ())[:_BESIDE]
        names = {os.path.basename(file.path): file for file in beside if not hidden(file)}
        alike = (names[each] for each in get_close_matches(name, names, _NAMED, _ALIKE))
        found = {file.relative: file for file in alike} | found
    if not found and len(name) > _SHORTEST:
        begins = os.path.splitext(name)[0][: max(_SHORTEST, len(name) // 2)]
        files = [file for _, file in best_files(snapshot, begins, _CANDIDATES, hidden)]
        names = {os.path.basename(file.path): file for file in reversed(files)}
        alike = (names[each] for each in get_close_matches(name, names, _NAMED, _ALIKE))
        found = {file.relative: file for file in alike}
    return [shown(relative) for relative in list(found)[:_NAMED]]


def select(
    snapshot: WorkspaceSnapshot,
    path: str | None = None,
    glob: str | None = None,
    file_type: str | None = None,
    hides: Hidden | None = None,
) -> Selection:
    """Files under `path` that fit `glob` and `file_type`, and that are not hidden.

    Raises `UsageError` for a path outside the workspace or where there is nothing, a bad pattern
    or an unknown type.
    """
    filters: list[str] = []
    place, alone = place_of(snapshot, path), None
    if place is not None:
        filters.append(f"under {shown(place)}")
        alone = _listed_at(snapshot, place)
    pattern = pattern_of(snapshot, glob, place) if glob else None
    fits_glob = compile_glob(pattern) if pattern else None
    if glob:
        filters.append(f"glob {glob}")
    endings = extensions_of(file_type) if file_type else None
    if file_type:
        filters.append(f"type {file_type}")

    def named(file: FileEntry) -> bool:
        name: str | None = file.relative
        if place is not None:
            name = _name_below(place, file.relative)
        return (
            name is not None
            and (endings is None or name.endswith(endings))
            and (fits_glob is None or fits_glob(name))
        )

    selection = Selection(snapshot, named, ", ".join(filters), place, pattern, hides, alone)
    if place is not None and alone is None:
        _expect_something(selection, place)
    return selection


def place_of(snapshot: WorkspaceSnapshot, path: str | None) -> str | None:
    """The workspace-relative path, unescaped, of a file or folder; None for the whole workspace.

    Raises `UsageError` for a path outside the workspace.
    """
    if path in (None, "", ".", "./"):
        return None
    resolved = snapshot.resolve(path)
    if isinstance(resolved, Missing):
        raise UsageError(resolved.model_message)
    relative = snapshot.folders.relative(resolved)
    return None if relative == "." else relative


def pattern_of(snapshot: WorkspaceSnapshot, asked: str, place: str | None) -> str:
    """What is meant by the pattern `asked` for paths below `place`.

    A path from the top of the disk may lead into the workspace. The name of a folder, with a "/" at
    its end or where no file has the name, stands for all files in it. Raises `UsageError`.
    """
    sign = "!" if asked.startswith("!") else ""
    pattern = _from_place(snapshot, asked.removeprefix("!"), place)
    name = pattern.rstrip("/")
    if name in ("", "."):
        return f"{sign}**"
    everything_in = f"{name}/**" if "/" in name else f"**/{name}/**"
    if pattern.endswith("/"):
        return sign + everything_in
    if not sign and SPECIAL_CHARACTER.search(pattern) is None:
        under = "" if place is None else f"{place}/"
        for reading in (pattern, everything_in):
            if snapshot.listing.paths.newest(reading, under, 1, snapshot.unsaved)[1]:
                return reading
    return sign + pattern


def _from_place(snapshot: WorkspaceSnapshot, pattern: str, place: str | None) -> str:
    """`pattern` as seen from `place`, also if it begins with the path of a root."""
    for root in sorted(snapshot.roots, key=len, reverse=True):
        if is_inside(pattern.rstrip("/"), root):
            relative = snapshot.folders.relative(root)
            above = "" if relative == "." else relative
            inner = pattern[len(root) :].lstrip("/")
            below = "/".join(filter(None, (above, inner)))
            if place is None:
                return f"/{below}"
            if not is_inside(below.rstrip("/"), place):
                raise UsageError(
                    f"{pattern} does not lie in {shown(place)}.\nGive only one of them."
                )
            return below[len(place) :] or "/"
    return pattern


def _listed_at(snapshot: WorkspaceSnapshot, place: str) -> FileEntry | None:
    path = snapshot.folders.locate(place)
    return None if isinstance(path, Missing) else snapshot.listing.get(path)


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
    if (
        isinstance(resolved, str)
        and not os.path.lexists(resolved)
        and not selection.files
        and not selection.hidden
    ):
        there = selection.snapshot.read(place)
        if isinstance(there, Missing) and there.reason is MissingReason.ABSENT:
            raise UsageError(there.model_message)
