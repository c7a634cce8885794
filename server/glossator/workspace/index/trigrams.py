"""What a search asks the index, and what that answers.

A question is a condition on the trigrams of a text: bytes are folded to 64 classes; three classes
make an 18-bit key. Both cases of an ASCII letter are one class, so the index answers for either.
Bytes of characters outside ASCII are all one class. The answer is the candidates, the files to
search.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

from glossator.workspace.files.entries import FileEntry

KEYS = 1 << 18  # distinct trigrams

_CLASSES = (
    *(letter + letter.upper() for letter in "abcdefghijklmnopqrstuvwxyz"),
    *"0123456789",
    *"_(){}[].,;:=\"'/\\*-+<>#",
    "&|!",
    "@$%",
    " \t\r\f\v",
    "\n",
)
_OTHER = len(_CLASSES)  # ? ^ ~ ` and control characters
_OUTSIDE = _OTHER + 1  # bytes from 0x80

Ranges: TypeAlias = Sequence[tuple[int, int]]  # from, up to; ascending, and none touches another


def _table() -> bytes:
    table = bytearray([_OTHER] * 0x80 + [_OUTSIDE] * 0x80)
    for number, members in enumerate(_CLASSES):
        for member in members:
            table[ord(member)] = number
    return bytes(table)


FOLD = _table()  # byte -> class, 0 to 63


def key(first: int, second: int, third: int) -> int:
    """The key of three bytes that follow each other in UTF-8 text."""
    return FOLD[first] << 12 | FOLD[second] << 6 | FOLD[third]


_MAX_KEYS = 24  # of one condition; more hardly leave out further texts
_MAX_MEMBER_KEYS = 8
_MAX_MEMBERS = 64  # of one group; texts that hold none of so many are few
_MAX_SIZE = 512  # keys in all


@dataclass(frozen=True, slots=True)
class Query:
    """A condition on a text's trigrams: all `keys`, and of each group at least one member.

    Combining conditions only ever weakens them, so no matching text is left out. A group without
    members is never met. Of a whole condition: `folds`: it does not hold for texts with U+017F or
    U+212A, which equal s and k but for case. `spans`: a match may span lines or need the ends of
    the text; else it lies within one line and the line ends around it.
    """

    keys: frozenset[int] = frozenset()
    groups: tuple[tuple[Query, ...], ...] = ()
    folds: bool = False
    spans: bool = False


ANYTHING = Query()  # every text may match
NOTHING = Query(groups=((),))


def all_of(queries: Iterable[Query]) -> Query:
    """Holds where all of them hold."""
    queries = tuple(queries)
    keys = frozenset[int]().union(*(query.keys for query in queries))
    groups: dict[tuple[Query, ...], None] = {}
    for group in dict.fromkeys(group for query in queries for group in query.groups):
        if not group:
            return NOTHING
        members = tuple(dict.fromkeys(_without(member, keys) for member in group))
        if ANYTHING not in members:
            groups[members] = None
    return Query(keys, tuple(groups))


def any_of(queries: Iterable[Query]) -> Query:
    """Holds where at least one of them holds."""
    members = [query for query in dict.fromkeys(queries) if query != NOTHING]
    if not members:
        return NOTHING
    common = frozenset.intersection(*(member.keys for member in members))
    members = [_without(member, common) for member in members]
    if len(members) == 1:
        return Query(common | members[0].keys, members[0].groups)
    members = [inner for member in members for inner in _alternatives(member)]
    if ANYTHING in members or len(members) > _MAX_MEMBERS:
        return Query(common)
    return Query(common, (_strongest_left_out(members),))


def bounded(query: Query) -> Query:
    """A condition of limited size that `query` implies."""
    return _bounded(query, _MAX_KEYS, _MAX_SIZE)


def _without(query: Query, keys: frozenset[int]) -> Query:
    return Query(query.keys - keys, query.groups) if query.keys & keys else query


def _alternatives(member: Query) -> tuple[Query, ...]:
    return member.groups[0] if not member.keys and len(member.groups) == 1 else (member,)


def _strongest_left_out(members: list[Query]) -> tuple[Query, ...]:
    """The members without those that another member implies."""
    kept: list[Query] = []
    for member in sorted(dict.fromkeys(members), key=lambda each: len(each.keys)):
        if not any(other.keys <= member.keys and not other.groups for other in kept):
            kept.append(member)
    return tuple(kept)


def _bounded(query: Query, max_keys: int, size: int) -> Query:
    keys = sorted(query.keys)
    if len(keys) > max_keys:  # evenly spread: neighbours in the order begin alike
        keys = [keys[number * len(keys) // max_keys] for number in range(max_keys)]
    size -= len(keys)
    groups: list[tuple[Query, ...]] = []
    for group in query.groups:
        if not group:
            return NOTHING
        share = min(size // len(group), _MAX_MEMBER_KEYS * 4)
        members = [_bounded(member, min(share, _MAX_MEMBER_KEYS), share) for member in group]
        if ANYTHING not in members:
            groups.append(tuple(members))
            size -= sum(map(_size, members))
    return Query(frozenset(keys), tuple(groups))


def _size(query: Query) -> int:
    return len(query.keys) + sum(_size(member) for group in query.groups for member in group)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file to search; `plain`: it was plain text when it was indexed."""

    entry: FileEntry
    plain: bool


@dataclass(frozen=True, slots=True)
class Candidates:
    """Files to search, each once, in no order: known to be plain text, and all others.

    Links are among the others; `misses` is true for a link to a file that is no candidate.
    `ranges` gives, for some long plain files, the bytes in which a match can lie. No object is made
    for each file and no list of the plain ones, so an answer of 100,000 files is cheap.
    """

    plain: Collection[FileEntry]
    others: Sequence[FileEntry]
    ranges: Callable[[FileEntry], Ranges | None] = lambda _: None
    misses: Callable[[FileEntry], bool] = lambda _: False

    def __len__(self) -> int:
        return len(self.plain) + len(self.others)

    def __iter__(self) -> Iterator[Candidate]:
        for entry in self.plain:
            yield Candidate(entry, plain=True)
        for entry in self.others:
            yield Candidate(entry, plain=False)


@dataclass(frozen=True, slots=True)
class Joined(Collection[FileEntry]):
    """The files of several collections, that are disjoint."""

    parts: Sequence[Collection[FileEntry]]

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def __iter__(self) -> Iterator[FileEntry]:
        return chain.from_iterable(self.parts)

    def __contains__(self, entry: object) -> bool:
        return any(entry in part for part in self.parts)
