"""Citations in an answer: `[cite: doc, PATH, L1-L2]` after the sentence resting on the lines.

Beside lines there are `[cite: run, N]` for a command's run, `[cite: fact, ID, null]` and
`[cite: task, N]`. Models write many forms that mean the same; all that are plain are read, here
and, by the same `GRAMMAR`, in the panel. A *mention* is `path:10-20` or `path, L10-20` outside
such a mark, or a mark that is all of quoted code: it cites the lines where the path is one of a
file. What else quoted code holds is no citation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

_NUMBER = r"(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]{1,9})"  # 1,466 is one
_LINE = rf"(?:lines?\s*|l\.?\s*)?{_NUMBER}"
_TO = r"\s*(?:[-\u2010-\u2015\u2212]|\.\.|to|through)\s*"
_SPANS = rf"{_LINE}(?:{_TO}{_LINE})?"
_SPANS += rf"(?:(?:\s*(?:,(?![0-9]{{3}}(?![0-9]))|&)\s*|\s+and\s+){_SPANS})*"
_RUNS = rf"#?{_NUMBER}(?:{_TO}#?{_NUMBER})?"
_RUNS += rf"(?:(?:\s*(?:,(?![0-9]{{3}}(?![0-9]))|&)\s*|\s+and\s+){_RUNS})*"
_FENCE = (
    r"^ *(?P<fence>`{3,}|~{3,})(?![`~])[^\n]*\n[\s\S]*?"
    r"(?:^ *(?P=fence)[`~]* *(?=\n|(?![\s\S]))|(?![\s\S]))"
)
_CODE = r"(?<!`)(?P<tick>`+)(?P<code>[^`\n](?:[^\n]*?[^`\n])??)(?P=tick)(?!`)"
_FACT = r"[`\"']?#?(?P<fact>(?!null\b)[A-Za-z0-9][A-Za-z0-9_-]{0,63})[`\"']?"
_WITHOUT_WORD = (  # what says by itself that it is a citation
    r"doc\s*,|runs?\s+#?[0-9]|fact\s*,[^\],\n]{1,70},\s*null\s*\]|task\s*,\s*#?[0-9]{1,9}\s*\]"
)
_CITE = (  # a path may hold brackets: app/[id]/[[...rest]]/page.tsx
    rf"\[\s*(?:cit(?:e|es|ation)\s*:|(?={_WITHOUT_WORD}))"
    r"(?P<body>(?:[^\][\n]|\[(?:[^\][\n]|\[[^\][\n]*\])*\]){1,1000})\]"
    r"(?:\((?!\[)[^()\s]{1,300}\))?"  # the address of a link that the mark was made
)
_IN_PATH = r"[^\s`'\"()\[\]{}<>|*,;:!?#\\]"
_MENTION = (
    r"(?<![^\s`'\"()\[\]{}<>|*,;!?])(?<!\]\()"
    rf"(?:\./)*(?P<path>(?:{_IN_PATH}|\[(?:{_IN_PATH}|\[{_IN_PATH}{{0,80}}\]){{0,80}}\]){{1,250}})"
    r"(?::l?|#l|,?\s(?:lines?\s|l))(?P<lines>[0-9]{1,7}(?:[-\u2010-\u2015]l?[0-9]{1,7})?"
    r"(?:,\s?l?[0-9]{1,7}[-\u2010-\u2015]l?[0-9]{1,7}(?![0-9]))*)(?::[0-9]{1,5})?"
    r"(?![A-Za-z0-9_/]|[.,:-][0-9]|`?\]\()"
)

# Regular expressions, without regard to case; `text` is tried from left to right.
GRAMMAR = {
    "text": rf"{_FENCE}|{_CODE}|{_CITE}|{_MENTION}",
    "mention": _MENTION,
    "cite": _CITE,
    "between": (  # items of a mark
        r";|(?<=[0-9])[`\"']?\s*,(?!\s*(?:null\b|(?:lines?\s*|l\.?\s*)?[0-9]))"
        r"|,(?=\s*(?:doc|runs?|facts?|tasks?)\s*[,:])"
    ),
    "item": (
        rf"\s*(?:runs?\s*[,:]?\s*(?P<runs>{_RUNS})(?:\s*,?\s*(?:lines?|l).*)?"
        rf"|tasks?\s*[,:]?\s*(?P<tasks>{_RUNS})|facts?(?:\s*[,:]\s*|\s+){_FACT}"
        r"|(?:doc\s*[,:]\s*|(?!(?:doc|fact|task|run)\s*,))[`\"']?(?:\./)*"
        r"(?P<path>[^\s,`\"'](?:.*?[^\s,`\"'])??)"
        rf"[`\"']?(?:\s*[,:#]\s*|\s+(?=l))(?P<lines>{_SPANS})(?:\s+of\s+{_NUMBER})?[`\"']?)"
        r"(?:\s*,\s*null)?\s*"
    ),
    "lines": rf"\s*(?P<lines>{_SPANS})\s*",  # an item may be more lines of the path before
    "span": rf"(?P<first>{_NUMBER})(?:{_TO}(?:lines?\s*|l\.?\s*)?(?P<last>{_NUMBER}))?",
}

_FLAGS = re.IGNORECASE | re.MULTILINE
_TEXT, _MENTIONED, _CITED, _BETWEEN, _ITEM, _LINES, _RANGE = (
    re.compile(each, _FLAGS) for each in GRAMMAR.values()
)
_FENCED = re.compile(_FENCE, _FLAGS)
_CITE_PREFIX = re.compile(r"\[\s*cit(?:e|es|ation)\s*:", _FLAGS)
_LINK_TO = re.compile(r"\[(?P<words>[^\][\n]{1,500})\]\($")
_ENDS = ("first", "last")
_MAX_RUNS = 20  # or tasks, that a range names

GAP = "\0"


@dataclass(frozen=True, slots=True)
class CitationMark:
    """A citation as written: where it stands in the answer, and the lines it names (1-based).

    A mark that names several places stands for as many citations with the same `start` and `end`.
    `run` is the number of a command's run, `task` of a task of the plan, else 0; `fact` is a fact's
    id, else "". These have no lines, and `run N`, `task N` or `fact ID` as their path. A mark that
    cannot be read has the whole of it as its path, and no lines.
    """

    start: int
    end: int
    path: str
    first_line: int
    last_line: int
    run: int = 0
    is_mention: bool = False
    fact: str = ""
    task: int = 0

    @property
    def names_file(self) -> bool:
        """Whether the mark names lines of a file, or cannot be read."""
        return not (self.run or self.task or self.fact)

    @property
    def place(self) -> str:
        """`path:10` or `path:10-20`; `run 3`, `task 2` or `fact f12`."""
        named = bool(self.first_line)
        return place(self.path, self.first_line, self.last_line) if named else self.path

    @property
    def plain(self) -> str:
        """The mark in the form that models are asked to write."""
        if self.run:
            return f"[cite: run, {self.run}]"
        if self.task:
            return f"[cite: task, {self.task}]"
        if self.fact:
            return f"[cite: fact, {self.fact}, null]"
        last = f"-L{self.last_line}" if self.last_line != self.first_line else ""
        return f"[cite: doc, {self.path}, L{self.first_line}{last}]"


def place(path: str, first_line: int, last_line: int) -> str:
    """The lines of a file in the usual short form."""
    lines = f"{first_line}" if first_line == last_line else f"{first_line}-{last_line}"
    return f"{path}:{lines}"


def link(name: str, uri: str) -> str:
    """A Markdown link that shows a name unchanged, even `__init__.py` or `[id].tsx`."""
    target = uri.replace("(", "%28").replace(")", "%29")
    return f"[{code(name)}]({target})"


def code(text: str) -> str:
    """Markdown that shows a text of one line unchanged, as code."""
    ticks = "``" if "`" in text else "`"
    blank = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{blank}{text}{blank}{ticks}"


def fences(text: str) -> list[tuple[int, int]]:
    """The start and end of fenced code in a Markdown text."""
    return [match.span() for match in _FENCED.finditer(text)]


def no_file(_path: str) -> bool:
    """Treats no path as a file, so that nothing is a mention."""
    return False


def parse_citations(
    answer: str, is_file: Callable[[str], bool] = no_file
) -> tuple[CitationMark, ...]:
    """The citations of an answer, in order; mentions are of paths for which `is_file` is true.

    A mention of lines that a mark names, too, is left out: it needs no check of its own.
    """
    marks: list[CitationMark] = []
    for match in _TEXT.finditer(answer):
        if match["body"] is not None:
            marks += _in_mark(match)
        else:
            marks += (
                mark for mark in _mentions(match) if not mark.names_file or is_file(mark.path)
            )
    named = {mark.place for mark in marks if not mark.is_mention}
    return tuple(mark for mark in marks if not (mark.is_mention and mark.place in named))


def unreadable(answer: str) -> tuple[CitationMark, ...]:
    """The marks `[cite: …]` of an answer that name no place in any known form."""
    return tuple(
        CitationMark(match.start(), match.end(), match[0], 0, 0)
        for match in _TEXT.finditer(answer)
        if _CITE_PREFIX.match(match[0]) and not any(_in_mark(match))
    )


def rewrite_citations(
    answer: str, show: Callable[[CitationMark], str], is_file: Callable[[str], bool] = no_file
) -> str:
    """The answer with `show(mark)` in place of each citation, several for one mark in a row.

    If a link leads to a mark, `[words]([cite: …])`, the words stay, and the mark follows them.
    """
    parts: list[str] = []
    at = 0
    for mark in parse_citations(answer, is_file):
        before = " "
        if mark.start >= at:
            before = answer[at : mark.start]
            at = mark.end
            link = _LINK_TO.search(before) if answer.startswith(")", at) else None
            if link:
                before = f"{before[: link.start()]}{link['words']} "
                at += 1
        parts += before, show(mark)
    return "".join((*parts, answer[at:]))


def without_citations(text: str) -> str:
    """The text without its marks, and without the commas and words that only joined them."""
    return without_gaps(rewrite_citations(text, lambda _: GAP))


def without_gaps(text: str) -> str:
    """The text without its `GAP`s, each of which replaced a mark."""
    text = re.sub(rf"{GAP}(?:\s*(?:,|;|and|or)?\s*{GAP})+", GAP, text)
    text = re.sub(rf"\({GAP}\)", GAP, text)
    return re.sub(rf"[,;\s]*{GAP}\s*(?=[.,;:!?)])|{GAP}", "", text)


def space_before(text: str, mark: CitationMark) -> str:
    """The space that a citation needs so as not to touch what stands before it in `text`."""
    before = text[mark.start - 1 : mark.start]
    return " " if before and (before.isalnum() or before in ".,;:!?)]`") else ""


def plainly_cited(answer: str, is_file: Callable[[str], bool]) -> str:
    """The answer with one mark for each place, also for mentions and marks of several places."""
    marks = Counter(mark.start for mark in parse_citations(answer, is_file))

    def plain(mark: CitationMark) -> str:
        alone = marks[mark.start] == 1 and not mark.is_mention
        return answer[mark.start : mark.end] if alone else mark.plain

    return rewrite_citations(answer, plain, is_file)


def _mentions(match: re.Match[str]) -> Iterator[CitationMark]:
    """The lines of a path that a match mentions, or all that its quoted code holds."""
    found: re.Match[str] | None = match
    if (code := match["code"]) is not None:
        if match.string.startswith("](", match.end()):
            return
        found = _CITED.fullmatch(code) or _MENTIONED.fullmatch(code)
    if found is None:
        return
    mention = CitationMark(match.start(), match.end(), "", 0, 0, is_mention=True)
    if "body" in found.groupdict() and found["body"] is not None:
        yield from _named_in(found["body"], mention)
    elif found["path"]:
        for lines in found["lines"].split(","):
            if span := _RANGE.search(lines):
                first, last = _ends(span)
                yield replace(mention, path=found["path"], first_line=first, last_line=last)


def _in_mark(match: re.Match[str]) -> Iterator[CitationMark]:
    """The places that a mark names; none if any part of it names no place."""
    return _named_in(match["body"] or "", CitationMark(match.start(), match.end(), "", 0, 0))


def _named_in(body: str, mark: CitationMark) -> Iterator[CitationMark]:
    """Copies of `mark`, one for each place that its body names."""
    items = (_BETWEEN.split(body), body.split(";"), [body])  # a path may hold a `,` or a `;`
    for each in next(filter(None, map(_items, items)), []):
        for run in _numbers(each.runs):
            yield replace(mark, path=f"run {run}", run=run)
        for task in _numbers(each.tasks):
            yield replace(mark, path=f"task {task}", task=task)
        if each.fact:
            yield replace(mark, path=f"fact {each.fact}", fact=each.fact)
        for span in _RANGE.finditer(each.lines):
            first, last = _ends(span)
            yield replace(mark, path=each.path, first_line=first, last_line=last)


def _numbers(ranges: str) -> Iterator[int]:
    """The numbers in a list: `2, 4-6` is 2, 4, 5, 6."""
    for span in _RANGE.finditer(ranges):
        first, last = _ends(span)
        yield from range(first, min(last + 1, first + _MAX_RUNS))


def _ends(span: re.Match[str]) -> tuple[int, int]:
    first, last = (int((span[name] or span["first"]).replace(",", "")) for name in _ENDS)
    return first, last


class _Item(NamedTuple):
    """What part of a mark names, as written: lines of a path, runs, tasks or a fact."""

    path: str
    lines: str
    runs: str = ""
    tasks: str = ""
    fact: str = ""


def _items(parts: list[str]) -> list[_Item]:
    """The items of a mark; none if one of them is nonsense."""
    found: list[_Item] = []
    for part in parts:
        if named := _ITEM.fullmatch(part):
            found.append(_Item(**{name: text or "" for name, text in named.groupdict().items()}))
        elif found and found[-1].path and (more := _LINES.fullmatch(part)):
            found.append(_Item(found[-1].path, more["lines"]))
        else:
            return []
    return found
