"""Rebuild index: bring the indexes up to date, build them again, or compare them with the files."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from glossator.application import Application, BuildProgress
from glossator.commands.answers.index import IndexAnswer
from glossator.commands.status import embedding_state
from glossator.core.errors import UsageError
from glossator.worker import JobFailed, WorkerGone
from glossator.workspace import TextIndexStatus


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
    manager, chunks = app.host.index_manager, app.retriever.index
    found: tuple[str, ...] = ()
    match request.mode:
        case IndexMode.UPDATE:
            found = await _write(app, manager.build())
            found += await _write_chunks(app, chunks.build())
        case IndexMode.REBUILD:
            app.worker.try_all_again()
            found = await _write(app, manager.rebuild())
            found += await _write_chunks(app, chunks.rebuild())
        case IndexMode.CHECK:
            found = await _check(app)
    if request.mode is not IndexMode.CHECK:
        await app.team.settle()
        if app.retriever.embedding is not None:
            app.retriever.embedding.resume()
    status = app.host.status()
    text = status.index.text
    return IndexAnswer(
        files=status.files,
        indexed=text.documents + text.in_memory,
        pending=text.pending,
        segments=text.segments,
        chunk_files=chunks.status().files,
        disk_bytes=text.disk_bytes + chunks.status().disk_bytes,
        milliseconds=(time.perf_counter() - started) * 1000,
        embedding=embedding_state(app),
        problems=found or (*status.index.problems, *_not_on_disk(status.index)),
        sharing=await app.describe_sharing(),
    )


async def _write(app: Application, work: Awaitable[None]) -> tuple[str, ...]:
    """Wait for it; returns what the user left undone."""
    manager = app.host.index_manager
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


async def _write_chunks(app: Application, work: Awaitable[None]) -> tuple[str, ...]:
    """As `_write`, for the index of chunks."""
    chunks = app.retriever.index
    try:
        await work
    except asyncio.CancelledError:
        chunks.cancel_build()
        raise
    status = chunks.status()
    if status.stopped:
        left = f"{status.pending:,} file{'s' * (status.pending != 1)}"
        return (f"The index for Search was cancelled with {left} to go; run it again.",)
    return (status.problem,) if status.problem else ()


async def _check(app: Application) -> tuple[str, ...]:
    progress = BuildProgress(app.port, "Glossator: checking the index", _current_task().cancel)
    try:
        reports = await app.host.index_manager.check(progress)
        more = await app.retriever.index.check(progress)
    except (WorkerGone, JobFailed) as error:
        raise UsageError(f"The index could not be checked: {error} Try again later.") from error
    finally:
        progress(None)
    return (*(problem for report in reports for problem in report.problems), *more)


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
