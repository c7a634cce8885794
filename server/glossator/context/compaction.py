"""Compaction: a conversation that fills the window goes on as a shorter one, with a new prefix.

What goes: early chatter, results of searches and reads, thinking. What stays: a structured
summary, every word of the user, every failure, the results of tools that changed something, how
things stand (`Carried`), and the newest messages. The old conversation is not touched; nothing is
replaced before the new one is whole.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from glossator.context.kept import Weights, collect, is_compaction, message_of
from glossator.context.summary import Frame, Summary, ask_summary, extract_summary
from glossator.context.tail import newest
from glossator.context.transcript import estimate_messages
from glossator.core.events import Usage
from glossator.core.tokens import estimate_tokens
from glossator.llm.meter import Meter
from glossator.llm.model import Message, Model
from glossator.prompts.loader import load_prompt

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

    `before` and `after` are estimates of all that a request sends, in tokens. `by_model` is false
    for a summary that was extracted mechanically.
    """

    messages: tuple[Message, ...]
    summary: Summary
    by_model: bool
    before: int
    after: int


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
) -> Compacted | None:
    """The conversation made shorter; None when it is too short for that.

    Not to be called between a reply that was paused and its continuation. Raises `ModelError` when
    the model cannot be asked: try again later, the conversation is as it was. `BudgetSpent` is one.
    """
    compacted_before = bool(messages) and is_compaction(messages[0])
    tail = newest(messages, int(compacted_before), round(model.window * _TAIL_SHARE))
    if tail is None:
        return None
    gone = messages[: tail.start]
    before = _estimate(frame, messages)
    kept = collect(gone, weights)
    summary = None
    if not model.offline:
        summary = await ask_summary(model, frame, messages, before, meter)
    chosen = summary or extract_summary(gone, kept, carried.todos)
    head = message_of(
        kept,
        chosen.model_dump_json(indent=1),
        extracted=summary is None,
        state=_state(carried),
        window=model.window,
    )
    shorter = (head, *tail.messages)
    after = _estimate(frame, shorter)
    return Compacted(shorter, chosen, summary is not None, before, after)


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


def _estimate(frame: Frame, messages: Sequence[Message]) -> int:
    """About how many tokens a request with these messages takes."""
    tools = json.dumps([[tool.name, tool.description, tool.input_schema] for tool in frame.tools])
    before = sum(map(estimate_tokens, (*frame.system, tools)))
    return before + estimate_messages(messages)
