"""Rebuild index: bring the text index up to date, build it again, or compare it with the files."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from glossator.application import Application, BuildProgress
from glossator.core.answers import IndexAnswer
from glossator.core.errors import UsageError
from glossator.index import TextIndexManager, TextIndexStatus
from glossator.worker import JobFailed, WorkerGone


class IndexMode(StrEnum):
    """What is done to the index."""

    UPDATE = "update"
    REBUILD = "rebuild"
    CHECK = "check"


@dataclass(frozen=True, slots=True)
class IndexRequest:
    """By default everything is built again; `check` changes nothing."""

    mode: IndexMode = IndexMode.REBUILD


async def rebuild_index(app: Application, request: IndexRequest) -> IndexAnswer:
    """Do it and wait until it is done; its progress is shown as work in the background."""
    started = time.perf_counter()
    await app.ready()
    if request.mode is IndexMode.REBUILD:
        app.host.sweep("rebuild")
        await app.ready()
    manager = app.host.index_manager
    found: tuple[str, ...] = ()
    match request.mode:
        case IndexMode.UPDATE:
            found = await _write(manager, manager.build())
        case IndexMode.REBUILD:
            found = await _write(manager, manager.rebuild())
        case IndexMode.CHECK:
            found = await _check(app)
    status = app.host.status()
    text = status.index.text
    return IndexAnswer(
        files=status.files,
        indexed=text.documents + text.in_memory,
        pending=text.pending,
        segments=text.segments,
        disk_bytes=text.disk_bytes,
        milliseconds=(time.perf_counter() - started) * 1000,
        problems=found or (*status.index.problems, *_not_on_disk(status.index)),
    )


async def _write(manager: TextIndexManager, work: Awaitable[None]) -> tuple[str, ...]:
    """Wait for it; returns what the user left undone."""
    try:
        await work
    except asyncio.CancelledError:
        manager.cancel_build()  # or it would continue although nobody waits
        raise
    status = manager.status()
    if not status.stopped:
        return ()
    pending = status.text.pending
    if not pending:
        return ("The build was cancelled, and the index stays in use; run it again.",)
    left = f"{pending:,} file{'s' * (pending != 1)}"
    return (f"The build was cancelled with {left} to go, searched by reading; run it again.",)


async def _check(app: Application) -> tuple[str, ...]:
    progress = BuildProgress(app.port, "Glossator: checking the index", _current_task().cancel)
    try:
        reports = await app.host.index_manager.check(progress)
    except (WorkerGone, JobFailed) as error:
        raise UsageError(f"The index could not be checked: {error} Try again later.") from error
    finally:
        progress(None)
    return tuple(problem for report in reports for problem in report.problems)


def _not_on_disk(status: TextIndexStatus) -> Iterator[str]:
    for root, state in status.disk:
        if state != "on":
            yield (
                f"Nothing is kept on disk for {root}: {state}. Searches miss nothing, but take "
                "longer; change that, or ignore this."
            )


def _current_task() -> asyncio.Task[object]:
    task = asyncio.current_task()
    assert task is not None  # noqa: S101 - requests are tasks
    return task
