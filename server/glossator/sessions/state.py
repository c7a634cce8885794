"""The state of a session, computed from its log's records, or those that rewinding left.

A live session and a resumed one get their state from the same function. A message, and what is kept
of the conversation rather than of the session, belongs to the run that was started last.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from glossator.core.events import RunStarted, Steered, Usage
from glossator.core.images import Image
from glossator.core.report import Report
from glossator.core.span import Span
from glossator.llm import Message, Spending, ToolSpec
from glossator.sessions.records import (
    UNTITLED,
    AgentBegun,
    AgentSaid,
    Amended,
    Begun,
    Happened,
    KeptValue,
    ModelCall,
    Prefix,
    ReadShown,
    Received,
    Record,
    Reported,
    Restarted,
    Revised,
    Rewound,
    Said,
    Titled,
    kept_event,
)
from glossator.tools import FindingCounts, ReadDocument
from glossator.undo import SEEN_UNDOS

# Names of what is kept of the conversation: dropped with the run that kept it.
TODO = "todo"
RUNS = "runs"  # commands
FAILED_RUNS = "failedRuns"  # their numbers, and how they ended
INSTRUCTIONS = "instructions"  # files that the model was told of: [path, SHA-256]
MEMORIES = "memories"  # that the model saw, with their versions; None: it sees them no more
FACTS = "facts"  # that the model was told: [id, whether it holds]; None: it sees them no more
LISTED = "listed"  # whether lists show the session; kept of the session, not the conversation
EDITOR_STATE = "editorState"  # what the model was told of the editor; None: it sees it no more
OF_CONVERSATION = frozenset(
    {RUNS, FAILED_RUNS, TODO, SEEN_UNDOS, INSTRUCTIONS, MEMORIES, FACTS, EDITOR_STATE}
)

_UNKNOWN = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True, slots=True)
class AskedRun:
    """A run of the current conversation; `compacted`: its question is no longer in it.

    `started` is its `run.started` as it was kept, `images` are those that went with the question.
    `steered` is what the user said during the run, with the images that went with it.
    """

    run_id: str
    started: Mapping[str, Any]
    images: tuple[Image, ...] = ()
    steered: tuple[tuple[Steered, tuple[Image, ...]], ...] = ()
    compacted: bool = False

    @property
    def question(self) -> str:
        """What was asked."""
        return str(self.started.get("question", ""))

    @property
    def event(self) -> RunStarted | None:
        """The event that began the run; None if another version kept it."""
        event = kept_event(self.started)
        return event if isinstance(event, RunStarted) else None


@dataclass(slots=True)
class Account:
    """All that a session has taken so far; `broken_off` replies took more than is known.

    `newest` is the conversation's newest request, None before the first and after a compaction.
    """

    replies: int = 0
    broken_off: int = 0  # of these
    spending: Spending = field(default_factory=Spending)
    newest: ModelCall | None = None

    @property
    def last(self) -> Usage:
        """What the newest request took, which shows how full the window is."""
        return self.newest.usage if self.newest else Usage()

    def add(self, spent: ModelCall) -> None:
        """Add a reply."""
        self.replies += 1
        self.broken_off += not spent.whole
        self.spending += Spending.priced(spent.usage, spent.long_write_tokens, spent.dollars)
        if spent.purpose == "turn" and not spent.dropped:
            self.newest = spent

    def restart(self) -> None:
        """Note that the conversation was compacted."""
        self.newest = None


@dataclass(slots=True)
class SessionState:
    """The state that a log's records add up to; `unsaid` is a reply that was not appended.

    `story` holds the records needed to rewind. `dropped` are runs that the conversation no longer
    knows of.
    """

    id: str = ""
    title: str = UNTITLED
    created_at: datetime = _UNKNOWN
    roots: tuple[str, ...] = ()
    system: tuple[str, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    messages: list[Message] = field(default_factory=list)
    reads: list[ReadShown] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    citable: list[Span] = field(default_factory=list)
    seen: dict[str, ReadDocument] = field(default_factory=dict)  # by path
    findings: dict[str, FindingCounts] = field(default_factory=dict)
    kept: dict[str, list[Any]] = field(default_factory=dict)
    turns: int = 0
    unsaid: Message | None = None
    account: Account = field(default_factory=Account)
    reports: list[Report] = field(default_factory=list)
    story: list[Record] = field(default_factory=list)
    dropped: set[str] = field(default_factory=set)
    title_made: bool = False

    @property
    def listed(self) -> bool:
        """Whether lists show the session."""
        return bool(self.kept.get(LISTED, [True])[-1])


def session_state(records: Iterable[Record]) -> SessionState:
    """The session that `records` describe."""
    state = SessionState()
    for record in without_rewound(records):
        _add(state, record)
        remember(state.story, record)
    return state


def without_rewound(records: Iterable[Record]) -> list[Record]:
    """The records without what rewinding has dropped.

    Records about the session rather than its conversation stay; the spending of dropped runs is
    marked.
    """
    left: list[tuple[str, Record]] = []  # with the run that was started last
    run = ""
    for record in records:
        if isinstance(record, Rewound):
            left = [(of, kept) for of, each in left if (kept := _without(each, of, record.runs))]
            run = ""
        run = _started(record) or run
        left.append((run, record))
    return [record for _, record in left]


def remember(story: list[Record], record: Record) -> None:
    """Add a record to a story; drops the texts that a compaction took away."""
    match record:
        case Restarted():
            story[:] = map(_bare, story)
        case KeptValue(name) if name not in OF_CONVERSATION:
            return
        case Happened(event={"kind": kind}) if kind not in (RunStarted.kind, Steered.kind):
            return
        case Begun() | Titled() | Prefix() | AgentBegun() | AgentSaid():
            return
    story.append(record)


def asked(story: Iterable[Record]) -> list[AskedRun]:
    """The runs of a story, oldest first."""
    runs: list[AskedRun] = []
    pending = False  # a run was started, and its question is not part of the conversation yet
    steered: list[Steered] = []  # words whose message is not part of it yet
    for record in story:
        match record:
            case Happened(run_id, event=event) if _started(record):
                runs.append(AskedRun(run_id, event))
                pending, steered = True, []
            case Happened(event=kept) if runs and isinstance(words := kept_event(kept), Steered):
                steered.append(words)
                runs[-1] = replace(runs[-1], steered=(*runs[-1].steered, (words, ())))
            case Said(message) if pending:
                runs[-1] = replace(runs[-1], images=() if message is None else _images(message))
                runs[-1] = _with_images(runs[-1], steered, runs[-1].images)
                pending, steered = False, []
            case Said(message) if steered and message is not None and message["role"] == "user":
                runs[-1] = _with_images(runs[-1], steered, _images(message))
                steered = []
            case Restarted():
                gone = len(runs) - pending
                runs[:gone] = [replace(run, compacted=True, images=()) for run in runs[:gone]]
    return runs


def _with_images(run: AskedRun, steered: Sequence[Steered], images: Sequence[Image]) -> AskedRun:
    """The run with `images` added to its last words; their message ends with the images."""
    counts = [sum(each.media_type is not None for each in said.attachments) for said in steered]
    left = iter(images[max(len(images) - sum(counts), 0) :])
    pairs = [
        (said, tuple(islice(left, count))) for said, count in zip(steered, counts, strict=True)
    ]
    return replace(run, steered=(*run.steered[: len(run.steered) - len(pairs)], *pairs))


def _images(message: Message) -> tuple[Image, ...]:
    """The user's images, without those of tool results."""
    sources = (each["source"] for each in message["content"] if each.get("type") == "image")
    return tuple(Image(source["media_type"], source["data"]) for source in sources)


def _started(record: Record) -> str:
    """The run that the record begins; "" for any other record."""
    match record:
        case Happened(run_id, event={"kind": "run.started"}):
            return run_id
    return ""


def _without(record: Record, of: str, dropped: Collection[str]) -> Record | None:
    """The record without the dropped runs: it belongs to run `of`; None if it goes with it."""
    match record:
        case ModelCall(run_id):  # the money is spent, whether or not the run is dropped (0024)
            return replace(record, dropped=True) if run_id in dropped else record
        case Said() | Received() | Revised() | Amended() | Happened() if of in dropped:
            return None
        case AgentBegun() | AgentSaid() | Reported() if of in dropped:
            return None
        case KeptValue(name) if of in dropped and name in OF_CONVERSATION:
            return None
    return record


def _bare(record: Record) -> Record:
    """The record without the messages in it."""
    match record:
        case Said(message) | Received(message) if message is not None:
            return replace(record, message={"role": message["role"], "content": []})
        case Revised(message):
            return Revised({"role": message["role"], "content": []})
        case Restarted():
            return Restarted(())
        case Amended():
            return Amended(())
    return record


def _add(state: SessionState, record: Record) -> None:
    match record:
        case Begun() | Titled() | Prefix():
            _describe(state, record)
        case Said():
            _say(state, record)
        case Received(message):
            state.unsaid = message
        case Revised(message):
            state.messages[-1:] = [message]
        case Amended(messages):
            state.messages = list(messages)
        case Restarted(messages):
            state.messages, state.unsaid = list(messages), None
            state.reads.clear()  # what showed and told them is gone
            state.findings.clear()
            state.account.restart()
        case Rewound(runs):
            state.dropped.update(runs)
        case KeptValue() | ModelCall() | Reported():
            _collect(state, record)
        case Happened():  # for those who look back
            state.dropped.discard(_started(record))


def _say(state: SessionState, said: Said) -> None:
    message = said.message or state.unsaid
    state.unsaid = None
    if message is not None:
        state.messages.append(message)
        state.turns += message["role"] == "assistant"
    state.reads.extend(said.reads)
    state.spans.extend(said.spans)
    state.citable.extend(said.citable)
    state.findings.update(said.findings)
    for path, document in said.seen.items():
        state.seen.pop(path, None)
        if document is not None:
            state.seen[path] = document


def _collect(state: SessionState, record: KeptValue | ModelCall | Reported) -> None:
    match record:
        case KeptValue(name, value):
            state.kept.setdefault(name, []).append(value)
        case ModelCall():
            state.account.add(record)
        case Reported(_, report):
            state.reports.append(report)


def _describe(state: SessionState, record: Begun | Titled | Prefix) -> None:
    match record:
        case Begun(session_id, at, roots):
            state.id, state.created_at, state.roots = session_id, at, roots
        case Titled(title, made):
            state.title, state.title_made = title, made
        case Prefix(system, tools):
            state.system, state.tools = system, tools


@dataclass(frozen=True, slots=True)
class RunFigures:
    """What a run took: wall time, model replies, tokens and dollars, sub-agents included.

    Dollars are None where a price is not known. `session_dollars` are those of the session by then.
    """

    run_id: str
    milliseconds: float
    turns: int
    usage: Usage
    dollars: float | None
    session_dollars: float | None


@dataclass(slots=True)
class _Counted:
    """A run so far; `session` is what the session had taken when the run was last heard of."""

    began: datetime
    last: datetime
    turns: int = 0
    spending: Spending = field(default_factory=Spending)
    session: Spending = field(default_factory=Spending)


def run_figures(
    records: Iterable[Record], going_on: Collection[str] = ()
) -> tuple[RunFigures, ...]:
    """The figures of the runs that ended and were not rewound, oldest first.

    A run whose server was killed lasted until it was last heard of.
    """
    runs: dict[str, _Counted] = {}
    session = Spending()
    for record in without_rewound(records):
        match record:
            case Happened(run_id, event={"kind": "run.started"}):
                runs[run_id] = _Counted(record.at, record.at, session=session)
            case Happened(run_id, event={"kind": kind}) if run_id in runs and kind != "citation":
                runs[run_id].last = record.at  # citations follow their lines after the end
            case ModelCall(run_id):
                spent = Spending.priced(record.usage, record.long_write_tokens, record.dollars)
                session += spent
                if (run := runs.get(run_id)) is not None:
                    run.spending += spent
                    run.turns += record.purpose == "turn"
                    run.last, run.session = record.at, session
    return tuple(
        RunFigures(
            run_id,
            (run.last - run.began).total_seconds() * 1000,
            run.turns,
            run.spending.usage,
            run.spending.dollars,
            run.session.dollars,
        )
        for run_id, run in runs.items()
        if run_id not in going_on
    )
