"""An exploration asked again: as thorough as it was, about the same, by who explores."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from glossator.application.application import Application
from glossator.context.attachments import Attached, Exhibit
from glossator.core.answers import Explored
from glossator.core.gloss import WORKSPACE, Subject
from glossator.core.report import Thoroughness
from glossator.core.uri import to_uri
from glossator.sessions.session import Session
from glossator.usecases.explore import EXPLORED, ExploreRequest
from glossator.usecases.explore_place import explore_place
from glossator.usecases.gloss import explored_and_kept, looked_up
from glossator.usecases.subjects import Pointed, pointed_at


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
        return await explore_place(app, request, attached, before)
    pointed = await _pointed_again(app, Subject(**explored["about"]))
    return await explored_and_kept(app, pointed, request, attached, before)


async def _pointed_again(app: Application, subject: Subject) -> Pointed:
    if subject.kind == WORKSPACE:
        return Pointed(subject, os.path.basename(subject.path))
    return await looked_up(pointed_at(app, to_uri(subject.path), None, subject.name or None))
