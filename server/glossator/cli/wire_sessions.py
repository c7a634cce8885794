"""The parts of `docs/protocol.md` about sessions, as `wire.py` has the rest."""

from __future__ import annotations

from typing import TypedDict

from glossator.cli.wire import Answer
from glossator.cli.wire_agents import Report


class Session(TypedDict):
    """A conversation that is kept; times are ISO 8601."""

    id: str
    title: str
    createdAt: str
    updatedAt: str
    turns: int
    running: bool


class Sessions(TypedDict):
    """The sessions of this workspace, the one that changed last first."""

    sessions: list[Session]


class DeletedSession(TypedDict):
    """The session that was deleted."""

    id: str


class ExportedSession(TypedDict):
    """A session's text, and a name for a file to put it in."""

    fileName: str
    text: str


class Compacted(TypedDict):
    """About how many tokens a session's request took before and takes now."""

    before: int
    after: int
    byModel: bool


class Turn(TypedDict):
    """A turn that changed files, and what was asked; `undoes` are the turns it took back."""

    turn: str
    question: str
    paths: list[str]
    undoes: list[str]
    undoneBy: str | None


class UndoneTurn(TypedDict):
    """A turn whose changes are not in the files now, and the undo that took them back."""

    turn: str
    by: str


class Turns(TypedDict):
    """Oldest first."""

    turns: list[Turn]


class UndoProblem(TypedDict):
    """A file that is not as it was, and why."""

    path: str
    reason: str


class Undone(TypedDict):
    """What was brought back; `turn` undoes the undo."""

    turn: str | None
    restored: list[str]
    removed: list[str]
    conflicts: list[UndoProblem]
    failed: list[UndoProblem]
    incomplete: bool
    jobs: list[str]
    undid: list[str]
    redid: list[str]
    undone: list[UndoneTurn]


class DroppedRun(TypedDict):
    """A run that the conversation knows nothing of any more, and what was asked."""

    runId: str
    question: str


class Rewound(TypedDict):
    """The runs that were dropped, oldest first, and of these the turns whose changes stand."""

    runs: list[DroppedRun]
    changed: list[Turn]


class Retried(Answer, Rewound):
    """The answer to a question that was asked again, and what was dropped for it.

    The report and where it is kept are those of an exploration.
    """

    report: Report | None
    document: str | None


class ContextPart(TypedDict):
    """Things of one kind and name in the window, and why they are there; in tokens."""

    kind: str
    name: str
    why: str
    count: int
    tokens: int
    cached: int
    deferred: bool


class ContextLayer(TypedDict):
    """Parts that stand together."""

    name: str
    tokens: int
    cached: int
    parts: list[ContextPart]


class Context(TypedDict):
    """What the window of a session holds, in tokens."""

    sessionId: str | None
    title: str
    model: str
    offline: bool
    window: int
    compactAt: int | None
    tokens: int
    cached: int
    cachedUntil: str | None
    counted: int | None
    basis: str
    layers: list[ContextLayer]
