"""Cited lines, to be asked about: which names they hold, and what they define."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import cached_property

from glossator.grounding.definitions import Definition, defined, definitions, is_whole
from glossator.grounding.literals import numbers_in, value_of
from glossator.grounding.wording import Kind, Token

_COMMENT = re.compile(r"^\s*(?:#(?!\[|include)|//|\*|/\*)")
_DOCSTRING = re.compile(r"^(\s*)[rRuU]?(\"\"\"|''')(?:[\s\S]*?)\2", re.MULTILINE)

_CALL = re.compile(
    r"(?:new\s+)?(?P<name>[^\W\d][\w$]*(?:(?:\.|::|->|#)[\w$]+)*)\((?P<given>.*)\)$", re.DOTALL
)
_OWN = re.compile(r"^(?:self|cls|this)(?:\.|->)")
_PIECE = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[\w$]+|[^\w$\s]")
_TEXT = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'")
_NO_CODE = re.compile(r"[\"'`]|(?:^|\s)(?:#|//)")  # before a place: it is in a text or a comment
_HOLE = re.compile(r"\$?\{[^{}]*\}|%\w")  # in a text, for a value
_LITERAL = re.compile(
    r"(?P<quote>\"\"\"|\'\'\'|[\"\'`])(?P<text>(?:\\.|(?!(?P=quote))[^\\])*)(?P=quote)"
)
_NO_PART = re.compile(rf"{_LITERAL.pattern}|(?<!\S)(?:#|//)[^\n]*")  # text, comment


class Evidence(Enum):
    """What lines say of a claim that is not negated."""

    FOUND = auto()
    OPPOSITE = auto()  # they say something else of the same things
    ABSENT = auto()  # they would say it, and do not
    UNKNOWN = auto()


@dataclass(frozen=True, slots=True)
class CitedLines:
    """Lines as they were shown; `enclosing` are the first lines of what encloses them.

    The outermost comes first. `behind` is the next line that is neither blank nor a comment, ""
    at the end of the file.
    """

    path: str
    first_line: int
    lines: tuple[str, ...]
    enclosing: tuple[str, ...] = ()
    behind: str = ""


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
    """One citation's lines, to be asked about; `calls` on them by the name that is called."""

    def __init__(self, cited: CitedLines, calls: Iterable[tuple[str, CallSite]] = ()) -> None:
        self.cited = cited
        self.text = "\n".join(cited.lines)
        self._calls = tuple(calls)
        within = dict.fromkeys(name for _, site in self._calls for name in site.within)
        self._around = "\n".join((*cited.enclosing, *within, cited.path))

    def has(self, name: str) -> bool:
        """Whether a name stands in the lines, in what encloses them or in their path."""
        return holds(self.text, name) or holds(self._around, name) or self._is_path(name)

    def has_call(self, subject: Token, wanted: Token) -> bool:
        """Whether one of the calls is of the name, in a definition of the subject."""
        return any(
            name == wanted.last and subject.last in site.within for name, site in self._calls
        )

    @cached_property
    def numbers(self) -> frozenset[float]:
        """The numbers in the lines."""
        return frozenset(numbers_in(self.text))

    @cached_property
    def definitions(self) -> tuple[Definition, ...]:
        """The definitions that begin in the lines, in order."""
        return tuple(definitions(self.cited.lines))

    @cached_property
    def enclosing(self) -> tuple[tuple[str, str], ...]:
        """The names of what encloses the lines, with the words that declare them."""
        return tuple(filter(None, map(defined, self.cited.enclosing)))

    def defining(self, token: Token) -> tuple[Definition, ...]:
        """The definitions of a name; of a dotted one, those in its owner where that is known."""
        token = called_in(token)
        found = tuple(each for each in self.definitions if each.name == token.last)
        owner = token.parts[-2] if len(token.parts) > 1 else ""
        owners = [each for each in self.definitions if each.name == owner]
        if not owner or not found or not owners:
            return found
        inner = tuple(each for each in found for own in owners if own.start < each.start < own.end)
        return inner or found

    def has_signature(self, token: Token | None) -> bool:
        """Whether a definition is quoted with its own parameters, or their types, in order."""
        quoted = _CALL.match(token.text) if token and token.kind is Kind.FRAGMENT else None
        if token is None or quoted is None or not (self.defining(token) or self.is_within(token)):
            return True
        headers = (*(each.header for each in self.defining(token)), *self.cited.enclosing)
        names = re.findall(r"[\w$]+", quoted["given"])
        return any(_stand_in_order(names, header) for header in headers)

    @property
    def is_file(self) -> bool:
        """Whether the lines are a whole file."""
        return self.cited.first_line == 1 and not self.cited.behind

    def has_all_of(self, token: Token) -> bool:
        """Whether the lines hold all of what has the name: a function, a class, a file."""
        if found := self.defining(token):
            return all(is_whole(each, self.cited.lines, self.cited.behind) for each in found)
        return self.is_file and self._is_path(token.text)

    def is_within(self, token: Token) -> bool:
        """Whether the lines are part of a definition of the name."""
        token = called_in(token)
        if any(name == token.last for name, _ in self.enclosing):
            return True
        heads = (line.partition("(")[0].partition("=")[0] for line in self.cited.enclosing)
        return any(holds(head, token.last) for head in heads)

    def puts_together(self, name: str) -> bool:
        """Whether lines may make a name of a text and something else: `f"before_{event}"`."""
        for text in strings_in(self.text):
            if not re.fullmatch(r"\w{3,}", _HOLE.sub("", text)):
                continue
            if _HOLE.search(text):
                if re.fullmatch(r"\w+".join(map(re.escape, _HOLE.split(text))), name):
                    return True
            elif "_" in text.strip("_") and text in name:
                rest = name.replace(text, " ", 1).replace("_", " ").split()
                if all(map(self._has_word, rest)):
                    return True
        return False

    def _has_word(self, word: str) -> bool:
        """Whether a word is a part of a name in the lines: "after" of `emit_after`."""
        return re.search(rf"(?<![a-zA-Z]){re.escape(word)}(?![a-z])", self.text) is not None

    def may_declare(self, token: Token) -> bool:
        """Whether a line begins with the name as declarations do that are not understood."""
        begins = (
            rf"^\s*(?:[\w$]+\s+)*['\"~]*{re.escape(token.last)}['\"]?\s*(?:<[^\n]*>)?\s*"
            r"(?:\(|=\s*(?:async|function|[(<]))"
        )
        return re.search(begins, self.text, re.MULTILINE) is not None

    def about(self, token: Token | None) -> tuple[str, ...] | None:
        """The parts of the lines that are about a subject; None if nothing shows that any are."""
        if token is None:
            return (self.text,)
        if found := self.defining(token):
            return tuple("\n".join(self.cited.lines[e.start : e.end]) for e in found)
        if self.is_within(token) or (token.kind is Kind.FILE and self._is_path(token.text)):
            return (self.text,)
        if self._is_path(token.text) or self._receives(token):
            return (self.text,)
        return None

    def _receives(self, token: Token) -> bool:
        """Whether a method of Go's is defined on the type."""
        receiver = rf"\bfunc\s*\([^)]*\b{re.escape(token.last)}\b[^)]*\)"
        return re.search(receiver, "\n".join((*self.cited.enclosing, self.text))) is not None

    def _is_path(self, name: str) -> bool:
        path = self.cited.path.replace("\\", "/")
        if f"/{path}".endswith(f"/{name.removeprefix('./')}"):
            return True
        parts = re.split(r"[/.]", path)
        wanted = re.split(r"\.|::|/", name)
        return any(parts[at : at + len(wanted)] == wanted for at in range(len(parts)))


def _stand_in_order(names: Iterable[str], text: str) -> bool:
    """Whether names stand in a text as words, each behind the one before."""
    at = 0
    for name in names:
        found = re.compile(rf"\b{re.escape(name)}\b").search(text, at)
        if found is None:
            return False
        at = found.end()
    return True


def worst(findings: Iterable[Evidence]) -> Evidence:
    """What all of several findings amount to."""
    found = set(findings)
    for each in (Evidence.OPPOSITE, Evidence.ABSENT, Evidence.UNKNOWN):
        if each in found:
            return each
    return Evidence.FOUND if found else Evidence.UNKNOWN


def bodies(text: str, *, is_named: bool = True) -> str:
    """Code without comments, and without the names in first lines of definitions."""
    text = _DOCSTRING.sub("", text)
    lines = [line for line in text.split("\n") if not _COMMENT.match(line)]
    if is_named:
        for at, line in enumerate(lines):
            if found := defined(line):
                lines[at] = re.sub(rf"(?<![\w$]){re.escape(found[0])}(?![\w$])", " ", line, count=1)
    return "\n".join(lines)


def code_only(text: str) -> str:
    """Code without comments and texts."""
    return _NO_PART.sub(" ", text)


def strings_in(text: str) -> Iterator[str]:
    """What the string literals say."""
    return (match["text"] for match in _LITERAL.finditer(_DOCSTRING.sub("", text)))


def holds(text: str, name: str) -> bool:
    """Whether the last part of a name stands in a text as a word."""
    last = re.split(r"\.|::|->|#", name.rstrip("()"))[-1] or name
    return re.search(rf"(?<![\w$]){re.escape(last)}(?![\w$])", text) is not None


def same_code(written: str, wanted: str) -> bool:
    """Whether two pieces of code differ at most in spaces, quotes and what qualifies a name.

    A comma before a closing bracket is none, either.
    """
    one, other = (
        re.sub(r",(?=[)\]}])", "", re.sub(r"[\s\"']", "", text)) for text in (written, wanted)
    )
    return bool(one) and (one == other or one.rpartition(".")[2] == other)


def is_value(written: str, wanted: Token) -> bool:
    """Whether what is written is the value; code may go on behind it."""
    written = written.strip()
    if wanted.kind is Kind.NUMBER:
        value = value_of(wanted.text)
        return value is not None and value in set(numbers_in(written))
    if wanted.kind is Kind.STRING:
        literal = re.match(r"[a-zA-Z]{0,2}([\"'`])(?P<text>.*?)\1", written)
        return wanted.text == literal["text"] if literal else wanted.text in written
    if wanted.kind is Kind.FRAGMENT:
        return same_code(written.rstrip(","), wanted.text)
    return re.match(rf"(?:[\w$.]+[.:]+)?{re.escape(wanted.last)}(?![\w$])", written) is not None


def spaced(text: str) -> str:
    """A text with any space between its parts."""
    return r"\s*".join(re.escape(part) for part in re.findall(r"\w+|[^\w\s]", text))


def name_pattern(token: Token) -> str:
    """A pattern for the last part of a name, as a whole word."""
    return rf"(?<![\w$]){re.escape(token.last)}(?![\w$])"


def called_in(token: Token) -> Token:
    """The name of what quoted code calls, or of whose signature it is: `parse(Reader)`.

    Other tokens are as they are.
    """
    found = _CALL.match(token.text) if token.kind is Kind.FRAGMENT else None
    return replace(token, kind=Kind.NAME, text=found["name"]) if found else token


def stands_in(call: Token, code: str) -> bool:
    """Whether a call is written in code as it is quoted, beside texts and comments.

    It may have other spaces and quotes there, more lines, and a comma behind its last argument.
    """
    pieces = _PIECE.findall(_OWN.sub("", call.text))
    pattern = rf"(?<![\w$]){''.join(map(_follows, ['', *pieces], pieces))}"
    return any(
        _NO_CODE.search(_TEXT.sub("", code[: match.start()].rpartition("\n")[2])) is None
        for match in re.finditer(pattern, code)
    )


def _follows(before: str, piece: str) -> str:
    """A pattern for a piece of code behind another."""
    if piece[0] in "\"'":
        return rf"\s*[\"'`]{re.escape(piece[1:-1])}[\"'`]"
    space = r"\s+" if before[-1:].isalnum() and piece[0].isalnum() else r"\s*"
    return rf"{',?' if piece in ')]}' else ''}{space if before else ''}{re.escape(piece)}"
