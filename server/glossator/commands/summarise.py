"""Summarise: what a session was about so far, kept with its memory; the conversation stays."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.application import Application
from glossator.commands.answers.summarise import SummaryAnswer
from glossator.core.errors import UsageError


@dataclass(frozen=True, slots=True)
class SummariseRequest:
    """The session to summarise."""

    session_id: str


async def summarise_session(app: Application, request: SummariseRequest) -> SummaryAnswer:
    """Summarise now. Raises `UsageError`, `UnknownSession` and `ModelError`."""
    async with app.runs.claim(request.session_id):
        session = await app.sessions.open(request.session_id)
        if not session.conversation.messages:
            raise UsageError("Nothing was said in this session yet; ask something first.")
        await app.ledger.cores.load(session.id, app.port.tell)
        by_model = await app.summaries.make(session)
    summary = app.ledger.cores.of(session.id).session_summary
    return SummaryAnswer(
        session.id,
        summary.main_topics,
        summary.key_conclusions,
        summary.unresolved_questions,
        by_model,
    )
