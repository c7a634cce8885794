"""What a run tells the editor while it goes on: a closed union of frozen events.

Each event is sent in an `Envelope` with the run's id and a sequence number without gaps. Terminal
events (`RunFinished`, `RunFailed`, `RunCancelled`) always arrive, exactly one a run; deltas of the
same kind may be merged on the way. `vscode-client` mirrors this file; `docs/protocol.md` tells it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar, Literal

from glossator.core.attached import AttachedItem
from glossator.core.edit import EditPlan
from glossator.core.run_events import (
    Correction,
    FactChanged,
    FilesChanged,
    PlanChanged,
    StateChanged,
    ToolOutput,
    UncitedClaim,
)
from glossator.core.span import Citation, FoundPlace


class TodoState(StrEnum):
    """How far a step is."""

    PENDING = "pending"
    ACTIVE = "active"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Todo:
    """One step."""

    text: str
    state: TodoState


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or more model requests; total input is the sum of the first three."""

    kind: ClassVar[str] = "usage"
    input_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.cache_read_tokens + other.cache_read_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            self.output_tokens + other.output_tokens,
        )

    @property
    def input_total(self) -> int:
        """All that was sent."""
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens

    @property
    def total(self) -> int:
        """All tokens, in and out."""
        return self.input_total + self.output_tokens


@dataclass(frozen=True, slots=True)
class RunStarted:
    """A run began; `model` is the model's id, and "offline" is true when none is asked.

    `only_reads`: nothing is changed in it, whatever the mode allows. `plan`: whether it is answered
    by a plan of tasks, as it was asked: `auto`, `plan` or `direct`; "" if no plan may be made.
    `began_at` is ISO 8601; "" where an older version kept the event. `shown` is what people see in
    place of a question whose words are ours, such as `Start the plan`; "" for their own words.
    `folders` are those of the session's worktree: paths are below them; without any below the
    workspace's.
    """

    kind: ClassVar[str] = "run.started"
    session_id: str
    question: str
    model: str
    offline: bool
    attachments: tuple[AttachedItem, ...] = ()
    only_reads: bool = False
    plan: str = "auto"
    began_at: str = ""
    shown: str = ""
    folders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TextDelta:
    """More of the answer's text."""

    kind: ClassVar[str] = "text.delta"
    text: str


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    """More of the model's summarised thinking."""

    kind: ClassVar[str] = "thinking.delta"
    text: str


class DiscardReason(StrEnum):
    """Why a reply is void."""

    BROKE_OFF = "broke off"
    CITATIONS = "citations"  # some did not hold; the corrected answer follows
    PLAN = "plan"  # the question is answered by a plan of tasks
    HOOK = "hook"  # the user's hook has the model go on; the new answer follows


@dataclass(frozen=True, slots=True)
class TextDiscarded:
    """The reply under way is void, with every delta of it so far; another takes its place."""

    kind: ClassVar[str] = "text.discarded"
    reason: DiscardReason = DiscardReason.BROKE_OFF


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A tool call began; `arguments` is the model's input, `about` what to show in its place."""

    kind: ClassVar[str] = "tool.started"
    call_id: str
    tool: str
    arguments: dict[str, Any]
    about: str = ""


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """A tool call ended; `summary` is one line.

    `milliseconds` is the wall time without that in which the user was waited for. `unsuccessful`:
    the call is no error, but the command that it ran failed. `places` are what it found.
    `answer` is what the user answered to the question that it put, "" for no answer; None of other
    calls.
    """

    kind: ClassVar[str] = "tool.finished"
    call_id: str
    tool: str
    summary: str
    error: bool
    milliseconds: float
    unsuccessful: bool = False
    places: tuple[FoundPlace, ...] = ()
    answer: str | None = None


@dataclass(frozen=True, slots=True)
class TodoChanged:
    """The list of steps is another one now."""

    kind: ClassVar[str] = "todo"
    steps: tuple[Todo, ...]


@dataclass(frozen=True, slots=True)
class EditProposed:
    """A tool wants to change files; the plan is shown before it is applied."""

    kind: ClassVar[str] = "edit.proposed"
    plan: EditPlan


@dataclass(frozen=True, slots=True)
class EditSettled:
    """What became of a plan: applied, perhaps in part as `note` says, or not at all.

    `left_out` are the ids of the hunks that were not applied, although others were.
    """

    kind: ClassVar[str] = "edit.settled"
    plan_id: str
    applied: bool
    note: str
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AgentStarted:
    """A sub-agent began; `call_id` is of the tool call that started it, if one did.

    `began_at` is ISO 8601; "" where an older version kept the event.
    """

    kind: ClassVar[str] = "agent.started"
    agent_id: str
    call_id: str | None
    name: str
    task: str
    model: str
    began_at: str = ""


@dataclass(frozen=True, slots=True)
class AgentProgress:
    """What a sub-agent does now; the counts are of all that it did so far."""

    kind: ClassVar[str] = "agent.progress"
    agent_id: str
    tool: str
    detail: str
    tool_calls: int
    tokens: int


@dataclass(frozen=True, slots=True)
class AgentFinished:
    """A sub-agent ended; `summary` is its report as Markdown, with `citations` in their order.

    `partial` says why there would be more; `error`: it came to nothing by itself.
    """

    kind: ClassVar[str] = "agent.finished"
    agent_id: str
    summary: str
    partial: str
    error: bool
    citations: tuple[Citation, ...]
    tool_calls: int
    tokens: int
    milliseconds: float


@dataclass(frozen=True, slots=True)
class CitationChecked:
    """A citation of the answer was checked, or checked anew; the newest for a place holds."""

    kind: ClassVar[str] = "citation"
    citation: Citation


@dataclass(frozen=True, slots=True)
class Compaction:
    """The conversation goes on as a shorter one; both figures are estimated tokens of a request.

    `by_model` is false for a summary that was extracted mechanically.
    """

    kind: ClassVar[str] = "compaction"
    before: int
    after: int
    by_model: bool


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the user should know while the run goes on (a retry's wait, a budget's end).

    `about` says what a client can offer with it: to look at what waits for adoption.
    """

    kind: ClassVar[str] = "notice"
    message: str
    about: Literal["", "adoptions"] = ""


@dataclass(frozen=True, slots=True)
class Steered:
    """The model is told what the user said during the run; its replies from here on know it."""

    kind: ClassVar[str] = "steered"
    text: str
    attachments: tuple[AttachedItem, ...] = ()


@dataclass(frozen=True, slots=True)
class RunFinished:
    """The run ended with an answer."""

    kind: ClassVar[str] = "run.finished"
    stop: str


@dataclass(frozen=True, slots=True)
class RunFailed:
    """The run ended without an answer; `message` says what to do."""

    kind: ClassVar[str] = "run.failed"
    message: str


@dataclass(frozen=True, slots=True)
class RunCancelled:
    """The user or the client ended the run, or went on with its session in `elsewhere`."""

    kind: ClassVar[str] = "run.cancelled"
    elsewhere: str = ""


Event = (
    RunStarted
    | TextDelta
    | ThinkingDelta
    | TextDiscarded
    | ToolStarted
    | ToolOutput
    | ToolFinished
    | FilesChanged
    | TodoChanged
    | EditProposed
    | EditSettled
    | AgentStarted
    | AgentProgress
    | AgentFinished
    | CitationChecked
    | UncitedClaim
    | Correction
    | StateChanged
    | PlanChanged
    | FactChanged
    | Usage
    | Compaction
    | Notice
    | Steered
    | RunFinished
    | RunFailed
    | RunCancelled
)


@dataclass(frozen=True, slots=True)
class Envelope:
    """One event of one run; `seq` counts from 0."""

    run_id: str
    seq: int
    event: Event


@dataclass(frozen=True, slots=True)
class UndoneTurn:
    """A turn whose changes are not in the files now: the undo `by` took them back."""

    turn: str
    by: str


@dataclass(frozen=True, slots=True)
class TurnsUndone:
    """All turns of a session that are undone now, oldest first; what is not named is not undone.

    It is no event of a run: each undo sends it, and each undo of an undo.
    """

    session_id: str
    turns: tuple[UndoneTurn, ...]
