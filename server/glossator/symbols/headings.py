"""The outline of a Markdown text: its headings, each with the section below it.

Follows CommonMark 0.31 for headings at the top level of the document (those in lists and quotes
are part of their text). Left out of sight: fenced and indented code, HTML comments, front matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from glossator.core.text import split_lines
from glossator.symbols.symbol import Symbol

_SIGNATURE_LIMIT = 200  # characters

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t](.*))?$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r" {0,3}(?:(`{3,})[^`]*|(~{3,}).*)$")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,})$")
_QUOTE = re.compile(r" {0,3}>")
_ITEM = re.compile(r" {0,3}(?:[-+*]|\d{1,9}[.)])(?:[ \t]{1,4}(?=\S)|[ \t]|$)")
_HTML = re.compile(
    r" {0,3}(?:(</?(?:address|article|aside|blockquote|body|center|dd|details|dialog|div|dl|dt"
    r"|figure|footer|form|h[1-6]|head|header|hr|html|iframe|li|link|main|menu|nav|ol|p|section"
    r"|source|summary|table|tbody|td|tfoot|th|thead|title|tr|ul)\b)|</?[A-Za-z][^>]*>[ \t]*$)",
    re.IGNORECASE,
)
_BLANK = re.compile(r"[ \t]*$")
_RAW = re.compile(r" {0,3}<(?:(!--)|(pre|script|style|textarea)\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Heading:
    level: int
    title: str
    first: int  # 0-based line


def headings(text: str) -> tuple[Symbol, ...]:
    """The headings of `text`; a section ends before the next heading that is not below its own."""
    lines = split_lines(text.removeprefix("\ufeff"))
    mark = len(text) - len(text.removeprefix("\ufeff"))
    found = list(_scan(lines))
    symbols: list[Symbol] = []
    above: list[_Heading] = []
    for heading in found:
        while above and above[-1].level >= heading.level:
            above.pop()
        column = lines[heading.first].find(heading.title.partition(" ")[0])
        column += 0 if heading.first else mark
        symbols.append(_symbol(heading, column, tuple(outer.title for outer in above)))
        above.append(heading)
    return _with_ends(symbols, found, len(lines))


def _symbol(heading: _Heading, column: int, container: tuple[str, ...]) -> Symbol:
    signature = f"{'#' * heading.level} {heading.title}"
    if len(signature) > _SIGNATURE_LIMIT:
        signature = signature[: _SIGNATURE_LIMIT - 1] + "…"
    line = heading.first + 1
    return Symbol(heading.title, "heading", signature, "", container, line, line, line, column)


def _with_ends(symbols: list[Symbol], found: list[_Heading], lines: int) -> tuple[Symbol, ...]:
    ended: list[Symbol] = []
    starts = [(lines, 0)]  # (first line, level) of the headings below, nearest last
    for symbol, heading in zip(reversed(symbols), reversed(found), strict=True):
        while starts[-1][1] > heading.level:
            starts.pop()
        ended.append(replace(symbol, last_line=starts[-1][0]))
        starts.append((heading.first, heading.level))
    return tuple(reversed(ended))


def _scan(lines: list[str]) -> Iterator[_Heading]:
    state = _Open()
    for number in range(_front_matter(lines), len(lines)):
        line = lines[number]
        if state.swallows(line):
            continue
        atx = _ATX.match(line)
        if atx or (state.paragraph and _UNDERLINE.match(line)):
            level, title = _atx(atx) if atx else _setext(line, state.paragraph)
            if title:
                yield _Heading(level, title, number - (0 if atx else len(state.paragraph)))
            state = _Open()
        else:
            state.take(line)


@dataclass(slots=True)
class _Open:
    """The blocks that are open before a line, which decide what the line can be."""

    paragraph: list[str] = field(default_factory=list)  # its lines, if at the top level
    inside: int = 0  # columns by which a line belongs to the open list item; 0 without one
    lazy: bool = False  # text would continue a paragraph of a list item or quote
    until: re.Pattern[str] | None = None  # what ends the open fence or HTML block

    def swallows(self, line: str) -> bool:
        """Whether `line` is blank or part of what is open, so that it cannot be a heading."""
        if self.until is not None:
            if self.until.search(line):
                self.until = None
            return True
        if not line.strip():
            self.paragraph, self.lazy = [], False
            return True
        if self.inside and _indent(line) >= self.inside:
            self.lazy = True
            return True
        return False

    def take(self, line: str) -> None:
        """Opens what `line` opens, or goes on with the paragraph."""
        until = _opens(line, self.paragraph)
        rule = until or _RULE.match(line)
        item = None if rule else _ITEM.match(line)
        quote = _QUOTE.match(line)
        if rule or item or quote:
            self.paragraph = []
            self.inside = len(item[0].expandtabs(4)) if item else 0
            self.lazy = bool(item or quote)
            self.until = None if until and _RAW.match(line) and until.search(line) else until
        elif self.paragraph or not (self.lazy or _indent(line) >= 4):
            self.paragraph.append(line.strip())
            self.inside = 0


def _setext(line: str, paragraph: list[str]) -> tuple[int, str]:
    return 1 if "=" in line else 2, " ".join(paragraph)


def _opens(line: str, paragraph: list[str]) -> re.Pattern[str] | None:
    """What will end the fence or HTML block that `line` opens; None if it opens none."""
    if fence := _FENCE.match(line):
        marks = fence[1] or fence[2]
        return re.compile(rf" {{0,3}}{marks[0]}{{{len(marks)},}}[ \t]*$")
    if raw := _RAW.match(line):
        return re.compile("-->" if raw[1] else rf"</{raw[2]}>", re.IGNORECASE)
    html = _HTML.match(line)
    if html and (html[1] or not paragraph):  # a lone unknown tag cannot interrupt a paragraph
        return _BLANK
    return None


def _atx(match: re.Match[str]) -> tuple[int, str]:
    title = (match[2] or "").strip()
    bare = title.rstrip("#")
    return len(match[1]), title if bare and bare[-1] not in " \t" else bare.rstrip()


def _front_matter(lines: list[str]) -> int:
    """How many lines at the top are YAML between `---` and `---`."""
    if lines and lines[0].rstrip() == "---":
        for number in range(1, len(lines)):
            if lines[number].rstrip() in {"---", "..."}:
                return number + 1
    return 0


def _indent(line: str) -> int:
    """Columns of white space at the start, with tab stops of 4."""
    white = line[: len(line) - len(line.lstrip(" \t"))]
    return len(white.expandtabs(4))
