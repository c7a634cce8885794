"""Cuts a document into chunks on its syntax: functions, classes and sections, or plain windows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from glossator.core.document import Document
from glossator.workspace.symbols.symbol import Symbol

MAX_LINES = 60


@dataclass(frozen=True, slots=True)
class Chunk:
    """Lines of a document (1-based, inclusive) and, in `context`, what encloses them."""

    document: Document
    first_line: int
    last_line: int
    context: str
    name: str

    @property
    def text(self) -> str:
        """The chunk's lines."""
        return "\n".join(self.document.lines[self.first_line - 1 : self.last_line])


def chunks(document: Document, symbols: Iterable[Symbol]) -> Iterator[Chunk]:
    """Chunks that together cover the document, in order, none over `MAX_LINES` lines.

    `symbols` is its outline; without one, the chunks are plain windows.
    """
    starts = {1: ("", "")}
    for symbol in symbols:
        starts[symbol.first_line] = (_context(symbol), symbol.name)
        starts.setdefault(symbol.last_line + 1, _after(symbol))
    total = len(document.lines)
    bounds = sorted(line for line in starts if line <= total)
    for first, following in pairwise((*bounds, total + 1)):
        context, name = starts[first]
        for start in range(first, following, MAX_LINES):
            end = min(start + MAX_LINES, following) - 1
            if any(line.strip() for line in document.lines[start - 1 : end]):
                yield Chunk(document, start, end, context, name)


def _context(symbol: Symbol) -> str:
    return " > ".join((*symbol.container, symbol.signature))


def _after(symbol: Symbol) -> tuple[str, str]:
    """What the lines right after a symbol belong to: its container."""
    return " > ".join(symbol.container), symbol.container[-1] if symbol.container else ""
