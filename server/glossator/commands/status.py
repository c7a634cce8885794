"""Status: what this server holds in memory and on disk, and whether its parts work."""

from __future__ import annotations

import asyncio
import os
import resource
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from glossator import __version__
from glossator.application import Application
from glossator.commands.answers.server import (
    ChunksView,
    IndexView,
    OutlinesView,
    SessionMode,
    SpendingView,
    StatusAnswer,
    SweepView,
)
from glossator.commands.index import embedding_state
from glossator.core.document import Document
from glossator.core.shown import shown
from glossator.sessions import Session
from glossator.worker import Trouble, WorkerPhase, WorkerState
from glossator.workspace import (
    NoRipgrep,
    Sweep,
    TextIndexStatus,
    WorkspaceSnapshot,
    find_ripgrep,
    version_of,
)

_INDEX_SECONDS = 2.0  # for the index for Search to be opened


@dataclass(frozen=True, slots=True)
class StatusRequest:
    """With `wait`, the answer comes once the workspace has been scanned.

    From a client that leaves, also once the index for Search is open, or after two seconds.
    """

    wait: bool = False


async def status(app: Application, request: StatusRequest) -> StatusAnswer:
    """The state at this moment."""
    if request.wait:
        await app.ready()
        if app.port.leaves:
            await app.retriever.settle(_INDEX_SECONDS)
    setting, folders = app.settings.workspace.ripgrep, app.host.snapshot().folders
    ripgrep = await asyncio.to_thread(find_ripgrep, setting, folders)  # asks it for its version
    kept = await app.symbols.statistics(app.host.snapshot())
    workspace = app.host.status()
    worker = workspace.index.worker
    return StatusAnswer(
        version=__version__,
        model=app.model.id,
        offline=app.model.offline,
        mode=app.acting.modes.of(),
        usual_mode=app.acting.modes.usual,
        modes=tuple(SessionMode(*each) for each in app.acting.modes.known.items()),
        roots=workspace.roots,
        files=workspace.files,
        open_documents=workspace.open_documents,
        revision=workspace.revision,
        scanning=workspace.scanning,
        watcher=workspace.watcher,
        last_sweep=None if workspace.last_sweep is None else _sweep(workspace.last_sweep),
        index=_index(workspace.index),
        chunks=_chunks(app),
        outlines=None if kept is None else OutlinesView(kept.entries, kept.bytes),
        worker=_worker(worker),
        worker_memory_bytes=_memory_of(worker.process_id) if worker.process_id else None,
        ripgrep=ripgrep.reason if isinstance(ripgrep, NoRipgrep) else ripgrep,
        memory_bytes=_memory(),
        cache=workspace.cache,
        skipped=workspace.skipped,
        sessions=len(app.sessions.loaded()),
        spending=tuple(_spending(each) for each in app.sessions.loaded() if each.account.replies),
        runs=app.runs.active(),
        sharing=await app.describe_sharing(),
        mcp_servers=_mcp_servers(app),
        failed=await failed_files(app),
    )


async def failed_files(app: Application) -> tuple[str, ...]:
    """What fails at files as they are now: `/ws/a.js has no outline: RecursionError`."""
    snapshot, troubles = app.host.snapshot(), await app.worker.failed()
    if not troubles:
        return ()
    return await asyncio.to_thread(
        lambda: tuple(shown(each.in_words) for each in troubles if _is_current(each, snapshot))
    )


def _is_current(trouble: Trouble, snapshot: WorkspaceSnapshot) -> bool:
    """Whether the file is as it was; else it is tried again once it is needed."""
    path = trouble.item.name
    entry, document = snapshot.listing.get(path), snapshot.read(path)
    if entry is None and path not in snapshot.overlays:
        return False
    stamp = "" if entry is None else version_of(*entry[2:6])
    sha256 = document.sha256 if isinstance(document, Document) else ""
    return trouble.lasting or trouble.item.is_at(sha256, stamp)


def _mcp_servers(app: Application) -> str:
    """How many servers are in which state: `2 ready, 1 waiting`."""
    states = Counter(each.state for each in app.mcp.listed().servers)
    return ", ".join(f"{count} {state}" for state, count in sorted(states.items()))


def _index(index: TextIndexStatus) -> IndexView:
    text = index.text
    return IndexView(
        _index_state(index),
        text.documents,
        max(0, text.pending - index.never),
        text.in_memory,
        text.segments,
        text.disk_bytes,
        text.memory_bytes,
        index.problems,
    )


def _index_state(index: TextIndexStatus) -> str:
    if index.stopped:
        return "building was ended by the user"
    if index.building is not None:
        return f"building: {index.building.done:,} of {index.building.total:,} files"
    elsewhere = [state for _, state in index.disk if state != "on"]
    return "; ".join(dict.fromkeys(elsewhere)) or "on"


def _chunks(app: Application) -> ChunksView:
    status = app.retriever.index.status()
    state = status.state
    if status.building is not None:
        state = f"building: {status.building.done:,} of {status.building.total:,} files"
    return ChunksView(
        state, status.files, status.pending, status.disk_bytes, embedding_state(app), status.problem
    )


def _sweep(sweep: Sweep) -> SweepView:
    ago = max(0.0, time.time() - sweep.at)
    return SweepView(sweep.cause, ago, sweep.seconds * 1000, sweep.differences)


def _spending(session: Session) -> SpendingView:
    account = session.account
    total = account.spending
    return SpendingView(
        session.id,
        shown(session.title),
        account.replies,
        account.broken_off,
        total.usage,
        account.last,
        total.dollars,
    )


def _worker(state: WorkerState) -> str:
    match state.phase:
        case WorkerPhase.BACKING_OFF:
            return f"ended unasked {state.failures} times, again in {state.retry_after:.0f} s"
        case WorkerPhase.OFF:
            return "not running"
    return f"{state.phase.value}, process {state.process_id}"


def _memory() -> int:
    """The memory this process holds now, or held at most where only that is known, in bytes."""
    held = _memory_of(os.getpid())
    if held is None:
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    return held


def _memory_of(process_id: int) -> int | None:
    """The memory a process holds now, in bytes; None where the system does not tell."""
    try:
        pages = Path(f"/proc/{process_id}/statm").read_text("ascii").split()[1]
    except OSError:  # no such file system, or the process has just ended
        return None
    return int(pages) * resource.getpagesize()
