"""Symbol outlines: the definitions of a source file, in document order.

Tree-sitter parses, a query per language (`queries.py`) finds the definitions at any depth without
recursion, and this file turns matches into symbols. A syntax error costs only what it covers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from tree_sitter import Node, Parser

from glossator.workspace.symbols.comments import docstring_paragraph
from glossator.workspace.symbols.definitions import Definition, Definitions, find_definitions
from glossator.workspace.symbols.headings import headings
from glossator.workspace.symbols.languages import MARKDOWN, grammar_of, language_of
from glossator.workspace.symbols.symbol import Symbol

__all__ = ["OUTLINE_LIMIT", "Symbol", "language_of", "outline", "symbol_at"]

OUTLINE_LIMIT = 2_000_000  # bytes of UTF-8; parsing holds the GIL, about 0.1 s a megabyte

_SIGNATURE_LIMIT = 200  # characters
_ERROR_LIMIT = 400_000_000  # sum of squares of the tokens in each error, about 0.2 s of matching
_DEPTH_LIMIT = 50  # symbols around a symbol; deeper ones are left out
_LONE_CR = re.compile(rb"\r(?!\n)")
_TYPES = frozenset({"class", "interface", "struct", "enum", "trait", "impl"})
_FUNCTIONS = frozenset({"function", "method"})


@lru_cache(maxsize=64)  # hovers ask again and again of the same few texts
def outline(text: str, language: str) -> tuple[Symbol, ...]:
    """The symbols of `text` in document order; what does not parse is left out.

    `language` is one that `language_of` gives; any other raises `KeyError`. Code of more than
    `OUTLINE_LIMIT` bytes is generated or data, and has no outline: the result is empty. So it is
    for text that is hardly code at all (one error of tens of thousands of tokens).
    """
    if language == MARKDOWN:
        return headings(text)
    grammar = grammar_of(language)
    # Lone surrogates have no UTF-8. A lone CR ends a line in LSP but not for tree-sitter; as LF it
    # keeps every offset and makes tree-sitter's rows the lines of LSP.
    source = _LONE_CR.sub(b"\n", text.encode("utf-8", "replace"))
    if len(source) > OUTLINE_LIMIT:
        return ()
    root = Parser(grammar.language).parse(source).root_node
    if root.has_error and _too_broken(root):
        return ()
    return tuple(_symbols(find_definitions(root, grammar.query, source)))


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


def _symbols(found: Definitions) -> Iterator[Symbol]:
    stack = [_Enclosing(0, len(found.source) + 1, (), "", in_function=False)]
    for definition in found.in_order():
        at = definition.name.start_byte
        while stack[-1].end <= at:
            stack.pop()
        inside = next(around for around in reversed(stack) if around.start <= at)
        kind, _, where = definition.kind.partition(".")
        scope, name = _qualified(definition, found.source)
        if not name or len(inside.path) >= _DEPTH_LIMIT or (where and inside.in_function):
            continue
        container = inside.path + scope
        if kind == "function" and (scope or inside.kind in _TYPES):
            kind = "method"
        if definition.body is not None:
            in_function = inside.in_function or kind in _FUNCTIONS
            stack.append(
                _Enclosing(*definition.body, (*container, *name.split("::")), kind, in_function)
            )
        yield _symbol(found, definition, name, kind, container)


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


def _qualified(definition: Definition, source: bytes) -> tuple[tuple[str, ...], str]:
    """The containers that a name spells out, and the name itself."""
    scope = [] if definition.scope is None else [_text(definition.scope, source)]
    name: Node | None = definition.name
    while name is not None and name.type == "qualified_identifier":
        outer = name.child_by_field_name("scope")
        if outer is not None:
            scope.append(_text(outer, source).partition("<")[0])
        name = name.child_by_field_name("name")
    return tuple(scope), "" if name is None else _text(name, source).strip("\"'`")


def _signature(found: Definitions, definition: Definition) -> str:
    end = definition.outer.end_byte if definition.body is None else definition.body[0]
    line = " ".join(found.without_comments(definition.outer.start_byte, end).split())
    line = line.rstrip(" ;:{=")
    return line if len(line) <= _SIGNATURE_LIMIT else line[: _SIGNATURE_LIMIT - 1] + "…"


def _text(node: Node, source: bytes) -> str:
    return " ".join(source[node.start_byte : node.end_byte].decode("utf-8", "replace").split())
