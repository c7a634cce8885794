"""Cancel: end one run, or all of them."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.service.application import Application


@dataclass(frozen=True, slots=True)
class CancelRequest:
    """Which run to end; None means all."""

    run_id: str | None = None


@dataclass(frozen=True, slots=True)
class CancelAnswer:
    """The runs that were ended; a run that was already over is not among them."""

    cancelled: tuple[str, ...]


async def cancel(app: Application, request: CancelRequest) -> CancelAnswer:
    """End runs; each answers its own caller as cancelled."""
    return CancelAnswer(app.runs.cancel(request.run_id))
