"""Cites lines of a file: those that carry a claim, and others that do not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from glossator.grounding import CitedLines
from glossator_eval.facts import KINDS, Definition, Fact, FileFacts, Lines, key


def cited(file: FileFacts, spans: Iterable[Lines]) -> tuple[CitedLines, ...]:
    """The lines of the spans, and the headers of the definitions around them."""
    found = []
    for first, last in spans:
        enclosing = tuple(file.lines[each.name_line - 1] for each in _around(file, first))
        found.append(CitedLines(file.path, first, tuple(file.lines[first - 1 : last]), enclosing))
    return tuple(found)


def text_of(spans: Iterable[CitedLines]) -> str:
    """What is shown of them."""
    return "\n".join(line for each in spans for line in (*each.enclosing, *each.lines))


def elsewhere(file: FileFacts, fact: Fact) -> tuple[list[Definition], list[Definition]]:
    """The definitions right before and after what a fact is about, and all others."""
    own = fact.within if KINDS[fact.kind][0] == "f" else fact.lines
    before = [each for each in file.definitions if each.last < own[0]]
    after = [each for each in file.definitions if each.first > own[1]]
    return [*before[-1:], *after[:1]], [*before[:-1], *after[1:]]


def says_nothing(file: FileFacts, fact: Fact, said: frozenset[str], span: Lines) -> bool:
    """Whether the file has such lines, and none can carry the claim, in code or in words.

    `said` are the slots that the sentence says.
    """
    slots = zip(KINDS[fact.kind], fact.terms, strict=True)
    terms: Sequence[str | None] = [term if slot in said else None for slot, term in slots]
    heads = [(each.name_line, each.name_line) for each in _around(file, span[0])]
    if any(file.may_hold(fact.kind, terms, among=at) for at in (span, *heads)):
        return False
    words = [key(term).strip("'\"") for term in terms if term is not None]
    lines = file.lines[span[0] - 1 : span[1]]
    told = any(all(word in line for word in words) for line in lines)
    there = span[1] <= len(file.lines) and any(map(str.strip, lines))
    return there and not told


def _around(file: FileFacts, line: int) -> list[Definition]:
    """The definitions around a line that start above, outermost first."""
    return [each for each in file.definitions if each.name_line < line <= each.last]
