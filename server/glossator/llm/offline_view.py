"""Reads a conversation for the offline model: the question, its names, and what tools said."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import PurePosixPath

from glossator.core.file_kinds import language_of
from glossator.core.prompts import load_prompt
from glossator.core.terms import (
    DEFINING,
    STOP_WORDS,
    foreign_stop_words,
    identifiers,
    parts_of,
    query_terms,
    stem,
)
from glossator.llm.model import ContentBlock, Message
from glossator.llm.offline_extract import Extract

_HIT = re.compile(
    r"^\d+\. (?P<path>.+?):(?P<first>\d+)-(?P<last>\d+)(?:$| \[| \((?P<title>.*?)\)(?:$| \[))",
    re.MULTILINE,
)
_NUMBERED = re.compile(r"^ *(\d+)\t(.*)$", re.MULTILINE)
_ATTACHED = re.compile(r"Attached by the user: (?P<path>.+), lines \d+-\d+ of \d+")
_DEFINED = re.compile(rf"\b(?:{DEFINING})\s+(\w{{3,}})")
_FOUND = re.compile(r"^(?P<path>.+?):(?P<line>\d+):(?P<text>.*?)  \[(?P<about>.+)\]$", re.MULTILINE)
_RANGE = re.compile(r"^(?P<kind>[^,]+?)(?: in [^,]+)?, lines (?P<first>\d+)-(?P<last>\d+)")
_MATCH = re.compile(r"^\d+:(.*)$", re.MULTILINE)
_NEAR = re.compile(r"^  (?P<name>\w+): .+:\d+", re.MULTILINE)
_ABSENT = re.compile(r"^\[in no file searched: (?P<terms>.+)\]$", re.MULTILINE)
_CUT = re.compile(r" \[cut; [\d,]+ characters in all[^\]]*\]$")
_ACCOUNT = re.compile(r"^Looked at .+$", re.MULTILINE)

_QUALIFIED = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::|#)[A-Za-z_]\w*)+")
_MARKED = re.compile(r"`([A-Za-z_]\w*(?:(?:\.|::)\w+)*)[^`]*`|\b([A-Za-z_]\w*)(?:\(\)|!(?=\W))")
_LONE = re.compile(r"\s*([A-Za-z_]\w{2,})\s*[?.!]?\s*")
_CAPITAL = re.compile(r"(?<=[\w,] )([A-Z]\w{2,})\b")
_SLIP_LETTERS = 5  # with a letter more or less, a shorter word is another word,
_LONG_LETTERS = 8  # and with another letter one of fewer than so many
ALIKE = 0.8  # the ratio of `difflib` for a word or a name with a slip
_LETTERS = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class ReadableLines:
    """Lines worth reading (1-based, inclusive); `title` names what Search found in them."""

    path: str
    first_line: int
    last_line: int
    title: str = field(default="", compare=False)

    def overlaps(self, other: ReadableLines) -> bool:
        """Whether a line belongs to both."""
        apart = self.last_line < other.first_line or other.last_line < self.first_line
        return self.path == other.path and not apart


@dataclass(frozen=True, slots=True)
class Found:
    """A line that Symbols found; `about` is what Symbols says of it."""

    path: str
    line: int
    text: str
    about: str

    @property
    def kind(self) -> str:
        """The kind of a definition: function, class, ...; "" for a use."""
        match = _RANGE.match(self.about)
        return match["kind"].partition(" in ")[0] if match else ""

    @property
    def place(self) -> ReadableLines:
        """The lines of a definition."""
        match = _RANGE.match(self.about)
        first, last = (int(match["first"]), int(match["last"])) if match else (self.line,) * 2
        return ReadableLines(self.path, first, last)

    @property
    def documentation(self) -> str:
        """The beginning of a definition's documentation."""
        return self.about.partition(": ")[2] if _RANGE.match(self.about) else ""

    @property
    def within(self) -> str:
        """The definition around a use; "" at the top level."""
        return self.about.partition(" in ")[2].partition(";")[0]


@dataclass(frozen=True, slots=True)
class Names:
    """The names in a question that code may define.

    `sure` could be nothing else, and are missed where nothing defines them; `perhaps` are words.
    """

    sure: tuple[str, ...]
    perhaps: tuple[str, ...]


def names_of(question: str) -> Names:
    """The names in a question, in their order."""
    qualified = [
        name for name in _QUALIFIED.findall(question) if not language_of(PurePosixPath(name).name)
    ]
    parts = {part for name in qualified for part in re.split(r"\.|::|#", name)}
    marked = ["".join(found) for found in _MARKED.findall(question)]
    files = {
        part for word in question.split() if language_of(word) for part in re.split(r"\W", word)
    }
    plain = [name for name in (*marked, *identifiers(question)) if name not in parts | files]
    sure = dict.fromkeys(name.replace("#", ".") for name in (*qualified, *plain))
    lone = _LONE.fullmatch(question)
    words = [lone[1]] if lone else _CAPITAL.findall(question)
    own = {stem(part.lower()) for word in words for part in parts_of(word)}
    if not lone and set(query_terms(question)) - own:
        words = []  # the question is about something else
    perhaps = (word for word in words if word not in sure and word.lower() not in STOP_WORDS)
    return Names(tuple(sure), tuple(dict.fromkeys(perhaps)))


def without_joining_words(question: str) -> str:
    """The question without the joining words of another language, if it is asked in one."""
    joining = foreign_stop_words(_WORD.findall(question))
    return _WORD.sub(lambda word: " " if word[0].lower() in joining else word[0], question)


def slips_of(word: str) -> str:
    """A pattern for what `word` may be meant to be: one letter more, less, or two swapped.

    In a long word also another letter: "decide" is no slip for "decode". "" for a word that is too
    short to tell.
    """
    word = stem(word.lower())
    if len(word) < _SLIP_LETTERS or not _LETTERS.fullmatch(word):
        return ""
    other = r"\w?" if len(word) >= _LONG_LETTERS else ""
    ways = {
        way
        for at in range(1, len(word))
        for way in (
            rf"{word[:at]}\w{word[at:]}",
            rf"{word[:at]}{other}{word[at + 1 :]}",
            f"{word[: at - 1]}{word[at]}{word[at - 1]}{word[at + 1 :]}",
        )
    }
    return "|".join(sorted(ways))


def meant_by(word: str, said: str) -> str:
    """The word of a text that `word`, with a slip, is meant to be; "" if none is alike."""
    pattern, wanted = re.compile(slips_of(word) or "$^"), word.lower()
    found = Counter(
        part.lower() for each in _LETTERS.findall(said) for part in (each, *parts_of(each))
    )

    def likeness(each: str) -> float:
        pairs = (wanted, each), (stem(wanted), stem(each))
        return max(SequenceMatcher(None, *pair).ratio() for pair in pairs)

    alike = {each: likeness(each) for each in found if pattern.match(each)}
    best = max(alike, key=lambda each: (round(alike[each], 2), found[each], each), default="")
    return best if best and alike[best] >= ALIKE else ""


@dataclass(frozen=True, slots=True)
class View:
    """The conversation since the last question.

    `definitions`, `callers` and `near` (similar names) are by name; `hits` are places that Search
    found, `prose` those it found in prose alone; `read` are the places that were read, `shown` all
    lines that Read or Search showed by path and number. `respelled` are words of the question that
    no file contains, each with the word that Grep found in its place, or "". `failures` are what
    the tools said that failed, then what those said that found nothing; so many `images` were
    attached. `remembered` are memories that came with the question, as Markdown.
    """

    question: str
    attached: tuple[Extract, ...]
    attached_names: tuple[str, ...]
    asked: frozenset[str]
    definitions: Mapping[str, tuple[Found, ...]]
    callers: Mapping[str, tuple[Found, ...]]
    near: Mapping[str, tuple[str, ...]]
    hits: tuple[ReadableLines, ...]
    prose: tuple[ReadableLines, ...]
    read: tuple[ReadableLines, ...]
    has_read: bool
    shown: Mapping[str, Mapping[int, str]]
    absent: tuple[str, ...]
    respelled: Mapping[str, str]
    searches: int
    account: str
    failures: tuple[str, ...]
    calls: int
    turn: int
    ending: bool
    images: int
    remembered: tuple[str, ...] = ()

    @property
    def meant(self) -> str:
        """The question with its slips put right, without the joining words of another language."""
        meant = without_joining_words(self.question)
        for word, instead in self.respelled.items():
            if instead:
                meant = re.sub(rf"\b{re.escape(word)}\b", instead, meant)
        return meant

    @property
    def absent_terms(self) -> frozenset[str]:
        """The terms of words that no file contains."""
        return frozenset(query_terms(" ".join(self.absent)))

    def stretch(self, place: ReadableLines) -> Extract | None:
        """The shown lines around a place, without a gap; None if none was shown."""
        read = [each for each in self.read if each.path == place.path]
        lines = {
            number: line
            for number, line in self.shown.get(place.path, {}).items()
            if any(each.first_line <= number <= each.last_line for each in read)
        }
        middle = next((n for n in range(place.first_line, place.last_line + 1) if n in lines), 0)
        if not middle:
            return None
        first = last = middle
        while first - 1 in lines:
            first -= 1
        while last + 1 in lines:
            last += 1
        return Extract(place.path, first, tuple(lines[n] for n in range(first, last + 1)))


def view(messages: Sequence[Message]) -> View:
    """Reads the conversation from its last question on."""
    start = _last_question(messages)
    *attached, question = _texts(messages[start]) or [""]
    answered = list(_answered(messages[start:]))
    good = [(call, text) for call, text, failed in answered if not failed]
    bad = [text for _, text, failed in answered if failed]
    searches = [(call["input"], text) for call, text in good if call["name"] == "Search"]
    said = [text for given, text in searches if "glob" not in given]
    looked_up = [(call["input"], text) for call, text in good if call["name"] == "Symbols"]
    absent = _ABSENT.search(said[-1]) if said else None
    account = _ACCOUNT.search("\n".join(text for _, text in good))
    return View(
        question=question,
        attached=tuple(extract for text in attached for extract in _attachment(text)),
        attached_names=_attached_names(attached),
        asked=frozenset(given["name"] for given, _ in looked_up),
        definitions=dict(_symbols(looked_up, "definitions")),
        callers=dict(_symbols(looked_up, "callers")),
        near={
            given["name"]: tuple(_NEAR.findall(text))
            for given, text in looked_up
            if given["mode"] == "definitions"
        },
        hits=_places(reversed(said)),  # what was found last was asked for in better words
        prose=_places(text for given, text in searches if "glob" in given),
        read=tuple(
            ReadableLines(given["path"], given["offset"], given["offset"] + given["limit"] - 1)
            for given in (call["input"] for call, _ in good if call["name"] == "Read")
        ),
        has_read=any(call["name"] == "Read" for call, _, _ in answered),
        shown=_shown(messages),
        absent=tuple(absent["terms"].split(", ")) if absent else (),
        respelled=_respelled(question, answered),
        searches=len(said),
        account=account[0] if account else "",
        failures=(*bad, *(text for _, text in good if text.startswith(("No ", "Nothing ")))),
        calls=len(answered),
        turn=len(messages),
        ending=len(messages) > start + 1 and any(map(_is_last_word, _texts(messages[-1]))),
        images=sum(block["type"] == "image" for block in messages[start]["content"]),
        remembered=tuple(memory for text in attached for memory in _memory(text)),
    )


def _answered(messages: Sequence[Message]) -> Iterator[tuple[ContentBlock, str, bool]]:
    """Each tool call with the text of its result and whether it failed."""
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


def _memory(text: str) -> Iterator[str]:
    """The memory as a quotation, if the text is one."""
    opening = load_prompt("user/memory").opening
    if text.startswith(opening):
        head, tag, *lines = text.removeprefix(opening).split("\n")
        end = lines.index(f"</{tag[1:]}")
        yield "\n".join((f"Remembered: {head}", "", *(f"> {line}" for line in lines[:end])))


def _attached_names(attached: Sequence[str]) -> tuple[str, ...]:
    """The names that the attached lines define, or else the specific names that they use."""
    code = "\n".join(line for text in attached for _, line in _NUMBERED.findall(text))
    return tuple(dict.fromkeys(_DEFINED.findall(code))) or identifiers(code)


def _symbols(
    looked_up: Sequence[tuple[ContentBlock, str]], mode: str
) -> Iterator[tuple[str, tuple[Found, ...]]]:
    for given, text in looked_up:
        if given["mode"] == mode:
            rows = (
                Found(m["path"], int(m["line"]), m["text"], m["about"])
                for m in _FOUND.finditer(text)
            )
            wanted = ("call",) if mode == "callers" else ("",)
            yield (
                given["name"],
                tuple(
                    row for row in rows if row.about.startswith(wanted) and row.about != "mentioned"
                ),
            )


def _respelled(question: str, answered: Sequence[tuple[ContentBlock, str, bool]]) -> dict[str, str]:
    """The words that Grep looked for, each with what it found in its place, or ""."""
    found = {
        call["input"]["pattern"]: "" if failed else "\n".join(_MATCH.findall(text))
        for call, text, failed in answered
        if call["name"] == "Grep"
    }
    words = dict.fromkeys(_LETTERS.findall(question)) if found else ()
    return {
        word: meant_by(word, found[pattern])
        for word in words
        if (pattern := slips_of(word)) and pattern in found
    }


def _places(results: Iterator[str]) -> tuple[ReadableLines, ...]:
    hits = (hit for text in results for hit in _HIT.finditer(text))
    return tuple(
        dict.fromkeys(
            ReadableLines(hit["path"], int(hit["first"]), int(hit["last"]), hit["title"] or "")
            for hit in hits
        )
    )


def _shown(messages: Sequence[Message]) -> dict[str, dict[int, str]]:
    """All lines that Read or Search showed, with their newest texts.

    Of notebooks only cells that Read shows count, line by line.
    """
    shown: dict[str, dict[int, str]] = {}
    for call, text, failed in _answered(messages):
        if failed:
            continue
        if call["name"] == "Read":
            shown.setdefault(call["input"]["path"], {}).update(_lines(text))
        elif call["name"] == "Search":
            heads = [*_HIT.finditer(text)]
            ends = [*(head.start() for head in heads), len(text)][1:]
            for head, end in zip(heads, ends, strict=True):
                if head["path"].endswith(".ipynb"):
                    continue
                shown.setdefault(head["path"], {}).update(_lines(text[head.end() : end]))
    return shown


def _lines(text: str) -> dict[int, str]:
    lines: dict[int, str] = {}
    for number, line in _NUMBERED.findall(text):
        if _CUT.search(line):  # it cannot be quoted
            continue
        before = lines.get(int(number))
        lines[int(number)] = line if before is None else f"{before}\n{line}"
    return lines
