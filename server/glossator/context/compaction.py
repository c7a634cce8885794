"""Compaction: a conversation that fills the window goes on as a shorter one, with a new prefix.

What goes: early chatter, results of searches and reads, thinking. What stays: a structured
summary, every word of the user, every failure, the results of tools that changed something, how
things stand (`Carried`), and the newest messages. The old conversation is not touched; nothing is
replaced before the new one is whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from glossator.context.kept import Weights, collect, is_compaction, message_of, newest
from glossator.context.summary import Asked, Frame, Summary, ask_summary, extract_summary
from glossator.context.transcript import estimate_request
from glossator.core.errors import ModelError
from glossator.core.events import Event, Notice, Usage
from glossator.llm import Conversation, Message, Meter, Model, ModelRequest
from glossator.prompts import load_prompt

SHARE = 0.8  # of the window, at which a conversation is compacted unasked
_TAIL_SHARE = 0.25  # of the window, for the newest messages

_FURTHER = 0.1  # of the share: so much is to be added before it is tried again unasked


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


@dataclass(slots=True)
class CompactionBackoff:
    """When to try again after an attempt that failed or gained nothing.

    Not before a request takes `until` tokens. `told`: the user knows that there is nothing to gain.
    """

    until: int = 0
    told: bool = False


@dataclass(frozen=True, slots=True)
class Compactor:
    """Compacts one conversation: at `share` of the window by itself (None: never), or on command.

    `carried` gives what the summary must carry over. `compacted` is called with the result, `emit`
    with notices for the user.
    """

    conversation: Conversation
    model: Model
    frame: Frame
    weights: Weights
    carried: Callable[[], Carried]
    compacted: Callable[[Compacted], None]
    share: float | None = SHARE
    emit: Callable[[Event], None] = lambda _: None
    backoff: CompactionBackoff = field(default_factory=CompactionBackoff)

    async def compact_if_needed(self, last: Usage, meter: Meter) -> bool:
        """Compact if the newest request leaves too little of the window; whether it was done.

        What gains nothing, and what fails, is tried again when the conversation has grown further.
        """
        due = is_due(last, self.model.window, self.share)
        if not due or last.total < self.backoff.until:
            return False
        try:
            made = await self.compact(meter)
        except ModelError as error:
            self.emit(
                Notice(f"The conversation could not be compacted now, so it goes on. {error}")
            )
        else:
            if isinstance(made, Compacted):
                return True
            if not self.backoff.told:
                self.emit(Notice(f"The conversation was not compacted: {made.why}. It goes on."))
            self.backoff.told = True
        self._wait(last.total)
        return False

    async def compact(self, meter: Meter) -> Compacted | NoGain:
        """Compact the conversation, if there is anything to gain. Raises `ModelError`."""
        messages, carried = self.conversation.messages, self.carried()
        made = await compact(messages, self.model, self.frame, self.weights, carried, meter)
        if isinstance(made, Compacted):
            self.conversation.restart(made.messages)
            self._wait(made.after)
            self.backoff.told = False
            self.compacted(made)
        return made

    def _wait(self, tokens: int) -> None:
        self.backoff.until = tokens + round(_FURTHER * (self.share or SHARE) * self.model.window)
