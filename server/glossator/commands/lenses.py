"""Code lenses: whether a definition has a gloss, and how often it is called."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from glossator.anchors import freshness_text
from glossator.application import Application
from glossator.commands.subjects import subject_of
from glossator.commands.symbols import name_range
from glossator.core.report import Subject
from glossator.core.text import Position
from glossator.core.uri import to_uri
from glossator.symbols import CALLS, Limits, Name, SearchScope
from glossator.worker import JobFailed, WorkerGone

logger = logging.getLogger(__name__)

_KINDS = frozenset(
    {"class", "function", "method", "interface", "struct", "enum", "trait", "macro", "module"}
)
_LIMITS = Limits(texts=300, hits=300, seconds=2.0)


@dataclass(frozen=True, slots=True)
class Lens:
    """A definition, where its name is, and its 1-based line."""

    subject: Subject
    range: tuple[Position, Position]
    line: int


@dataclass(frozen=True, slots=True)
class LensFace:
    """What a lens says, and the command it runs with its argument."""

    title: str
    command: str
    argument: Mapping[str, object]


async def lenses_of(app: Application, uri: str) -> list[Lens]:
    """The lenses of an open document, without their texts."""
    snapshot = app.host.snapshot()
    document = snapshot.open_document(uri)
    if document is None:
        return []
    try:
        outline = app.hover_cache.outline(document) or await app.symbols.outline(snapshot, document)
    except (WorkerGone, JobFailed) as failure:  # editors ask at every change
        logger.warning("No code lenses: %s", failure)
        return []
    encoding = app.host.encoding
    return [
        Lens(
            subject_of(symbol, document.path),
            name_range(symbol, document.table.line(symbol.name_line - 1), encoding),
            symbol.name_line,
        )
        for symbol in outline
        if symbol.kind in _KINDS
    ]


async def lens_face(app: Application, subject: Subject, line: int) -> LensFace:
    """What the lens of a subject, whose name is on a line, says."""
    kept = app.glosses.of(subject)
    make = "glossator.gloss", {"uri": to_uri(subject.path), "line": line}
    if kept is None:
        word, (command, argument) = "explore", make
    elif kept.freshness is None or kept.freshness.is_fresh:
        word, command, argument = "gloss", "glossator.showGloss", {"key": subject.key}
    else:
        word, (command, argument) = f"gloss, {freshness_text(kept)}: explore again", make
    return LensFace(f"{word} · {await _callers(app, subject)}", command, argument)


def glosses_changed(app: Application, listener: Callable[[frozenset[str]], None]) -> None:
    """Call `listener` with the keys of glosses that changed or became fresh or stale."""
    app.glosses.subscribe(lambda subjects: listener(frozenset(each.key for each in subjects)))


async def _callers(app: Application, subject: Subject) -> str:
    await app.ready()  # before, files that call it may not be known
    place = SearchScope(hides=app.acting.hidden())
    try:
        name = Name.parse(subject.name)
        found = await app.symbols.uses(app.host.snapshot(), name, CALLS, place, _LIMITS)
    except (WorkerGone, JobFailed) as failure:
        logger.warning("Callers were not counted: %s", failure)
        return "callers not counted"
    count, unread = len(found.hits), found.coverage.unread
    if found.coverage.worker_away or (unread and not count):
        return "callers not counted"
    more = "+" if unread else ""
    return f"{count:,}{more} {'call' if count == 1 and not more else 'calls'}"
