"""Glosses as documents that an editor opens: `glossator:/gloss/KEY/NAME.md`, as they stand now."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath
from urllib.parse import quote

from glossator.application.application import Application
from glossator.core.errors import UsageError
from glossator.core.gloss import Subject
from glossator.core.shown import shown
from glossator.glosses.gloss_index import GlossState
from glossator.glosses.text import document, state
from glossator.usecases.subjects import called

SCHEME = "glossator"

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
    await app.margin.look()
    await app.margin.settled()
    noted = app.margin.by_key(request.key)
    if noted is None:
        raise UsageError("There is no such gloss in this workspace any more; explore it again.")
    title = _title(app, noted.gloss.subject)
    return ShownGloss(uri_of(noted), title, state(noted), document(noted, title))


async def report_at(app: Application, uri: str) -> str | None:
    """The text of the document at a URI of ours; None if it is no gloss's. Raises as above."""
    found = _URI.match(uri)
    return (await show_gloss(app, ShowGlossRequest(found["key"]))).text if found else None


def uri_of(noted: GlossState) -> str:
    """Where the editor finds the whole gloss."""
    subject = noted.gloss.subject
    name = subject.name or PurePath(subject.path).name or "workspace"
    return f"{SCHEME}:/gloss/{subject.key}/{quote(name, safe='.')}.md"


def _title(app: Application, subject: Subject) -> str:
    words = shown(called(subject, app.host.snapshot().relative(subject.path)))
    return words[:1].upper() + words[1:]
