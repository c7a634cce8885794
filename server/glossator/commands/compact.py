"""Compact: replace a conversation by a shorter one, by command."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.application import Application
from glossator.commands.answers.compact import CompactAnswer
from glossator.core.errors import UsageError
from glossator.sessions import NoGain
from glossator.turn import compactor_of, session_hooks


@dataclass(frozen=True, slots=True)
class CompactRequest:
    """The session to compact."""

    session_id: str


async def compact_session(app: Application, request: CompactRequest) -> CompactAnswer:
    """Compact now. Raises `UsageError`, `UnknownSession` and `ModelError`."""
    async with app.runs.claim(request.session_id):
        session = await app.sessions.open(request.session_id)
        meter = session.meter(app.settings.limits, app.model)
        hooks = await session_hooks(app, session.id, session.reminders, app.port.tell)
        compactor = compactor_of(app, session, app.model, lambda _: None, hooks, "manual")
        made = await compactor.compact(meter)
        if isinstance(made, NoGain):
            raise UsageError(f"The conversation was not compacted: {made.why}. Go on with it.")
    return CompactAnswer(made.before, made.after, made.by_model)
