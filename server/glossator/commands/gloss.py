"""Glosses: explore what the user points at or the whole workspace, keep the report, show it.

An editor opens a gloss as the document `glossator:/gloss/KEY/NAME.md`, and shows a lens above each
definition that can have one.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from glossator.anchors import GlossState, freshness_text, gloss_document
from glossator.application import Application
from glossator.commands.answers.sessions import Explored
from glossator.commands.explore import (
    SCHEME,
    ExploreRequest,
    explored_and_kept,
    gloss_uri,
    or_usage_error,
)
from glossator.commands.subjects import Call, Pointed, called, calls_of, pointed_at, subject_of
from glossator.commands.symbols import name_range
from glossator.core.errors import UsageError
from glossator.core.prompts import load_prompt
from glossator.core.report import FOLDER, WORKSPACE, Subject, Thoroughness
from glossator.core.shown import shown, some_of
from glossator.core.text import Position
from glossator.core.uri import to_uri
from glossator.symbols import CALLS, Limits, Name, SearchScope
from glossator.turn import Attachment
from glossator.worker import JobFailed, WorkerGone

_URI = re.compile(rf"{SCHEME}:/+gloss/(?P<key>[0-9a-f]{{32}})/")
logger = logging.getLogger(__name__)

_LENS_KINDS = frozenset(
    {"class", "function", "method", "interface", "struct", "enum", "trait", "macro", "module"}
)
_CALLER_LIMITS = Limits(texts=300, hits=300, seconds=2.0)


@dataclass(frozen=True, slots=True)
class ShowGlossRequest:
    """The gloss of the subject with this key."""

    key: str


@dataclass(frozen=True, slots=True)
class ShownGloss:
    """A gloss as a document of Markdown; `state` says whether the lines it cites changed."""

    uri: str
    title: str
    state: str
    text: str


async def show_gloss(app: Application, request: ShowGlossRequest) -> ShownGloss:
    """The whole gloss. Raises `UsageError` if there is none any more."""
    await app.glosses.look()
    await app.glosses.settled()
    kept = app.glosses.by_key(request.key)
    if kept is None:
        raise UsageError("There is no such gloss in this workspace any more; explore it again.")
    title = _title(app, kept)
    return ShownGloss(gloss_uri(kept), title, freshness_text(kept), gloss_document(kept, title))


@dataclass(frozen=True, slots=True)
class KeptGloss:
    """A gloss in a list; `paths` are the absolute ones of what it is about and what it cites."""

    uri: str
    title: str
    state: str
    paths: frozenset[str]


async def kept_glosses(app: Application) -> tuple[KeptGloss, ...]:
    """The glosses of the workspace, by title."""
    await app.glosses.look()
    await app.glosses.settled()
    found = (
        KeptGloss(
            gloss_uri(kept),
            _title(app, kept),
            freshness_text(kept),
            kept.gloss.paths | {kept.gloss.subject.path},
        )
        for kept in app.glosses.all()
    )
    return tuple(sorted(found, key=lambda each: (each.title, each.uri)))


def _title(app: Application, kept: GlossState) -> str:
    subject = kept.gloss.subject
    words = shown(called(subject, app.host.snapshot().relative(subject.path)))
    return words[:1].upper() + words[1:]


async def report_at(app: Application, uri: str) -> str | None:
    """The text of a gloss by its URI; None for any other URI. Raises as `show_gloss`."""
    found = _URI.match(uri)
    return (await show_gloss(app, ShowGlossRequest(found["key"]))).text if found else None


_NAMED_CALLS = 12  # of each direction in a sub-agent's task


@dataclass(frozen=True, slots=True)
class GlossRequest:
    """A file, a folder, a line of a file (1-based), or a symbol by its `name`, perhaps below `uri`.

    The gloss of a line is that of the symbol around it.
    """

    uri: str | None = None
    line: int | None = None
    name: str | None = None
    thoroughness: Thoroughness = Thoroughness.QUICK
    session_id: str | None = None
    run_id: str | None = None


async def gloss(app: Application, request: GlossRequest) -> Explored:
    """Explore the subject; without a model, extract. Raises like `run_exploration`."""
    pointed = await or_usage_error(pointed_at(app, request.uri, request.line, request.name))
    known = "" if app.models.fast.offline else await or_usage_error(_known_calls(app, pointed))
    task = load_prompt("user/gloss").render(subject=pointed.name, calls=known)
    asked = ExploreRequest(
        task,
        request.thoroughness,
        paths=(pointed.path,) if pointed.subject.kind == FOLDER else (),
        attachments=(_attachment(pointed),),
        session_id=request.session_id,
        run_id=request.run_id,
    )
    return await explored_and_kept(app, pointed, asked)


def _attachment(pointed: Pointed) -> Attachment:
    document, symbol = pointed.document, pointed.symbol
    if document is None:
        return Attachment(to_uri(pointed.subject.path))
    if symbol is None:
        return Attachment(document.uri)
    return Attachment(document.uri, symbol.first_line, symbol.last_line)


async def _known_calls(app: Application, pointed: Pointed) -> str:
    """The calls of a symbol that are known, for the sub-agent."""
    calls = await calls_of(app, pointed)
    if not calls.callers and not calls.callees:
        return ""
    source = calls.by or "the spelling of names alone"
    relative = app.host.snapshot().relative

    def named(told: tuple[Call, ...]) -> str:
        places = dict.fromkeys(
            f"`{call.name}` (`{relative(call.line.path)}:{call.line.number}`)" for call in told
        )
        return some_of(list(places), _NAMED_CALLS) or "none"

    callers, callees = named(calls.callers), named(calls.callees)
    prompt = load_prompt("user/calls")
    return "\n\n" + prompt.render(source=source, callers=callers, callees=callees)


@dataclass(frozen=True, slots=True)
class OverviewRequest:
    """How far to go; the overview is kept as the gloss of the workspace."""

    thoroughness: Thoroughness = Thoroughness.VERY
    session_id: str | None = None
    run_id: str | None = None


async def explore_workspace(app: Application, request: OverviewRequest) -> Explored:
    """Explore the workspace's parts, entry points and data flow. Raises like `run_exploration`."""
    await app.ready()
    roots = app.host.snapshot().roots
    if not roots:
        raise UsageError("No folder is open; open one, and explore it then.")
    names = " and ".join(f"`{os.path.basename(root) or root}`" for root in roots)
    task = load_prompt("user/overview").render(workspace=f"the workspace {names}")
    asked = ExploreRequest(
        task, request.thoroughness, session_id=request.session_id, run_id=request.run_id
    )
    subject = Subject(roots[0], "", WORKSPACE)
    return await explored_and_kept(app, Pointed(subject, os.path.basename(roots[0])), asked)


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
        if symbol.kind in _LENS_KINDS
    ]


async def lens_face(app: Application, subject: Subject, line: int) -> LensFace:
    """The text and command of the lens of a subject, whose name is on a line."""
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
        found = await app.symbols.uses(app.host.snapshot(), name, CALLS, place, _CALLER_LIMITS)
    except (WorkerGone, JobFailed) as failure:
        logger.warning("Callers were not counted: %s", failure)
        return "callers not counted"
    count, unread = len(found.hits), found.coverage.unread
    if found.coverage.worker_away or (unread and not count):
        return "callers not counted"
    more = "+" if unread else ""
    return f"{count:,}{more} {'call' if count == 1 and not more else 'calls'}"
