"""Symbol outlines: the definitions of a source file, in document order.

Tree-sitter parses, a query per language (`queries/`) finds the definitions at any depth without
recursion, and this file turns matches into symbols. A syntax error costs only what it covers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from tree_sitter import Node

from glossator.core.languages import CODE, MARKDOWN
from glossator.symbols.comments import docstring_paragraph
from glossator.symbols.definitions import Definition, Definitions, find_definitions
from glossator.symbols.grammars import definitions_query
from glossator.symbols.headings import headings
from glossator.symbols.keys import keys
from glossator.symbols.symbol import Symbol
from glossator.symbols.tree import SOURCE_LIMIT, Columns, parse

OUTLINE_LIMIT = SOURCE_LIMIT  # bytes of UTF-8

_QUOTES = "\"'`:"
_SIGNATURE_LIMIT = 200  # characters
_ERROR_LIMIT = 400_000_000  # sum of squares of the tokens in each error, about 0.2 s of matching
_DEPTH_LIMIT = 50  # symbols around a symbol; deeper ones are left out
_TYPES = frozenset({"class", "interface", "struct", "enum", "trait", "impl"})
_FUNCTIONS = frozenset({"function", "method"})


@dataclass(frozen=True, slots=True)
class Placed:
    """A symbol and where it stands, in bytes of the text's UTF-8."""

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
    if tree is None or (tree.root.has_error and _too_broken(tree.root)):
        return ()
    query = definitions_query(language)
    return tuple(_symbols(find_definitions(tree.root, query, tree.source)))


def _too_broken(root: Node) -> bool:
    """Whether matching would take too long: it is quadratic in the tokens of one error node."""
    cost = 0
    nodes = [root]
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
    found: Definitions, definition: Definition, name: _Name, kind: str, container: tuple[str, ...]
) -> Symbol:
    outer = definition.outer
    row, comment = found.before(outer)
    docstring = found.docstrings.get(definition.node.id)
    last = outer.end_point
    return Symbol(
        name=name.text,
        kind=kind,
        signature=_signature(found, definition),
        documentation=comment if docstring is None else docstring_paragraph(docstring),
        container=container,
        first_line=row + 1,
        last_line=last.row + (last.column > 0),  # some nodes take their line end with them
        name_line=name.line,
        name_column=name.column,
    )


def _name(definition: Definition, source: bytes, columns: Columns) -> _Name | None:
    scope = [] if definition.scope is None else _text(definition.scope, source).split("::")
    node: Node | None = definition.name
    while node is not None and node.type == "qualified_identifier":
        outer = node.child_by_field_name("scope")
        if outer is not None:
            scope.append(_text(outer, source).partition("<")[0])
        node = node.child_by_field_name("name")
    spelled = "" if node is None else _text(node, source)
    text = spelled.strip(_QUOTES)
    if node is None or not text:
        return None
    column = columns.of(node) + spelled.index(text)
    return _Name(text, tuple(scope), node.start_byte, node.start_point.row + 1, column)


def _signature(found: Definitions, definition: Definition) -> str:
    end = definition.outer.end_byte if definition.body is None else definition.body[0]
    line = " ".join(found.without_comments(definition.outer.start_byte, end).split())
    line = line.rstrip(" ;:{=")
    return line if len(line) <= _SIGNATURE_LIMIT else line[: _SIGNATURE_LIMIT - 1] + "…"


def _text(node: Node, source: bytes) -> str:
    return " ".join(source[node.start_byte : node.end_byte].decode("utf-8", "replace").split())
