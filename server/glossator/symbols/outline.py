"""Symbol outlines: the definitions of a source file, in document order.

Tree-sitter parses, the query of the language (`grammars.py`) finds the definitions at any depth
without recursion, and this file turns matches into symbols. A syntax error costs only what it
covers.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from operator import itemgetter

from tree_sitter import Node, Query, QueryCursor

from glossator.core.file_kinds import CODE, MARKDOWN
from glossator.symbols.grammars import definitions_query
from glossator.symbols.sections import headings, keys
from glossator.symbols.symbol import Symbol, comment_paragraph, docstring_paragraph, shortened
from glossator.symbols.tree import SOURCE_LIMIT, Columns, inside_macros, parse

OUTLINE_LIMIT = SOURCE_LIMIT  # bytes of UTF-8

_QUOTES = "\"'`:"
_ERROR_LIMIT = 400_000_000  # sum of squares of the tokens in each error, about 0.2 s of matching
_DEPTH_LIMIT = 50  # symbols around a symbol; deeper ones are left out
_TYPES = frozenset({"class", "interface", "struct", "enum", "trait", "impl"})
_FUNCTIONS = frozenset({"function", "method"})


@dataclass(frozen=True, slots=True)
class Placed:
    """A symbol and its place, in bytes of the text's UTF-8."""

    symbol: Symbol
    start: int
    end: int
    name_start: int


def outline(text: str, language: str) -> tuple[Symbol, ...]:
    """The symbols of `text` in document order; what does not parse is left out.

    `language` is one that `language_of` gives; any other raises `KeyError`. Code of more than
    `OUTLINE_LIMIT` bytes is generated or data, and has no outline: the result is empty. So it is
    for text that is hardly code at all (one error of tens of thousands of tokens).
    """
    if language == MARKDOWN:
        return headings(text)
    if language in CODE:
        return tuple(at.symbol for at in placed(text, language))
    return keys(text, language)


@lru_cache(maxsize=2)
def placed(text: str, language: str) -> tuple[Placed, ...]:
    """The outline of code (a language of `CODE`) with the place of each symbol."""
    tree = parse(text, language)
    if tree is None or _too_broken([tree.root]):
        return ()
    roots = [tree.root, *inside_macros(tree)]
    if _too_broken(roots):
        del roots[1:]
    query = definitions_query(language)
    return tuple(_symbols(find_definitions(roots, query, tree.source)))


def _too_broken(roots: Sequence[Node]) -> bool:
    """Whether matching would take too long: it is quadratic in the tokens of one error node."""
    cost = 0
    nodes = [root for root in roots if root.has_error]
    while nodes and cost <= _ERROR_LIMIT:
        node = nodes.pop()
        cost += node.child_count**2 if node.is_error else 0
        nodes += [child for child in node.children if child.has_error]
    return cost > _ERROR_LIMIT


@dataclass(frozen=True, slots=True)
class _Enclosing:
    """A symbol whose body, by bytes, may hold others; `path` ends with its own name."""

    start: int
    end: int
    path: tuple[str, ...]
    kind: str
    in_function: bool


@dataclass(frozen=True, slots=True)
class _Name:
    """A name without quotes, the containers it spells out, and where it stands.

    `start` is its first byte; the line counts from 1, the column in characters from 0.
    """

    text: str
    scope: tuple[str, ...]
    start: int
    line: int
    column: int


def _symbols(found: Definitions) -> Iterator[Placed]:
    columns = Columns(found.source)
    stack = [_Enclosing(0, len(found.source) + 1, (), "", in_function=False)]
    for definition in found.in_order():
        at = definition.name.start_byte
        while stack[-1].end <= at:
            stack.pop()
        kind, _, where = definition.kind.partition(".")
        if where == "rest":
            del stack[1:]
        inside = next(around for around in reversed(stack) if around.start <= at)
        name = _name(definition, found.source, columns)
        if (
            name is None
            or len(inside.path) + len(name.scope) >= _DEPTH_LIMIT
            or (where == "global" and inside.in_function)
        ):
            continue
        container = inside.path + name.scope
        if kind == "function" and (name.scope or inside.kind in _TYPES):
            kind = "method"
        if where == "rest":
            stack.append(
                _Enclosing(at, len(found.source) + 1, (*container, name.text), kind, False)
            )
        elif definition.body is not None:
            in_function = inside.in_function or kind in _FUNCTIONS
            stack.append(
                _Enclosing(
                    *definition.body, (*container, *name.text.split("::")), kind, in_function
                )
            )
        symbol = _symbol(found, definition, name, kind, container)
        outer = definition.outer
        yield Placed(symbol, outer.start_byte, outer.end_byte, name.start)


def _symbol(
    found: Definitions,
    definition: DefinitionNode,
    name: _Name,
    kind: str,
    container: tuple[str, ...],
) -> Symbol:
    outer = definition.outer
    row, comment = found.before(outer)
    docstring = found.docstrings.get(definition.node.id)
    last = outer.end_point
    return Symbol(
        name=name.text,
        kind=kind,
        signature=_signature(found, definition),
        documentation=comment if docstring is None else docstring_paragraph(found.text(docstring)),
        container=container,
        first_line=row + 1,
        last_line=last.row + (last.column > 0),  # some nodes take their line end with them
        name_line=name.line,
        name_column=name.column,
    )


def _name(definition: DefinitionNode, source: bytes, columns: Columns) -> _Name | None:
    scope = [] if definition.scope is None else _text(definition.scope, source).split("::")
    node: Node | None = definition.name
    while node is not None and node.type == "qualified_identifier":
        outer = node.child_by_field_name("scope")
        if outer is not None:
            scope.append(_text(outer, source).partition("<")[0])
        node = node.child_by_field_name("name")
    spelled = "" if node is None else _text(node, source)
    text = spelled.strip(_QUOTES)
    if node is None or not text or node.type == "metavariable":  # of a macro of Rust
        return None
    column = columns.of(node) + spelled.index(text)
    return _Name(text, tuple(scope), node.start_byte, node.start_point.row + 1, column)


def _signature(found: Definitions, definition: DefinitionNode) -> str:
    end = definition.outer.end_byte if definition.body is None else definition.body[0]
    line = " ".join(found.without_comments(definition.outer.start_byte, end).split())
    return shortened(line.rstrip(" ;:{="))


def _text(node: Node, source: bytes) -> str:
    return " ".join(source[node.start_byte : node.end_byte].decode("utf-8", "replace").split())


_MAX_GAP = 500  # bytes of white space between things that belong together
_MATCHING_DEPTH = 1_000  # nodes above a definition; matching takes time quadratic in the depth
_SIGNATURE_BYTES = 4_000  # of a definition's head are read

Captures = dict[str, list[Node]]


@dataclass(frozen=True, slots=True)
class DefinitionNode:
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
    """The definitions and comments found in `source`, in document order."""

    source: bytes
    definitions: list[DefinitionNode]
    docstrings: dict[int, Node]  # string literals by the id of the node they document
    pieces: list[Piece]

    def in_order(self) -> list[DefinitionNode]:
        """The definitions in document order, outer before inner."""
        return sorted(
            self.definitions,
            key=lambda at: (at.outer.start_byte, -at.outer.end_byte, at.name.start_byte),
        )

    def before(self, node: Node) -> tuple[int, str]:
        """The first row of `node` with the attributes above it, and what the comments there say."""
        row, comments = self.above(node)
        return row, comment_paragraph([self._decode(each.start, each.end) for each in comments])

    def text(self, node: Node) -> str:
        """The text of `node`."""
        return self._decode(node.start_byte, node.end_byte)

    def above(self, node: Node) -> tuple[int, list[Piece]]:
        """The first row of `node` with the attributes above it, and the comments there."""
        row, start = node.start_point.row, node.start_byte
        comments: list[Piece] = []
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
                comments.append(piece)
        return row, comments[::-1]

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
        """Whether only white space without an empty line is between."""
        if start - end > _MAX_GAP:
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


def find_definitions(roots: Sequence[Node], query: Query, source: bytes) -> Definitions:
    """Everything `query` finds below `roots`; where two patterns name the same, the first wins."""
    named: dict[int, Captures] = {}  # by the name's first byte
    wrappers: dict[int, Node] = {}
    docstrings: dict[int, Node] = {}
    pieces: dict[Piece, None] = {}  # tokens of a macro are found twice
    cursor = QueryCursor(query)
    cursor.set_max_start_depth(_MATCHING_DEPTH)
    matches = chain.from_iterable(map(cursor.matches, roots))
    for _, captures in sorted(matches, key=itemgetter(0)):
        if "name" in captures:
            named.setdefault(captures["name"][0].start_byte, captures)
        elif "wrapped" in captures:
            wrappers.setdefault(captures["wrapped"][0].id, captures["wrapper"][0])
        elif "docstring" in captures:
            docstrings[captures["documented"][0].id] = captures["docstring"][0]
        else:
            for role, (node,) in captures.items():
                pieces[_piece(role, node, source)] = None
    definitions = [_definition(captures, wrappers) for captures in named.values()]
    in_order = sorted(pieces, key=lambda piece: piece.start)
    return Definitions(source, definitions, docstrings, in_order)


def _definition(captures: Captures, wrappers: dict[int, Node]) -> DefinitionNode:
    kind = next(k for k in captures if k not in {"name", "body", "scope"} and not k.startswith("_"))
    node = outer = captures[kind][0]
    while outer.id in wrappers:
        outer = wrappers[outer.id]
    default = node.child_by_field_name("body")
    bodies = captures.get("body") or ([] if default is None else [default])
    body = (bodies[0].start_byte, bodies[-1].end_byte) if bodies else None
    scope = captures.get("scope", [None])[0]
    return DefinitionNode(kind, node, outer, captures["name"][0], body, scope)


def _piece(role: str, node: Node, source: bytes) -> Piece:
    start, column = node.start_byte, node.start_point.column
    end = node.end_byte - (node.end_point.column == 0)  # Rust's doc comments take their line end
    starts_line = column <= _MAX_GAP and not source[start - column : start].strip()
    return Piece(role, start, end, node.start_point.row, starts_line)
