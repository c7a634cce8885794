"""Symbol outlines: the definitions of a source file, in document order.

Tree-sitter parses, a query per language (`queries.py`) finds the definitions at any depth without
recursion, and this file turns matches into symbols. A syntax error costs only what it covers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from tree_sitter import Node

from glossator.workspace.symbols.comments import docstring_paragraph
from glossator.workspace.symbols.definitions import Definition, Definitions, find_definitions
from glossator.workspace.symbols.headings import headings
from glossator.workspace.symbols.keys import keys
from glossator.workspace.symbols.languages import (
    CODE,
    MARKDOWN,
    definitions_query,
    language_of,
)
from glossator.workspace.symbols.symbol import Symbol
from glossator.workspace.symbols.tree import SOURCE_LIMIT, parse

__all__ = ["OUTLINE_LIMIT", "Placed", "Symbol", "language_of", "outline", "placed", "symbol_at"]

OUTLINE_LIMIT = SOURCE_LIMIT  # bytes of UTF-8

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


@lru_cache(maxsize=64)  # hovers ask again and again of the same few texts
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


def symbol_at(symbols: Iterable[Symbol], line: int) -> Symbol | None:
    """The innermost symbol that holds a 1-based line; None outside all of them."""
    around = [symbol for symbol in symbols if symbol.first_line <= line <= symbol.last_line]
    return min(
        around, key=lambda at: (at.last_line - at.first_line, -len(at.container)), default=None
    )


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


def _symbols(found: Definitions) -> Iterator[Placed]:
    stack = [_Enclosing(0, len(found.source) + 1, (), "", in_function=False)]
    for definition in found.in_order():
        at = definition.name.start_byte
        while stack[-1].end <= at:
            stack.pop()
        kind, _, where = definition.kind.partition(".")
        if where == "rest":
            del stack[1:]
        inside = next(around for around in reversed(stack) if around.start <= at)
        scope, name, name_start = _qualified(definition, found.source)
        if (
            not name
            or len(inside.path) + len(scope) >= _DEPTH_LIMIT
            or (where == "global" and inside.in_function)
        ):
            continue
        container = inside.path + scope
        if kind == "function" and (scope or inside.kind in _TYPES):
            kind = "method"
        if where == "rest":
            stack.append(_Enclosing(at, len(found.source) + 1, (*container, name), kind, False))
        elif definition.body is not None:
            in_function = inside.in_function or kind in _FUNCTIONS
            stack.append(
                _Enclosing(*definition.body, (*container, *name.split("::")), kind, in_function)
            )
        symbol = _symbol(found, definition, name, kind, container)
        outer = definition.outer
        yield Placed(symbol, outer.start_byte, outer.end_byte, name_start)


def _symbol(
    found: Definitions, definition: Definition, name: str, kind: str, container: tuple[str, ...]
) -> Symbol:
    outer = definition.outer
    row, comment = found.before(outer)
    docstring = found.docstrings.get(definition.node.id)
    last = outer.end_point
    return Symbol(
        name=name,
        kind=kind,
        signature=_signature(found, definition),
        documentation=comment if docstring is None else docstring_paragraph(docstring),
        container=container,
        first_line=row + 1,
        last_line=last.row + (last.column > 0),  # some nodes take their line end with them
        name_line=definition.name.start_point.row + 1,
    )


def _qualified(definition: Definition, source: bytes) -> tuple[tuple[str, ...], str, int]:
    """The containers that a name spells out, the name itself, and its first byte."""
    scope = [] if definition.scope is None else _text(definition.scope, source).split("::")
    name: Node | None = definition.name
    while name is not None and name.type == "qualified_identifier":
        outer = name.child_by_field_name("scope")
        if outer is not None:
            scope.append(_text(outer, source).partition("<")[0])
        name = name.child_by_field_name("name")
    if name is None:
        return (), "", 0
    return tuple(scope), _text(name, source).strip("\"'`:"), name.start_byte


def _signature(found: Definitions, definition: Definition) -> str:
    end = definition.outer.end_byte if definition.body is None else definition.body[0]
    line = " ".join(found.without_comments(definition.outer.start_byte, end).split())
    line = line.rstrip(" ;:{=")
    return line if len(line) <= _SIGNATURE_LIMIT else line[: _SIGNATURE_LIMIT - 1] + "…"


def _text(node: Node, source: bytes) -> str:
    return " ".join(source[node.start_byte : node.end_byte].decode("utf-8", "replace").split())
