"""The trigrams that every match of a pattern contains.

After R. Cox, "Regular Expression Matching with a Trigram Index" (2012), over folded bytes: for each
part of a pattern, the strings that it matches, or else how its matches start and end.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from typing import NamedTuple

from glossator.workspace.index.charset import UnknownSyntax
from glossator.workspace.index.regex import (
    Alternation,
    Assertion,
    Chars,
    Node,
    Repeat,
    Sequence,
    is_portable,
    parse,
)
from glossator.workspace.index.trigrams import ANYTHING, FOLD, Query, all_of, any_of, bounded, key

_MAX_ANALYSES = 16  # patterns whose analysis is kept
_MAX_STRINGS = 20  # known of one part of a pattern
_MAX_COPIES = 4  # of a part that is repeated
_MAX_WAYS = 4  # combinations of missing and present parts of a sequence; each part …
_FEW_STRINGS = 3  # … matches at most so many strings once


@dataclass(frozen=True, slots=True)
class Analysis:
    """What follows from a pattern alone.

    `portable`: ripgrep finds the same lines as `search/scan.py`, in all plain text.
    """

    query: Query
    portable: bool


@lru_cache(maxsize=_MAX_ANALYSES)
def analyse(pattern: str, *, ignore_case: bool = False, multiline: bool = False) -> Analysis:
    """Analyse a pattern that `scan.compile_pattern` accepts with the same flags."""
    try:
        regex = parse(pattern, ignore_case=ignore_case, multiline=multiline)
    except UnknownSyntax:
        return Analysis(ANYTHING, portable=False)
    shape = _loose(_shape(regex.node, _Place(first=True, last=True), multiline=multiline))
    portable = regex.shared and is_portable(regex.node, multiline=multiline)
    spans = multiline or not regex.by_line
    query = replace(bounded(shape.query), folds=_folds(regex.node), spans=spans)
    return Analysis(query, portable)


def _folds(node: Node) -> bool:
    match node:
        case Chars():
            return node.fold
        case Assertion():
            return False
        case Sequence(parts) | Alternation(parts):
            return any(map(_folds, parts))
        case Repeat():
            return _folds(node.item)


_Strings = frozenset[bytes]  # each byte stands for its class
_ANY_STRING: _Strings = frozenset({b""})  # as a start or an end
_REPRESENTATIVE = bytes(FOLD.index(number) for number in FOLD)
_OUTSIDE = b"\x80"  # for every byte of a character outside ASCII
_WIDTHS = ((2, 0x80, 0x7FF), (3, 0x800, 0xFFFF), (4, 0x10000, 0x10FFFF))  # in bytes of UTF-8
_FOLDED_TO_ASCII = ((0x17F, b"S"), (0x212A, b"K"))  # by representative


@dataclass(frozen=True, slots=True)
class _Shape:
    """The matches of a part: each starts with one of `starts` and ends with one of `ends`.

    `whole`: both are all its matches, and their trigrams are not yet in `query`.
    """

    starts: _Strings
    ends: _Strings
    query: Query = ANYTHING
    whole: bool = False


def _whole(strings: _Strings) -> _Shape:
    return _Shape(strings, strings, whole=True)


_EMPTY = _whole(frozenset({b""}))
_ANY = _Shape(_ANY_STRING, _ANY_STRING)


class _Place(NamedTuple):
    """Whether a part is what every match begins or ends with."""

    first: bool = False
    last: bool = False


def _shape(node: Node, place: _Place, *, multiline: bool) -> _Shape:
    match node:
        case Chars():
            strings = _characters(node, multiline=multiline)
            return _whole(strings) if len(strings) <= _MAX_STRINGS else _ANY
        case Assertion(sign):
            # the line end before, or after, the match counts as a part of it; a match that
            # contains the last line end has none after it
            ends = sign == "$" and place.last and not multiline
            at_edge = (sign == "^" and place.first) or ends
            return _whole(frozenset({b"\n"})) if at_edge else _EMPTY
        case Sequence(items):
            return _in_sequence(items, place, multiline=multiline)
        case Alternation(options):
            return _choice([_shape(option, place, multiline=multiline) for option in options])
        case Repeat(item, low, high):
            return _repeat(_shape(item, _Place(), multiline=multiline), low, high)


def _characters(node: Chars, *, multiline: bool) -> _Strings:
    strings: set[bytes] = set()
    for low, high in node.ranges:
        ascii_bytes = bytes(range(low, min(high, 0x7F) + 1))
        if not multiline:
            ascii_bytes = ascii_bytes.replace(b"\n", b"")
        strings.update(bytes([byte]) for byte in ascii_bytes.translate(_REPRESENTATIVE))
        if high > 0x7F:  # the other case of a character may take another number of bytes
            strings.update(
                _OUTSIDE * width
                for width, first, last in _WIDTHS
                if node.fold or (low <= last and high >= first)
            )
        if node.fold:
            strings.update(other for code, other in _FOLDED_TO_ASCII if low <= code <= high)
    return frozenset(strings)


def _in_sequence(items: tuple[Node, ...], place: _Place, *, multiline: bool) -> _Shape:
    ways: list[list[_Shape]] = [[]]
    last = len(items) - 1
    for at, item in enumerate(items):
        if isinstance(item, Repeat):
            once = _shape(item.item, _Place(), multiline=multiline)
            if (
                item.low == 0
                and item.high not in (0, 1)
                and once.whole
                and len(once.starts) <= _FEW_STRINGS
                and len(ways) < _MAX_WAYS
            ):
                # an optional part tells nothing, not even about its neighbours
                some = _repeat(once, 1, item.high)
                ways = [[*way, *more] for way in ways for more in ([], [some])]
                continue
            shape = _repeat(once, item.low, item.high)
        else:
            within = _Place(place.first and at == 0, place.last and at == last)
            shape = _shape(item, within, multiline=multiline)
        for way in ways:
            way.append(shape)
    shapes = list(map(_sequence, ways))
    return shapes[0] if len(shapes) == 1 else _choice(shapes)


def _sequence(shapes: Iterable[_Shape]) -> _Shape:
    queries: list[Query] = []

    def append(left: _Shape, right: _Shape) -> _Shape:
        if left.whole and right.whole:
            if len(left.ends) * len(right.starts) <= _MAX_STRINGS:
                return _whole(_joined(left.ends, right.starts))
            left = _loose(left)
        known = len(left.ends) * len(right.starts) <= _MAX_STRINGS
        if not known:
            left, right = _loose(left), _loose(right)
        queries.extend((left.query, right.query))
        if not known:
            return _Shape(left.starts, right.ends)
        joined = _joined(left.ends, right.starts)
        queries.append(_trigrams(joined))
        return _Shape(
            _first(joined) if left.whole else left.starts,
            _last(joined) if right.whole else right.ends,
        )

    shape = reduce(append, shapes, _EMPTY)
    return shape if shape.whole else _Shape(shape.starts, shape.ends, all_of(queries))


def _choice(options: list[_Shape]) -> _Shape:
    if all(option.whole for option in options):
        strings = frozenset[bytes]().union(*(option.starts for option in options))
        if len(strings) <= _MAX_STRINGS:
            return _whole(strings)
    options = [_loose(option) for option in options]
    return _Shape(
        _first(frozenset[bytes]().union(*(option.starts for option in options))),
        _last(frozenset[bytes]().union(*(option.ends for option in options))),
        any_of(option.query for option in options),
    )


def _repeat(item: _Shape, low: int, high: int | None) -> _Shape:
    if high == 0:
        return _EMPTY
    if low == 0:
        return _choice([item, _EMPTY]) if high == 1 else _ANY
    copies = _sequence([item] * min(low, _MAX_COPIES))
    # Longer matches start and end with this many copies, too.
    return copies if high == low <= _MAX_COPIES else _loose(copies)


def _loose(shape: _Shape) -> _Shape:
    """The matches described only by their starts and ends."""
    if not shape.whole:
        return shape
    return _Shape(_first(shape.starts), _last(shape.ends), _trigrams(shape.starts))


def _joined(left: _Strings, right: _Strings) -> _Strings:
    return frozenset(start + end for start in left for end in right)


def _first(strings: _Strings) -> _Strings:
    return _cut(strings, [slice(2), slice(1)])


def _last(strings: _Strings) -> _Strings:
    return _cut(strings, [slice(-2, None), slice(-1, None)])


def _cut(strings: _Strings, slices: list[slice]) -> _Strings:
    """The part of each string that the trigrams across its edge need, if these are not too many."""
    for part in slices:
        cut = frozenset(string[part] for string in strings)
        if b"" not in cut and len(cut) <= _MAX_STRINGS:
            return cut
    return _ANY_STRING


def _trigrams(strings: _Strings) -> Query:
    """The query for texts that contain at least one of the strings."""
    return any_of(
        Query(frozenset(map(key, string, string[1:], string[2:]))) for string in sorted(strings)
    )
