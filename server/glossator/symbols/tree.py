"""Parsed source text, and the way from a place in it up to the root.

Parsing holds the GIL, about 0.1 s a megabyte: in a server it belongs into the worker process.

The grammar of Rust has only tokens inside macros: `cfg_if! { … fn open() {} }`, and the rules of
`macro_rules!`. They are parsed again as a file of their own, in their places; what is no item of
Rust is an error in it, which costs only what it covers. Macros inside functions are left out, since
what they hold is seldom an item.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from tree_sitter import Node, Parser, Point, Query, QueryCursor, Range, TreeCursor

from glossator.symbols.grammars import grammar_of

SOURCE_LIMIT = 2_000_000  # bytes of UTF-8; more is generated or data

_YAML_LEVELS = 200
_YAML_OPENING = re.compile(rb"(?:^\xef\xbb\xbf|^|[-?:]|[&!*]\S*)[ \t]+")
_LONE_CR = re.compile(rb"\r(?!\n)")

_RUST = "rust"
_INSIDE = """
(source_file (macro_invocation (token_tree) @inside))
(source_file (expression_statement (macro_invocation (token_tree) @inside)))
(declaration_list (macro_invocation (token_tree) @inside))
(macro_rule right: (token_tree) @inside)
"""
_MACRO_DEPTH = 1_000  # nodes above a macro; matching takes time quadratic in the depth
_MAX_MACROS, _MAX_MACRO_BYTES = (
    500,
    200_000,
)  # macros that are parsed, and bytes of them; more is generated or data
_READ_BYTES = 4_096  # bytes
_ITEM_WORDS = b"fn struct enum trait impl mod const static type".split()


@dataclass(frozen=True, slots=True, eq=False)
class SyntaxTree:
    """A parsed text; `source` is its UTF-8, whose byte offsets the nodes have."""

    language: str
    source: bytes
    root: Node

    def text(self, node: Node) -> str:
        """The text of `node`."""
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")


@lru_cache(maxsize=2)  # outline, references and imports of one text come one after the other
def parse(text: str, language: str) -> SyntaxTree | None:
    """`text` as a tree; None if it is larger or deeper than what people write.

    Larger: above `SOURCE_LIMIT`. Raises `KeyError` for an unknown language.
    """
    grammar = grammar_of(language)
    # Lone surrogates have no UTF-8. A lone CR ends a line in LSP but not for tree-sitter; as LF it
    # keeps every offset and makes tree-sitter's rows the lines of LSP.
    source = _LONE_CR.sub(b"\n", text.encode("utf-8", "replace"))
    if len(source) > SOURCE_LIMIT or (language == "yaml" and _too_deep(source)):
        return None
    return SyntaxTree(language, source, Parser(grammar).parse(source).root_node)


def _too_deep(source: bytes) -> bool:
    """Whether YAML could nest so deep that its scanner writes past its buffer, at 250 levels.

    Each level has a column of its own: where a line, an indicator (`- `, `? `, `: `), a property
    (`&anchor`, `!tag`) or what follows one begins. There are no more levels than such columns.
    """
    columns: set[int] = set()
    for line in source.split(b"\n"):
        for opening in _YAML_OPENING.finditer(line):
            columns.update(opening.span())
        if len(columns) > _YAML_LEVELS:
            return True
    return False


class Columns:
    """Columns of nodes in characters; fast as long as nodes of one line come in order."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._ascii = source.isascii()
        self._line = self._place = self._column = 0

    def of(self, node: Node) -> int:
        """The column in which `node` begins, from 0."""
        start, column = node.start_byte, node.start_point.column
        if self._ascii:
            return column
        if start - column != self._line or start < self._place:
            self._line = self._place = start - column
            self._column = 0
        self._column += len(self._source[self._place : start].decode("utf-8", "replace"))
        self._place = start
        return self._column


def paths(root: Node, places: Iterable[int]) -> Iterator[tuple[int, list[Node]]]:
    """Each byte offset, ascending, with the nodes that hold it, from the root to the innermost.

    The list is the same each time and changes with the next step. One walk over the tree serves
    all places, so that deep nesting costs once, not for each place.
    """
    cursor = root.walk()
    path = [root]
    for place in places:
        while len(path) > 1 and path[-1].end_byte <= place:
            path.pop()
            if following := _following(cursor, place):
                path.append(following)
        while path[-1].start_byte <= place and cursor.goto_first_child_for_byte(place) is not None:
            path.append(cursor.node or root)
        if path[-1].start_byte <= place < path[-1].end_byte:
            yield place, path


def _following(cursor: TreeCursor, place: int) -> Node | None:
    """Moves to the next sibling that ends after `place`, or to the parent if there is none.

    From sibling to sibling: a search from the first child would be quadratic in broken code, where
    one error can have tens of thousands of children.
    """
    while cursor.goto_next_sibling():
        node = cursor.node
        if node is not None and node.end_byte > place:
            return node
    cursor.goto_parent()
    return None


def first(node: Node) -> Node | None:
    """The first named child."""
    return next(iter(node.named_children), None)


def last(node: Node) -> Node | None:
    """The last named child."""
    return next(reversed(node.named_children), None)


def inside_macros(tree: SyntaxTree) -> Iterator[Node]:
    """The roots of what a macro's tokens parse as, for each macro that may hold items."""
    if tree.language != _RUST or b"!" not in tree.source:
        return
    source, left = tree.source, _MAX_MACRO_BYTES
    cursor = QueryCursor(_inside())
    cursor.set_max_start_depth(_MACRO_DEPTH)
    nodes = [node for _, captures in cursor.matches(tree.root) for node in captures["inside"]]
    for node in nodes[:_MAX_MACROS]:
        start, end = node.start_byte + 1, node.end_byte - 1
        left -= end - start
        if left > 0 and any(word in source[start:end] for word in _ITEM_WORDS):
            parser = Parser(grammar_of(_RUST))
            parser.included_ranges = [Range(_moved(node, 1), _moved(node, -1), start, end)]
            # Read in pieces: to hand over the source would copy it for each macro.
            yield parser.parse(lambda at, _: source[at : at + _READ_BYTES]).root_node


def _moved(node: Node, columns: int) -> Point:
    """Where a token tree begins (1) or ends (-1), without its bracket."""
    row, column = node.start_point if columns > 0 else node.end_point
    return Point(row, column + columns)


@cache
def _inside() -> Query:
    return Query(grammar_of(_RUST), _INSIDE)
