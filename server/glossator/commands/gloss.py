"""Glosses: explore what the user points at or the whole workspace, keep the report, show it.

An editor opens a gloss as the document `glossator:/gloss/KEY/NAME.md`.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from glossator.anchors import freshness_text, gloss_document
from glossator.application import Application
from glossator.commands.answers.explore import Explored
from glossator.commands.explore import (
    SCHEME,
    ExploreRequest,
    explored_and_kept,
    gloss_uri,
    or_usage_error,
)
from glossator.commands.subjects import Call, Pointed, called, calls_of, pointed_at
from glossator.core.errors import UsageError
from glossator.core.prompts import load_prompt
from glossator.core.report import FOLDER, WORKSPACE, Subject, Thoroughness
from glossator.core.shown import shown, some_of
from glossator.core.uri import to_uri
from glossator.turn import Attachment

_URI = re.compile(rf"{SCHEME}:/+gloss/(?P<key>[0-9a-f]{{32}})/")


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
    title = _title(app, kept.gloss.subject)
    return ShownGloss(gloss_uri(kept), title, freshness_text(kept), gloss_document(kept, title))


async def report_at(app: Application, uri: str) -> str | None:
    """The text of a gloss by its URI; None for any other URI. Raises as `show_gloss`."""
    found = _URI.match(uri)
    return (await show_gloss(app, ShowGlossRequest(found["key"]))).text if found else None


def _title(app: Application, subject: Subject) -> str:
    words = shown(called(subject, app.host.snapshot().relative(subject.path)))
    return words[:1].upper() + words[1:]


_CALLS = 12  # of each direction in a sub-agent's task


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
    """Explore it; without a model, extract. Raises as `run_exploration` does."""
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
    """What is known of the calls of a symbol, for the sub-agent."""
    calls = await calls_of(app, pointed)
    if not calls.callers and not calls.callees:
        return ""
    source = "the editor's language server" if calls.by_editor else "the spelling of names alone"
    relative = app.host.snapshot().relative

    def named(told: tuple[Call, ...]) -> str:
        places = dict.fromkeys(
            f"`{call.name}` (`{relative(call.line.path)}:{call.line.number}`)" for call in told
        )
        return some_of(list(places), _CALLS) or "none"

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
    """Its parts, entry points and the flow of data. Raises as `run_exploration` does."""
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
