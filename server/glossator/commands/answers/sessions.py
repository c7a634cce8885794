"""Sessions as clients see them: lists, exports, sub-agents, turns, what was undone or dropped."""

from __future__ import annotations

from dataclasses import dataclass

from glossator.core.answer import Answer
from glossator.core.events import UndoneTurn
from glossator.core.report import Report


@dataclass(frozen=True, slots=True)
class SessionWorktree:
    """The worktree that a session works in, its branch, and what of the workspace is where in it.

    `state` is `open`, `merged`, `discarded`, or `gone` where somebody else removed it. `changed` is
    how many files it changed, None where that is not known; `into` the branch that it would be
    merged into, "" where that is none or not known.
    """

    name: str
    branch: str
    folders: tuple[str, ...]
    state: str
    changed: int | None = None
    into: str = ""


@dataclass(frozen=True, slots=True)
class MergedWorktree:
    """The branch `into` which a session's worktree was merged, as `commit`, and the files.

    `before` is the commit to go back to. Hashes are whole.
    """

    session_id: str
    branch: str
    into: str
    before: str
    commit: str
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DiscardedWorktree:
    """A session's worktree that was thrown away; with `lost` it was not: that would be lost."""

    session_id: str
    branch: str
    lost: str = ""


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """A session as lists show it; times are ISO 8601, `turns` counts model replies.

    `found` is its newest question that holds the words looked for, "" where its title holds them.
    `elsewhere` says what has it open, "" unless it is another server's. `waits`: its
    run waits for the user's answer.
    """

    id: str
    title: str
    created_at: str
    updated_at: str
    turns: int
    running: bool
    found: str = ""
    elsewhere: str = ""
    waits: bool = False
    worktree: SessionWorktree | None = None


@dataclass(frozen=True, slots=True)
class SessionList:
    """The sessions of this workspace, those in which something happened last first."""

    sessions: tuple[SessionInfo, ...]


@dataclass(frozen=True, slots=True)
class DeletedSession:
    """The session that was deleted."""

    id: str


@dataclass(frozen=True, slots=True)
class TakenSession:
    """The session that is open here now."""

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class ExportedSession:
    """The text of a session, and a name for a file to put it in."""

    file_name: str
    text: str


@dataclass(frozen=True, slots=True)
class AgentInfo:
    """A sub-agent of a run; `began_at` is ISO 8601.

    `findings` is None as long as there is no report: it is `running`, or its server was killed.
    `partial` says why the report is not whole, "" if it is.
    """

    agent_id: str
    run_id: str
    name: str
    task: str
    model: str
    began_at: str
    running: bool
    findings: int | None
    partial: str


@dataclass(frozen=True, slots=True)
class AgentList:
    """The sub-agents of a session's runs, oldest first."""

    agents: tuple[AgentInfo, ...]


@dataclass(frozen=True, slots=True)
class AgentTranscript:
    """A sub-agent, its report if there is one, and all that was said in it, as Markdown."""

    agent: AgentInfo
    report: Report | None
    text: str


@dataclass(frozen=True, slots=True)
class TurnView:
    """A turn that changed files, and what was asked; `undoes` are the turns it took back.

    `question` is empty for an undo. `undone_by` is the undo that took the turn back, None while its
    changes stand.
    """

    turn: str
    question: str
    paths: tuple[str, ...]
    undoes: tuple[str, ...]
    undone_by: str | None


@dataclass(frozen=True, slots=True)
class TurnList:
    """Oldest first."""

    turns: tuple[TurnView, ...]


@dataclass(frozen=True, slots=True)
class UndoProblem:
    """A file that is not as it was, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class UndoAnswer:
    """What was brought back; `turn` undoes the undo, None if nothing was changed.

    What is there again, or as it was, is `restored`; what is gone again is `removed`. Files that
    somebody else has changed since are `conflicts`; without `overwrite` nothing at all is brought
    back then. `incomplete`: a command was cut off with its server, or one of `jobs` (by their
    command lines) went on after its turn, and what they changed is not known. `undid` are the
    questions of the turns that are undone now and were not before, `redid` of those that no longer
    are. `undone` are all turns of the session that are undone now. `unsaved` are the paths that
    only the editor has as they are now.
    """

    turn: str | None
    restored: tuple[str, ...]
    removed: tuple[str, ...]
    conflicts: tuple[UndoProblem, ...]
    failed: tuple[UndoProblem, ...]
    incomplete: bool
    jobs: tuple[str, ...]
    undid: tuple[str, ...]
    redid: tuple[str, ...]
    undone: tuple[UndoneTurn, ...]
    unsaved: tuple[str, ...] = ()

    @property
    def not_undone(self) -> tuple[UndoProblem, ...]:
        """The files that are not as they were; a conflict that was overwritten is none of them."""
        done = {*self.restored, *self.removed}
        return (*(each for each in self.conflicts if each.path not in done), *self.failed)


@dataclass(frozen=True, slots=True)
class DroppedRun:
    """A run that the conversation knows nothing of any more, and what was asked."""

    run_id: str
    question: str


@dataclass(frozen=True, slots=True)
class RewindAnswer:
    """The runs that were dropped, oldest first; of these, the turns whose changes still stand."""

    runs: tuple[DroppedRun, ...]
    changed: tuple[TurnView, ...]


@dataclass(frozen=True, slots=True)
class RetryAnswer(Answer):
    """An answer, and what took place before it as `rewind` tells it.

    Of an exploration it has the report, and the URI of the gloss that it was kept as.
    """

    runs: tuple[DroppedRun, ...]
    changed: tuple[TurnView, ...]
    report: Report | None = None
    document: str | None = None


@dataclass(frozen=True, slots=True)
class Explored(Answer):
    """The answer, whose text is the report's Markdown; it stands in the session's conversation.

    `document` is the URI of the gloss that it was kept as.
    """

    report: Report
    document: str | None = None


@dataclass(frozen=True, slots=True)
class CompactAnswer:
    """About how many tokens a request took before and takes now.

    `by_model` is false for a summary that was extracted mechanically.
    """

    before: int
    after: int
    by_model: bool


@dataclass(frozen=True, slots=True)
class SummaryAnswer:
    """What a session was about so far, in sentences; `by_model` is false for an extracted one."""

    session_id: str
    main_topics: tuple[str, ...]
    key_conclusions: tuple[str, ...]
    unresolved_questions: tuple[str, ...]
    by_model: bool
