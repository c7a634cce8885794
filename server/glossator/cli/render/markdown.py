"""Blocks of an answer as rich draws them: headings on the left, citations as links."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from rich.console import JustifyMethod
from rich.markdown import Heading, Markdown, MarkdownElement
from rich.theme import Theme

from glossator.cli.render.blocks import Block
from glossator.cli.render.citations import rewrite
from glossator.cli.render.printable import printable
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


class AnswerMarkdown(Markdown):
    """Markdown whose headings are all on the left."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _LeftHeading,
    }


def draw(block: Block, roots: Sequence[Path]) -> AnswerMarkdown:
    """A block ready to print; citations link to files below `roots`."""

    def link(path: str, place: str) -> str:
        label = _PUNCTUATION.sub(r"\\\1", place)
        return f"[{label}](<{file_uri(path, roots)}>)"

    text = printable(block.text)
    return AnswerMarkdown(
        text if block.code else rewrite(text, link), code_theme=CODE_THEME, hyperlinks=True
    )


def file_uri(path: str, roots: Sequence[Path]) -> str:
    """The URI of a workspace-relative path: in the first root that has it, else in the first."""
    below = [root / path for root in roots]
    return to_uri(str(next((each for each in below if each.exists()), below[0])))
