"""Hover: the definition of the name under the cursor, and its gloss. No model is asked.

The document's own outline comes first, then the workspace, starting where imports point. While the
workspace is scanned or indexed, or the worker starts, a hover waits a while, then says that the
name is being looked up; the next hover shows the result. It waits neither for names that were not
found before, nor for keywords, comments and strings.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from urllib.parse import unquote

from glossator.anchors import (
    freshness_text,
    gloss_link,
    gloss_origin,
    gloss_summary,
    whole_gloss_link,
)
from glossator.application import Application
from glossator.commands.subjects import subject_of
from glossator.core.document import Document
from glossator.core.errors import InvalidPosition
from glossator.core.file_kinds import CODE, language_of
from glossator.core.markdown import harmless
from glossator.core.shown import shown
from glossator.core.text import Position, PositionEncoding
from glossator.symbols import (
    Definition,
    Limits,
    Name,
    SearchScope,
    Symbol,
    SymbolFinder,
    SymbolHits,
    module_ends,
    symbol_at,
)
from glossator.worker import JobFailed, WorkerGone
from glossator.workspace import WorkspaceSnapshot

logger = logging.getLogger(__name__)

NO_GLOSS = "*No gloss yet: the command glossator.gloss makes one.*"

_WORD = re.compile(r"\w+")
_LONG_TEXT = 200_000  # characters, through which a thread is to look
LOOKING = "*Looking it up: hover again.*"

_HOVER_SECONDS = 0.9  # for it all
_UNLIKELY_SHARE = 0.2  # of that time, for what is likely to be nothing
_SEARCH_SHARE = 0.1  # of that time, then what was found is shown
_THOROUGH_SECONDS = 5.0  # seconds of searching where nothing was found so quickly
_LIMITS = Limits(texts=40, hits=40)
_LANGUAGE_FAMILIES = (frozenset({"javascript", "typescript", "tsx"}), frozenset({"c", "cpp"}))


@dataclass(frozen=True, slots=True)
class HoverRequest:
    """A place in a document, in the negotiated position encoding.

    `links`: what is shown may hold links that run commands.
    """

    uri: str
    position: Position
    links: bool = False


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
    offset: int  # in characters, of the document
    start: Position
    end: Position


class _NotCached(Exception):
    """Something must be looked up first."""


async def hover_at(app: Application, request: HoverRequest) -> HoverAnswer | None:
    """The hover at a place, or None where there is no symbol."""
    snapshot = app.host.snapshot()
    document = snapshot.open_document(request.uri)
    if document is None:
        return None
    at = document, request.position, app.host.encoding
    long = len(document.text) > _LONG_TEXT
    word = await asyncio.to_thread(_word_at, *at) if long else _word_at(*at)
    if word is None:
        return None
    try:
        facts = await _facts_in_time(app, word, request.position.line + 1)
    except TimeoutError:
        return HoverAnswer(LOOKING, word.start, word.end)
    except WorkerGone:
        return None
    except JobFailed as failure:
        logger.warning("A hover failed: %s", failure)
        return None
    return _answer(app, request, word, facts)


def _answer(
    app: Application, request: HoverRequest, word: _Word, facts: _Facts | None
) -> HoverAnswer | None:
    if facts is None:
        return None
    app.glosses.look_soon()
    parts = facts.text, _gloss(app, facts, links=request.links)
    return HoverAnswer("\n\n".join(filter(None, parts)), word.start, word.end)


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
            return _Word(document, language, word[0], start + word.start(), first, last)
    return None


@dataclass(frozen=True, slots=True)
class _Facts:
    """What is known about a symbol of the document at a real path."""

    text: str
    symbol: Symbol
    path: str


def _cached_facts(
    app: Application, snapshot: WorkspaceSnapshot, word: _Word, line: int
) -> _Facts | None:
    """Like `_facts`, at once. Raises `_NotCached`."""
    outline = app.hover_cache.outline(word.document)
    if outline is None:
        raise _NotCached
    if namesakes := tuple(symbol for symbol in outline if symbol.name == word.text):
        return _defined_here(snapshot, word, line, namesakes)
    if not _may_be_elsewhere(word):
        return None
    search = partial(_look_elsewhere, app.symbols, snapshot, word)
    found = app.hover_cache.known_definitions(snapshot, word.document, word.text, search)
    if found is None:
        raise _NotCached
    return _defined_elsewhere(snapshot, found)


async def _facts_in_time(app: Application, word: _Word, line: int) -> _Facts | None:
    """Like `_facts`, which continues in the background if it takes too long.

    Raises `TimeoutError` then, but for what is likely to be nothing.
    """
    with suppress(_NotCached):
        return _cached_facts(app, app.host.snapshot(), word, line)
    key = word.document.path, word.document.sha256, word.text, line
    nowhere = app.hover_cache.was_nowhere(word.document, word.text)
    looking = app.hover_cache.look_up(key, partial(_facts, app, word, line))
    async with asyncio.timeout(_HOVER_SECONDS):
        await asyncio.wait({looking}, timeout=_HOVER_SECONDS * _UNLIKELY_SHARE)
        if not looking.done():
            snapshot = app.host.snapshot()
            if nowhere or not await app.symbols.is_name(snapshot, word.document, word.offset):
                return None
            await asyncio.wait({looking})
    if looking.cancelled():  # for others that began later
        raise TimeoutError
    return looking.result()


async def _facts(app: Application, word: _Word, line: int) -> _Facts | None:
    """What is known about a word on a 1-based line of its document; None if nothing is."""
    snapshot = app.host.snapshot()
    with suppress(_NotCached):
        return _cached_facts(app, snapshot, word, line)
    if app.hover_cache.outline(word.document) is None:
        namesakes = await app.symbols.outline(snapshot, word.document, name=word.text)
        if namesakes:
            return _defined_here(snapshot, word, line, namesakes)
    if not _may_be_elsewhere(word):
        return None
    await app.ready()
    snapshot = app.host.snapshot()
    search = partial(_look_elsewhere, app.symbols, snapshot, word)
    asked = snapshot, word.document, word.text, search
    found = app.hover_cache.known_definitions(*asked) or await app.hover_cache.definitions(*asked)
    return _defined_elsewhere(snapshot, found)


def _defined_here(
    snapshot: WorkspaceSnapshot, word: _Word, line: int, namesakes: tuple[Symbol, ...]
) -> _Facts:
    here = symbol_at(namesakes, line) or min(
        namesakes, key=lambda symbol: abs(symbol.first_line - line)
    )
    path = word.document.path
    return _Facts(_describe(here, _shown_path(snapshot, path), word.language), here, path)


def _may_be_elsewhere(word: _Word) -> bool:
    return word.language in CODE and bool(word.text.strip("_0123456789"))


def _defined_elsewhere(snapshot: WorkspaceSnapshot, found: SymbolHits[Definition]) -> _Facts | None:
    if not found.hits:
        return None
    best = found.hits[0]
    return _Facts(_describe_best(found, snapshot), best.symbol, best.line.path)


def _gloss(app: Application, facts: _Facts, *, links: bool) -> str:
    """The gloss of a symbol with its state, and the command that makes or renews it.

    What is no file, such as a cell of a notebook, has no gloss.
    """
    if not os.path.isabs(facts.path):
        return ""
    kept = app.glosses.of(subject_of(facts.symbol, facts.path))
    line = facts.symbol.name_line
    if kept is None:
        link = gloss_link(facts.path, line)
        return f"*No gloss yet:* [explore]({link})" if links else NO_GLOSS
    again = f" · [Explore again]({gloss_link(facts.path, line)})" if links else ""
    whole = f" · [Whole gloss]({whole_gloss_link(kept)})" if links else ""
    fresh, made = freshness_text(kept), gloss_origin(kept)
    return f"---\n\n{gloss_summary(kept)}\n\n*Gloss, {fresh}* · {made}{whole}{again}"


async def _look_elsewhere(
    symbols: SymbolFinder, snapshot: WorkspaceSnapshot, word: _Word
) -> SymbolHits[Definition]:
    """The definitions of a name in other files, the likeliest first."""
    family = next((all_ for all_ in _LANGUAGE_FAMILIES if word.language in all_), {word.language})
    imports = await symbols.imports(snapshot, word.document)
    place = SearchScope(
        languages=frozenset(family),
        modules=module_ends(imports, word.text),
        near=word.document.path,
    )
    asked = snapshot, Name.parse(word.text), place
    found = await symbols.definitions(
        *asked, replace(_LIMITS, seconds=_HOVER_SECONDS * _SEARCH_SHARE)
    )
    looked = found.coverage
    if found.hits or looked.worker_away or not looked.unread or looked.holding >= _LIMITS.texts:
        return found
    return await symbols.definitions(*asked, replace(_LIMITS, seconds=_THOROUGH_SECONDS))


def _describe_best(found: SymbolHits[Definition], snapshot: WorkspaceSnapshot) -> str:
    """The likeliest definition, and how many more there are."""
    best, others = found.hits[0], len(found.hits) - 1
    facts = _describe(best.symbol, _shown_path(snapshot, best.line.path), best.language)
    if not others:
        return facts
    more = " at least" if found.coverage.unread else ""
    return f"{facts}\n\n*and{more} {others} more of this name*"


def _shown_path(snapshot: WorkspaceSnapshot, path: str) -> str:
    """A path as its user knows it; for other documents the name that editors show."""
    overlay = snapshot.overlays.get(path)
    if overlay is None or os.path.isabs(path):
        return snapshot.relative(path)
    name, _, cell = overlay.uri.partition("#")
    return shown(re.split("[/:]", unquote(name))[-1]) + (" (cell)" if cell else "")


def _describe(symbol: Symbol, path: str, language: str) -> str:
    where = f"{symbol.kind} in {' > '.join(symbol.container)}" if symbol.container else symbol.kind
    lines = f"{symbol.first_line}-{symbol.last_line}"
    parts = [f"```{language}\n{symbol.signature}\n```"]
    if symbol.documentation:
        parts.append(harmless(symbol.documentation))
    parts.append(harmless(f"*{where} · {path}:{lines}*"))
    return "\n\n".join(parts)
