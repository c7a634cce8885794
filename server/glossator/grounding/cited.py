"""Cited lines, to be asked about: which names they hold, and what they define."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from glossator.grounding.definitions import Definition, definitions
from glossator.grounding.literals import numbers_in

_HOLE = re.compile(r"\$?\{[^{}]*\}|%\w")  # in a text, for a value
_SAYING = 6  # characters of a text with holes that tell it from others
_COMMENT = re.compile(r"^\s*(?:#+|//+[/!]?|/?\*+|--|>)")
_JOINED = re.compile(r"[\"']\s*\n\s*[rfb]*[\"']")  # two parts of a text
_LITERAL = re.compile(
    r"(?P<quote>\"\"\"|\'\'\'|[\"\'`])(?P<text>(?:\\.|(?!(?P=quote))[^\\])*)(?P=quote)"
)


@dataclass(frozen=True, slots=True)
class CitedLines:
    """Lines as they were shown; `enclosing` are the first lines of what encloses them.

    The outermost comes first.
    """

    path: str
    first_line: int
    lines: tuple[str, ...]
    enclosing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CallSite:
    """A call: its line, 1-based, and the names of the definitions around it, outermost first.

    It is `sure` if the name that is called can mean one definition alone.
    """

    path: str
    line: int
    within: tuple[str, ...]
    sure: bool


def squeezed(text: str) -> str:
    """The text without its spaces."""
    return "".join(text.split())


class Code:
    """One citation's lines, to be asked about."""

    def __init__(self, cited: CitedLines) -> None:
        self.cited = cited
        self.text = "\n".join(cited.lines)
        self._around = "\n".join((*cited.enclosing, cited.path))

    def has(self, name: str) -> bool:
        """Whether a name stands in the lines, in what encloses them or in their path."""
        return holds(self.text, name) or holds(self._around, name) or self.is_path(name)

    def is_path(self, name: str) -> bool:
        """Whether a name is their file, one of its folders, or their module: `a.b`."""
        path = self.cited.path.replace("\\", "/")
        if f"/{path}".endswith(f"/{name.removeprefix('./')}"):
            return True
        parts = re.split(r"[/.]", path)
        wanted = re.split(r"\.|::|/", name)
        return any(parts[at : at + len(wanted)] == wanted for at in range(len(parts)))

    @cached_property
    def numbers(self) -> frozenset[float]:
        """The numbers in the lines."""
        return frozenset(numbers_in(self.text))

    @cached_property
    def definitions(self) -> tuple[Definition, ...]:
        """The definitions that begin in the lines, in order."""
        return tuple(definitions(self.cited.lines))

    @cached_property
    def readings(self) -> tuple[str, ...]:
        """The lines without their spaces: as they are, and as prose and texts read.

        That is without the signs of comments, the quotes between two parts of a text and escapes.
        """
        prose = "".join(_COMMENT.sub("", line) for line in self.cited.lines)
        joined = re.sub(r"\\(.)", r"\1", _JOINED.sub("", self.text))
        return tuple(map(squeezed, (self.text, prose, joined)))

    def may_say(self, text: str) -> bool:
        """Whether a text of the lines is this one if its holes are filled: `f"no {name}"`."""
        return any(
            _fills(parts, text.rstrip("…."))
            for each in _strings_in(self.text)
            if len(parts := _HOLE.split(each)) > 1 and len("".join(parts)) >= _SAYING
        )

    def puts_together(self, name: str) -> bool:
        """Whether lines may make a name of a text and something else: `f"before_{event}"`."""
        for text in _strings_in(self.text):
            if not re.fullmatch(r"\w{3,}", _HOLE.sub("", text)):
                continue
            if _HOLE.search(text):
                if _fills(_HOLE.split(text), name):
                    return True
            elif "_" in text.strip("_") and text in name:
                rest = name.replace(text, " ", 1).replace("_", " ").split()
                if all(map(self._has_word, rest)):
                    return True
        return False

    def _has_word(self, word: str) -> bool:
        """Whether a word is a part of a name in the lines: "after" of `emit_after`."""
        return re.search(rf"(?<![a-zA-Z]){re.escape(word)}(?![a-z])", self.text) is not None


def _fills(parts: Sequence[str], text: str) -> bool:
    """Whether a text is these parts with something between each two of them."""
    first, *between, last = parts
    if not text.startswith(first) or not text.endswith(last):
        return False
    at, end = len(first), len(text) - len(last)
    for part in between:
        found = text.find(part, at + 1, end)
        if found < 0:
            return False
        at = found + len(part)
    return at < end


def _strings_in(text: str) -> Iterator[str]:
    """What the string literals say."""
    return (match["text"] for match in _LITERAL.finditer(text))


def holds(text: str, name: str) -> bool:
    """Whether the last part of a name stands in a text as a word."""
    last = re.split(r"\.|::|->|#", name.rstrip("()"))[-1] or name
    return re.search(rf"(?<![\w$]){re.escape(last)}(?![\w$])", text) is not None


def spaced(text: str) -> str:
    """A pattern for a text with any space between its parts."""
    return r"\s*".join(re.escape(part) for part in re.findall(r"\w+|[^\w\s]", text))
