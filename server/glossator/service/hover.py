"""Hover: what outlines know of the name under the cursor. No model is ever asked.

A name that the document itself defines is looked up in its own outline. Any other is looked for in
the workspace, where imports and folders make likely. The worker parses, and an editor waits only so
long: then nothing is said, since a name that could not be looked up here may mean another there.
"""

from __future__ import annotations

import asyncio
import logging
import re
from dataclasses import dataclass, replace

from glossator.core.document import Document
from glossator.core.errors import InvalidPosition
from glossator.core.text import Position, PositionEncoding
from glossator.service.application import Application
from glossator.workspace.snapshot import WorkspaceSnapshot
from glossator.workspace.symbols.candidates import Place
from glossator.workspace.symbols.find import Definition, Found, Limits
from glossator.workspace.symbols.finder import SymbolFinder
from glossator.workspace.symbols.languages import CODE, language_of
from glossator.workspace.symbols.modules import module_ends
from glossator.workspace.symbols.names import Name
from glossator.workspace.symbols.symbol import Symbol, symbol_at
from glossator.workspace.worker.client import WorkerGone
from glossator.workspace.worker.connection import JobFailed

logger = logging.getLogger(__name__)

_WORD = re.compile(r"\w+")
_SECONDS = 0.15  # for it all; what was parsed until then is quicker the next time
_SEARCHING = 0.4  # of that time, then what was found is told
_LIMITS = Limits(texts=40, hits=40)
_FAMILIES = (
    frozenset({"javascript", "typescript", "tsx"}),
    frozenset({"c", "cpp"}),
)


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


@dataclass(frozen=True, slots=True)
class _Word:
    """The word of a hover, in its document."""

    document: Document
    language: str
    text: str
    start: Position
    end: Position


async def hover(app: Application, request: HoverRequest) -> HoverAnswer | None:
    """The facts, or None where there is no symbol."""
    snapshot = app.host.snapshot()
    document = snapshot.open_document(request.uri)  # a hover is on what the editor shows
    if document is None:
        return None
    word = await asyncio.to_thread(_word_at, document, request.position, app.host.encoding)
    if word is None:
        return None
    try:
        async with asyncio.timeout(_SECONDS):
            facts = await _facts(app.symbols, snapshot, word, request.position.line + 1)
    except (TimeoutError, WorkerGone):
        return None
    except JobFailed as failure:
        logger.warning("A hover failed: %s", failure)
        return None
    return None if facts is None else HoverAnswer(facts, word.start, word.end)


def _word_at(document: Document, position: Position, encoding: PositionEncoding) -> _Word | None:
    """The word that `position` touches; None for a place that is not, or no longer, in the text."""
    language = language_of(document.path, document.text)
    if language is None:
        return None
    try:
        offset = document.table.offset(position, encoding)
    except InvalidPosition:
        return None
    start = document.table.starts[position.line]
    for word in _WORD.finditer(document.table.line(position.line)):
        if word.start() <= offset - start <= word.end():
            first, last = (document.table.position(start + at, encoding) for at in word.span())
            return _Word(document, language, word[0], first, last)
    return None


async def _facts(
    symbols: SymbolFinder, snapshot: WorkspaceSnapshot, word: _Word, line: int
) -> str | None:
    """What is known of a word on a 1-based line of its document; None if nothing is."""
    namesakes = await symbols.outline(snapshot, word.document, name=word.text)
    if namesakes:
        here = symbol_at(namesakes, line) or _nearest(namesakes, line)
        return _describe(here, snapshot.relative(word.document.path), word.language)
    if word.language not in CODE or not word.text.strip("_0123456789"):
        return None
    found = await _look_elsewhere(symbols, snapshot, word)
    return _describe_best(found, snapshot) if found.hits else None


def _nearest(symbols: tuple[Symbol, ...], line: int) -> Symbol:
    return min(symbols, key=lambda symbol: abs(symbol.first_line - line))


async def _look_elsewhere(
    symbols: SymbolFinder, snapshot: WorkspaceSnapshot, word: _Word
) -> Found[Definition]:
    """The definitions of a name in other files, the likeliest first."""
    limits = replace(_LIMITS, seconds=_SECONDS * _SEARCHING)
    family = next((all_ for all_ in _FAMILIES if word.language in all_), {word.language})
    imports = await symbols.imports(snapshot, word.document)
    place = Place(
        languages=frozenset(family),
        modules=module_ends(imports, word.text),
        near=word.document.path,
    )
    return await symbols.definitions(snapshot, Name.parse(word.text), place, limits)


def _describe_best(found: Found[Definition], snapshot: WorkspaceSnapshot) -> str:
    """The likeliest definition, and how many more there are."""
    best, others = found.hits[0], len(found.hits) - 1
    facts = _describe(best.symbol, snapshot.relative(best.line.path), best.language)
    if not others:
        return facts
    more = " at least" if found.coverage.unread else ""
    return f"{facts}\n\n*and{more} {others} more of this name*"


def _describe(symbol: Symbol, path: str, language: str) -> str:
    where = f"{symbol.kind} in {' > '.join(symbol.container)}" if symbol.container else symbol.kind
    lines = f"{symbol.first_line}-{symbol.last_line}"
    parts = [f"```{language}\n{symbol.signature}\n```"]
    if symbol.documentation:
        parts.append(symbol.documentation)
    parts.append(f"*{where} · {path}:{lines}*")
    return "\n\n".join(parts)
