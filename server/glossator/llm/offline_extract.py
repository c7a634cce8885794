"""Chooses the lines that the offline model quotes: whole statements that answer the question."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cached_property
from pathlib import PurePosixPath

from glossator.core.code_lines import code_lines, comment_lines
from glossator.core.span import Statement
from glossator.core.terms import is_import, parts_of

_MAX_LINES = 16  # of a quote
_MIN_LINES = 5  # a shorter one gets the statements around it
_MAX_WHOLE_LINES = 60  # lines of a statement that cannot be divided
_COMMENT_WEIGHT = 0.7  # how much a term counts that only a comment holds,
_LIST_WEIGHT = 0.3  # or only a list of names,
_HANDED_ON_WEIGHT = 0.5  # or only a value that is handed on under its own name,
_SHAPE_WEIGHT = 0.6  # or only a type's declaration;
_NAMED_WEIGHT = 1.2  # and one in the name of a definition
_RARITY = 0.25
_MAX_COMMENT = 4  # lines of a comment that is quoted with code
_TWINS = 0.75  # of the shorter of two extracts stands in the other if they say the same,
_ALIKE_FROM = 12  # in pieces of so many characters
_REPEAT_WEIGHT = 0.05  # how much each further line with a term counts
_LINE_COST = 0.01  # of all terms' weight
_LANGUAGES = {
    ".c": "c",
    ".cpp": "cpp",
    ".cs": "csharp",
    ".go": "go",
    ".h": "c",
    ".java": "java",
    ".js": "js",
    ".kt": "kotlin",
    ".md": "markdown",
    ".php": "php",
    ".py": "python",
    ".rb": "ruby",
    ".rs": "rust",
    ".sh": "bash",
    ".swift": "swift",
    ".toml": "toml",
    ".ts": "ts",
    ".tsx": "tsx",
    ".yaml": "yaml",
    ".yml": "yaml",
}
_LISTED = re.compile(r"""\s*["']?[\w.]+["']?,?\s*""")
_HANDED_ON = re.compile(r"\s*(?:\w+\.)*_?(\w+)\s*(?::[^=]*)?[=:]\s*(?:\w+\.)*_?\1[,;]?\s*")
_SHAPE = re.compile(r"\s*(?:export |declare |pub )*(?:interface|type)\s+\w")
_NAMED = re.compile(
    r"\s*(?:[\w()]+ +)*(?:def|fn|func|function|class|struct|enum|trait)\s"
    r"|\s*(?:export )?(?:const|let) \w+(?::[^=]*)? = (?:async )?(?:\(|function\b)"
)
_FLOW = re.compile(
    r"[\s})]*(?:async |await )?(?:if|elif|else|elsif|for|foreach|while|until|unless|try|catch"
    r"|except|finally|ensure|rescue|with|switch|match|case|when|do|begin|loop|return|select|unsafe|go"
    r"|defer|@\w.*)\b"
)
_ATTRIBUTES = ("#[", "@", "[")
_WORD = re.compile(r"\w+")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_NAME_CHARACTERS = 90


@dataclass(frozen=True)
class Extract:
    """Consecutive lines of a file; `first_line` is 1-based."""

    path: str
    first_line: int
    lines: tuple[str, ...]

    @property
    def last_line(self) -> int:
        """1-based and inclusive."""
        return self.first_line + len(self.lines) - 1

    def overlaps(self, other: Extract) -> bool:
        """Whether both show a line of the same file."""
        apart = self.last_line < other.first_line or other.last_line < self.first_line
        return self.path == other.path and not apart

    def part(self, first_line: int, last_line: int) -> Extract:
        """The given part of the lines, without blank lines at its edges."""
        first_line, last_line = max(first_line, self.first_line), min(last_line, self.last_line)
        while first_line < last_line and not self.line(first_line).strip():
            first_line += 1
        while last_line > first_line and not self.line(last_line).strip():
            last_line -= 1
        start = first_line - self.first_line
        lines = self.lines[start : last_line + 1 - self.first_line]
        return Extract(self.path, first_line, lines)

    def line(self, number: int) -> str:
        """The line with a 1-based number."""
        return self.lines[number - self.first_line]

    def is_comment_at(self, number: int) -> bool:
        """Whether the line with a 1-based number is here and looks like a comment."""
        at = number - self.first_line
        return 0 <= at < len(self.lines) and self.comments[at]

    @property
    def text(self) -> str:
        """The lines, joined."""
        return "\n".join(self.lines)

    @cached_property
    def comments(self) -> tuple[bool, ...]:
        """Which lines look like comments or docstrings; none in prose."""
        return tuple(comment_lines(self.path, self.lines))

    @property
    def is_comment(self) -> bool:
        """Whether it holds only comments of code."""
        return all(self.comments[at] for at, line in enumerate(self.lines) if line.strip())


def words_in(line: str) -> frozenset[str]:
    """The words of a line and their parts, in lower case."""
    return frozenset(
        each.lower() for word in _WORD.findall(line) for each in (word, *parts_of(word))
    )


def holds(words: Iterable[str], term: str) -> bool:
    """Whether one of the words begins with a term: "etag" is not in `invokeTag`."""
    return any(word.startswith(term) for word in words)


def without_long_comments(
    extract: Extract, terms: Mapping[str, float], most: int = _MAX_COMMENT
) -> Extract:
    """The part of an extract between comments of more than `most` lines that says most.

    The extract itself if it holds no such comment, or no code.
    """
    code = code_lines(extract.path, extract.lines)
    parts: list[tuple[int, int]] = []  # the lines of each, as places in the extract
    start = at = 0
    while at < len(extract.lines):
        end = at
        while end < len(extract.lines) and extract.comments[end]:
            end += 1
        if end - at > most:
            parts.append((start, at))
            start = end
        at = max(end, at + 1)
    parts.append((start, len(extract.lines)))
    telling = [
        extract.part(extract.first_line + first, extract.first_line + last - 1)
        for first, last in parts
        if any(code[first:last])
    ]
    return max(telling, key=lambda part: share(part, terms), default=extract)


def are_twins(one: Extract, other: Extract) -> bool:
    """Whether two extracts say nearly the same, as copies and generated code do.

    What differs in files of other names differs on purpose: by system, say.
    """
    names = {PurePosixPath(each.path).name for each in (one, other)}
    if one.path == other.path or (len(names) > 1 and one.text != other.text):
        return False
    fewer, more = sorted((one, other), key=lambda each: len(each.text))
    matcher = SequenceMatcher(None, fewer.text, more.text, autojunk=False)
    same = sum(block.size for block in matcher.get_matching_blocks() if block.size >= _ALIKE_FROM)
    return same >= _TWINS * len(fewer.text)


def weights(terms: Sequence[str], extracts: Iterable[Extract]) -> dict[str, float]:
    """How much each term weighs: the rarer in the lines that were read, the more.

    The differences stay small: the lines were read because they hold the important terms.
    """
    lines = [words_in(line) for extract in extracts for line in extract.lines]
    held = Counter(term for line in lines for term in terms if holds(line, term))
    return {term: 1 / (1 + _RARITY * math.log1p(held[term])) for term in terms}


def share(
    extract: Extract,
    terms: Mapping[str, float],
    stretch: Extract | None = None,
    statements: Sequence[Statement] = (),
) -> float:
    """The share of the terms' weight in the lines, about 0 to 1; code counts more than comments.

    With the `stretch` that they are of and its statements, the declarations of types count less.
    """
    scores = _Scores(stretch or extract, statements, terms)
    return scores.over(extract.first_line, extract.last_line)[0]


def best_extract(
    stretch: Extract, place: range, statements: Sequence[Statement], terms: Mapping[str, float]
) -> Extract:
    """The statements of a `stretch` that hold most of the `terms` in few lines.

    At least one of their lines is in the `place`. Without statements, paragraphs are used instead.
    """
    statements = _uncommented(stretch, statements) or tuple(_paragraphs(stretch))
    shown = range(stretch.first_line, stretch.last_line + 1)

    def fits(first: int, last: int) -> bool:
        inside = first in shown and last in shown
        return inside and first < place.stop and last >= place.start

    windows = [each for each in _windows(statements) if fits(each[0], each[1])]
    if not windows:  # a statement that is too long: a table, a macro
        statements = tuple(_paragraphs(stretch))
        windows = [each for each in _windows(statements) if fits(each[0], each[1])]
    scores = _Scores(stretch, statements, terms)
    if not windows:
        return stretch.part(place.start, min(place.stop - 1, place.start + _MAX_LINES - 1))
    best = max(windows, key=lambda at: (scores.worth(at[0], at[1]), -at[0]))
    code = code_lines(stretch.path, stretch.lines)
    of_code = [
        each
        for each in windows
        if any(code[each[0] - stretch.first_line : each[1] + 1 - stretch.first_line])
    ]
    if of_code and best not in of_code:  # what a comment speaks of says more than it does
        best = max(of_code, key=lambda at: (scores.worth(at[0], at[1]), -at[0]))
    first, last, siblings = best
    grown = _around(statements, first, last)
    if grown is not None and fits(*grown):
        return stretch.part(*grown)
    for following in siblings:
        if last - first + 1 >= _MIN_LINES:
            break
        end = following.last_line
        if following.first_line > last and end - first < _MAX_LINES and fits(first, end):
            last = end
    return stretch.part(first, last)


def definition_extract(
    stretch: Extract, first: int, last: int, statements: Sequence[Statement], most: int
) -> Extract:
    """A definition with a short comment above it; of a long definition the head.

    It is long with more than `most` lines. If the head is short, as many statements of the body
    follow as there is room for.
    """
    whole = _around(statements, first, last, most=last + 1) or (first, last)
    start = max(min(whole[0], first), stretch.first_line)
    if first - start > _MAX_COMMENT:
        start = first
    if last - start < most and last <= stretch.last_line:
        return stretch.part(start, last)
    node = next((each for each in _all(statements) if _is_it(each, first, last)), None)
    if node is None:
        return stretch.part(start, min(last, stretch.last_line, first + most - 1))
    end = node.head_line
    for inner in node.inner:
        if inner.last_line - start >= _MAX_LINES or inner.last_line > stretch.last_line:
            break
        end = max(end, inner.last_line)
    return stretch.part(start, min(end, stretch.last_line))


def whole_definition(
    extract: Extract, stretch: Extract, statements: Sequence[Statement], most: int
) -> Extract:
    """All of the definition whose head an extract begins with, if it was shown and is short.

    It is short with at most `most` lines. The extract itself if there is none.
    """
    for node in _all(statements):
        head = node.first_line <= extract.first_line <= node.head_line
        is_cut = head and node.head_line <= extract.last_line < node.last_line
        lines = node.last_line - extract.first_line + 1
        if is_cut and lines <= most and node.last_line <= stretch.last_line:
            return stretch.part(extract.first_line, node.last_line)
    return extract


def _head(stretch: Extract, node: Statement) -> str:
    """The first line of a statement below its comment; "" if it is not in the stretch."""
    for number in range(max(node.first_line, stretch.first_line), node.head_line + 1):
        if number > stretch.last_line:
            break
        at = number - stretch.first_line
        text = stretch.lines[at].strip()
        if text and not stretch.comments[at] and not text.startswith(_ATTRIBUTES):
            return text
    return ""


def enclosing(extract: Extract, stretch: Extract, statements: Sequence[Statement]) -> str:
    """The line that begins the definition around an extract; "" if none was shown."""
    name = ""
    for node in _all(statements):
        in_body = node.head_line < extract.first_line and extract.last_line <= node.last_line
        in_head = node.first_line < extract.first_line and extract.last_line <= node.head_line
        holds = in_body or in_head
        if not holds or node.first_line < stretch.first_line:
            continue
        text = _head(stretch, node)
        if text and "`" not in text and not _FLOW.match(text):
            name = text
    name = name.rstrip("{ ")
    return name if len(name) <= _NAME_CHARACTERS else f"{name[:_NAME_CHARACTERS]}…"


def code_fence(extract: Extract) -> tuple[str, str]:
    """A Markdown fence longer than any inside the extract, with the language's name."""
    ticks = "```"
    while ticks in extract.text:
        ticks += "`"
    return ticks + _LANGUAGES.get(PurePosixPath(extract.path).suffix, ""), ticks


class _Scores:
    """Scores the lines of a stretch by the terms in them."""

    def __init__(
        self, stretch: Extract, statements: Sequence[Statement], terms: Mapping[str, float]
    ) -> None:
        self._first, self._terms = stretch.first_line, terms
        self._whole = sum(terms.values()) or 1.0
        imports = {
            number
            for each in _all(statements)
            if each.first_line in range(stretch.first_line, stretch.last_line + 1)
            and is_import(stretch.line(each.first_line))
            for number in range(each.first_line, each.last_line + 1)
        }
        shapes = {
            number
            for each in statements
            if (head := _head(stretch, each)) and _SHAPE.match(head)
            for number in range(each.first_line, each.last_line + 1)
        }
        self._held: list[dict[str, float]] = []
        for number, line in enumerate(stretch.lines, stretch.first_line):
            words, is_comment = words_in(line), stretch.comments[number - stretch.first_line]
            counts = _COMMENT_WEIGHT if is_comment else 1.0
            if number in imports or (not is_comment and is_import(line)):
                self._held.append({})
                continue
            if _LISTED.fullmatch(line):
                counts = _LIST_WEIGHT
            elif number in shapes:
                counts *= _SHAPE_WEIGHT
            elif not is_comment and _HANDED_ON.fullmatch(line):
                counts = _HANDED_ON_WEIGHT
            elif not is_comment and _NAMED.match(line):
                counts = _NAMED_WEIGHT
            self._held.append({term: counts for term in terms if holds(words, term)})

    def over(self, first: int, last: int) -> tuple[float, float]:
        """The share of the terms' weight in some lines, and a bonus for lines that repeat terms."""
        best: dict[str, float] = {}
        times: Counter[str] = Counter()
        for held in self._held[first - self._first : last + 1 - self._first]:
            for term, counts in held.items():
                best[term] = max(best.get(term, 0.0), counts)
                times[term] += 1
        found = sum(self._terms[term] * counts for term, counts in best.items())
        again = sum(self._terms[term] * min(count - 1, 4) for term, count in times.items())
        return found / self._whole, _REPEAT_WEIGHT * again / self._whole

    def worth(self, first: int, last: int) -> float:
        """The value of some lines as a quote."""
        return sum(self.over(first, last)) - _LINE_COST * (last - first)


def _windows(
    statements: Sequence[Statement],
) -> Iterator[tuple[int, int, Sequence[Statement]]]:
    """The runs of sibling statements that fit, at every level, and the heads of long statements."""
    for at, each in enumerate(statements):
        first = each.first_line
        for other in statements[at:]:
            if other.last_line - first >= _MAX_LINES:
                break
            yield first, other.last_line, statements
        if each.last_line - first >= _MAX_LINES:
            if not each.inner and each.last_line - first < _MAX_WHOLE_LINES:
                yield first, each.last_line, ()
            if each.inner and each.head_line - first < _MAX_LINES:
                yield first, each.head_line, each.inner
        yield from _windows(each.inner)


def _around(
    statements: Sequence[Statement], first: int, last: int, most: int = _MAX_LINES
) -> tuple[int, int] | None:
    """The largest statement of at most so many lines that contains these lines."""
    for each in _all(statements):  # the outermost come first
        inside = each.first_line <= first and last <= each.last_line
        if inside and each.last_line - each.first_line < most:
            if most > _MAX_LINES and not _is_it(each, first, last):
                continue
            return each.first_line, each.last_line
    return None


def _is_it(node: Statement, first: int, last: int) -> bool:
    """Whether a statement is the outline's symbol at these lines; it may begin with a comment."""
    return node.last_line == last and node.first_line <= first <= max(node.head_line, first)


def _all(statements: Sequence[Statement]) -> Iterator[Statement]:
    for each in statements:
        yield each
        yield from _all(each.inner)


def _uncommented(stretch: Extract, statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """The statements without comments of more than a few lines above them."""

    def without(node: Statement) -> Statement:
        first = node.first_line
        while first < node.head_line and stretch.is_comment_at(first):
            first += 1
        short = first - node.first_line <= _MAX_COMMENT
        inner = _uncommented(stretch, node.inner)
        return replace(node, first_line=node.first_line if short else first, inner=inner)

    return tuple(map(without, statements))


def _paragraphs(stretch: Extract) -> Iterator[Statement]:
    """The runs of lines that are not blank; a fenced block is one."""
    start, fence = 0, ""
    for number, line in enumerate((*stretch.lines, ""), stretch.first_line):
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and fence and mark[1].startswith(fence):
            fence = ""
        if line.strip() and not start:
            start = number
        elif start and not line.strip() and (not fence or number > stretch.last_line):
            yield Statement(start, number - 1, number - 1)
            start = 0
