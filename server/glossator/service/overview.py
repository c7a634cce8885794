"""Explore workspace: the architecture of a repository, each claim with the lines it rests on."""

from __future__ import annotations

import os
from dataclasses import dataclass

from glossator.core.errors import UsageError
from glossator.core.gloss import FOLDER, Subject
from glossator.core.report import Report, Thoroughness
from glossator.prompts.loader import load_prompt
from glossator.service.application import Application
from glossator.service.explore import Explored, ExploreRequest
from glossator.service.extract_overview import extract_overview
from glossator.service.gloss import explored_and_kept, looked_up
from glossator.service.subjects import Pointed


@dataclass(frozen=True, slots=True)
class OverviewRequest:
    """How far to go; the overview is the gloss of the workspace's first folder."""

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
    pointed = Pointed(Subject(roots[0], "", FOLDER), os.path.basename(roots[0]) or roots[0])

    async def found() -> Report:
        return await looked_up(extract_overview(app, task, roots))

    return await explored_and_kept(app, pointed, asked, found)
