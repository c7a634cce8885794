"""Blocks of an answer as rich draws them: headings on the left, citations as links."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from markdown_it import MarkdownIt
from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
from rich.markdown import Heading, Markdown, MarkdownElement
from rich.segment import Segment
from rich.theme import Theme

from glossator.cli.render.blocks import Block
from glossator.cli.render.printable import printable
from glossator.core.citations import CitationMark, rewrite_citations, space_before
from glossator.core.shown import shown_prose
from glossator.core.uri import to_uri

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


class _LeftHeading(Heading):
    LEVEL_ALIGN: ClassVar[dict[str, JustifyMethod]] = {}


class _Parser(MarkdownIt):
    """Rich's own parser refuses `file:` links."""

    def validateLink(self, url: str) -> bool:  # noqa: N802 - the name it is called by
        return url.startswith("file:") or super().validateLink(url)


class AnswerMarkdown(Markdown):
    """Markdown with its headings on the left and without padding around it."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _LeftHeading,
    }

    def __init__(self, text: str) -> None:
        super().__init__(text, code_theme=CODE_THEME)
        self.parsed = _Parser().enable("strikethrough").enable("table").parse(text)

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


def draw(block: Block, roots: Sequence[Path]) -> AnswerMarkdown:
    """A block ready to print; citations link to files below `roots`."""
    text = printable(block.text)

    def link(mark: CitationMark) -> str:
        space = space_before(text, mark)
        if mark.run:
            return f"{space}{mark.place}"
        label = _PUNCTUATION.sub(r"\\\1", mark.place)
        return f"{space}[{label}](<{file_uri(mark.path, roots)}>)"

    def is_file(path: str) -> bool:
        return any((root / path).is_file() for root in roots)

    return AnswerMarkdown(text if block.code else rewrite_citations(text, link, is_file))


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
