"""Compaction: a conversation that fills the window continues as a shorter one, with a new prefix.

Early chatter, results of searches and reads, and thinking go. A structured summary, every word of
the user, every failure, the results of tools that changed something, the state of the session
(`CarriedState`) and the newest messages (`tail.py`) stay. The old conversation is replaced when the
new one is complete.

Thinking is bound to every byte before it, so the newest messages lose it. The provider demands the
thinking of calls as long as no other reply follows them: such calls and their results are kept as
text.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from glossator.core.errors import ModelError
from glossator.core.events import Event, Notice, Usage
from glossator.core.prompts import load_prompt
from glossator.llm import (
    Conversation,
    Message,
    Meter,
    Model,
    ModelRequest,
    estimate_request,
)
from glossator.sessions.compaction.kept import KeptTools, collect, is_compaction, message_of
from glossator.sessions.compaction.summary import (
    Asked,
    Changed,
    PromptPrefix,
    Summary,
    ask_summary,
    extract_summary,
)
from glossator.sessions.compaction.tail import TailLimits, newest

SHARE = 0.8  # of the window, at which compaction is automatic

# Of the newest messages: results that the model has not read yet may take this share of the window,
# those that it has answered this one in the middle of a run, and else one of the conversation.
_UNREAD_SHARE = 0.25
_IN_RUN_SHARE = 0.05
_ANSWERED_SHARE, _ANSWERED_TOKENS = 0.01, 1_500  # or so many
_MESSAGES_SHARE, _MESSAGES_TOKENS = 0.03, 3_000  # all up to the newest reply, results included

_RETRY_GROWTH_SHARE = 0.1  # of the share: growth before the next automatic attempt


@dataclass(frozen=True, slots=True)
class CarriedState:
    """The state of a session outside its messages, as lines for the model.

    `lifted` are the beginnings of refusals that hold no longer, as of a mode that ended.
    """

    todos: tuple[str, ...] = ()
    permissions: tuple[str, ...] = ()  # the mode, and what the user granted
    files: tuple[str, ...] = ()  # read so far: path and lines
    reports: tuple[str, ...] = ()  # of sub-agents
    changed: tuple[Changed, ...] = ()  # oldest first
    lifted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Compacted:
    """The new messages of the conversation.

    `before` and `after` are the tokens of a whole request: estimates, scaled to what the provider
    counted for the summary. `by_model` is false for an extracted summary.
    """

    messages: tuple[Message, ...]
    summary: Summary
    by_model: bool
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class NoGain:
    """Why the conversation is not compacted."""

    why: str


_TOO_SHORT = NoGain("it is too short")
_NOT_SHORTER = NoGain("what has to be kept takes as much room as all of it")


def is_due(last: Usage, window: int, share: float | None = SHARE) -> bool:
    """Whether the last request and its reply fill `share` of the window; None: never."""
    return share is not None and last.total >= share * window


async def compact(
    messages: Sequence[Message],
    model: Model,
    frame: PromptPrefix,
    weights: KeptTools,
    carried: CarriedState,
    meter: Meter,
) -> Compacted | NoGain:
    """A shorter conversation, if that is possible.

    Never call it between a paused reply and its continuation. Raises `ModelError` (such as
    `BudgetSpent`) if the model cannot be asked, so that the caller can try again later.
    """

    def tokens(messages: Sequence[Message]) -> int:
        return estimate_request(ModelRequest(frame.system, frame.tools, tuple(messages)))

    before = tokens(messages)
    compacted_before = bool(messages) and is_compaction(messages[0])
    limits = _limits(messages, model.window, before)
    tail = newest(messages, int(compacted_before), limits, carried.lifted)
    if tail is None:
        return _TOO_SHORT
    gone = messages[: tail.start]
    kept = collect(gone, weights, carried.lifted)
    room = min(before, model.window)
    heading = partial(message_of, kept, state=_state(carried), window=model.window, room=room)
    if tokens((heading("", extracted=False), *tail.messages)) >= before:
        return _NOT_SHORTER  # whatever the summary says
    asked = Asked() if model.offline else await ask_summary(model, frame, messages, meter)
    chosen = asked.summary or extract_summary(gone, kept, carried.todos, carried.changed)
    extracted = asked.summary is None
    head = heading(chosen.model_dump_json(indent=1), extracted=extracted)
    shorter = (head, *tail.messages)
    after = tokens(shorter)
    if after >= before:
        return _NOT_SHORTER
    figures = round(before * asked.scale), round(after * asked.scale)
    return Compacted(shorter, chosen, not extracted, *figures)


def _limits(messages: Sequence[Message], window: int, tokens: int) -> TailLimits:
    """What the newest messages may take; `tokens` is what the whole conversation takes."""
    answered = max(round(min(tokens, window) * _ANSWERED_SHARE), _ANSWERED_TOKENS)
    all_answered = max(round(tokens * _MESSAGES_SHARE), _MESSAGES_TOKENS)
    if messages and messages[-1]["role"] == "user":  # what was read for this question still counts
        in_run = round(window * _IN_RUN_SHARE)
        answered, all_answered = max(answered, in_run), max(all_answered, 2 * in_run)
    return TailLimits(answered, round(window * _UNREAD_SHARE), all_answered)


def _state(carried: CarriedState) -> str:
    """The state of the session for the model; "" if it is empty."""
    if replace(carried, lifted=()) == CarriedState():
        return ""
    return load_prompt("compaction/state").render(
        changed=_lines([f"{each.why}: {', '.join(each.files)}" for each in carried.changed]),
        todos=_lines(carried.todos),
        permissions=_lines(carried.permissions),
        files=_lines(carried.files),
        reports=_lines(carried.reports),
    )


def _lines(items: Sequence[str]) -> str:
    return "\n".join(f"- {item}" for item in items) or "- none"


@dataclass(slots=True)
class CompactionBackoff:
    """Decides when to try again after an attempt that failed or gained nothing.

    The next attempt waits until a request takes `until` tokens. `notified`: the user was told that
    nothing is gained.
    """

    until: int = 0
    notified: bool = False


@dataclass(frozen=True, slots=True)
class Compactor:
    """Compacts one conversation: on command, or at `share` of the window (None: never).

    `carried` gives the state that the summary carries over. `refused` says why compacting is
    forbidden now, "" if it is not. `compacted` is called with the result, then `afterwards` is
    awaited. `emit` gets notices for the user.
    """

    conversation: Conversation
    model: Model
    frame: PromptPrefix
    weights: KeptTools
    carried: Callable[[], CarriedState]
    compacted: Callable[[Compacted], None]
    share: float | None = SHARE
    emit: Callable[[Event], None] = lambda _: None
    backoff: CompactionBackoff = field(default_factory=CompactionBackoff)
    refused: Callable[[], Awaitable[str]] | None = None
    afterwards: Callable[[], Awaitable[object]] | None = None

    async def compact_if_needed(self, last: Usage, meter: Meter) -> bool:
        """Compact if the last request nearly fills the window; True if it did.

        After a failure, or if nothing was gained, it waits until the conversation has grown.
        """
        due = is_due(last, self.model.window, self.share)
        if not due or last.total < self.backoff.until:
            return False
        try:
            made = await self.compact(meter)
        except ModelError as error:
            self.emit(
                Notice(
                    f"The conversation could not be compacted now, so the run continues. {error}"
                )
            )
        else:
            if isinstance(made, Compacted):
                return True
            if not self.backoff.notified:
                self.emit(
                    Notice(f"The conversation was not compacted: {made.why}. The run continues.")
                )
            self.backoff.notified = True
        self._wait(last.total)
        return False

    async def compact(self, meter: Meter) -> Compacted | NoGain:
        """Compact the conversation, if that makes it shorter. Raises `ModelError`."""
        if self.refused is not None and (why := await self.refused()):
            return NoGain(why)
        messages, carried = self.conversation.messages, self.carried()
        made = await compact(messages, self.model, self.frame, self.weights, carried, meter)
        if isinstance(made, Compacted):
            self.conversation.restart(made.messages)
            self._wait(made.after)
            self.backoff.notified = False
            self.compacted(made)
            if self.afterwards is not None:
                await self.afterwards()
        return made

    def _wait(self, tokens: int) -> None:
        self.backoff.until = tokens + round(
            _RETRY_GROWTH_SHARE * (self.share or SHARE) * self.model.window
        )
