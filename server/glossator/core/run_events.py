"""Events of a run beside those of `core.events`: its plan, its grounds, its files, its output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from glossator.core.fact import FactView
from glossator.core.shown import shown, some_of

_MAX_NAMES = 12  # files named


@dataclass(frozen=True, slots=True)
class UncitedClaim:
    """`answer[start:end]` claims something about the workspace and cites nothing.

    `statement` is its text; both ends are in characters.
    """

    kind: ClassVar[str] = "uncited"
    statement: str
    start: int
    end: int


class Correcting(StrEnum):
    """What was done with a sentence that its lines do not carry."""

    REWRITTEN = "rewritten"
    MARKED = "marked"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class Correction:
    """A sentence of the answer was changed; `after` is "" for one that was dropped."""

    kind: ClassVar[str] = "correction"
    what: Correcting
    before: str
    after: str
    reason: str


class RunState(StrEnum):
    """The states of the orchestrator; `turn/orchestrator.py` has the table."""

    IDLE = "IDLE"
    ANALYSING = "ANALYSING"
    CLARIFYING = "CLARIFYING"
    RETRIEVING = "RETRIEVING"
    PLANNING = "PLANNING"
    EXECUTING = "EXECUTING"
    SYNTHESISING = "SYNTHESISING"
    VERIFYING = "VERIFYING"
    CORRECTING = "CORRECTING"
    MEMORISING = "MEMORISING"
    DONE = "DONE"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


@dataclass(frozen=True, slots=True)
class StateChanged:
    """The orchestrator went over to another state; `detail` is one line or empty."""

    kind: ClassVar[str] = "state"
    state: RunState
    detail: str = ""


class TaskState(StrEnum):
    """How far a task of a plan is."""

    PENDING = "pending"
    ACTIVE = "active"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class PlannedTask:
    """A part of a plan; `dependencies` are the ids of those that it builds on.

    `result` is Markdown, or says why it failed; "" before it ended.
    """

    id: str
    description: str
    dependencies: tuple[str, ...] = ()
    state: TaskState = TaskState.PENDING
    result: str = ""


@dataclass(frozen=True, slots=True)
class PlanChanged:
    """The plan, whole, when it was made or changed."""

    kind: ClassVar[str] = "plan"
    tasks: tuple[PlannedTask, ...]


@dataclass(frozen=True, slots=True)
class FactChanged:
    """A fact was added to the ledger, or is another one now."""

    kind: ClassVar[str] = "fact"
    fact: FactView


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """What a tool call gives; a later one of the same call takes its place.

    While a command runs (`live`), `text` is the end of its output so far. At the end of a call it
    is all that the model reads of it, without its images. It is data: no Markdown.
    """

    kind: ClassVar[str] = "tool.output"
    call_id: str
    text: str
    live: bool = False


class FileChange(StrEnum):
    """What became of a file."""

    CREATED = "created"
    CHANGED = "changed"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that a turn changed, by its path in the workspace, and how many lines.

    The counts are None where they are not known: it is no text, or was not kept.
    """

    path: str
    uri: str
    change: FileChange
    added: int | None
    removed: int | None


@dataclass(frozen=True, slots=True)
class FilesChanged:
    """The files that the run changed, by edits and by commands; before the run's end.

    `more` are as many that are not listed. `unsaved` are the paths of those that only the editor
    has as they were changed.
    """

    kind: ClassVar[str] = "files.changed"
    files: tuple[ChangedFile, ...]
    more: int = 0
    unsaved: tuple[str, ...] = ()


def not_saved(paths: Sequence[str]) -> str:
    """A sentence on what to do about files whose edits only the editor has."""
    names = some_of([shown(path) for path in paths], _MAX_NAMES)
    return f"Not saved in the editor: {names}. Save what you want to keep."


@dataclass(frozen=True, slots=True)
class UnsavedFile:
    """A file that a run edited, by its path in the workspace, whose edit is not on disk.

    Only the editor has the edit, or (`gone`) nobody: it was closed, or reverted, unsaved.
    """

    run_id: str
    path: str
    uri: str
    gone: bool


@dataclass(frozen=True, slots=True)
class SessionNow:
    """A session that is called something else now, or that another server has taken over.

    `elsewhere` says what has it open then, "" while this server has it. It is no event of a run.
    """

    session_id: str
    title: str
    elsewhere: str = ""


@dataclass(frozen=True, slots=True)
class UnsavedFiles:
    """All such files of a session as they are now. It is no event of a run."""

    session_id: str
    files: tuple[UnsavedFile, ...]


@dataclass(frozen=True, slots=True)
class BackgroundJob:
    """A command in the background; `outcome` is how it ended, "" while it runs.

    `began_at` is ISO 8601. `failed`: it ended with another exit code than 0, or by a signal.
    """

    job: str
    command: str
    began_at: str
    outcome: str
    failed: bool


@dataclass(frozen=True, slots=True)
class JobsChanged:
    """All background jobs as they are now, oldest first. It is no event of a run."""

    jobs: tuple[BackgroundJob, ...]
