"""The syntax tree of a shell command, as plain values."""

from __future__ import annotations

from dataclasses import dataclass

from tree_sitter import Node, Parser

from glossator.symbols.grammars import grammar_of

MAX_BYTES = 10_000  # parsed in about a millisecond
MAX_DEPTH = 40


@dataclass(frozen=True, slots=True)
class Piece:
    """A node of the tree: its kind (`ERROR` and `MISSING` included) and its bytes, as UTF-8."""

    kind: str
    start: int
    end: int
    pieces: tuple[Piece, ...] = ()


def shell_tree(command: bytes) -> Piece | None:
    """`command` by the grammar of bash; None if it is longer or deeper than what people write."""
    if len(command) > MAX_BYTES:
        return None
    return _piece(Parser(grammar_of("bash")).parse(command).root_node, MAX_DEPTH)


def _piece(node: Node, depth: int) -> Piece | None:
    if not depth:
        return None
    pieces = []
    for child in node.children:
        piece = _piece(child, depth - 1)
        if piece is None:
            return None
        pieces.append(piece)
    kind = "MISSING" if node.is_missing else node.type
    return Piece(kind, node.start_byte, node.end_byte, tuple(pieces))
