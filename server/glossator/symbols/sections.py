"""Outlines of what is not code: the headings of Markdown, the keys of JSON, YAML and TOML.

A heading goes with the section below it; headings in lists and quotes are part of their text, and
headings without a title are left out. Of a data file the keys of the first levels are given; a
key's signature is its first line, so that a plain value shows. Lists are not entered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tree_sitter import Node

from glossator.core.file_kinds import MARKDOWN
from glossator.core.text import split_lines
from glossator.symbols.symbol import Symbol, comment_paragraph, shortened
from glossator.symbols.tree import Columns, SyntaxTree, first, last, parse

_HEADING_LEVEL = re.compile(r"_h([1-6])_")  # in the type of a heading's marks
_CLOSING_MARKS = re.compile(r"(?:^|[ \t])#+$")

_KEY_LEVELS = 3
_MAX_KEYS = 500  # keys; of a larger file, only the levels that fit
_NAME_LIMIT = 100  # characters

_ENTRIES = frozenset({"pair", "block_mapping_pair", "flow_pair", "table", "table_array_element"})
_TABLES = frozenset({"table", "table_array_element"})
_THROUGH = frozenset({  # what stands between an entry and the entries in its value
    "object", "document", "block_node", "block_mapping", "flow_node", "flow_mapping",
    "inline_table",
})  # fmt: skip
_COMMENTS = (b"#", b"//")
_QUOTES = ("'", '"')


def headings(text: str) -> tuple[Symbol, ...]:
    """The headings of `text`; a section ends before the next heading that is not below its own.

    Empty for a text above `SOURCE_LIMIT`.
    """
    # the grammar takes no heading from a line without an end
    tree = parse(text if text.endswith(("\n", "\r")) else f"{text}\n", MARKDOWN)
    if tree is None:
        return ()
    columns = Columns(tree.source)
    symbols: list[Symbol] = []
    open_sections: list[tuple[int, int]] = []  # level, and place among the symbols
    for heading in _headings(tree.root):
        level = next(
            int(mark[1]) for each in heading.children if (mark := _HEADING_LEVEL.search(each.type))
        )
        title, column = _title(tree, columns, heading)
        if not title:
            continue
        line = heading.start_point.row + 1
        while open_sections and open_sections[-1][0] >= level:
            place = open_sections.pop()[1]
            symbols[place] = replace(symbols[place], last_line=line - 1)
        container = tuple(symbols[place].name for _, place in open_sections)
        open_sections.append((level, len(symbols)))
        signature = shortened(f"{'#' * level} {title}")
        last_line = tree.root.end_point.row
        symbols.append(
            Symbol(title, "heading", signature, "", container, line, last_line, line, column)
        )
    return tuple(symbols)


def _headings(node: Node) -> Iterator[Node]:
    """The headings at the document's top level; only sections nest there, at most six deep."""
    for child in node.children:
        if child.type == "section":
            yield from _headings(child)
        elif child.type in ("atx_heading", "setext_heading"):
            yield child


def _title(tree: SyntaxTree, columns: Columns, heading: Node) -> tuple[str, int]:
    """The text of a heading, and the column in which it begins."""
    content = heading.child_by_field_name("heading_content")
    if content is None:
        return "", 0
    text = tree.text(content)
    title = " ".join(map(str.strip, split_lines(text)))
    if heading.type == "atx_heading":
        title = _CLOSING_MARKS.sub("", title).rstrip()
    return title, columns.of(content) + len(text) - len(text.lstrip())


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
    for levels in range(_KEY_LEVELS, 1, -1):
        kept = [entry for entry in found if entry.level <= levels]
        if len(kept) <= _MAX_KEYS:
            break
    else:
        kept = [entry for entry in found if entry.level == 1][:_MAX_KEYS]
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
        if level <= _KEY_LEVELS:
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
    """The names of a key, several for a dotted key of TOML; () for one that is no plain word."""
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
    return Symbol(
        name=entry.path[-1],
        kind="key",
        signature=shortened(" ".join(head.split())),
        documentation=_comment_above(lines, first),
        container=entry.path[:-1],
        first_line=first + 1,
        last_line=first + 1 + taken.count(b"\n"),
        name_line=name.start_point.row + 1,
        name_column=columns.of(name) + tree.text(name).startswith(_QUOTES),
    )


def _last_part(key: Node) -> Node:
    """The part of a dotted key that names the entry."""
    while key.type == "dotted_key" and (part := last(key)):
        key = part
    return key


def _comment_above(lines: list[bytes], row: int) -> str:
    first = row
    while first and lines[first - 1].lstrip().startswith(_COMMENTS):
        first -= 1
    return comment_paragraph([line.strip().decode("utf-8", "replace") for line in lines[first:row]])
