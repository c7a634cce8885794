"""Outlines and workspace symbols, as editors ask for them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from glossator.application import Application
from glossator.core.document import Document
from glossator.core.text import LineTable, Position, PositionEncoding, count_units
from glossator.core.uri import to_uri
from glossator.symbols import Definition, Symbol
from glossator.worker import JobFailed, JobProgress, WorkerGone

logger = logging.getLogger(__name__)

MAX_MATCHES = 200

Range = tuple[Position, Position]


@dataclass(slots=True)
class SymbolNode:
    """A symbol of a document, where it is and where its name is, and the symbols inside it."""

    symbol: Symbol
    range: Range
    name_range: Range
    children: list[SymbolNode] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SymbolMatch:
    """A symbol of the workspace and where its name is."""

    symbol: Symbol
    uri: str
    name_range: Range


async def symbol_named_at(app: Application, uri: str, position: Position) -> Symbol | None:
    """The symbol of an open document whose name, where it is defined, is at `position`.

    Editors ask at every move of the cursor: a worker that is gone is not worth an error.
    """
    snapshot = app.host.snapshot()
    document = snapshot.open_document(uri)
    if document is None:
        return None
    try:
        symbols = await app.symbols.outline(snapshot, document, name_line=position.line + 1)
    except (WorkerGone, JobFailed) as failure:
        logger.warning("No symbol for a code action: %s", failure)
        return None
    return await asyncio.to_thread(_named_at, symbols, document, position, app.host.encoding)


def _named_at(
    symbols: Iterable[Symbol], document: Document, position: Position, encoding: PositionEncoding
) -> Symbol | None:
    """The symbol whose name is at `position`, among those named on that line."""
    for symbol in symbols:
        start, end = name_range(symbol, document.lines[position.line], encoding)
        if start <= position <= end:
            return symbol
    return None


async def document_symbols(app: Application, uri: str) -> list[SymbolNode]:
    """The outline of an open document, as trees; nothing for one that is not open."""
    snapshot = app.host.snapshot()
    document = snapshot.open_document(uri)
    if document is None:
        return []
    symbols = await app.symbols.outline(snapshot, document)
    return await asyncio.to_thread(_tree, symbols, document, app.host.encoding)


async def workspace_symbols(
    app: Application, query: str, on_progress: Callable[[JobProgress], None]
) -> list[SymbolMatch]:
    """The symbols whose names hold the letters of `query` in order, best first.

    The first time every file is read and parsed, and `on_progress` gets how far that is.
    """
    await app.ready()
    snapshot = app.host.snapshot()
    found = await app.symbols.matching(snapshot, query, MAX_MATCHES, on_progress)

    def uri(path: str) -> str:
        overlay = snapshot.overlays.get(path)
        return to_uri(path) if overlay is None else overlay.uri

    return [
        _match(definition, uri(definition.line.path), app.host.encoding) for definition in found
    ]


def _tree(
    symbols: Iterable[Symbol], document: Document, encoding: PositionEncoding
) -> list[SymbolNode]:
    """Each symbol below the one whose lines contain it; a method outside its class is a root."""
    roots: list[SymbolNode] = []
    around: list[SymbolNode] = []
    for symbol in symbols:
        node = SymbolNode(symbol, *_ranges(symbol, document.table, encoding))
        while around and around[-1].symbol.last_line < symbol.last_line:
            around.pop()
        (around[-1].children if around else roots).append(node)
        around.append(node)
    return roots


def _ranges(symbol: Symbol, table: LineTable, encoding: PositionEncoding) -> tuple[Range, Range]:
    last = table.line(symbol.last_line - 1)
    whole = (
        Position(symbol.first_line - 1, 0),
        Position(symbol.last_line - 1, count_units(last, encoding)),
    )
    return whole, name_range(symbol, table.line(symbol.name_line - 1), encoding)


def name_range(symbol: Symbol, line: str, encoding: PositionEncoding) -> Range:
    """Where a symbol's name is in its line; up to the line's end if it is spelled otherwise."""
    start = symbol.name_column
    end = start + len(symbol.name) if line.startswith(symbol.name, start) else len(line)
    first, last = (count_units(line[:offset], encoding) for offset in (start, end))
    return Position(symbol.name_line - 1, first), Position(symbol.name_line - 1, last)


def _match(definition: Definition, uri: str, encoding: PositionEncoding) -> SymbolMatch:
    symbol = definition.symbol
    return SymbolMatch(symbol, uri, name_range(symbol, definition.line.text, encoding))
