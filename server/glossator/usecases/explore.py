"""Explore: a sub-agent finds something out; what it says of one place becomes its gloss.

A retry explores again: as thoroughly, about the same, with the same agent.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from glossator.application import Application, attach_all
from glossator.context import Attached, Exhibit, find_mentions, look_up
from glossator.core.answers import Explored
from glossator.core.errors import UsageError
from glossator.core.gloss import WORKSPACE, Subject
from glossator.core.report import Thoroughness
from glossator.core.uri import to_uri
from glossator.sessions import Session
from glossator.usecases.exploration import EXPLORED, ExploreRequest, run_exploration
from glossator.usecases.gloss import explored_and_kept, keep, looked_up, uri_of
from glossator.usecases.subjects import Pointed, pointed_at

logger = logging.getLogger(__name__)


async def explore(
    app: Application,
    request: ExploreRequest,
    attached: Sequence[Attached | Exhibit] | None = None,
    before: Callable[[Session], None] = lambda _: None,
) -> Explored:
    """As `run_exploration`. A gloss that is fresh stays; what the offline model quotes is none."""
    if attached is None:
        attached = await attach_all(app, request.attachments)
    explored = await run_exploration(app, request, attached=attached, before=before)
    pointed = None if explored.offline else await _place(app, request, attached)
    if pointed is None:
        return explored
    kept = await keep(app, pointed.subject, explored.report, explored.model, renews=False)
    return replace(explored, document=uri_of(kept) if kept else None)


async def _place(
    app: Application, request: ExploreRequest, attached: Sequence[Attached | Exhibit]
) -> Pointed | None:
    """The one place that is attached, mentioned or to be looked in; None if there are others."""
    wanted = find_mentions(request.task)
    if len(attached) + len(request.paths) + len(wanted) != 1:
        return None
    found = await look_up(wanted, app.host.snapshot(), app.symbols, app.acting.hidden())
    items = [each.item for each in (*attached, *found.attached)]
    places = [(item.uri, item.first_line) for item in items] + [(p, None) for p in request.paths]
    if len(places) != 1:  # a name that is defined nowhere, or more than once
        return None
    try:
        return await looked_up(pointed_at(app, *places[0], None))
    except UsageError as error:
        logger.info("The report is no gloss: %s", error)
        return None


def exploration(session: Session, run_id: str) -> Mapping[str, Any] | None:
    """What was kept of a run that explored; None of any other."""
    kept = session.kept(EXPLORED)
    return next((each for each in reversed(kept) if each["run"] == run_id), None)


async def explore_again(
    app: Application,
    request: ExploreRequest,
    explored: Mapping[str, Any],
    attached: Sequence[Attached | Exhibit],
    before: Callable[[Session], None],
) -> Explored:
    """Ask `request` as it was `explored`. Raises as `explore`, and if the subject is gone."""
    request = replace(
        request,
        thoroughness=Thoroughness(explored["thoroughness"]),
        paths=tuple(explored["paths"]),
        agent=explored["agent"],
    )
    if explored["about"] is None:
        return await explore(app, request, attached, before)
    pointed = await _pointed_again(app, Subject(**explored["about"]))
    return await explored_and_kept(app, pointed, request, attached, before)


async def _pointed_again(app: Application, subject: Subject) -> Pointed:
    if subject.kind == WORKSPACE:
        return Pointed(subject, os.path.basename(subject.path))
    return await looked_up(pointed_at(app, to_uri(subject.path), None, subject.name or None))
