"""What the commands about outputs, background jobs and changed files answer."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.core.tool_events import BackgroundJob, ChangedFile


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
