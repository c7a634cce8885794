"""The definitions, comments and attributes that a query finds in one parsed text."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter

from tree_sitter import Node, Query, QueryCursor

from glossator.symbols.comments import comment_paragraph

_NEAR = 500  # bytes of white space between things that belong together
_DEPTH = 1_000  # nodes above a definition; matching takes time quadratic in the depth
_SIGNATURE_BYTES = 4_000  # of a definition's head are looked at

Captures = dict[str, list[Node]]


@dataclass(frozen=True, slots=True)
class Definition:
    """One definition: `outer` is `node` with what stands around it; `body` is a range of bytes.

    `kind` ends in ".global" where the definition does not count inside a function.
    """

    kind: str
    node: Node
    outer: Node
    name: Node
    body: tuple[int, int] | None
    scope: Node | None


@dataclass(frozen=True, slots=True)
class Piece:
    """A comment, remark or attribute by bytes, and its first row."""

    role: str
    start: int
    end: int
    row: int
    starts_line: bool


@dataclass(frozen=True)
class Definitions:
    """What was found in `source`; pieces are in document order."""

    source: bytes
    definitions: list[Definition]
    docstrings: dict[int, str]  # string literals by the id of the node they document
    pieces: list[Piece]

    def in_order(self) -> list[Definition]:
        """The definitions in document order, outer before inner."""
        return sorted(
            self.definitions,
            key=lambda at: (at.outer.start_byte, -at.outer.end_byte, at.name.start_byte),
        )

    def before(self, node: Node) -> tuple[int, str]:
        """The first row of `node` with the attributes above it, and what the comments there say."""
        row, start = node.start_point.row, node.start_byte
        comments: list[str] = []
        for index in range(bisect_right(self._ends, start) - 1, -1, -1):
            piece = self.pieces[index]
            if not (piece.starts_line or piece.role == "attribute") or not self._adjacent(
                piece.end, start
            ):
                break
            start = piece.start
            if piece.role == "attribute":
                row = piece.row
            elif piece.role == "comment":
                comments.append(self._decode(piece.start, piece.end))
        return row, comment_paragraph(comments[::-1])

    def without_comments(self, start: int, end: int) -> str:
        """The text from `start`, past the attributes there, to `end`; comments are left out."""
        end = min(end, start + _SIGNATURE_BYTES)
        parts: list[str] = []
        for index in range(bisect_left(self._starts, start), bisect_left(self._starts, end)):
            piece = self.pieces[index]
            between = self._decode(start, piece.start)
            if piece.role == "attribute" and (parts or between.strip()):
                continue
            if between.strip():
                parts.append(between)
            start = max(start, piece.end)
        return " ".join([*parts, self._decode(start, end)])

    def _adjacent(self, end: int, start: int) -> bool:
        """Whether only white space without an empty line lies between."""
        if start - end > _NEAR:
            return False
        gap = self.source[end:start]
        return not gap.strip() and gap.count(b"\n") <= 1

    def _decode(self, start: int, end: int) -> str:
        return self.source[start:end].decode("utf-8", "ignore")

    @cached_property
    def _starts(self) -> list[int]:
        return [piece.start for piece in self.pieces]

    @cached_property
    def _ends(self) -> list[int]:
        return [piece.end for piece in self.pieces]


def find_definitions(root: Node, query: Query, source: bytes) -> Definitions:
    """Everything `query` finds below `root`; where two patterns name the same, the first wins."""
    named: dict[int, Captures] = {}  # by the name's first byte
    wrappers: dict[int, Node] = {}
    docstrings: dict[int, str] = {}
    pieces: list[Piece] = []
    cursor = QueryCursor(query)
    cursor.set_max_start_depth(_DEPTH)
    for _, captures in sorted(cursor.matches(root), key=itemgetter(0)):
        if "name" in captures:
            named.setdefault(captures["name"][0].start_byte, captures)
        elif "wrapped" in captures:
            wrappers.setdefault(captures["wrapped"][0].id, captures["wrapper"][0])
        elif "docstring" in captures:
            literal = captures["docstring"][0]
            text = source[literal.start_byte : literal.end_byte].decode("utf-8", "ignore")
            docstrings[captures["documented"][0].id] = text
        else:
            pieces += [_piece(role, node, source) for role, (node,) in captures.items()]
    pieces.sort(key=lambda piece: piece.start)
    definitions = [_definition(captures, wrappers) for captures in named.values()]
    return Definitions(source, definitions, docstrings, pieces)


def _definition(captures: Captures, wrappers: dict[int, Node]) -> Definition:
    kind = next(k for k in captures if k not in {"name", "body", "scope"} and not k.startswith("_"))
    node = outer = captures[kind][0]
    while outer.id in wrappers:
        outer = wrappers[outer.id]
    default = node.child_by_field_name("body")
    bodies = captures.get("body") or ([] if default is None else [default])
    body = (bodies[0].start_byte, bodies[-1].end_byte) if bodies else None
    scope = captures.get("scope", [None])[0]
    return Definition(kind, node, outer, captures["name"][0], body, scope)


def _piece(role: str, node: Node, source: bytes) -> Piece:
    start, column = node.start_byte, node.start_point.column
    end = node.end_byte - (node.end_point.column == 0)  # Rust's doc comments take their line end
    starts_line = column <= _NEAR and not source[start - column : start].strip()
    return Piece(role, start, end, node.start_point.row, starts_line)
