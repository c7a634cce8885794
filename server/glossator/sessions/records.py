"""The records of a session's log, a closed union; `state.py` builds the state from them.

Each record is one line of JSON whose keys keep their order, so that messages, system blocks and
tools are sent again byte for byte. Records of unknown kinds stay in the log and are skipped.

Records of sub-agents say when each began, its messages, its report. They are not part of the
conversation or of the session's state.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any

from glossator.core.errors import StoreUnavailable
from glossator.core.events import Envelope, Event, Usage
from glossator.core.report import Report
from glossator.core.span import Span
from glossator.core.stored import from_stored
from glossator.core.wire import EVENTS
from glossator.llm import Conversation, Message, Purpose, ToolSpec
from glossator.tools import FindingCounts, ReadDocument, ReadRange


@dataclass(frozen=True, slots=True)
class AgentBegun:
    """A sub-agent of a run began; `inherited` counts the conversation's messages that it has."""

    agent_id: str
    run_id: str
    call_id: str | None
    name: str
    task: str
    model: str
    at: datetime
    inherited: int = 0


@dataclass(frozen=True, slots=True)
class AgentSaid:
    """A message was appended to a sub-agent's own conversation."""

    agent_id: str
    message: Message


@dataclass(frozen=True, slots=True)
class Reported:
    """A sub-agent ended with this report."""

    agent_id: str
    report: Report


AgentRecord = AgentBegun | AgentSaid | Reported


@dataclass(frozen=True, slots=True)
class PersistedAgent:
    """A sub-agent, read from its records; without a report its server was killed."""

    begun: AgentBegun
    messages: tuple[Message, ...] = ()
    report: Report | None = None


@dataclass(slots=True)
class AgentConversation(Conversation):
    """A sub-agent's conversation: `say` gets each message before it is appended."""

    say: Callable[[Message], None] = field(default=lambda _: None, compare=False, repr=False)

    def append(self, message: Message) -> None:
        """Add the next message."""
        self.say(message)
        Conversation.append(self, message)


def agents_in(records: Iterable[object]) -> dict[str, PersistedAgent]:
    """The sub-agents in records, by id, oldest first."""
    agents: dict[str, PersistedAgent] = {}
    for record in records:
        match record:
            case AgentBegun(agent_id):
                agents[agent_id] = PersistedAgent(record)
            case AgentSaid(agent_id, message) if known := agents.get(agent_id):
                agents[agent_id] = replace(known, messages=(*known.messages, message))
            case Reported(agent_id, report) if known := agents.get(agent_id):
                agents[agent_id] = replace(known, report=report)
    return agents


AGENT_ENCODERS: Mapping[type[Any], Callable[[Any], tuple[str, dict[str, Any]]]] = {
    AgentBegun: lambda r: (
        "agent begun",
        {
            "id": r.agent_id,
            "run": r.run_id,
            "call": r.call_id,
            "name": r.name,
            "task": r.task,
            "model": r.model,
            "at": r.at.isoformat(),
            "inherited": r.inherited,
        },
    ),
    AgentSaid: lambda r: ("agent said", {"id": r.agent_id, "message": r.message}),
    Reported: lambda r: ("reported", {"id": r.agent_id, "report": asdict(r.report)}),
}

AGENT_DECODERS: Mapping[str, Callable[[dict[str, Any]], AgentRecord]] = {
    "agent begun": lambda f: AgentBegun(
        f["id"],
        f["run"],
        f["call"],
        f["name"],
        f["task"],
        f["model"],
        datetime.fromisoformat(f["at"]),
        f["inherited"],
    ),
    "agent said": lambda f: AgentSaid(f["id"], f["message"]),
    "reported": lambda f: Reported(f["id"], from_stored(Report, f["report"])),
}


UNTITLED = "New session"

# Events that say nothing which other records do not say as well.
_PASSING = frozenset(
    {"text.delta", "thinking.delta", "text.discarded", "tool.output", "agent.progress", "usage"}
)


@dataclass(frozen=True, slots=True)
class Begun:
    """The session began in a workspace with these roots (real paths)."""

    id: str
    at: datetime
    roots: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Titled:
    """The session was given a title; `made`: by us from its first question, not by the user."""

    title: str
    made: bool = False


@dataclass(frozen=True, slots=True)
class Prefix:
    """What opens every request of the conversation from now on."""

    system: tuple[str, ...]
    tools: tuple[ToolSpec, ...]


@dataclass(frozen=True, slots=True)
class ReadShown:
    """A range of a file that was read, at the hash it was shown with."""

    path: str
    asked: ReadRange
    sha256: str


@dataclass(frozen=True, slots=True)
class Said:
    """A message was appended; with it the model was shown what is listed here.

    Without `message`, it is the message of the `Received` before. `citable` are lines that a report
    cited. `seen` are the texts that the model knows, by document path; None: forgotten.
    """

    message: Message | None
    reads: tuple[ReadShown, ...] = ()
    spans: tuple[Span, ...] = ()
    findings: Mapping[str, FindingCounts] = field(default_factory=dict)  # by the document's URI
    citable: tuple[Span, ...] = ()
    seen: Mapping[str, ReadDocument | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Received:
    """The model replied; the message is appended once its tool calls have been answered."""

    message: Message


@dataclass(frozen=True, slots=True)
class Revised:
    """The last message, a reply that nothing followed yet, is replaced by this one."""

    message: Message


@dataclass(frozen=True, slots=True)
class Restarted:
    """The conversation was compacted and now consists of these messages."""

    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Amended:
    """The conversation continues with these messages: the provider refused part of the others."""

    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Rewound:
    """The conversation went back to just before the first of these runs was asked."""

    runs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Happened:
    """An event of a run, in JSON with its `kind`."""

    run_id: str
    seq: int
    at: datetime
    event: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class KeptValue:
    """A value that a part of the program keeps with the session under its own name, in JSON."""

    name: str
    value: Any


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A model replied: what the request took, and what it was for.

    If the reply broke off and is not `whole`, the counts are what the provider had reported by
    then. Requests of a command, not of a run, have the run id "". Dollars are None when not known.
    `messages` counts the conversation's messages in the request, 0 if that is not known. `dropped`:
    the conversation went back to before this run; that is never written.
    """

    run_id: str
    at: datetime
    purpose: Purpose
    model: str
    usage: Usage
    long_write_tokens: int
    dollars: float | None
    whole: bool = True
    messages: int = 0
    dropped: bool = False


Record = (
    Begun
    | Titled
    | Prefix
    | Said
    | Received
    | Revised
    | Restarted
    | Amended
    | Rewound
    | Happened
    | KeptValue
    | ModelCall
    | AgentRecord
)


def happened(envelope: Envelope, at: datetime) -> Happened | None:
    """The record of an event; None if the event is not worth keeping."""
    if envelope.event.kind in _PASSING:
        return None
    event = {"kind": envelope.event.kind, **asdict(envelope.event)}
    return Happened(envelope.run_id, envelope.seq, at, event)


def kept_event(kept: Mapping[str, Any]) -> Event | None:
    """The event that was kept; None for one that this version does not know."""
    kind = EVENTS.get(kept["kind"])
    try:
        return from_stored(kind, kept) if kind else None
    except ValueError:
        return None


def encode(record: Record) -> bytes:
    """Encode a record as a line of a log."""
    kind, fields = _ENCODERS[type(record)](record)
    line = json.dumps({"kind": kind, **fields}, ensure_ascii=False, separators=(",", ":"))
    return line.encode("utf-8", "surrogatepass")  # half a character may come from an editor


def decode(line: bytes) -> Record | None:
    """Decode the record in a line; None for a kind that this version does not know.

    Raises `StoreUnavailable` for a record whose form this version does not know.
    """
    try:
        fields = json.loads(line.decode("utf-8", "surrogatepass"))
        decoder = _DECODERS.get(fields["kind"])
        return decoder(fields) if decoder else None
    except (KeyError, TypeError, ValueError) as error:
        raise StoreUnavailable(
            f"The session cannot be read ({error!r}); another version of Glossator wrote it. Use"
            " that version, or delete the session."
        ) from error


def decode_all(lines: Iterable[bytes]) -> list[Record]:
    """Decode the records in a log's lines, without those of unknown kinds."""
    return [record for line in lines if (record := decode(line)) is not None]


def _spans(spans: Iterable[Span]) -> list[list[str | int]]:
    return [[each.uri, each.sha256, each.first_line, each.last_line] for each in spans]


def _tool_fields(tool: ToolSpec) -> dict[str, Any]:
    """The fields of a `ToolSpec`; `asdict` would copy its schema, a millisecond for all tools."""
    return {each.name: getattr(tool, each.name) for each in dataclasses.fields(tool)}


def _spent_fields(spent: ModelCall) -> dict[str, Any]:
    """The fields of a `ModelCall` in JSON."""
    return {
        "run": spent.run_id,
        "at": spent.at.isoformat(),
        "purpose": spent.purpose,
        "model": spent.model,
        "usage": asdict(spent.usage),
        "long_write_tokens": spent.long_write_tokens,
        "dollars": spent.dollars,
        **({} if spent.whole else {"whole": False}),
        "messages": spent.messages,
    }


def _spent(fields: Mapping[str, Any]) -> ModelCall:
    """Read a `ModelCall` from JSON. Raises `KeyError`, `TypeError` and `ValueError`."""
    return ModelCall(
        fields["run"],
        datetime.fromisoformat(fields["at"]),
        fields["purpose"],
        fields["model"],
        Usage(**fields["usage"]),
        fields["long_write_tokens"],
        fields["dollars"],
        fields.get("whole", True),
        fields.get("messages", 0),
    )


_ENCODERS: Mapping[type[Any], Callable[[Any], tuple[str, dict[str, Any]]]] = {
    Begun: lambda r: ("begun", {"id": r.id, "at": r.at.isoformat(), "roots": r.roots}),
    Titled: lambda r: ("titled", {"title": r.title, **({"made": True} if r.made else {})}),
    Prefix: lambda r: (
        "prefix",
        {"system": r.system, "tools": list(map(_tool_fields, r.tools))},
    ),
    Said: lambda r: (
        "said",
        {
            "message": r.message,
            "reads": [[read.path, read.asked, read.sha256] for read in r.reads],
            "spans": _spans(r.spans),
            **({"findings": r.findings} if r.findings else {}),
            **({"vouched": _spans(r.citable)} if r.citable else {}),
            **({"seen": {p: s and [s.uri, s.sha256] for p, s in r.seen.items()}} if r.seen else {}),
        },
    ),
    Received: lambda r: ("received", {"message": r.message}),
    Revised: lambda r: ("revised", {"message": r.message}),
    Restarted: lambda r: ("restarted", {"messages": r.messages}),
    Amended: lambda r: ("amended", {"messages": r.messages}),
    Rewound: lambda r: ("rewound", {"runs": r.runs}),
    Happened: lambda r: (
        "happened",
        {"run": r.run_id, "seq": r.seq, "at": r.at.isoformat(), "event": r.event},
    ),
    KeptValue: lambda r: ("kept", {"name": r.name, "value": r.value}),
    ModelCall: lambda r: ("spent", _spent_fields(r)),
    **AGENT_ENCODERS,
}

_DECODERS: Mapping[str, Callable[[dict[str, Any]], Record]] = {
    "begun": lambda f: Begun(f["id"], datetime.fromisoformat(f["at"]), tuple(f["roots"])),
    "titled": lambda f: Titled(f["title"], f.get("made", False)),
    "prefix": lambda f: Prefix(tuple(f["system"]), tuple(ToolSpec(**tool) for tool in f["tools"])),
    "said": lambda f: Said(
        f["message"],
        tuple(ReadShown(path, (asked[0], asked[1]), sha256) for path, asked, sha256 in f["reads"]),
        tuple(Span(*span) for span in f["spans"]),
        f.get("findings", {}),
        tuple(Span(*span) for span in f.get("vouched", ())),
        {path: each and ReadDocument(path, *each) for path, each in f.get("seen", {}).items()},
    ),
    "received": lambda f: Received(f["message"]),
    "revised": lambda f: Revised(f["message"]),
    "restarted": lambda f: Restarted(tuple(f["messages"])),
    "amended": lambda f: Amended(tuple(f["messages"])),
    "rewound": lambda f: Rewound(tuple(f["runs"])),
    "happened": lambda f: Happened(f["run"], f["seq"], datetime.fromisoformat(f["at"]), f["event"]),
    "kept": lambda f: KeptValue(f["name"], f["value"]),
    "spent": _spent,
    **AGENT_DECODERS,
}
