"""Exports a kept session: events for a client, Markdown, JSON, and the findings of its runs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from itertools import chain, groupby
from typing import Any

from glossator.core.citation_words import changed, findings, tally
from glossator.core.citations import code
from glossator.core.events import (
    CitationChecked,
    DiscardReason,
    Envelope,
    Event,
    RunCancelled,
    RunFailed,
    RunFinished,
    RunStarted,
    TextDelta,
    TextDiscarded,
    ThinkingDelta,
    UndoneTurn,
)
from glossator.core.prompts import load_prompt
from glossator.core.run_events import Correction, UncitedClaim
from glossator.core.shown import shown, shown_prose
from glossator.core.span import CitationView
from glossator.llm import ContentBlock, Message, price_in_words, text_of
from glossator.sessions.compaction.own_texts import is_mode_notice
from glossator.sessions.records import (
    AgentBegun,
    Happened,
    ModelCall,
    PersistedAgent,
    Received,
    Record,
    Restarted,
    Revised,
    Said,
    agents_in,
    encode,
    kept_event,
)
from glossator.sessions.state import Account, SessionState, session_state, without_rewound
from glossator.undo import CHECKPOINTS, undone_in_notes

_Key = tuple[str, int | None, int | None, int | None]


class RunFindings:
    """Collects findings record by record; a run's findings are told when it ends."""

    def __init__(self) -> None:
        self._begin()

    def after(self, record: Record) -> Iterator[str]:
        """The Markdown that stands below the run which ends with this record."""
        match record:
            case Said(message) | Received(message) if message and message["role"] == "assistant":
                self._text = text_of(message)
            case Happened(event=event):
                match kept_event(event):
                    case RunStarted():
                        self._begin()
                    case CitationChecked(citation):
                        view = CitationView.of(citation)
                        key = (view.target, view.first_line, view.last_line, view.at)
                        self._citations[key] = view
                    case UncitedClaim() as claim:
                        self._uncited[claim.start] = claim
                    case Correction() as correction:
                        self._corrections.append(correction)
                    case RunFinished() | RunFailed() | RunCancelled():
                        yield from self._told()

    def _begin(self) -> None:
        self._text = ""
        self._citations: dict[_Key, CitationView] = {}
        self._uncited: dict[int, UncitedClaim] = {}
        self._corrections: list[Correction] = []

    def _told(self) -> Iterator[str]:
        citations, uncited = (*self._citations.values(),), (*self._uncited.values(),)
        if counts := tally(citations, len(uncited), len(changed(self._corrections))):
            yield f"*{counts}*"
            found = findings(self._text, citations, uncited, self._corrections, _named)
            yield from filter(None, ["\n".join(found)])


def _named(place: str, _citation: CitationView) -> str:
    return code(place)


_WAS_UNDONE = "*What this turn changed in the files was undone.*"
_FENCE = "````"  # longer than those that answers hold
_RESULT_CHARACTERS = 2_000  # of a tool's result in Markdown; JSON has it whole

_BOUNDS = frozenset({RunStarted.kind, RunFinished.kind, RunFailed.kind, RunCancelled.kind})
_INTERRUPTED = RunFailed("Glossator was ended in the middle of this run. Ask again to continue.")


@dataclass(frozen=True, slots=True)
class CallOutput:
    """What the model read of a tool call: a text and the number of images."""

    call_id: str
    tool: str
    text: str
    images: int = 0


def to_json(records: Sequence[Record]) -> str:
    """Every record that was not rewound, in order, as one JSON document."""
    state = session_state(records)
    document = {
        "id": state.id,
        "title": state.title,
        "createdAt": state.created_at.isoformat(timespec="seconds"),
        "roots": state.roots,
        "spending": {
            "replies": state.account.replies,
            "brokenOff": state.account.broken_off,
            "usage": asdict(state.account.spending.usage),
            "dollars": state.account.spending.dollars,
        },
        "undone": [asdict(each) for each in _undone(state)],
        "records": [json.loads(encode(record)) for record in without_rewound(records)],
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def to_markdown(records: Sequence[Record]) -> str:
    """The current conversation as a document; long results of tools are cut, and say so."""
    state = session_state(records)
    began = state.created_at.strftime("%Y-%m-%d %H:%M UTC")
    parts = [f"# {shown(state.title)}", f"{began}, {', '.join(state.roots)}"]
    if state.account.replies:
        parts.append(_spent(state.account))
    undone = {each.turn for each in _undone(state)}
    run = ""
    found = RunFindings()
    for record in without_rewound(records):
        if isinstance(record, Happened) and record.event["kind"] == RunStarted.kind:
            parts += [_WAS_UNDONE] * (run in undone)
            run = record.run_id
        parts.extend(_parts(record))
        parts.extend(found.after(record))
    parts += [_WAS_UNDONE] * (run in undone)
    return shown_prose("\n\n".join(parts) + "\n")


def agents_of(records: Iterable[Record]) -> dict[str, PersistedAgent]:
    """The sub-agents of a session by id, oldest first, without those that rewinding dropped."""
    return agents_in(without_rewound(records))


def agent_to_markdown(agent: PersistedAgent) -> str:
    """Everything said in a sub-agent, as a Markdown document."""
    begun = agent.begun
    head = f"{begun.name}, {begun.model}, {begun.at.strftime('%Y-%m-%d %H:%M UTC')}"
    if begun.inherited:
        head += f", after {begun.inherited:,} messages of the conversation"
    parts = [f"# {begun.task}", head, *chain.from_iterable(map(_message_parts, agent.messages))]
    return shown_prose("\n\n".join(parts) + "\n")


def output_of(records: Iterable[Record], call_id: str | None) -> CallOutput | None:
    """What the model read of a call, or of the newest one; None if no message answers it."""
    messages = (each.message for each in records if isinstance(each, Said | Received))
    return output_in(filter(None, messages), call_id)


def output_in(messages: Iterable[Message], call_id: str | None) -> CallOutput | None:
    """Like `output_of`, from the messages themselves."""
    found, tools = None, {}
    for message in messages:
        for block in message["content"]:
            if block.get("type") == "tool_use":
                tools[block["id"]] = block["name"]
            elif block.get("type") == "tool_result" and call_id in (None, block["tool_use_id"]):
                found = _output(block, tools.get(block["tool_use_id"], ""))
    return found


def _output(block: ContentBlock, tool: str) -> CallOutput:
    content: Any = block["content"]
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    texts = [part["text"] for part in parts if part["type"] == "text"]
    images = sum(part["type"] == "image" for part in parts)
    return CallOutput(block["tool_use_id"], tool, "\n".join(texts), images)


def _undone(state: SessionState) -> tuple[UndoneTurn, ...]:
    return undone_in_notes(state.kept.get(CHECKPOINTS, ()))


def _parts(record: Record) -> Iterator[str]:
    match record:
        case Said(message) | Received(message) if message is not None:
            yield from _message_parts(message)
        case Revised(message):
            yield "*Sentences that their lines do not support were corrected:*"
            yield from _message_parts(message)
        case Restarted():
            yield "---\n\n*The conversation was compacted here; it continued from a summary.*"
        case Happened(_, _, at, event):
            yield from _event(at, event)
        case AgentBegun(_, _, _, name, task, model, at):
            yield f"*{at.strftime('%H:%M:%S')}: {name} began, with {model}: {task}*"
        case _:
            return


def _message_parts(message: Message) -> Iterator[str]:
    """What a message holds, in Markdown; long results are cut."""
    who = "User" if message["role"] == "user" else "Glossator"
    content = message["content"]
    yield from (f"*{block['text']}*" for block in content if is_mode_notice(block))
    blocks = [block for block in content if not is_mode_notice(block)]
    if any(block.get("type") == "text" for block in blocks):
        yield f"## {who}"
    for block in blocks:
        yield from _block(block)


def _block(block: ContentBlock) -> Iterator[str]:
    match block.get("type"):
        case "text":
            yield block["text"]
        case "tool_use":
            arguments = json.dumps(block["input"], ensure_ascii=False)
            yield f"**{block['name']}**\n\n{_fenced(arguments)}"
        case "tool_result":
            word = "Failed" if block.get("is_error") else "Result"
            yield f"{word}:\n\n{_fenced(_cut(_result_text(block['content'])))}"
        case _:
            return  # thinking, signatures and the like are in the JSON


def _event(at: datetime, event: Any) -> Iterator[str]:  # noqa: ANN401 - JSON
    time = at.strftime("%H:%M:%S")
    match event:
        case {"kind": "run.failed", "message": str(message)}:
            yield f"*{time}: the run failed: {message}*"
        case {"kind": "run.cancelled"}:
            yield f"*{time}: the run was cancelled.*"
        case {"kind": "notice", "message": str(message)}:
            yield f"*{time}: {message}*"
        case _:
            return


def _result_text(content: str | list[ContentBlock]) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(block.get("text", f"[{block.get('type')}]")) for block in content)


def _spent(account: Account) -> str:
    spending = account.spending
    price = price_in_words(spending.dollars)
    said = f"{account.replies:,} replies, {spending.usage.total:,} tokens, price {price}"
    if account.broken_off:
        said += f"; {account.broken_off:,} broke off and took more than was counted"
    return said


def _cut(text: str) -> str:
    left_out = len(text) - _RESULT_CHARACTERS
    if left_out <= 0:
        return text
    return f"{text[:_RESULT_CHARACTERS]}\n[{left_out:,} more characters are in the JSON export]"


def _fenced(text: str) -> str:
    fence = _FENCE
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}"


def replay_events(records: Iterable[Record], going_on: Collection[str] = ()) -> list[Envelope]:
    """The events of every run that was not rewound, numbered from 0; a reply is one `TextDelta`.

    A run whose server was killed ends as failed, unless it is `going_on`. Events unknown to this
    version are left out.
    """
    numbers: Counter[str] = Counter()
    envelopes: list[Envelope] = []
    for run_id, event in _ended(_events(without_rewound(records)), going_on):
        envelopes.append(Envelope(run_id, numbers[run_id], event))
        numbers[run_id] += 1
    return envelopes


def questions_asked(records: Iterable[Record]) -> dict[str, str]:
    """The questions by run."""
    return {
        run_id: event.question
        for run_id, event in _events(records)
        if isinstance(event, RunStarted)
    }


def _ended(
    events: Iterable[tuple[str, Event]], going_on: Collection[str]
) -> Iterator[tuple[str, Event]]:
    """The events, with an end for each run that has none: a session has one run at a time."""
    running = ""
    for run_id, event in events:
        match event:
            case RunStarted():
                if running:
                    yield running, _INTERRUPTED
                running = run_id
            case RunFinished() | RunFailed() | RunCancelled():
                running = ""
        yield run_id, event
    if running and running not in going_on:
        yield running, _INTERRUPTED


def run_ids(records: Iterable[Record]) -> tuple[str, ...]:
    """The ids of all runs of a session, oldest first."""
    return tuple(dict.fromkeys(each.run_id for each in records if isinstance(each, Happened)))


def _events(records: Iterable[Record]) -> Iterator[tuple[str, Event]]:
    run_id = ""
    for record in _without_held(records):
        match record:
            case Happened():
                run_id = record.run_id
                if (event := kept_event(record.event)) is not None:
                    yield run_id, event
            case Said(message) if message and _asks_for_a_better_answer(message):
                yield run_id, TextDiscarded(DiscardReason.CITATIONS)
            case Said(message) | Received(message) if message and message["role"] == "assistant":
                if run_id:
                    yield from ((run_id, delta) for delta in _deltas(message))
            case Revised(message):
                yield run_id, TextDiscarded(DiscardReason.CITATIONS)
                yield from ((run_id, delta) for delta in _deltas(message))
            case ModelCall(spent_by, purpose="turn" | "compaction", usage=usage) if spent_by:
                if not record.dropped:
                    yield spent_by, usage
            case _:
                continue


def _without_held(records: Iterable[Record]) -> Iterator[Record]:
    """The records; of the streamed pieces only those that no message holds, joined.

    Discarded pieces are left out.
    """
    streamed: list[Happened] = []
    for record in records:
        match record:
            case Happened(event={"kind": TextDelta.kind | ThinkingDelta.kind}):
                streamed.append(record)
                continue
            case Happened(event={"kind": TextDiscarded.kind}):
                streamed.clear()
                continue
            case Happened(event={"kind": kind}) if kind in _BOUNDS:
                yield from _joined(streamed)
                streamed.clear()
            case Said(message) | Received(message) if message and message["role"] == "assistant":
                streamed.clear()
            case Revised():
                streamed.clear()
        yield record
    yield from _joined(streamed)


def _joined(streamed: Iterable[Happened]) -> Iterator[Happened]:
    """The records with neighbours of the same kind joined."""
    for kind, same in groupby(streamed, lambda each: each.event["kind"]):
        pieces = list(same)
        text = "".join(each.event["text"] for each in pieces)
        yield replace(pieces[0], event={"kind": kind, "text": text})


def _deltas(message: Message) -> Iterator[TextDelta | ThinkingDelta]:
    """What the model thought, as far as it was shown, then its text."""
    for block in message["content"]:
        if block.get("type") == "thinking" and (thought := block.get("thinking", "")):
            yield ThinkingDelta(thought)
    if text := text_of(message):
        yield TextDelta(text)


def _asks_for_a_better_answer(message: Message) -> bool:
    """Whether a text lists failed citations, so that the next answer replaces the one before."""
    opening = load_prompt("user/citations").opening
    return any(block.get("text", "").startswith(opening) for block in message["content"])
