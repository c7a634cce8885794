r"""RE2's syntax as a small tree, and whether ripgrep finds the same lines by it.

The pattern is one that RE2 accepts. RE2 searches text with LF line ends; ripgrep (`--crlf`, with
`-U --multiline-dotall` when multiline) searches the file's bytes, in which a line may end in CRLF.
That matters only in multi-line patterns, wherever a character may be a line end: there, only spans
such as `\s*` between other characters are portable.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from glossator.workspace.index.charset import (
    EVERYTHING,
    CodePoints,
    Cursor,
    UnknownSyntax,
    bracketed,
    complement,
    escaped_character,
    is_raw_safe,
    named_set,
)

_NOT_LF = complement(((10, 10),))
_MAX_DEPTH = 60  # groups within groups


@dataclass(frozen=True, slots=True)
class Chars:
    """One character of `ranges`; with `fold`, also one that differs only in case."""

    ranges: CodePoints
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
class Alternation:
    """One of the options."""

    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """An item `low` to `high` times (None: without end)."""

    item: Node
    low: int
    high: int | None


Node = Chars | Assertion | Sequence | Alternation | Repeat


@dataclass(frozen=True, slots=True)
class Regex:
    """A parsed pattern. `shared`: Rust's regex crate reads its syntax in the same way.

    `by_line`: each line can be matched alone (unless `multiline`). False for patterns that ask
    where the text begins or ends, or that match any byte.
    """

    node: Node
    shared: bool
    by_line: bool


def parse(pattern: str, *, ignore_case: bool = False, multiline: bool = False) -> Regex:
    """Parse. Raises `UnknownSyntax`, for deep nesting, too."""
    cursor = Cursor(pattern)
    parser = _RegexParser(cursor, fold=ignore_case, dot_all=multiline)
    node = parser.choice(0)
    if cursor.rest:
        raise UnknownSyntax
    return Regex(node, cursor.shared, parser.by_line)


_GROUP = re.compile(r"\?P?<(\w+)>")
_FLAGS = re.compile(r"\?([imsU]*)(?:-([imsU]*))?([:)])")
_COUNT = re.compile(r"\{(0|[1-9][0-9]*)(,(0|[1-9][0-9]*)?)?\}")
_REPETITIONS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}


class _RegexParser:
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
        return options[0] if len(options) == 1 else Alternation(tuple(options))

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
        if assertion := next((letter for letter in "bBAz<>" if cursor.take(letter)), None):
            self.by_line &= assertion not in "Az"
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


_MAX_COPIES = 100  # ripgrep limits the size of compiled patterns; \w is large there
_LINE_ENDS = (10, 13)


def is_portable(node: Node, *, multiline: bool) -> bool:
    """Decide for a pattern whose syntax both engines share."""
    if not _small(node, _MAX_COPIES):
        return False
    if not multiline:
        return not _names_line_end(node)
    items = node.items if isinstance(node, Sequence) else (node,)
    items = tuple(item for item in items if not isinstance(item, Assertion))
    return all(
        0 < at < len(items) - 1 and all(map(_solid, (items[at - 1], items[at + 1])))
        if _is_span(item)
        else _within_line(item)
        for at, item in enumerate(items)
    ) and any(map(_solid, items))


def _small(node: Node, copies: int) -> bool:
    match node:
        case Repeat(Assertion()):
            return False  # engines do not agree what that is
        case Repeat(item, low, high):
            count = max(low, high or 1)
            return count <= copies and _small(item, copies // max(count, 1))
        case Sequence(parts) | Alternation(parts):
            return all(_small(part, copies) for part in parts)
        case Chars() | Assertion():
            return True


def _names_line_end(node: Node) -> bool:
    """Whether ripgrep would refuse the pattern: it asks for a line end and nothing else."""
    match node:
        case Chars(ranges):
            return all(code in _LINE_ENDS for low, high in ranges for code in (low, high))
        case Sequence(parts) | Alternation(parts):
            return any(map(_names_line_end, parts))
        case Repeat(item):
            return _names_line_end(item)
        case Assertion():
            return False


def _is_span(node: Node) -> bool:
    """Whether any number of characters, all of a line end among them."""
    match node:
        case Repeat(Chars(ranges), low, None):
            return low <= 1 and all(_holds(ranges, code) for code in _LINE_ENDS)
        case _:
            return False


def _within_line(node: Node) -> bool:
    """Whether no match holds a part of a line end."""
    match node:
        case Chars(ranges):
            return not any(_holds(ranges, code) for code in _LINE_ENDS)
        case Sequence(parts) | Alternation(parts):
            return all(map(_within_line, parts))
        case Repeat(item):
            return _within_line(item)
        case Assertion():
            return True


def _solid(node: Node) -> bool:
    """Whether every match holds characters, and none of a line end."""
    return _within_line(node) and _consumes(node)


def _consumes(node: Node) -> bool:
    match node:
        case Chars():
            return True
        case Sequence(parts):
            return any(map(_consumes, parts))
        case Alternation(parts):
            return all(map(_consumes, parts))
        case Repeat(item, low, _):
            return low > 0 and _consumes(item)
        case Assertion():
            return False


def _holds(ranges: tuple[tuple[int, int], ...], code: int) -> bool:
    return any(low <= code <= high for low, high in ranges)
