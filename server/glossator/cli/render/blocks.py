"""Markdown that is still being written, cut into the blocks that are finished.

A block is finished when nothing that may follow can change how it looks. Drawing only those needs
no redrawing, so an answer may be longer than the screen. Source: CommonMark 0.31, "Blocks".
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from glossator.core.text import LineTable

# a blank line ends these; lists, indented code and raw HTML may go on after one
_CLOSED_BY_BLANK = frozenset(
    {"paragraph_open", "heading_open", "hr", "fence", "table_open", "blockquote_open"}
)
_CODE = frozenset({"fence", "code_block"})


@dataclass(frozen=True, slots=True)
class Block:
    """A top-level block of Markdown; `code` is true when its text is literal."""

    text: str
    code: bool


class Blocks:
    """Takes text in any pieces, gives each block once."""

    def __init__(self) -> None:
        self._pending = ""
        self._parser = MarkdownIt().enable("strikethrough").enable("table")  # as rich's Markdown

    def feed(self, text: str) -> list[Block]:
        """The blocks that `text` finished."""
        self._pending += text
        if "\n" not in text:
            return []
        whole_lines = self._pending[: self._pending.rindex("\n") + 1]
        blocks, used = self._split(whole_lines, finished_only=True)
        self._pending = self._pending[used:]
        return blocks

    def flush(self) -> list[Block]:
        """The rest: nothing more belongs to it."""
        blocks, _ = self._split(self._pending, finished_only=False)
        self._pending = ""
        return blocks

    def _split(self, text: str, *, finished_only: bool) -> tuple[list[Block], int]:
        """The blocks of `text` and the offset up to which they reach."""
        tops = [token for token in self._parser.parse(text) if token.level == 0 and token.map]
        line_starts = LineTable(text).starts
        edges = [line_starts[token.map[0]] for token in tops if token.map] + [len(text)]
        if finished_only and tops and not _is_closed(tops[-1], len(line_starts) - 1):
            tops.pop()
        blocks = [
            Block(text[start:end].rstrip("\n"), top.type in _CODE)
            for top, (start, end) in zip(tops, pairwise(edges), strict=False)
        ]
        return blocks, edges[len(tops)]


def _is_closed(top: Token, lines: int) -> bool:
    return top.type in _CLOSED_BY_BLANK and top.map is not None and top.map[1] < lines
