"""Explore, for the user: what is found out about one place is kept as its gloss."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

from glossator.application.application import Application
from glossator.application.attaching import attach_all
from glossator.context.attachments import Attached, Exhibit
from glossator.context.mentions import look_up, mentions
from glossator.core.answers import Explored
from glossator.core.errors import UsageError
from glossator.sessions.session import Session
from glossator.usecases.explore import ExploreRequest, explore
from glossator.usecases.gloss import keep, looked_up
from glossator.usecases.reports import uri_of
from glossator.usecases.subjects import Pointed, pointed_at

logger = logging.getLogger(__name__)


async def explore_place(
    app: Application,
    request: ExploreRequest,
    attached: Sequence[Attached | Exhibit] | None = None,
    before: Callable[[Session], None] = lambda _: None,
) -> Explored:
    """As `explore`. A gloss that is fresh stays; what the offline model quotes is none."""
    if attached is None:
        attached = await attach_all(app, request.attachments)
    explored = await explore(app, request, attached=attached, before=before)
    pointed = None if explored.offline else await _place(app, request, attached)
    if pointed is None:
        return explored
    noted = await keep(app, pointed.subject, explored.report, explored.model, renews=False)
    return replace(explored, document=uri_of(noted) if noted else None)


async def _place(
    app: Application, request: ExploreRequest, attached: Sequence[Attached | Exhibit]
) -> Pointed | None:
    """The one place that is attached, mentioned or to be looked in; None if there are others."""
    wanted = mentions(request.task)
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
