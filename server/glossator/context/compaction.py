"""Compaction: a conversation that fills the window goes on as a shorter one, with a new prefix.

What goes: early chatter, results of searches and reads, thinking. What stays: a structured
summary, every word of the user, every failure, the results of tools that changed something, how
things stand (`Carried`), and the newest messages. The old conversation is not touched; nothing is
replaced before the new one is whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from glossator.context.kept import Weights, collect, is_compaction, message_of
from glossator.context.summary import Asked, Frame, Summary, ask_summary, extract_summary
from glossator.context.tail import newest
from glossator.context.transcript import estimate_request
from glossator.core.events import Usage
from glossator.llm import Message, Meter, Model, ModelRequest
from glossator.prompts import load_prompt

SHARE = 0.8  # of the window, at which a conversation is compacted unasked
_TAIL_SHARE = 0.25  # of the window, for the newest messages


@dataclass(frozen=True, slots=True)
class Carried:
    """What a session holds beside its messages, one line each as the model is to read it."""

    todos: tuple[str, ...] = ()
    permissions: tuple[str, ...] = ()  # the mode, and what the user granted
    files: tuple[str, ...] = ()  # read so far: path and lines
    reports: tuple[str, ...] = ()  # of sub-agents


@dataclass(frozen=True, slots=True)
class Compacted:
    """The messages to go on with.

    `before` and `after` are the tokens of all that a request sends: estimates, which follow what
    the provider counted for the request that asked for the summary. `by_model` is false for a
    summary that was extracted mechanically.
    """

    messages: tuple[Message, ...]
    summary: Summary
    by_model: bool
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class NoGain:
    """The conversation stays as it is, and why."""

    why: str


_TOO_SHORT = NoGain("it is too short")
_NOT_SHORTER = NoGain("what has to be kept takes as much room as all of it")


def is_due(last: Usage, window: int, share: float | None = SHARE) -> bool:
    """Whether the last request and its reply fill this share of the window; None: never."""
    return share is not None and last.total >= share * window


async def compact(
    messages: Sequence[Message],
    model: Model,
    frame: Frame,
    weights: Weights,
    carried: Carried,
    meter: Meter,
) -> Compacted | NoGain:
    """The conversation made shorter, if that is possible.

    Not to be called between a reply that was paused and its continuation. Raises `ModelError` when
    the model cannot be asked: try again later, the conversation is as it was. `BudgetSpent` is one.
    """
    compacted_before = bool(messages) and is_compaction(messages[0])
    tail = newest(messages, int(compacted_before), round(model.window * _TAIL_SHARE))
    if tail is None:
        return _TOO_SHORT
    gone = messages[: tail.start]
    kept = collect(gone, weights)
    heading = partial(message_of, kept, state=_state(carried), window=model.window)

    def tokens(messages: Sequence[Message]) -> int:
        return estimate_request(ModelRequest(frame.system, frame.tools, tuple(messages)))

    before = tokens(messages)
    if tokens((heading("", extracted=False), *tail.messages)) >= before:
        return _NOT_SHORTER  # whatever the summary says
    asked = Asked() if model.offline else await ask_summary(model, frame, messages, meter)
    chosen = asked.summary or extract_summary(gone, kept, carried.todos)
    extracted = asked.summary is None
    head = heading(chosen.model_dump_json(indent=1), extracted=extracted)
    shorter = (head, *tail.messages)
    after = tokens(shorter)
    if after >= before:
        return _NOT_SHORTER
    figures = round(before * asked.scale), round(after * asked.scale)
    return Compacted(shorter, chosen, not extracted, *figures)


def _state(carried: Carried) -> str:
    """How things stand, for the model; "" when there is nothing to say."""
    if carried == Carried():
        return ""
    return load_prompt("compaction/state").render(
        todos=_lines(carried.todos),
        permissions=_lines(carried.permissions),
        files=_lines(carried.files),
        reports=_lines(carried.reports),
    )


def _lines(items: Sequence[str]) -> str:
    return "\n".join(f"- {item}" for item in items) or "- none"
