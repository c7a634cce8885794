"""The mode: what is done without asking."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.application import Application
from glossator.commands.answers.mode import ModeAnswer
from glossator.core.permission import Mode


@dataclass(frozen=True, slots=True)
class SetModeRequest:
    """The mode of a session, from its next tool call until the server ends.

    Without `session_id` it is the mode of the sessions whose first run is still to begin.
    """

    mode: Mode
    session_id: str | None = None


async def set_mode(app: Application, request: SetModeRequest) -> ModeAnswer:
    """Change what is done without asking; no other session follows.

    The session may be in use elsewhere: its mode here is for when it is resumed here.
    """
    modes = app.acting.modes
    before = modes.of(request.session_id)
    modes.change(request.mode, request.session_id)
    return ModeAnswer(request.mode, before)
