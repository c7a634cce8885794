"""Explore usage: who uses what lines define; the report becomes the gloss of what is there."""

from __future__ import annotations

from glossator.application.application import Application
from glossator.application.attaching import Attachment, attach_all
from glossator.core.answers import Explored
from glossator.core.citations import place
from glossator.core.report import Thoroughness
from glossator.prompts.loader import load_prompt
from glossator.usecases.actions import EXPLORE_USAGE
from glossator.usecases.explore import ExploreRequest
from glossator.usecases.gloss import explored_and_kept, looked_up
from glossator.usecases.on_lines import LinesRequest
from glossator.usecases.subjects import pointed_at


async def explore_usage(app: Application, request: LinesRequest) -> Explored:
    """Have a sub-agent find it out. Raises as `explore` does."""
    lines = Attachment(request.uri, request.first_line, request.last_line)
    await attach_all(app, (lines,))  # what cannot be shown is refused in words about these lines
    pointed = await looked_up(pointed_at(app, request.uri, request.first_line, None))
    last = request.last_line or len(pointed.document.lines if pointed.document else ())
    prompt = load_prompt(EXPLORE_USAGE.prompt)
    task = prompt.render(place=place(pointed.path, request.first_line or 1, last))
    asked = ExploreRequest(
        f"{task}\n\n{request.instruction.strip()}".rstrip(),
        Thoroughness.MEDIUM,
        attachments=(lines,),
        session_id=request.session_id,
        run_id=request.run_id,
    )
    # what uses a line says little of the file around it
    return await explored_and_kept(app, pointed, asked, renews=pointed.symbol is not None)
