"""Cuts a text into chunks on its syntax: whole definitions and sections, or runs of lines.

Small neighbours are joined and big ones split, at inner definitions first, then where the text is
least indented. A chunk that continues another one repeats its last lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice

from glossator.symbols import Symbol

MAX_BYTES = 2_800  # about 800 tokens
_JOINED_BYTES = 1_400  # neighbours are joined up to here
_REST_BYTES = 300  # what is left of a definition joins the piece before it, if there is room
_OVERLAP = 2  # lines
_MAX_NAMES = 40  # definitions that a chunk is said to hold


@dataclass(frozen=True, slots=True)
class Chunk:
    """Lines of a text (1-based, inclusive), what encloses them and what they define.

    `within`: the names of the enclosing definitions or sections, outermost first. `defines`: the
    names that are defined in the lines, `kinds` what these are (see `Symbol.kind`).
    """

    first_line: int
    last_line: int
    within: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Piece:
    """Rows (0-based, the end excluded) of one definition, or between definitions.

    A `rest` does not begin where its definition does.
    """

    start: int
    end: int
    within: tuple[str, ...]
    rest: bool = False


def cut(
    lines: Sequence[str], symbols: Sequence[Symbol], most: int | None = None
) -> tuple[Chunk, ...]:
    """Chunks that hold every line that is not blank, in order; `symbols` is the outline.

    At most so many, the first ones.
    """
    ends = [0, *accumulate(_size(line) + 1 for line in lines)]
    cutter = _Cutter(lines, ends)
    tree = _Node(0, len(lines), (), [])
    stack = [tree]
    for symbol in symbols:
        start, end = symbol.first_line - 1, min(symbol.last_line, len(lines))
        while len(stack) > 1 and stack[-1].end <= start:
            stack.pop()
        parent = stack[-1]
        end = min(end, parent.end)
        if start >= end or (parent.inner and start < parent.inner[-1].end):
            continue  # on a line with another one
        if (start, end) == (parent.start, parent.end) and parent is not tree:
            parent.within = _common(parent.within, symbol.container)
            continue  # so is this one; minified code has thousands in a line
        node = _Node(start, end, (*symbol.container, symbol.name), [])
        parent.inner.append(node)
        stack.append(node)
    pieces = _joined(cutter.pieces(tree), ends)
    return tuple(islice(_chunks(pieces, lines, symbols), most))


def described(first_line: int, last_line: int, symbols: Sequence[Symbol]) -> Chunk:
    """Given lines as a chunk."""
    around: tuple[str, ...] = ()
    defined: dict[str, str] = {}
    for symbol in symbols:
        if symbol.first_line > last_line:
            break
        if first_line <= symbol.name_line <= last_line and len(defined) < _MAX_NAMES:
            defined.setdefault(symbol.name, symbol.kind)
        if symbol.first_line < first_line and symbol.last_line >= first_line:
            around = (*symbol.container, symbol.name)
    return Chunk(first_line, last_line, around, tuple(defined), tuple(defined.values()))


def _size(line: str) -> int:
    """The size in bytes of UTF-8."""
    return len(line) if line.isascii() else len(line.encode("utf-8", "replace"))


@dataclass(slots=True)
class _Node:
    start: int
    end: int
    within: tuple[str, ...]
    inner: list[_Node]


class _Cutter:
    def __init__(self, lines: Sequence[str], ends: Sequence[int]) -> None:
        self._lines, self._ends = lines, ends

    def pieces(self, tree: _Node) -> Iterator[_Piece]:
        """The pieces of a text, none too big, in order."""
        waiting: list[_Node | _Piece] = [tree]  # the next one last; no recursion, however deep
        while waiting:
            part = waiting.pop()
            if isinstance(part, _Piece):
                yield from self._runs(part)
            elif self._bytes(part.start, part.end) <= MAX_BYTES:
                yield _Piece(part.start, part.end, part.within)
            else:
                waiting += reversed(self._parts(part))

    def _parts(self, node: _Node) -> list[_Node | _Piece]:
        """The definitions in one that is too big, each with its comment, and what is between."""
        parts: list[_Node | _Piece] = []
        at = node.start
        for inner in node.inner:
            start = self._with_comment(inner.start, at)
            parts.append(_Piece(at, start, node.within, rest=at > node.start))
            inner.start = start
            parts.append(inner)
            at = inner.end
        return [*parts, _Piece(at, node.end, node.within, rest=at > node.start)]

    def _with_comment(self, start: int, least: int) -> int:
        """Where the text begins that stands right above a definition."""
        while start > least and self._lines[start - 1].strip():
            start -= 1
        return start

    def _runs(self, piece: _Piece) -> Iterator[_Piece]:
        """Rows without definitions, split where they are least indented."""
        start, end, within, rest = piece.start, piece.end, piece.within, piece.rest
        while self._bytes(start, end) > MAX_BYTES:
            if not self._lines[start].strip():
                start += 1  # a file may have millions of them
                continue
            at = self._best_split(start, end)
            yield _Piece(start, at, within, rest)
            rest = True
            overlap = max(start + 1, at - _OVERLAP)
            start = overlap if self._bytes(overlap, at) <= MAX_BYTES // 8 else at
        if any(line.strip() for line in self._lines[start:end]):
            yield _Piece(start, end, within, rest)

    def _best_split(self, start: int, end: int) -> int:
        """The row before which to split: in the second half of what fits, least indented."""
        last = start + 1
        while last < end and self._bytes(start, last + 1) <= MAX_BYTES:
            last += 1
        first = start + 1 + (last - start - 1) // 2
        return min(range(first, last + 1), key=lambda row: (self._weight(row), -row))

    def _weight(self, row: int) -> tuple[int, int]:
        """How little a row fits to begin a piece: by its indent, and whether a blank precedes."""
        if row >= len(self._lines) or not self._lines[row].strip():
            return 1_000, 0
        line = self._lines[row]
        indent = len(line) - len(line.lstrip())
        closing = line.lstrip()[:1] in ")]}"
        return indent + 2 * closing, bool(self._lines[row - 1].strip())

    def _bytes(self, start: int, end: int) -> int:
        return self._ends[end] - self._ends[start]


def _joined(pieces: Iterable[_Piece], ends: Sequence[int]) -> Iterator[_Piece]:
    """The pieces, with small ones joined to their neighbours of the same definition.

    The rest of a definition is joined to nothing behind it: its name would be lost.
    """
    last: _Piece | None = None
    for piece in pieces:
        if last is None:
            last = piece
            continue
        within = _common(last.within, piece.within)
        related = within in (last.within, piece.within, last.within[:-1], piece.within[:-1])
        related = related and not (last.rest and within != last.within)
        small = ends[piece.end] - ends[piece.start] <= _REST_BYTES
        room = MAX_BYTES if small else _JOINED_BYTES
        if related and ends[piece.end] - ends[last.start] <= room:
            last = _Piece(last.start, piece.end, within, last.rest)
        else:
            yield last
            last = piece
    if last is not None:
        yield last


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    shared = 0
    while shared < min(len(one), len(other)) and one[shared] == other[shared]:
        shared += 1
    return one[:shared]


def _chunks(
    pieces: Iterator[_Piece], lines: Sequence[str], symbols: Sequence[Symbol]
) -> Iterator[Chunk]:
    at = 0
    for piece in pieces:
        start, end = piece.start, piece.end
        while start < end and not lines[start].strip():
            start += 1
        while end > start and not lines[end - 1].strip():
            end -= 1
        if start == end:
            continue
        while at < len(symbols) and symbols[at].name_line <= piece.start:
            at += 1
        defined: dict[str, str] = {}
        for symbol in symbols[at:]:
            if symbol.first_line > end:
                break
            if symbol.name_line > start and len(defined) < _MAX_NAMES:
                defined.setdefault(symbol.name, symbol.kind)
        yield Chunk(start + 1, end, piece.within, tuple(defined), tuple(defined.values()))
