"""RE2's syntax as a small tree. The pattern is taken to be one that RE2 accepts."""

from __future__ import annotations

import re
from dataclasses import dataclass

from glossator.index.charset import (
    EVERYTHING,
    Cursor,
    Ranges,
    UnknownSyntax,
    bracketed,
    complement,
    escaped_character,
    is_raw_safe,
    named_set,
)

_MAX_DEPTH = 60  # groups within groups


@dataclass(frozen=True, slots=True)
class Chars:
    """One character of `ranges`; with `fold`, also one that differs only in case."""

    ranges: Ranges
    fold: bool = False


@dataclass(frozen=True, slots=True)
class Assertion:
    r"""Matches between characters: `^` where a line begins, `$` where it ends, `\b` elsewhere."""

    sign: str


@dataclass(frozen=True, slots=True)
class Sequence:
    """All items, one after the other."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the options."""

    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """An item `low` to `high` times (None: without end)."""

    item: Node
    low: int
    high: int | None


Node = Chars | Assertion | Sequence | Choice | Repeat


@dataclass(frozen=True, slots=True)
class Regex:
    """A parsed pattern. `shared`: Rust's regex crate reads its syntax in the same way.

    `by_line`: unless `multiline`, whether it matches can be told of each line alone. Not so of a
    pattern that asks where the text begins or ends, or matches a byte whatever it is.
    """

    node: Node
    shared: bool
    by_line: bool


def parse(pattern: str, *, ignore_case: bool = False, multiline: bool = False) -> Regex:
    """Parse. Raises `UnknownSyntax`, for deep nesting, too."""
    cursor = Cursor(pattern)
    parser = _Parser(cursor, fold=ignore_case, dot_all=multiline)
    node = parser.choice(0)
    if cursor.rest:
        raise UnknownSyntax
    return Regex(node, cursor.shared, parser.by_line)


_GROUP = re.compile(r"\?P?<(\w+)>")
_FLAGS = re.compile(r"\?([imsU]*)(?:-([imsU]*))?([:)])")
_COUNT = re.compile(r"\{(0|[1-9][0-9]*)(,(0|[1-9][0-9]*)?)?\}")
_REPETITIONS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}


class _Parser:
    def __init__(self, cursor: Cursor, *, fold: bool, dot_all: bool) -> None:
        self.by_line = True
        self._cursor = cursor
        self._fold = fold
        self._dot_all = dot_all
        self._names: set[str] = set()

    def choice(self, depth: int) -> Node:
        if depth > _MAX_DEPTH:
            raise UnknownSyntax
        outer = self._fold, self._dot_all
        options = [self._sequence(depth)]
        while self._cursor.take("|"):
            options.append(self._sequence(depth))
        self._fold, self._dot_all = outer
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def _sequence(self, depth: int) -> Node:
        cursor = self._cursor
        items: list[Node] = []
        while cursor.rest and not cursor.sees("|") and not cursor.sees(")"):
            atoms = self._atoms(depth)
            items += atoms
            if bounds := self._repetition():
                if not atoms:  # RE2 goes back to what stood before flags or an empty quotation
                    raise UnknownSyntax
                items[-1] = Repeat(items[-1], *bounds)
        return items[0] if len(items) == 1 else Sequence(tuple(items))

    def _repetition(self) -> tuple[int, int | None] | None:
        cursor = self._cursor
        bounds: tuple[int, int | None] | None = None
        if count := cursor.match(_COUNT):
            low = int(count[1])
            bounds = low, (int(count[3]) if count[3] else None) if count[2] else low
        else:
            bounds = next((b for sign, b in _REPETITIONS.items() if cursor.take(sign)), None)
        if bounds:
            cursor.take("?")
        return bounds

    def _atoms(self, depth: int) -> list[Node]:
        cursor = self._cursor
        if cursor.sees("\\"):
            return self._escape()
        match cursor.next():
            case "(":
                return self._group(depth)
            case "[":
                return [Chars(bracketed(cursor), self._fold)]
            case ".":
                return [Chars(EVERYTHING if self._dot_all else _NOT_LF)]
            case "^" | "$" as sign:
                return [Assertion(sign)]
            case "*" | "+" | "?":
                raise UnknownSyntax
            case letter:
                cursor.shared &= is_raw_safe(letter) and letter != "{"
                return [self._literal(ord(letter))]

    def _literal(self, code: int) -> Chars:
        return Chars(((code, code),), self._fold)

    def _group(self, depth: int) -> list[Node]:
        cursor = self._cursor
        outer = self._fold, self._dot_all
        if name := cursor.match(_GROUP):
            cursor.shared &= name[1].isascii() and not name[1][0].isdigit()
            cursor.shared &= name[1] not in self._names  # RE2 minds only if it captures
            self._names.add(name[1])
        elif flags := cursor.match(_FLAGS):
            self._set_flags(flags[1], flags[2] or "")
            if flags[3] == ")":  # up to the end of the group around it
                return []
        elif cursor.sees("?"):
            raise UnknownSyntax
        node = self.choice(depth + 1)
        if not cursor.take(")"):
            raise UnknownSyntax
        self._fold, self._dot_all = outer
        return [node]

    def _set_flags(self, on: str, off: str) -> None:
        self._fold = (self._fold or "i" in on) and "i" not in off
        self._dot_all = (self._dot_all or "s" in on) and "s" not in off
        self.by_line &= "m" not in on + off  # without it ^ and $ mean the text's
        # Rust refuses a flag named twice, or none.
        self._cursor.shared &= "".join(sorted(on + off)) in {"i", "s", "is"}

    def _escape(self) -> list[Node]:
        cursor = self._cursor
        if (ranges := named_set(cursor)) is not None:
            return [Chars(ranges, self._fold)]
        cursor.take("\\")
        if assertion := next((letter for letter in "bBAz" if cursor.take(letter)), None):
            self.by_line &= assertion in "bB"
            cursor.shared &= assertion == "b" and not cursor.sees("{")  # Rust: \b{start}
            return [Assertion({"A": "^", "z": "$"}.get(assertion, "\\b"))]
        if cursor.take("C"):
            self.by_line = cursor.shared = False
            return [Chars(EVERYTHING)]
        if cursor.take("Q"):
            cursor.shared = False
            literals: list[Node] = []
            while cursor.rest and not cursor.take("\\E"):
                literals.append(self._literal(ord(cursor.next())))
            return literals
        return [self._literal(escaped_character(cursor))]


_NOT_LF = complement(((10, 10),))
