"""Explore workspace: the architecture of a repository, each claim with the lines it rests on."""

from __future__ import annotations

import os
from dataclasses import dataclass

from glossator.application.application import Application
from glossator.core.answers import Explored
from glossator.core.errors import UsageError
from glossator.core.gloss import WORKSPACE, Subject
from glossator.core.report import Thoroughness
from glossator.prompts.loader import load_prompt
from glossator.usecases.explore import ExploreRequest
from glossator.usecases.gloss import explored_and_kept
from glossator.usecases.subjects import Pointed


@dataclass(frozen=True, slots=True)
class OverviewRequest:
    """How far to go; the overview is kept as the gloss of the workspace."""

    thoroughness: Thoroughness = Thoroughness.VERY
    session_id: str | None = None
    run_id: str | None = None


async def explore_workspace(app: Application, request: OverviewRequest) -> Explored:
    """Its parts, entry points and the flow of data. Raises as `explore` does."""
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
