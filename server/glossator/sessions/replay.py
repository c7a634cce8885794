"""A kept session as the events it was shown with, for a client that shows it again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, get_args

from pydantic import TypeAdapter, ValidationError

from glossator.core.events import (
    DiscardReason,
    Envelope,
    Event,
    RunCancelled,
    RunFailed,
    RunFinished,
    RunStarted,
    TextDelta,
    TextDiscarded,
)
from glossator.llm import Message
from glossator.prompts import load_prompt
from glossator.sessions.records import Happened, Received, Record, Said, Spent
from glossator.sessions.state import standing

_INTERRUPTED = RunFailed("Glossator was ended in the middle of this run. Ask again to go on.")


def replay_events(records: Iterable[Record], going_on: Collection[str] = ()) -> list[Envelope]:
    """The events of every run that stands, numbered from 0; a reply's text comes in one piece.

    A run whose server was killed ends as failed, unless it is `going_on`. Events that this version
    does not know are left out.
    """
    numbers: Counter[str] = Counter()
    envelopes: list[Envelope] = []
    for run_id, event in _ended(_events(standing(records)), going_on):
        envelopes.append(Envelope(run_id, numbers[run_id], event))
        numbers[run_id] += 1
    return envelopes


def questions(records: Iterable[Record]) -> dict[str, str]:
    """What was asked, by run, of all that there were."""
    return {
        run_id: event.question
        for run_id, event in _events(records)
        if isinstance(event, RunStarted)
    }


def event_of(kept: Mapping[str, Any]) -> Event | None:
    """The event that was kept; None for one that this version does not know."""
    fields = dict(kept)
    adapter = _adapters().get(fields.pop("kind"))
    if adapter is None:
        return None
    try:
        return adapter.validate_python(fields)
    except ValidationError:
        return None


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


def _events(records: Iterable[Record]) -> Iterator[tuple[str, Event]]:
    run_id = ""
    for record in records:
        match record:
            case Happened():
                run_id = record.run_id
                if (event := event_of(record.event)) is not None:
                    yield run_id, event
            case Said(message) if message and _asks_for_a_better_answer(message):
                yield run_id, TextDiscarded(DiscardReason.CITATIONS)
            case Said(message) | Received(message) if message and message["role"] == "assistant":
                if run_id and (text := _text(message)):
                    yield run_id, TextDelta(text)
            case Spent(spent_by, purpose="turn" | "compaction", usage=usage) if spent_by:
                if not record.dropped:
                    yield spent_by, usage
            case _:
                continue


@cache
def _adapters() -> dict[str, TypeAdapter[Event]]:
    return {kind.kind: TypeAdapter(kind) for kind in get_args(Event)}


def _asks_for_a_better_answer(message: Message) -> bool:
    """Whether it lists failed citations: the next answer replaces the one before."""
    opening = load_prompt("user/citations").opening
    return any(block.get("text", "").startswith(opening) for block in message["content"])


def _text(message: Message) -> str:
    return "".join(block["text"] for block in message["content"] if block.get("type") == "text")
