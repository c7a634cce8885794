"""Definitions with the lines of their doc comments, which a labelled set hides from an index."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from glossator.core.file_kinds import CODE, language_of
from glossator.core.text import split_lines
from glossator.symbols.grammars import definitions_query
from glossator.symbols.outline import DefinitionNode, Definitions, find_definitions, placed
from glossator.symbols.symbol import Symbol
from glossator.symbols.tree import parse
from glossator.worker import Job, JobProgress, Slices

Lines = tuple[int, int]  # first and last, 1-based, inclusive


@dataclass(frozen=True, slots=True)
class Documented:
    """A definition and the lines of its doc comment: inside it (Python) or above it.

    `head` ends where its first inner definition begins. `bare` definitions hold no other line
    than their heading and the comment.
    """

    symbol: Symbol
    comment: tuple[Lines, ...]
    head: Lines
    bare: bool


@dataclass(frozen=True, slots=True)
class DocumentedIn(Job[tuple[tuple[Documented, ...], ...]]):
    """The documented definitions of texts, given with their paths, in document order.

    A definition is left out if code stands on a line of its comment, and so is what is in a
    language without a grammar, or in a text too large to be parsed.
    """

    texts: tuple[tuple[str, str], ...]

    def run(self) -> Slices[tuple[tuple[Documented, ...], ...]]:
        """One text after the other."""
        found = []
        for number, (path, text) in enumerate(self.texts):
            yield JobProgress(number, len(self.texts))
            language = language_of(path, text)
            found.append(tuple(_documented(text, language)) if language in CODE else ())
        return tuple(found)


def _documented(text: str, language: str) -> Iterator[Documented]:
    symbols = placed(text, language)
    tree = parse(text, language)
    if tree is None or not symbols:
        return
    found = find_definitions([tree.root], definitions_query(language), tree.source)
    nodes = {(at.outer.start_byte, at.outer.end_byte): at for at in found.definitions}
    lines = split_lines(text)
    for at, following in zip_longest(symbols, symbols[1:]):
        symbol = at.symbol
        comment = _comment(found, nodes[at.start, at.end]) if symbol.documentation else None
        if comment:
            inner = following is not None and following.symbol.first_line <= symbol.last_line
            end = following.symbol.first_line - 1 if following and inner else symbol.last_line
            head = symbol.first_line, max(end, symbol.name_line)
            rest = lines[comment[-1][1] : symbol.last_line]
            bare = comment[-1][1] >= symbol.first_line and not any(map(str.strip, rest))
            yield Documented(symbol, comment, head, bare)


def _comment(found: Definitions, definition: DefinitionNode) -> tuple[Lines, ...] | None:
    """The lines of the comment; None if something else stands on one of them."""
    docstring = found.docstrings.get(definition.node.id)
    if docstring is not None:
        parts = [(docstring.start_byte, docstring.end_byte, docstring.start_point.row)]
    else:
        parts = [(piece.start, piece.end, piece.row) for piece in found.above(definition.outer)[1]]
    source = found.source
    for start, end, _ in parts:
        before = source[source.rfind(b"\n", 0, start) + 1 : start]
        line_end = source.find(b"\n", end)
        after = source[end : line_end if line_end >= 0 else len(source)]
        if before.strip(b" \t\xef\xbb\xbf") or after.strip():
            return None
    return tuple((row + 1, row + 1 + source.count(b"\n", start, end)) for start, end, row in parts)
