"""Cancel: end one run, all of them, or one sub-agent."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.application import Application
from glossator.core.errors import UsageError


@dataclass(frozen=True, slots=True)
class CancelRequest:
    """Which run to end, None means all; or which sub-agent, whose run then continues."""

    run_id: str | None = None
    agent_id: str | None = None


@dataclass(frozen=True, slots=True)
class CancelAnswer:
    """The ids of runs and sub-agents that were ended; those already over are not among them."""

    cancelled: tuple[str, ...]


async def cancel(app: Application, request: CancelRequest) -> CancelAnswer:
    """End runs; each answers its own caller as cancelled. A sub-agent reports what it has found.

    Raises `UsageError` for a run and a sub-agent at once.
    """
    if request.agent_id is None:
        return CancelAnswer(app.runs.cancel(request.run_id))
    if request.run_id is not None:
        raise UsageError("A run and a sub-agent were named; name the one that is to be ended.")
    return CancelAnswer(app.runs.cancel_agent(request.agent_id))
