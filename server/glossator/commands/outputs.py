"""What people see of a run's work: outputs of calls, background jobs, files that a turn changed."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from glossator.application import Application
from glossator.commands.turns import acting_of
from glossator.core.errors import UsageError
from glossator.core.run_events import BackgroundJob, ChangedFile
from glossator.sessions import output_in, output_of
from glossator.turn import views_of


@dataclass(frozen=True, slots=True)
class ToolOutputAnswer:
    """What the model read of a call of a tool: a text, which is data, and how many images."""

    text: str
    images: int
    call_id: str
    tool: str


@dataclass(frozen=True, slots=True)
class JobList:
    """The jobs of this server, oldest first: those that run, and the last that ended."""

    jobs: tuple[BackgroundJob, ...]


@dataclass(frozen=True, slots=True)
class JobOutput:
    """A job, and the end of all its output; a line in brackets says how much came before."""

    job: BackgroundJob
    text: str


@dataclass(frozen=True, slots=True)
class FileBefore:
    """A file that a turn changed, and its text before, "" for a new one.

    `before` is None where it is not known: it was no text, or was not kept.
    """

    file: ChangedFile
    before: str | None


@dataclass(frozen=True, slots=True)
class ToolOutputRequest:
    """A session and one of its tool calls, by the id that its events have; else its newest."""

    session_id: str
    call_id: str | None = None


async def tool_output(app: Application, request: ToolOutputRequest) -> ToolOutputAnswer:
    """Raises `UsageError` where it is not kept, or not yet, and as `Sessions.records`."""
    session = next((s for s in app.sessions.loaded() if s.id == request.session_id), None)
    if session is not None and not session.on_disk:
        found = output_in(session.conversation.messages, request.call_id)
    else:
        found = output_of(await app.sessions.records(request.session_id), request.call_id)
    if found is None:
        raise UsageError(_no_output(request.call_id))
    return ToolOutputAnswer(found.text, found.images, found.call_id, found.tool)


def _no_output(call_id: str | None) -> str:
    later = "It is kept once all calls of the same reply have ended; look again then"
    if call_id is None:
        return f"No output of a call is kept in this session yet. {later}."
    what = f"No output of the call {call_id!r} is kept in this session"
    return f"{what}. {later}, or leave callId out for the newest."


@dataclass(frozen=True, slots=True)
class ListJobsRequest:
    """Takes nothing."""


@dataclass(frozen=True, slots=True)
class JobRequest:
    """A background job, as the list names it."""

    job: str


async def list_jobs(app: Application, _request: ListJobsRequest) -> JobList:
    """The background jobs."""
    return JobList(app.acting.shell.jobs.all)


async def show_job(app: Application, request: JobRequest) -> JobOutput:
    """A job and its output. Raises `UsageError` for one that is not known."""
    return JobOutput(*app.acting.shell.jobs.look(request.job))


async def stop_job(app: Application, request: JobRequest) -> JobOutput:
    """End a job, with all that it started. Raises `UsageError` for one that is not known."""
    await app.acting.shell.jobs.end(request.job)
    return await show_job(app, request)


@dataclass(frozen=True, slots=True)
class FileBeforeRequest:
    """A turn of a session, and a file that it changed: its path as events or plans name it."""

    session_id: str
    turn: str
    path: str


async def file_before(app: Application, request: FileBeforeRequest) -> FileBefore:
    """Raises `UsageError` where the turn did not change the file."""
    checkpoints = (await acting_of(app, request.session_id)).checkpoints
    relative = app.host.snapshot().relative
    found = await checkpoints.deltas(
        request.turn,
        lambda paths: [path for path in paths if request.path in (relative(path), path)],
    )
    if not found:
        raise UsageError(
            f"This turn did not change {request.path}. List the turns with their files."
        )
    changed = await asyncio.to_thread(views_of, app.host.snapshot(), found)
    return FileBefore(changed[0], found[0].before)
