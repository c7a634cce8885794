"""The mode: what is done without asking."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.application import Application
from glossator.core.permission import Mode


@dataclass(frozen=True, slots=True)
class SetModeRequest:
    """The mode from the next tool call on, until the server ends."""

    mode: Mode


@dataclass(frozen=True, slots=True)
class ModeAnswer:
    """The mode, and the one before."""

    mode: Mode
    before: Mode


async def set_mode(app: Application, request: SetModeRequest) -> ModeAnswer:
    """Change what is done without asking; runs on their way follow at once."""
    before, app.acting.mode = app.acting.mode, request.mode
    return ModeAnswer(request.mode, before)
