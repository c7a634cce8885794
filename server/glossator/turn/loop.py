"""The agent loop: query, act, observe, until the model answers or a limit ends the run.

The conversation is valid for the next request at every await: a reply is appended together with
the results of its tool calls, also when the run is cancelled, and a paused reply when it ends.
After an answer its citations are corrected, and the user's hooks may have the model go on.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType

from glossator.core.errors import ModelError
from glossator.core.events import DiscardReason, Notice, TextDelta, TextDiscarded
from glossator.core.images import Image
from glossator.core.prompts import load_prompt
from glossator.core.tool_result import ToolResult
from glossator.llm import (
    ContentBlock,
    Conversation,
    Message,
    Meter,
    Reply,
    SpendingLimit,
    StopReason,
    tool_answers,
    user_message,
    whole_reply,
)
from glossator.turn.calls import EarlyCalls, execute
from glossator.turn.guard import Guard
from glossator.turn.model_request import ask, begin_again, make_room
from glossator.turn.run import Agent, RunContext, RunOutcome, Stop, acts

MOST_TIMES = 3  # that hooks have the model go on

_ENDINGS = {
    StopReason.END_TURN: Stop.ANSWERED,
    StopReason.STOP_SEQUENCE: Stop.ANSWERED,
    StopReason.MAX_TOKENS: Stop.CUT_OFF,
    StopReason.REFUSAL: Stop.REFUSED,
    StopReason.CONTEXT_FULL: Stop.CONTEXT_FULL,
}
_UNKNOWN_PRICE = (
    "The price of {model} is not known, so the limit of money cannot be kept. Set its price, or"
    " limit the tokens instead."
)
_FINAL = {StopReason.REFUSAL, StopReason.CONTEXT_FULL}  # even if the reply holds calls


async def run_agent(agent: Agent, conversation: Conversation, run: RunContext) -> RunOutcome:
    """Answer the conversation's last message. Raises `ModelError` when the model cannot."""
    meter = run.meter or Meter((SpendingLimit.of_run(agent.limits),))
    guard = Guard(agent.limits, meter, agent.tools, run)
    async with EarlyCalls(agent.tools, run) as early:
        answering = partial(_run, agent, conversation, run, guard, early)
        reviewing = Reviewing(conversation, run, guard, answering)
        return await reviewing.gone_on(await reviewing.reviewed(await answering()))


async def _run(
    agent: Agent, conversation: Conversation, run: RunContext, guard: Guard, early: EarlyCalls
) -> RunOutcome:
    paused: list[Message] = []  # parts of the current reply
    while True:
        reply = await ask(agent, conversation, run, guard, early, paused)
        if isinstance(reply, str):
            time = Stop.TIME
            return await _last_word(
                agent, conversation, run, guard, time, notified=False, said=reply
            )
        _count(run, guard)
        limit = guard.exceeded(reply.requested)
        if reply.stop is StopReason.PAUSE_TURN and limit is None:
            paused.append(reply.message)
            continue
        last_turn = limit is Stop.TURNS
        if reply.stop is StopReason.CONTEXT_FULL and not last_turn and await make_room(run, guard):
            begin_again(run, paused)
            continue
        reply = replace(reply, message=whole_reply((*paused, reply.message)))
        paused.clear()
        if unsaid := _unsaid(reply, limit):
            _keep(conversation, reply, guard.explain(unsaid))
            return await _last_word(agent, conversation, run, guard, unsaid, notified=False)
        if not reply.requested or reply.stop in _FINAL:
            return _end(conversation, reply, guard)
        if limit and not (last_turn and _only_reads(agent, reply)):
            _answer_all(conversation, reply, "Not run", guard.explain(limit), farewell=True)
        else:  # the last word can tell what the last calls read
            await run.before_acting()
            limit = await _act(agent, conversation, run, reply, guard, early, limit)
        notified = limit is not None
        if limit in (None, Stop.TURNS):  # not after a hook or the clock ended it
            room = await _keep_room(run, reply, guard)
            limit = limit or room
        if limit:
            return await _last_word(agent, conversation, run, guard, limit, notified=notified)


def _count(run: RunContext, guard: Guard) -> None:
    """Count a reply; after the first one, warn if a money limit needs an unknown price."""
    guard.count()
    if guard.turns == 1 and guard.meter.is_blind:
        run.emit(Notice(_UNKNOWN_PRICE.format(model=run.model.id)))


async def _act(
    agent: Agent,
    conversation: Conversation,
    run: RunContext,
    reply: Reply,
    guard: Guard,
    early: EarlyCalls,
    last: Stop | None,
) -> Stop | None:
    """Run the calls and append the reply with their results, also if the run is cancelled.

    Returns the limit that ended the calls early, or `last` after the calls that must be the last.
    """
    if reply.stop is not StopReason.TOOL_USE:
        _answer_all(conversation, reply, "Not run", load_prompt("user/cut_off").render())
        return None  # nobody told the model of `last` then
    run.received(reply.message)
    results = _warnings(reply, guard)
    calls = [call for call in reply.tool_calls if call.id not in results]
    limit, why, news = None, "the user cancelled the run", ""
    steered: tuple[str | Image, ...] = ()
    try:
        async with run.clock.limit(guard.seconds_to_act):
            await execute(agent.tools, calls, run, results, early.take)
            news = await run.news()
        if run.hooks is not None and run.hooks.halted:
            limit, why = Stop.HOOK, guard.explain(Stop.HOOK)
        else:
            steered = tuple(run.steered())
            if last is not None:
                limit, why = last, guard.explain(last)
    except TimeoutError:
        limit, why = Stop.TIME, guard.explain(Stop.TIME)
    finally:
        # Also after a cancellation: the provider refuses every later request of a conversation in
        # which a call has no result (see `llm.conversation.repair_messages`).
        farewell = limit is not None
        _answer_all(
            conversation,
            reply,
            "Not finished",
            why,
            (*run.reminders(), *filter(None, (news,)), *steered),
            results,
            farewell=farewell,
        )
    guard.made(calls, results)
    return limit


def _only_reads(agent: Agent, reply: Reply) -> bool:
    return not any(acts(agent.tools, call) for call in reply.tool_calls)


def _warnings(reply: Reply, guard: Guard) -> dict[str, ToolResult]:
    """Results for repeated calls, which are not run; the next repetition ends the run."""
    repeated = guard.repeated(reply.tool_calls)
    if not repeated:
        return {}
    guard.warn()
    warning = load_prompt("user/repeated").render(reason=guard.explain(Stop.REPETITION))
    return dict.fromkeys(repeated, ToolResult.failed(warning))


async def _keep_room(run: RunContext, reply: Reply, guard: Guard) -> Stop | None:
    """Compact if the window is nearly full. Returns the limit that was reached, if any."""
    if run.compactor:
        with suppress(TimeoutError):
            async with run.clock.limit(guard.seconds_to_act):
                if await run.compactor.compact_if_needed(reply.usage, guard.meter):
                    guard.forget()
    return guard.exceeded(())


def _unsaid(reply: Reply, limit: Stop | None) -> Stop | None:
    """The limit that cut off a reply without calls, so that it is no answer; None if it is one."""
    if reply.stop is StopReason.PAUSE_TURN:
        return limit
    if reply.stop is StopReason.MAX_TOKENS and not (reply.text or reply.requested):
        return Stop.CUT_OFF  # all of it was thinking
    return None


async def _last_word(
    agent: Agent,
    conversation: Conversation,
    run: RunContext,
    guard: Guard,
    limit: Stop,
    *,
    notified: bool,
    said: str = "",
) -> RunOutcome:
    """Let the model answer once from what it has, without tools.

    If time runs out, the longest incomplete answer counts.
    """
    reason = guard.explain(limit)
    if not notified:
        conversation.append(user_message(load_prompt("user/last_word").render(reason=reason)))
    run.emit(Notice(f"The run is ending: {reason}."))
    nothing = EarlyCalls({}, run)
    last = await ask(agent, conversation, run, guard, nothing, [], last=True)
    if isinstance(last, str):
        if text := max(said, last, key=len).rstrip():
            run.emit(TextDelta(text))
            block: ContentBlock = {"type": "text", "text": text}
            conversation.append({"role": "assistant", "content": [block]})
        return _unanswered(limit, guard, text)
    _count(run, guard)
    last = replace(last, message=whole_reply((last.message,)))
    if last.requested:
        _keep(conversation, last, reason)
        return _unanswered(limit, guard, last.text)
    return replace(_end(conversation, last, guard), stop=limit)


def _unanswered(limit: Stop, guard: Guard, text: str = "") -> RunOutcome:
    fallback = f"No answer was reached before the run ended: {guard.explain(limit)}."
    return RunOutcome(text or fallback, limit, guard.turns, guard.meter.spending, bool(text))


def _end(conversation: Conversation, reply: Reply, guard: Guard) -> RunOutcome:
    stop = _ENDINGS.get(reply.stop, Stop.CUT_OFF)
    if stop is Stop.REFUSED:  # a refused reply is not sent back
        text = f"The model declined to answer. {reply.detail}".strip()
        return RunOutcome(text, stop, guard.turns, guard.meter.spending, by_model=False)
    _keep(conversation, reply, "the context is full")
    text = reply.text or "The model ended without an answer. Ask again, or ask for less at once."
    return RunOutcome(text, stop, guard.turns, guard.meter.spending, bool(reply.text))


def _keep(conversation: Conversation, reply: Reply, why: str) -> None:
    """Append a reply whose calls were not run."""
    if reply.requested:
        _answer_all(conversation, reply, "Not run", why)
    elif reply.message["content"]:
        conversation.append(reply.message)


def _answer_all(
    conversation: Conversation,
    reply: Reply,
    fate: str,
    why: str,
    more: Iterable[str | Image] = (),
    results: Mapping[str, ToolResult] = MappingProxyType({}),
    *,
    farewell: bool = False,
) -> None:
    """Append the reply and a result for each call; calls without one get `fate` and `why`.

    `more` follows the results.
    """
    failed = ToolResult.failed(f"{fate}: {why}.")
    answers = [(call, results.get(call.id, failed)) for call in reply.requested]
    last_word = [load_prompt("user/last_word").render(reason=why)] if farewell else []
    conversation.append(reply.message)
    conversation.append(tool_answers(answers, *more, *last_word))


@dataclass(frozen=True, slots=True)
class Reviewing:
    """Reviews the answers of one run; `again` has the model continue the conversation."""

    conversation: Conversation
    run: RunContext
    guard: Guard
    again: Callable[[], Awaitable[RunOutcome]]

    async def reviewed(self, answer: RunOutcome) -> RunOutcome:
        """The answer; if the review finds faults, the one that the model gives after hearing them.

        The first answer stands, and is shown again, if a limit, a failure or a cancellation
        prevents a second one.
        """
        if not _is_whole(answer):
            return answer
        faults = await self.run.review(answer.text)
        if not faults or self.guard.exceeded(()):
            return answer
        why = "before its citations were corrected"
        return (await self._another(answer, faults, DiscardReason.CITATIONS, why))[0]

    async def gone_on(self, answer: RunOutcome) -> RunOutcome:
        """The answer; if hooks have the model go on, its last one, kept as `reviewed` keeps it."""
        for times in range(MOST_TIMES):
            if not _is_whole(answer) or self.guard.exceeded(()):
                break
            told = await self.run.go_on(times)
            if not told:
                break
            why = "before a hook had the model go on"
            answer, is_new = await self._another(answer, told, DiscardReason.HOOK, why)
            if not is_new:
                break
            answer = await self.reviewed(answer)
        return answer

    async def _another(
        self, answer: RunOutcome, told: str, reason: DiscardReason, why: str
    ) -> tuple[RunOutcome, bool]:
        """The answer after the model was told `why`, and whether it is a different one."""
        self.conversation.append(user_message(told))
        self.run.emit(TextDiscarded(reason))
        better: RunOutcome | None = None
        try:
            better = await self.again()
        except ModelError as error:
            self.run.emit(Notice(f"The answer stands as it was {why}. {error}"))
        finally:
            if stands := better is None or not _is_whole(better):
                self.run.emit(TextDiscarded())
                self.run.emit(TextDelta(answer.text))
        if stands or better is None:
            meter = self.guard.meter
            return replace(answer, turns=self.guard.turns, spending=meter.spending), False
        return better, True


def _is_whole(answer: RunOutcome) -> bool:
    return answer.stop is Stop.ANSWERED and answer.by_model
