"""Explain: what selected lines are for, how they work and who uses them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from glossator.context.attachments import attach
from glossator.prompts.loader import load_prompt
from glossator.service.application import Application
from glossator.service.ask import Answer, answer


@dataclass(frozen=True, slots=True)
class ExplainRequest:
    """Lines of a document, 1-based and inclusive."""

    uri: str
    first_line: int
    last_line: int
    session_id: str | None = None
    run_id: str | None = None


async def explain(app: Application, request: ExplainRequest) -> Answer:
    """Ask about the lines. Raises as `ask` does."""
    snapshot, hidden = app.host.snapshot(), app.acting.hidden()
    lines = await asyncio.to_thread(
        attach, snapshot, request.uri, request.first_line, request.last_line, hidden
    )
    question = load_prompt("user/explain").render(
        path=lines.path,
        first_line=str(lines.span.first_line),
        last_line=str(lines.span.last_line),
    )
    return await answer(app, question, [lines], request.session_id, request.run_id)
