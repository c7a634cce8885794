"""Cuts a document into chunks on its syntax: functions, classes and sections, or plain windows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from glossator.core.document import Document
from glossator.symbols import Symbol

MAX_LINES = 60
_FUNCTIONS = frozenset({"function", "method"})
_MOST_JOINED = 120  # lines of one hit


@dataclass(frozen=True, slots=True)
class Chunk:
    """Lines of a document (1-based, inclusive) and what encloses them.

    `context` is that with the signature of the innermost definition, `within` their names alone,
    outermost first. Chunks of one function, those of functions in it included, share their `unit`.
    """

    document: Document
    first_line: int
    last_line: int
    context: str
    within: tuple[str, ...]
    unit: tuple[str, ...]

    @property
    def text(self) -> str:
        """The chunk's lines."""
        return "\n".join(self.lines)

    @property
    def lines(self) -> tuple[str, ...]:
        """The same, one by one."""
        return tuple(self.document.lines[self.first_line - 1 : self.last_line])

    @property
    def name(self) -> str:
        """The name of the innermost definition; "" outside all of them."""
        return self.within[-1] if self.within else ""


def chunks(document: Document, symbols: Sequence[Symbol]) -> Iterator[Chunk]:
    """Chunks that together cover the document, in order, none over `MAX_LINES` lines.

    `symbols` is its outline; without one, the chunks are plain windows.
    """
    starts: dict[int, tuple[str, tuple[str, ...]]] = {1: ("", ())}
    for symbol in symbols:
        starts[symbol.first_line] = (
            " > ".join((*symbol.container, symbol.signature)),
            (*symbol.container, symbol.name),
        )
        # the lines right after a symbol belong to its container
        starts.setdefault(symbol.last_line + 1, (" > ".join(symbol.container), symbol.container))
    functions = {(*at.container, at.name) for at in symbols if at.kind in _FUNCTIONS}
    total = len(document.lines)
    bounds = sorted(line for line in starts if line <= total)
    for first, following in pairwise((*bounds, total + 1)):
        context, within = starts[first]
        enclosing = (within[:length] for length in range(1, len(within)))
        unit = next((names for names in enclosing if names in functions), within)
        for start in range(first, following, MAX_LINES):
            end = min(start + MAX_LINES, following) - 1
            if any(line.strip() for line in document.lines[start - 1 : end]):
                yield Chunk(document, start, end, context, within, unit)


def joined(chunk: Chunk, following: Chunk) -> Chunk | None:
    """Both as one, if short enough, of one unit, and with only blank lines between."""
    between = chunk.document.lines[chunk.last_line : following.first_line - 1]
    if chunk.unit != following.unit or any(line.strip() for line in between):
        return None
    if following.last_line - chunk.first_line >= _MOST_JOINED:
        return None
    outer = min(chunk, following, key=lambda each: len(each.within))
    return replace(outer, first_line=chunk.first_line, last_line=following.last_line)
