"""Items inside macros of Rust: `cfg_if! { … fn open() {} }`, and the rules of `macro_rules!`.

The grammar has only tokens there. They are parsed again as a file of their own, in their places;
what is no item of Rust is an error in it, which costs only what it covers. Macros inside functions
are left out, since what they hold is seldom an item.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from tree_sitter import Node, Parser, Point, Query, QueryCursor, Range

from glossator.symbols.grammars import grammar_of
from glossator.symbols.tree import SyntaxTree

_RUST = "rust"
_INSIDE = """
(source_file (macro_invocation (token_tree) @inside))
(source_file (expression_statement (macro_invocation (token_tree) @inside)))
(declaration_list (macro_invocation (token_tree) @inside))
(macro_rule right: (token_tree) @inside)
"""
_DEPTH = 1_000  # nodes above a macro; matching takes time quadratic in the depth
_MOST, _BYTES = 500, 200_000  # macros that are parsed, and bytes of them; more is generated or data
_PIECE = 4_096  # bytes
_WORDS = b"fn struct enum trait impl mod const static type".split()


def inside_macros(tree: SyntaxTree) -> Iterator[Node]:
    """For each macro whose tokens may hold items, the root of what they parse as."""
    if tree.language != _RUST or b"!" not in tree.source:
        return
    source, left = tree.source, _BYTES
    cursor = QueryCursor(_inside())
    cursor.set_max_start_depth(_DEPTH)
    nodes = [node for _, captures in cursor.matches(tree.root) for node in captures["inside"]]
    for node in nodes[:_MOST]:
        start, end = node.start_byte + 1, node.end_byte - 1
        left -= end - start
        if left > 0 and any(word in source[start:end] for word in _WORDS):
            parser = Parser(grammar_of(_RUST))
            parser.included_ranges = [Range(_moved(node, 1), _moved(node, -1), start, end)]
            # Read in pieces: to hand over the source would copy it for each macro.
            yield parser.parse(lambda at, _: source[at : at + _PIECE]).root_node


def _moved(node: Node, columns: int) -> Point:
    """Where a token tree begins (1) or ends (-1), without its bracket."""
    row, column = node.start_point if columns > 0 else node.end_point
    return Point(row, column + columns)


@cache
def _inside() -> Query:
    return Query(grammar_of(_RUST), _INSIDE)
