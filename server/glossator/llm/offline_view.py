"""What the offline model makes of a conversation: the question, and what its tools have shown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from glossator.core.terms import DEFINING, defining, identifiers, is_import
from glossator.llm.model import Block, Message
from glossator.llm.offline_extract import Extract
from glossator.prompts import load_prompt

_HIT = re.compile(r"^\d+\. (?P<path>.+?):(?P<first>\d+)-(?P<last>\d+)(?: \(|$)", re.MULTILINE)
_GREP_FILE = re.compile(r"^(?P<path>.+)\n(?P<lines>(?:\d+[:-].*\n|--\n)+)", re.MULTILINE)
_GREP_HIT = re.compile(r"^(?P<line>\d+):(?P<text>.*)$", re.MULTILINE)
_NUMBERED = re.compile(r"^ *(\d+)\t(.*)$", re.MULTILINE)
_ATTACHED = re.compile(r"Attached by the user: (?P<path>.+), lines \d+-\d+ of \d+")
_DEFINED = re.compile(rf"\b(?:{DEFINING})\s+(\w{{3,}})")
_CONTEXT = 8  # lines read of where a name is used,
_DEFINITION = 60  # and of where it is defined


@dataclass(frozen=True, slots=True)
class Place:
    """Lines worth reading; `first_line` is 1-based. `defines` what a name of the question means."""

    path: str
    first_line: int
    lines: int
    defines: bool = False

    def overlaps(self, other: Place) -> bool:
        """Whether a line belongs to both."""
        first, last = max(self.first_line, other.first_line), min(self.end, other.end)
        return self.path == other.path and first < last

    @property
    def end(self) -> int:
        """The line after the last one."""
        return self.first_line + self.lines

    def capped(self, most: int) -> Place:
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
    places: tuple[Place, ...]
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


def _answered(messages: Sequence[Message]) -> Iterator[tuple[Block, str, bool]]:
    """Each tool call with its result's text and whether it failed."""
    calls: dict[str, Block] = {}
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


def _text(block: Block) -> str:
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
    """Names that the attached lines define, or else the telling ones that they use."""
    code = "\n".join(line for text in attached for _, line in _NUMBERED.findall(text))
    return tuple(dict.fromkeys(_DEFINED.findall(code))) or identifiers(code)


def _interleaved(found: Sequence[Sequence[Place]]) -> tuple[Place, ...]:
    """The first of each search, then the second of each, and so on; each place once."""
    rows = zip_longest(*found)
    return tuple(dict.fromkeys(place for row in rows for place in row if place is not None))


def _places(call: Block, text: str) -> list[Place]:
    """What a search found: what Search ranks, or of Grep's lines those that define a name first."""
    if call["name"] == "Search":
        hits = [(hit["path"], int(hit["first"]), int(hit["last"])) for hit in _HIT.finditer(text)]
        return [Place(path, first, last - first + 1) for path, first, last in hits]
    if call["name"] != "Grep":
        return []
    defining_line = re.compile(defining([str(call["input"]["pattern"]).replace(r"\b", "")]))
    found: list[Place] = []
    for file in _GREP_FILE.finditer(f"{text}\n"):
        for hit in _GREP_HIT.finditer(file["lines"]):
            if not is_import(hit["text"]):
                defines = defining_line.match(hit["text"]) is not None
                first, lines = max(1, int(hit["line"]) - 2), _DEFINITION if defines else _CONTEXT
                found.append(Place(file["path"], first, lines, defines))
    return sorted(found, key=lambda place: not place.defines)


def _is_shown(text: str) -> bool:
    """Whether numbered lines stand in it: a repeated read only says that nothing changed."""
    return _NUMBERED.match(text) is not None


def _stretches(call: Block, text: str) -> Iterator[Extract]:
    """What a Read showed; a notebook's cells leave lines of their file out."""
    path = call["input"]["path"]
    first, lines = 0, list[str]()
    for number, line in ((int(number), line) for number, line in _NUMBERED.findall(text)):
        if number != first + len(lines):
            if lines:
                yield Extract(path, first, tuple(lines))
            first, lines = number, []
        lines.append(line)
    yield Extract(path, first, tuple(lines))
