"""The Markdown of an answer: cut into finished blocks as it is written, drawn with links.

A block is finished when no later text can change how it looks. Only finished blocks are drawn, so
nothing is redrawn and an answer may be longer than the screen. Source: CommonMark 0.31, "Blocks".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import ClassVar

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
from rich.markdown import Heading, Markdown, MarkdownElement
from rich.segment import Segment
from rich.theme import Theme

from glossator.cli.render import printable
from glossator.core.citations import CitationMark, rewrite_citations, space_before
from glossator.core.shown import shown_prose
from glossator.core.text import LineTable
from glossator.core.uri import to_path, to_uri

# a blank line ends these; lists, indented code and raw HTML may continue after one
_CLOSED_BY_BLANK = frozenset(
    {"paragraph_open", "heading_open", "hr", "fence", "table_open", "blockquote_open"}
)
_CODE = frozenset({"fence", "code_block"})
_LONG_BLOCK = 4_000  # characters of an unfinished block that are not parsed again for each line
_REPARSE_GROWTH = 1.5  # but when there are so many times as many
_PUNCTUATION = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~])")

# colours of the terminal's own palette, so that light and dark backgrounds both work
THEME = Theme(
    {
        "markdown.h1": "bold underline",
        "markdown.h2": "bold",
        "markdown.h3": "bold italic",
        "markdown.code": "cyan",
        "markdown.link_url": "blue underline",
        "markdown.item.bullet": "dim",
        "markdown.item.number": "dim",
    }
)
CODE_THEME = "ansi_dark"


@dataclass(frozen=True, slots=True)
class MarkdownBlock:
    """A top-level block of Markdown; `code` is true when its text is literal."""

    text: str
    code: bool


class BlockSplitter:
    """Takes text in any pieces, gives each block once."""

    def __init__(self) -> None:
        self._pending = ""
        self._enough = 0.0  # characters, before which no block can be expected to be finished
        self._parser = MarkdownIt().enable("strikethrough").enable("table")  # as rich's Markdown

    def feed(self, text: str) -> list[MarkdownBlock]:
        """The blocks that `text` finished."""
        self._pending += text
        if "\n" not in text or len(self._pending) < self._enough:
            return []
        whole_lines = self._pending[: self._pending.rindex("\n") + 1]
        blocks, used = self._split(whole_lines, finished_only=True)
        self._pending = self._pending[used:]
        is_long = not blocks and len(self._pending) > _LONG_BLOCK
        self._enough = _REPARSE_GROWTH * len(self._pending) if is_long else 0.0
        return blocks

    def flush(self) -> list[MarkdownBlock]:
        """The rest: nothing more belongs to it."""
        blocks, _ = self._split(self._pending, finished_only=False)
        self._pending = ""
        return blocks

    def _split(self, text: str, *, finished_only: bool) -> tuple[list[MarkdownBlock], int]:
        """The blocks of `text` and the offset up to which they reach."""
        tops = [token for token in self._parser.parse(text) if token.level == 0 and token.map]
        line_starts = LineTable(text).starts
        edges = [line_starts[token.map[0]] for token in tops if token.map] + [len(text)]
        if finished_only and tops and not _is_closed(tops[-1], len(line_starts) - 1):
            tops.pop()
        blocks = [
            MarkdownBlock(text[start:end].rstrip("\n"), top.type in _CODE)
            for top, (start, end) in zip(tops, pairwise(edges), strict=False)
        ]
        return blocks, edges[len(tops)]


class _LeftHeading(Heading):
    LEVEL_ALIGN: ClassVar[dict[str, JustifyMethod]] = {}


class _FileLinkParser(MarkdownIt):
    """Rich's own parser refuses `file:` links."""

    def validateLink(self, url: str) -> bool:  # noqa: N802 - the name it is called by
        return url.startswith("file:") or super().validateLink(url)


class AnswerMarkdown(Markdown):
    """Markdown with its headings on the left and without padding around it."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _LeftHeading,
    }

    def __init__(self, text: str, roots: Sequence[Path]) -> None:
        """Links to files below `roots` show their words alone, others also where they lead."""
        super().__init__(text, code_theme=CODE_THEME)
        self.parsed = _FileLinkParser().enable("strikethrough").enable("table").parse(text)
        for token in self.parsed:
            token.children = token.children and list(_with_targets(token.children, roots))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        drawn = super().__rich_console__(console, options)
        segments = [
            part._replace(text=shown_prose(part.text))  # an entity may be what is unseen
            for part in drawn
            if isinstance(part, Segment)  # it gives nothing else
        ]
        lines = [_without_padding(line) for line in Segment.split_lines(segments)]
        while lines and not lines[0]:
            lines.pop(0)
        while lines and not lines[-1]:
            lines.pop()
        for line in lines:
            yield from line
            yield Segment.line()


def draw(block: MarkdownBlock, roots: Sequence[Path]) -> AnswerMarkdown:
    """A block ready to print; citations link to files below `roots`."""
    text = printable(block.text)

    def link(mark: CitationMark) -> str:
        space = space_before(text, mark)
        if not mark.names_file:
            return f"{space}{mark.place}"
        label = _PUNCTUATION.sub(r"\\\1", mark.place)
        return f"{space}[{label}](<{file_uri(mark.path, roots)}>)"

    def is_file(path: str) -> bool:
        return any((root / path).is_file() for root in roots)

    return AnswerMarkdown(text if block.code else rewrite_citations(text, link, is_file), roots)


def _with_targets(tokens: Sequence[Token], roots: Sequence[Path]) -> Iterator[Token]:
    """The tokens of a line, and after links the targets that their words could hide."""
    words, target = "", ""
    for token in tokens:
        yield token
        match token.type:
            case "link_open":
                words, target = "", str(token.attrs.get("href", ""))
            case "image":  # drawn as a link, also within one
                yield from _target(token.content, str(token.attrs.get("src", "")), roots)
            case "link_close":
                yield from _target(words, target, roots)
            case _:
                words += token.content


def _target(words: str, target: str, roots: Sequence[Path]) -> Iterator[Token]:
    path = to_path(target.partition("#")[0])
    real = None if path is None else Path(path).resolve()
    ours = real is not None and any(real.is_relative_to(root.resolve()) for root in roots)
    if target and target != words and not ours:
        yield Token("text", "", 0, content=f" ({target})")


def file_uri(path: str, roots: Sequence[Path]) -> str:
    """The URI of a workspace-relative path: in the first root that has it, else in the first."""
    below = [root / path for root in roots]
    return to_uri(str(next((each for each in below if each.exists()), below[0])))


def _without_padding(line: list[Segment]) -> list[Segment]:
    """The line without the spaces that fill it up: they would wrap, and be copied."""
    kept = list(line)
    while kept and not kept[-1].text.rstrip():
        kept.pop()
    if kept:
        kept[-1] = Segment(kept[-1].text.rstrip(), kept[-1].style)
    return kept


def _is_closed(top: Token, lines: int) -> bool:
    return top.type in _CLOSED_BY_BLANK and top.map is not None and top.map[1] < lines
