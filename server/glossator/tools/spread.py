"""Where the hits of a search are: how many below which folders, and examples from all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from typing import TypeVar

from glossator.core.shown import shown

_GROUPS = 12  # that are told
_DIVIDED = 24  # into so many groups at most, before the smallest are told as one
_MANY = 1 / 8  # of all hits; a folder that holds fewer stays one group
_CHARACTERS = 160  # of a place

T = TypeVar("T")
Counts = Mapping[str, int]  # hits by the relative path of a file


@dataclass(frozen=True, slots=True)
class Group:
    """Hits below the folder `place`, which ends in "/", in the file `place`, or elsewhere ("")."""

    place: str
    counts: Counts

    @property
    def total(self) -> int:
        """The hits in all its files."""
        return sum(self.counts.values())

    def __str__(self) -> str:
        number = len(self.counts)
        files = "" if number in (1, self.total) else f" in {number:,} files"
        place = shown(self.place) or "elsewhere"
        if len(place) > _CHARACTERS:
            place = f"…{place[-_CHARACTERS:]}"
        return f"  {self.total:,}{files}: {place}"


def by_folder(counts: Counts) -> list[Group]:
    """The hits by folder, most first; folders that hold many are divided while there is room."""
    parts = _divided("", counts)
    whole: set[str] = set()
    many = sum(counts.values()) * _MANY
    while len(parts) < _GROUPS:
        folders = [place for place in parts.keys() - whole if place.endswith("/")]
        fullest = max(folders, key=lambda place: (sum(parts[place].values()), place), default="")
        if not fullest or sum(parts[fullest].values()) <= many:
            break
        inner = _divided(fullest, parts[fullest])
        if len(parts) + len(inner) > _DIVIDED:
            whole.add(fullest)
        else:
            del parts[fullest]
            parts |= inner
    groups = [Group(place, part) for place, part in parts.items()]
    groups.sort(key=lambda group: (-group.total, group.place))
    if len(groups) > _GROUPS:
        rest = chain.from_iterable(group.counts.items() for group in groups[_GROUPS - 1 :])
        groups[_GROUPS - 1 :] = [Group("", dict(rest))]
    return groups


def examples(groups: Sequence[Group], room: int) -> dict[str, int]:
    """How many hits to show of which files: `room` in all, from as many groups and files as can be.

    Each of these files has as many as any other that holds so many.
    """
    rows = zip_longest(*(group.counts.items() for group in groups))
    files = list(islice(filter(None, chain.from_iterable(rows)), room))
    shares: dict[str, int] = {}
    for left, (path, count) in zip(
        range(len(files), 0, -1), sorted(files, key=lambda file: file[1]), strict=True
    ):
        shares[path] = min(count, room // left)
        room -= shares[path]
    return shares


def in_turn(rows: Iterable[Iterable[T]]) -> list[T]:
    """The first of each row, then the second of each, and so on."""
    columns = zip_longest(*([(each,) for each in row] for row in rows), fillvalue=())
    return [each for column in columns for some in column for each in some]


def scattered(items: Sequence[T]) -> list[T]:
    """The items in an order in which however few of the first are from all parts of them."""
    digits = len(items).bit_length()
    order = sorted(range(len(items)), key=lambda number: f"{number:0{digits}b}"[::-1])
    return [items[number] for number in order]


def _divided(folder: str, counts: Counts) -> dict[str, dict[str, int]]:
    """The hits by what `folder` holds: files, and folders with a "/" at their end."""
    parts: dict[str, dict[str, int]] = {}
    for path, count in counts.items():
        name, slash, _ = path[len(folder) :].partition("/")
        parts.setdefault(f"{folder}{name}{slash}", {})[path] = count
    return parts
