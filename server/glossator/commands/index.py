"""The indexes that Search uses: build them, compare them with the files, say how each stands."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from glossator.application import Application, BuildProgress, embedding_bill
from glossator.commands.answers.context import ContextAction, ContextSource, ContextState
from glossator.commands.answers.server import IndexAnswer
from glossator.core.context_kinds import ContextKind
from glossator.core.errors import UsageError
from glossator.worker import JobFailed, WorkerGone
from glossator.workspace import TextIndexStatus

_BUILDING = "It is being built; what is missing is read from the files meanwhile."
_BUILDING_ENDED = "Its building was ended by you; Rebuild starts it again."
_STRUCTURAL = 'from the code alone; with retrieval.contexts = "generated" a model writes them'
_GENERATED = "written by a model; glossator contexts makes those that are missing"


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
    """Build or check the index and wait for the end; progress is shown as background work."""
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
    """Wait until the index is written; returns what the user left undone."""
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
    """Like `_write`, for the index of chunks."""
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


def index_sources(app: Application) -> Iterator[ContextSource]:
    """The indexes, each with its state."""
    status = app.host.status().index
    text = status.text
    yield _source(
        "Words and lines",
        f"{text.documents + text.in_memory:,} files, {_size(text.disk_bytes)}",
        ContextAction.REBUILD,
        problem=" ".join(status.problems),
        off=_BUILDING_ENDED if status.stopped else "",
        building=status.building is not None,
    )
    chunks = app.retriever.index.status()
    yield _source(
        "Chunks of code",
        f"{chunks.files:,} of {chunks.listed:,} files, {_size(chunks.disk_bytes)}",
        ContextAction.REBUILD,
        problem=chunks.problem,
        off=_BUILDING_ENDED if chunks.stopped else "" if chunks.state == "on" else chunks.state,
        building=chunks.building is not None,
    )
    embedding = app.retriever.embedding
    says = embedding_state(app)
    yield _source(
        "Embeddings",
        says,
        ContextAction.CONFIGURE,
        problem=(app.embedding_problem if embedding is None else embedding.problem) or "",
        off=says if embedding is None or embedding.paused else "",
        building=embedding is not None and embedding.waiting > 0,
    )
    is_generated = app.settings.retrieval.contexts == "generated"
    how = _GENERATED if is_generated else _STRUCTURAL
    yield _source("Contexts of chunks", how, ContextAction.CONFIGURE)


def _source(
    name: str,
    detail: str,
    action: ContextAction,
    *,
    problem: str = "",
    off: str = "",
    building: bool = False,
) -> ContextSource:
    """The state of an index: its problem, why it is off, or that it is being built or is on."""
    state, why = ContextState.ON, ""
    if problem:
        state, why = ContextState.PROBLEM, problem
    elif off:
        state, why = ContextState.OFF, off
    elif building:
        state, why = ContextState.WAITING, _BUILDING
    kind, detail = ContextKind.INDEX, "" if detail == why else detail
    return ContextSource(kind, name, name, "project", state, why, detail, "", (action,))


def _size(count: int) -> str:
    return f"{count / 1e6:,.1f} MB on disk" if count >= 1e5 else f"{count / 1e3:,.0f} kB on disk"


def embedding_state(app: Application) -> str:
    """What embeds, how many files wait for it, and what a server billed; or why nothing does."""
    embedding = app.retriever.embedding
    if embedding is None:
        return app.embedding_problem or "off: no embedder is chosen, or nothing is indexed yet"
    said = f"{embedding.choice.model_id}; vectors {embedding.place.in_words}"
    if bill := embedding_bill(app.settings.models, embedding.choice, embedding.tokens):
        said += f"; {bill}"
    if embedding.waiting:
        said += f"; {embedding.waiting:,} files wait"
    if embedding.paused:
        said += "; paused by the user"
    return f"{said}; {embedding.problem}" if embedding.problem else said
