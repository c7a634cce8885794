"""What the offline model reads off a conversation: the question, tool results, the best lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from operator import itemgetter
from pathlib import PurePosixPath

from glossator.core.terms import DEFINING, defining, identifiers, is_import
from glossator.llm.model import ContentBlock, Message
from glossator.prompts import load_prompt

_LINES = 14
_AROUND = 2  # lines kept before the first and after the last line that holds a term
_DOCSTRINGS = ('"""', "'''", 'r"""')
_COMMENT = re.compile(r"//|/?\*|#(?!include|define|if|el|endif|pragma|\[)")
_LANGUAGES = {
    ".c": "c",
    ".cpp": "cpp",
    ".go": "go",
    ".java": "java",
    ".js": "js",
    ".md": "markdown",
    ".py": "python",
    ".rs": "rust",
    ".ts": "ts",
    ".tsx": "tsx",
}

_HIT = re.compile(r"^\d+\. (?P<path>.+?):(?P<first>\d+)-(?P<last>\d+)(?: \(|$)", re.MULTILINE)
_GREP_FILE = re.compile(r"^(?P<path>.+)\n(?P<lines>(?:\d+[:-].*\n|--\n)+)", re.MULTILINE)
_GREP_HIT = re.compile(r"^(?P<line>\d+):(?P<text>.*)$", re.MULTILINE)
_NUMBERED = re.compile(r"^ *(\d+)\t(.*)$", re.MULTILINE)
_ATTACHED = re.compile(r"Attached by the user: (?P<path>.+), lines \d+-\d+ of \d+")
_DEFINED = re.compile(rf"\b(?:{DEFINING})\s+(\w{{3,}})")
_CONTEXT = 8  # lines read of where a name is used,
_DEFINITION = 60  # and of where it is defined


@dataclass(frozen=True, slots=True)
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

    @property
    def text(self) -> str:
        """The lines, joined."""
        return "\n".join(self.lines)


def best_extract(stretches: Sequence[Extract], terms: tuple[str, ...]) -> Extract:
    """The window of at most 14 lines with the most `terms`, without blank edges."""
    _, best = max((_best_of(stretch, terms) for stretch in stretches), key=itemgetter(0))
    return best


def shared(extract: Extract, terms: tuple[str, ...]) -> int:
    """How many of the terms its lines hold; none if only the path matched."""
    lines = [line.lower() for line in extract.lines if not is_import(line)]
    return sum(any(term in line for line in lines) for term in terms)


def is_comment(extract: Extract) -> bool:
    """Whether it holds only comments of code."""
    said = _comment_lines(extract)
    return all(said[at] for at, line in enumerate(extract.lines) if line.strip())


def code_fence(extract: Extract) -> tuple[str, str]:
    """A Markdown fence longer than any inside the extract, with the language's name."""
    ticks = "```"
    while ticks in extract.text:
        ticks += "`"
    return ticks + _LANGUAGES.get(PurePosixPath(extract.path).suffix, ""), ticks


def _best_of(extract: Extract, terms: tuple[str, ...]) -> tuple[int, Extract]:
    """The best window of one stretch, and how many of the terms' occurrences it holds."""
    said = _comment_lines(extract)
    scores = [_score(line, terms) * (1 if said[at] else 2) for at, line in enumerate(extract.lines)]
    starts = range(max(1, len(scores) - _LINES + 1))
    start = max(starts, key=lambda at: (sum(scores[at : at + _LINES]), -at))
    end = min(start + _LINES, len(scores))
    score = sum(scores[start:end])
    if telling := [at for at in range(start, end) if scores[at]]:
        start, end = max(start, telling[0] - _AROUND), min(end, telling[-1] + _AROUND + 1)
    if start <= _AROUND:
        start = 0  # mostly where a definition begins
    while start < end - 1 and not extract.lines[start].strip():
        start += 1
    while end > start + 1 and not extract.lines[end - 1].strip():
        end -= 1
    return score, Extract(extract.path, extract.first_line + start, extract.lines[start:end])


def _score(line: str, terms: tuple[str, ...]) -> int:
    return 0 if is_import(line) else sum(term in line.lower() for term in terms)


def _comment_lines(extract: Extract) -> list[bool]:
    """Which lines look like comments or docstrings; none in prose."""
    if PurePosixPath(extract.path).suffix not in _LANGUAGES.keys() - {".md"}:
        return [False] * len(extract.lines)
    said: list[bool] = []
    within, before = False, ":"
    for text in map(str.strip, extract.lines):
        begins = text.startswith(_DOCSTRINGS)
        ends = text.count('"""') % 2 or text.count("'''") % 2
        if text in _DOCSTRINGS and not within and not before.endswith(":"):
            said = [True] * len(said)  # the extract began within it
        elif ends and (within or begins):
            within = not within
        said.append(within or begins or text in _DOCSTRINGS or _COMMENT.match(text) is not None)
        before = text or before
    return said


@dataclass(frozen=True, slots=True)
class Candidate:
    """Lines worth reading; `defines` if they define a name of the question."""

    path: str
    first_line: int
    lines: int
    defines: bool = False

    def overlaps(self, other: Candidate) -> bool:
        """Whether a line belongs to both."""
        first, last = max(self.first_line, other.first_line), min(self.end, other.end)
        return self.path == other.path and first < last

    @property
    def end(self) -> int:
        """The line after the last one."""
        return self.first_line + self.lines

    def capped(self, most: int) -> Candidate:
        """The same place with at most so many lines."""
        return replace(self, lines=min(self.lines, most))


@dataclass(frozen=True, slots=True)
class View:
    """The conversation since the last question.

    `reads` holds what each Read showed, as stretches of consecutive lines; `failures` what the
    tools said that failed, then what those said that found nothing; so many `images` were attached.
    """

    question: str
    attached: tuple[Extract, ...]
    attached_names: tuple[str, ...]
    results: tuple[str, ...]
    places: tuple[Candidate, ...]
    has_read: bool
    reads: tuple[tuple[Extract, ...], ...]
    failures: tuple[str, ...]
    turn: int
    ending: bool
    images: int


def view(messages: Sequence[Message]) -> View:
    """Reads the conversation from its last question on."""
    start = _last_question(messages)
    *attached, question = _texts(messages[start]) or [""]
    answered = list(_answered(messages[start:]))
    good = [(call, text) for call, text, failed in answered if not failed]
    bad = [text for _, text, failed in answered if failed]
    reads = [call for call, _, _ in answered if call["name"] == "Read"]
    shown = {str(call["input"]): text for call, text, _ in _answered(messages) if _is_shown(text)}
    return View(
        question=question,
        attached=tuple(extract for text in attached for extract in _attachment(text)),
        attached_names=_attached_names(attached),
        results=tuple(text for _, text, _ in answered),
        places=_interleaved([_places(call, text) for call, text in good]),
        has_read=bool(reads),
        reads=tuple(
            tuple(_stretches(call, shown[str(call["input"])]))
            for call in reads
            if str(call["input"]) in shown
        ),
        failures=(*bad, *(text for _, text in good if text.startswith(("No ", "Nothing ")))),
        turn=len(messages),
        ending=len(messages) > start + 1 and any(map(_is_last_word, _texts(messages[-1]))),
        images=sum(block["type"] == "image" for block in messages[start]["content"]),
    )


def _answered(messages: Sequence[Message]) -> Iterator[tuple[ContentBlock, str, bool]]:
    """Each tool call with its result's text and whether it failed."""
    calls: dict[str, ContentBlock] = {}
    for message in messages:
        for block in message["content"]:
            if block["type"] == "tool_use":
                calls[block["id"]] = block
            elif block["type"] == "tool_result":
                failed = bool(block.get("is_error"))
                yield calls[block["tool_use_id"]], _text(block), failed


def _last_question(messages: Sequence[Message]) -> int:
    """The last user message that answers no tool call."""
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        answers = any(block["type"] == "tool_result" for block in message["content"])
        if message["role"] == "user" and not answers:
            return index
    return 0


def _texts(message: Message) -> list[str]:
    return [block["text"] for block in message["content"] if block["type"] == "text"]


def _is_last_word(text: str) -> bool:
    return text.startswith(load_prompt("user/last_word").opening)


def _text(block: ContentBlock) -> str:
    content = block["content"]
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if part["type"] == "text")


def _attachment(text: str) -> Iterator[Extract]:
    """The lines that the user attached, if the text is an attachment."""
    if head := _ATTACHED.match(text):
        numbered = _NUMBERED.findall(text)
        if numbered:
            yield Extract(head["path"], int(numbered[0][0]), tuple(line for _, line in numbered))


def _attached_names(attached: Sequence[str]) -> tuple[str, ...]:
    """Names that the attached lines define, or else the specific ones that they use."""
    code = "\n".join(line for text in attached for _, line in _NUMBERED.findall(text))
    return tuple(dict.fromkeys(_DEFINED.findall(code))) or identifiers(code)


def _interleaved(found: Sequence[Sequence[Candidate]]) -> tuple[Candidate, ...]:
    """The first of each search, then the second of each, and so on; each place once."""
    rows = zip_longest(*found)
    return tuple(dict.fromkeys(place for row in rows for place in row if place is not None))


def _places(call: ContentBlock, text: str) -> list[Candidate]:
    """The hits of Search, or those of Grep, definitions first."""
    if call["name"] == "Search":
        hits = [(hit["path"], int(hit["first"]), int(hit["last"])) for hit in _HIT.finditer(text)]
        return [Candidate(path, first, last - first + 1) for path, first, last in hits]
    if call["name"] != "Grep":
        return []
    defining_line = re.compile(defining([str(call["input"]["pattern"]).replace(r"\b", "")]))
    found: list[Candidate] = []
    for file in _GREP_FILE.finditer(f"{text}\n"):
        for hit in _GREP_HIT.finditer(file["lines"]):
            if not is_import(hit["text"]):
                defines = defining_line.match(hit["text"]) is not None
                first, lines = max(1, int(hit["line"]) - 2), _DEFINITION if defines else _CONTEXT
                found.append(Candidate(file["path"], first, lines, defines))
    return sorted(found, key=lambda place: not place.defines)


def _is_shown(text: str) -> bool:
    """Whether it holds numbered lines; a repeated read only says that nothing changed."""
    return _NUMBERED.match(text) is not None


def _stretches(call: ContentBlock, text: str) -> Iterator[Extract]:
    """What a Read showed, as stretches of consecutive lines; a notebook has gaps."""
    path = call["input"]["path"]
    first, lines = 0, list[str]()
    for number, line in ((int(number), line) for number, line in _NUMBERED.findall(text)):
        if number != first + len(lines):
            if lines:
                yield Extract(path, first, tuple(lines))
            first, lines = number, []
        lines.append(line)
    yield Extract(path, first, tuple(lines))
