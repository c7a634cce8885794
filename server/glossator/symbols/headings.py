"""The outline of a Markdown text: its headings, each with the section below it.

Headings in lists and quotes are part of their text, and headings without a title are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from tree_sitter import Node

from glossator.core.file_kinds import MARKDOWN
from glossator.core.text import split_lines
from glossator.symbols.symbol import Symbol
from glossator.symbols.tree import Columns, SyntaxTree, parse

_SIGNATURE_LIMIT = 200  # characters
_LEVEL = re.compile(r"_h([1-6])_")  # in the type of a heading's marks
_CLOSING = re.compile(r"(?:^|[ \t])#+$")


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
            int(mark[1]) for each in heading.children if (mark := _LEVEL.search(each.type))
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
        signature = f"{'#' * level} {title}"
        if len(signature) > _SIGNATURE_LIMIT:
            signature = signature[: _SIGNATURE_LIMIT - 1] + "…"
        last_line = tree.root.end_point.row
        symbols.append(
            Symbol(title, "heading", signature, "", container, line, last_line, line, column)
        )
    return tuple(symbols)


def _headings(node: Node) -> Iterator[Node]:
    """At the top level of the document; only sections nest there, at most six deep."""
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
        title = _CLOSING.sub("", title).rstrip()
    return title, columns.of(content) + len(text) - len(text.lstrip())
