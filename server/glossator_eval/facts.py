"""What is true of a source file, as claims of a few kinds, each with the lines it rests on.

A claim is a kind and its terms: `call(read, open)`. Of each kind a file has *facts*, claims that
hold for certain, and *possible* claims, all that anybody might say holds: calls in inner functions,
for example. A claim is false for certain if it is not possible and its subject is not *open*.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

Lines: TypeAlias = tuple[int, int]  # first and last, 1-based, inclusive
Terms: TypeAlias = tuple[str, ...]
_Keys: TypeAlias = tuple[str | None, ...]

# kind -> its slots, the subject first. f and g are functions, c and b classes, e errors, p names
# of parameters, n of constants or imports, v values, o operators, a and x expressions
KINDS: dict[str, tuple[str, ...]] = {
    "parameter": ("f", "p"),
    "no parameters": ("f",),
    "parameter count": ("f", "count"),
    "default": ("f", "p", "v"),
    "required": ("f", "p"),
    "keyword-only": ("f", "p"),
    "parameter type": ("f", "p", "t"),
    "return type": ("f", "t"),
    "base": ("c", "b"),
    "member": ("c", "m"),
    "sort": ("n", "sort"),
    "attribute": ("f", "attribute"),
    "import": ("n", "module"),
    "constant": ("n", "v"),
    "call": ("f", "g"),
    "order": ("f", "g", "h"),
    "raise": ("f", "e"),
    "raise if": ("f", "e", "a", "o", "x"),
    "throw": ("f", "e"),
    "catch": ("f", "e"),
    "return": ("f", "v"),
    "decorator": ("f", "d"),
    "string": ("f", "s"),
    "comparison": ("f", "a", "o", "x"),
    "async": ("f",),
    "generator": ("f",),
}
_NAME = re.compile(r"[\w$]+(?:(?:\.|::)[\w$]+)*")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_STRING = re.compile(r"""("|')(?:(?!\1)[^\\\n])*\1""")
_EXACT = 2**53  # integers below are floats, too
_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


@dataclass(frozen=True, slots=True)
class Definition:
    """A function or class, and the line of its name."""

    name: str
    first: int
    last: int
    name_line: int

    @property
    def lines(self) -> Lines:
        """From its first decorator to its end."""
        return self.first, self.last


@dataclass(frozen=True, slots=True)
class Fact:
    """A claim that is true, or with `holds` false one that is certainly not.

    It rests on `lines`, which lie in the definition `within`; of an absence that is all of it.
    `head` are the lines that name the subject. `owner` qualifies the subject: a class.
    """

    kind: str
    terms: Terms
    lines: Lines
    within: Lines
    head: Lines
    owner: str = ""
    holds: bool = True


@dataclass(slots=True, eq=False)
class FileFacts:
    """A file, what is true of it and what may be."""

    path: str
    language: str
    lines: Sequence[str]
    facts: list[Fact] = field(default_factory=list)
    definitions: list[Definition] = field(default_factory=list)
    bases: dict[str, tuple[str, ...]] = field(default_factory=dict)  # of its classes
    _possible: dict[tuple[str, str | None], list[tuple[_Keys, Lines]]] = field(default_factory=dict)
    _open: set[tuple[str, str]] = field(default_factory=set)

    def add(self, fact: Fact) -> None:
        """A fact is possible, too."""
        self.facts.append(fact)
        if fact.holds:
            self.allow(fact.kind, fact.terms, fact.lines)

    def allow(self, kind: str, terms: Terms, lines: Lines) -> None:
        """The claim may hold, because of these lines."""
        keys = _keys(kind, terms)
        for subject in (keys[0], None):
            self._possible.setdefault((kind, subject), []).append((keys, lines))

    def leave_open(self, kind: str, subject: str) -> None:
        """Of this subject any claim of the kind may hold."""
        self._open.add((kind, key(subject)))

    def is_open(self, kind: str, subject: str) -> bool:
        """Whether nothing of the kind is certainly false of it."""
        return (kind, key(subject)) in self._open

    def may_hold(self, kind: str, terms: Sequence[str | None], among: Lines | None = None) -> bool:
        """Whether the claim may hold, of any subject where a term is None; in lines, if given."""
        if terms[0] is not None and self.is_open(kind, terms[0]):
            return True
        wanted = _keys(kind, terms)
        return any(
            all(one is None or one == other for one, other in zip(wanted, known, strict=True))
            for known, (first, last) in self._possible.get((kind, wanted[0]), ())
            if among is None or (first <= among[1] and among[0] <= last)
        )

    def known(self, kind: str, subject: str, number: int) -> list[str]:
        """The keys of one term in all that may hold of the subject."""
        of_subject = self._possible.get((kind, key(subject)), ())
        return [term for terms, _ in of_subject if (term := terms[number]) is not None]

    def ancestors(self, name: str) -> tuple[frozenset[str], bool]:
        """The bases of a class, theirs too, as far as known; and whether these are all."""
        found: set[str] = set()
        left, complete = [name], True
        while left:
            bases = self.bases.get(left.pop())
            complete &= bases is not None
            new = [base for base in bases or () if base not in found and base != "object"]
            found.update(new)
            left += new
        return frozenset(found), complete


@lru_cache(maxsize=200_000)
def key(term: str) -> str:
    """What two spellings of one term have in common: the last part of a name, a value's value."""
    text = " ".join(term.split())
    if _NAME.fullmatch(text) and not text[0].isdigit():
        return re.split(r"\.|::", text)[-1]
    if _NUMBER.fullmatch(text):
        value = float(text)
        return str(int(value)) if value.is_integer() and abs(value) < _EXACT else str(value)
    if _STRING.fullmatch(text):
        return repr(ast.literal_eval(text))
    return text


def _keys(kind: str, terms: Iterable[str | None]) -> _Keys:
    keys = tuple(None if term is None else key(term) for term in terms)
    if kind == "comparison" and keys[2] in _MIRRORED and keys[1] is not None:
        subject, left, sign, right = keys
        if sign in {">", ">="}:  # b > a is a < b
            return subject, right, _MIRRORED[sign], left
    return keys
