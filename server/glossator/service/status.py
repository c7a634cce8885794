"""Status: what this server holds and how it is."""

from __future__ import annotations

from dataclasses import dataclass

from glossator import __version__
from glossator.service.application import Application
from glossator.workspace.cache import CacheStatistics
from glossator.workspace.index import Skipped


@dataclass(frozen=True, slots=True)
class StatusRequest:
    """With `wait`, the answer comes once the workspace has been scanned."""

    wait: bool = False


@dataclass(frozen=True, slots=True)
class StatusAnswer:
    """See `docs/protocol.md`."""

    version: str
    model: str
    offline: bool
    roots: tuple[str, ...]
    files: int
    open_documents: int
    revision: int
    scanning: bool
    watcher: str
    cache: CacheStatistics
    skipped: tuple[Skipped, ...]
    sessions: int
    runs: tuple[str, ...]


async def status(app: Application, request: StatusRequest) -> StatusAnswer:
    """The state at this moment; asks nobody."""
    if request.wait:
        await app.ready()
    workspace = app.host.status()
    return StatusAnswer(
        version=__version__,
        model=app.model.id,
        offline=app.model.offline,
        roots=workspace.roots,
        files=workspace.files,
        open_documents=workspace.open_documents,
        revision=workspace.revision,
        scanning=workspace.scanning,
        watcher=workspace.watcher,
        cache=workspace.cache,
        skipped=workspace.skipped,
        sessions=len(app.sessions.all()),
        runs=app.runs.active(),
    )
