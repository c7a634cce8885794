"""Hover: what the outline knows of the name under the cursor. No model is ever asked."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass

from glossator.core.document import Document
from glossator.core.errors import InvalidPosition
from glossator.core.text import Position, PositionEncoding
from glossator.service.application import Application
from glossator.workspace.snapshot import WorkspaceSnapshot
from glossator.workspace.symbols.outline import Symbol, language_of, outline, symbol_at

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class HoverRequest:
    """A place in a document, in the negotiated position encoding."""

    uri: str
    position: Position


@dataclass(frozen=True, slots=True)
class HoverAnswer:
    """Markdown, and the word it is about, from `start` to `end`."""

    markdown: str
    start: Position
    end: Position


async def hover(app: Application, request: HoverRequest) -> HoverAnswer | None:
    """The facts, or None where there is no symbol."""
    snapshot = app.host.snapshot()
    return await asyncio.to_thread(_facts, snapshot, app.host.encoding, request)


def _facts(
    snapshot: WorkspaceSnapshot, encoding: PositionEncoding, request: HoverRequest
) -> HoverAnswer | None:
    document = snapshot.open_document(request.uri)
    if document is None:  # a hover is on what the editor shows
        return None
    language = language_of(document.path)
    found = _word_at(document, request.position, encoding)
    if language is None or found is None:
        return None
    word, start, end = found
    symbol = _named(outline(document.text, language), word, request.position.line + 1)
    if symbol is None:
        return None
    path = snapshot.relative(document.path)
    return HoverAnswer(_describe(symbol, path, language), start, end)


def _word_at(
    document: Document, position: Position, encoding: PositionEncoding
) -> tuple[str, Position, Position] | None:
    """The word that `position` touches; None for a place that is not, or no longer, in the text."""
    try:
        offset = document.table.offset(position, encoding)
    except InvalidPosition:
        return None
    start = document.table.starts[position.line]
    for word in _WORD.finditer(document.table.line(position.line)):
        if word.start() <= offset - start <= word.end():
            first, last = (document.table.position(start + at, encoding) for at in word.span())
            return word[0], first, last
    return None


def _named(symbols: tuple[Symbol, ...], word: str, line: int) -> Symbol | None:
    """The definition of `word` in this document: the enclosing one, or the nearest."""
    around = symbol_at(symbols, line)
    if around and around.name == word:
        return around
    namesakes = [symbol for symbol in symbols if symbol.name == word]
    return min(namesakes, key=lambda symbol: abs(symbol.first_line - line), default=None)


def _describe(symbol: Symbol, path: str, language: str) -> str:
    where = f"{symbol.kind} in {' > '.join(symbol.container)}" if symbol.container else symbol.kind
    lines = f"{symbol.first_line}-{symbol.last_line}"
    parts = [f"```{language}\n{symbol.signature}\n```"]
    if symbol.documentation:
        parts.append(symbol.documentation)
    parts.append(f"*{where} · {path}:{lines}*")
    return "\n\n".join(parts)
