"""The outline of a data file (JSON, YAML, TOML): the keys of its first levels.

A key's signature is its first line, so that a plain value shows. Lists are not entered.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from glossator.symbols.comments import comment_paragraph
from glossator.symbols.symbol import Symbol
from glossator.symbols.tree import Columns, SyntaxTree, first, last, parse

_LEVELS = 3
_LIMIT = 500  # keys; of a larger file, only the levels that fit
_SIGNATURE_LIMIT = 200  # characters
_NAME_LIMIT = 100  # characters

_ENTRIES = frozenset({"pair", "block_mapping_pair", "flow_pair", "table", "table_array_element"})
_TABLES = frozenset({"table", "table_array_element"})
_THROUGH = frozenset({  # what stands between an entry and the entries in its value
    "object", "document", "block_node", "block_mapping", "flow_node", "flow_mapping",
    "inline_table",
})  # fmt: skip
_COMMENTS = (b"#", b"//")
_QUOTES = ("'", '"')


@dataclass(frozen=True, slots=True)
class _KeyEntry:
    node: Node
    key: Node
    path: tuple[str, ...]  # ends with its own name
    level: int


def keys(text: str, language: str) -> tuple[Symbol, ...]:
    """The keys of `text` down to three levels, or fewer where there are very many.

    Of a file with more than 500 keys on its first level, they are the first 500. Empty for a text
    above `SOURCE_LIMIT`.
    """
    tree = parse(text, language)
    if tree is None:
        return ()
    found = list(_entries(tree))
    lines, columns = tree.source.split(b"\n"), Columns(tree.source)
    for levels in range(_LEVELS, 1, -1):
        kept = [entry for entry in found if entry.level <= levels]
        if len(kept) <= _LIMIT:
            break
    else:
        kept = [entry for entry in found if entry.level == 1][:_LIMIT]
    return tuple(_symbol(tree, lines, columns, entry) for entry in kept)


def _entries(tree: SyntaxTree) -> Iterator[_KeyEntry]:
    """The entries of the first levels, in document order."""
    waiting: list[tuple[Node, tuple[str, ...], int]] = [(tree.root, (), 1)]
    while waiting:
        node, path, level = waiting.pop()
        if node.type in _ENTRIES:
            key = node.child_by_field_name("key") or first(node)
            names = _names(tree, key) if key else ()
            if not key or not names:
                continue
            path = (*path, *names)
            yield _KeyEntry(node, key, path, level)
            level += 1
        if level <= _LEVELS:
            inner = [child for child in node.named_children if _leads_on(child, node)]
            waiting += [(child, path, level) for child in reversed(inner)]


def _leads_on(child: Node, parent: Node) -> bool:
    if child.type in _ENTRIES:
        return True
    if child.type not in _THROUGH:
        return False
    # A mapping may be a key of YAML; its keys are left out.
    return parent.type not in _ENTRIES or child != parent.child_by_field_name("key")


def _names(tree: SyntaxTree, key: Node) -> tuple[str, ...]:
    """What a key is called, a dotted key of TOML as its parts; () for one that is no plain word."""
    if key.type == "dotted_key":
        return tuple(name for part in key.named_children for name in _names(tree, part))
    if key.type == "flow_node" and any(child.type == "flow_mapping" for child in key.children):
        return ()
    name = tree.text(key).strip("\"'").strip()
    return (name,) if name and len(name) <= _NAME_LIMIT and "\n" not in name else ()


def _symbol(tree: SyntaxTree, lines: list[bytes], columns: Columns, entry: _KeyEntry) -> Symbol:
    node, name = entry.node, _last_part(entry.key)
    first = node.start_point.row
    taken = tree.source[node.start_byte : node.end_byte].rstrip()
    nested = entry.node.type not in _TABLES and b"\n" in taken
    head = tree.text(entry.key) if nested else taken.partition(b"\n")[0].decode("utf-8", "replace")
    signature = " ".join(head.split())
    if len(signature) > _SIGNATURE_LIMIT:
        signature = signature[: _SIGNATURE_LIMIT - 1] + "…"
    return Symbol(
        name=entry.path[-1],
        kind="key",
        signature=signature,
        documentation=_comment_above(lines, first),
        container=entry.path[:-1],
        first_line=first + 1,
        last_line=first + 1 + taken.count(b"\n"),
        name_line=name.start_point.row + 1,
        name_column=columns.of(name) + tree.text(name).startswith(_QUOTES),
    )


def _last_part(key: Node) -> Node:
    """What of a dotted key names the entry."""
    while key.type == "dotted_key" and (part := last(key)):
        key = part
    return key


def _comment_above(lines: list[bytes], row: int) -> str:
    first = row
    while first and lines[first - 1].lstrip().startswith(_COMMENTS):
        first -= 1
    return comment_paragraph([line.strip().decode("utf-8", "replace") for line in lines[first:row]])
