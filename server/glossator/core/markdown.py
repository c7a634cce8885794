"""Markdown that a model or a file wrote, made harmless or plain.

Harmless: it loads nothing and runs nothing. Code stays as it was written where every reader of
Markdown takes it for code: a block that is fenced from end to end, and spans in lines whose
back-ticks all have partners. Plain: without its marks, for clients that show no Markdown.
"""

from __future__ import annotations

import re
from html import unescape
from html.entities import html5

from glossator.core.shown import shown_prose

_FENCED = re.compile(r"(?P<fence>`{3,}|~{3,})[^\n`]*\n(?P<inside>.*?)(?P=fence)[`~]* *", re.DOTALL)
_ACTIVE = re.compile(r"\\.|!(?=\[)|<(?=[A-Za-z/!?])", re.DOTALL)
_DESTINATION = re.compile(r"(\]\(|\]:)\s*(?:\\?<)?\s*([^)\s]*)")
_NOT_SEEN = re.compile(r"[\x00-\x20]")  # what a reader of addresses may leave out
_TICKS = re.compile(r"`+")
_ESCAPED = {"!": "!\\", "<": "\\<"}

_BLOCK = re.compile(
    r"^(?P<fence>`{3,}|~{3,})[^\n`]*\n(?P<inside>(?s:.*?))^(?P=fence)$\n?", re.MULTILINE
)
_LINK = re.compile(r"!?\[(?P<words>[^\]\n]*)\]\((?P<to>(?:[^()\s]|\([^()\s]*\))*|<[^<>\n]*>)\)")
_ADDRESS = re.compile(r"[:/#]")
_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_SET_ASIDE = re.compile(r"\0(\d+)\0")
_MARKS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"^#{1,6} +", re.MULTILINE), ""),
    (re.compile(r"^([-*_])(?: ?\1){2,} *$\n*", re.MULTILINE), ""),  # a rule between paragraphs
    (re.compile(r"(?<![\w*\\])(\*{1,3})(?=\S)([^*\n]*[^*\s\\])\1(?![\w*])"), r"\2"),
)
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])|&#?\w+;")


def plain(text: str) -> str:
    """Markdown without its marks: code stays, links become their words."""
    parts: list[str] = []
    at = 0
    for found in _BLOCK.finditer(text):
        parts += _unmarked(text[at : found.start()]), found["inside"]
        at = found.end()
    return "".join((*parts, _unmarked(text[at:])))


def _unmarked(text: str) -> str:
    spans: list[str] = []

    def set_aside(span: re.Match[str]) -> str:
        spans.append(span[2])
        return f"\0{len(spans) - 1}\0"

    text = _SPAN.sub(set_aside, text.replace("\0", "\ufffd"))  # which no Markdown shows
    text = _LINK.sub(lambda link: link["words" if _ADDRESS.search(link["to"]) else 0], text)
    for pattern, kept in _MARKS:
        text = pattern.sub(kept, text)
    text = _ESCAPE.sub(_meant, text)
    return _SET_ASIDE.sub(lambda aside: spans[int(aside[1])], text)


def _meant(escape: re.Match[str]) -> str:
    known = escape[0][1:2] == "#" or escape[0][1:] in html5  # `unescape` takes beginnings, too
    return escape[1] or (unescape(escape[0]) if known else escape[0])


def _without_unseen(escape: re.Match[str]) -> str:
    """An entity as its visible escape if it stands for an invisible character; else unchanged."""
    character = unescape(escape[0])
    seen = shown_prose(character)
    return escape[0] if seen == character else seen


def harmless(block: str) -> str:
    """A block of Markdown without images, HTML, links that run commands, and what is unseen."""
    block = shown_prose(block)
    if (fenced := _FENCED.fullmatch(block)) and fenced["fence"] not in fenced["inside"]:
        return block
    lines = [made for line in block.split("\n") if (made := _made_harmless(line)) is not None]
    is_clear = len(lines) == block.count("\n") + 1
    return _DESTINATION.sub(_no_command, "\n".join(lines) if is_clear else _escaped(block))


def _no_command(link: re.Match[str]) -> str:
    """A link without its target if that runs a command, in whatever letters."""
    to = _NOT_SEEN.sub("", _ESCAPE.sub(_meant, link[2])).lower()
    return link[1] if to.startswith("command:") else link[0]


def _made_harmless(line: str) -> str | None:
    """A line with its active parts escaped, code excepted; None if a back-tick has no partner."""
    parts: list[str] = []
    at = start = 0
    while at < len(line):
        opening = _TICKS.match(line, at)
        if opening is None:
            at += 2 if line[at] == "\\" else 1
            continue
        runs = _TICKS.finditer(line, opening.end())
        closing = next((run for run in runs if run[0] == opening[0]), None)
        if closing is None:
            return None
        at = closing.end()
        parts += _escaped(line[start : opening.start()]), line[opening.start() : at]
        start = at
    return "".join((*parts, _escaped(line[start:])))


def _escaped(text: str) -> str:
    text = _ESCAPE.sub(_without_unseen, text)
    return _ACTIVE.sub(lambda found: _ESCAPED.get(found[0], found[0]), text)
