"""The agent loop: query, act, observe, until the model answers or a limit ends the run.

The conversation is valid for the next request at every await: a reply is appended together with
the answers to its tool calls, even when the run is cancelled between the two, and one that was
paused when it ends.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from glossator.agent.calls import EarlyCalls, acts, execute
from glossator.agent.guard import Guard
from glossator.agent.query import query
from glossator.agent.run import Agent, Outcome, RunContext, Stop
from glossator.context import NoGain
from glossator.core.errors import BudgetSpent, ModelError, RequestTooLong
from glossator.core.events import DiscardReason, Notice, TextDelta, TextDiscarded
from glossator.core.tool_result import ToolResult
from glossator.llm import (
    Block,
    Budget,
    Conversation,
    Message,
    Meter,
    Reply,
    StopReason,
    ToolCall,
    tool_answers,
    user_message,
    whole_reply,
)
from glossator.prompts import load_prompt

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
_FINAL = {StopReason.REFUSAL, StopReason.CONTEXT_FULL}  # whatever else the reply holds


async def run_agent(agent: Agent, conversation: Conversation, run: RunContext) -> Outcome:
    """Answer the conversation's last message. Raises `ModelError` when the model cannot."""
    meter = run.meter or Meter((Budget.of_run(agent.limits),))
    guard = Guard(
        agent.limits,
        meter,
        partial(acts, agent.tools),
        run.revision,
        run.changes,
        run.waits,
        run.clock,
    )
    async with EarlyCalls(agent.tools, run) as early:
        answering = partial(_run, agent, conversation, run, guard, early)
        return await reviewed(await answering(), conversation, run, guard, answering)


async def _run(
    agent: Agent, conversation: Conversation, run: RunContext, guard: Guard, early: EarlyCalls
) -> Outcome:
    paused: list[Message] = []  # what the reply under way has said
    while True:
        reply = await _ask(agent, conversation, run, guard, early, paused)
        if isinstance(reply, str):
            time = Stop.TIME
            return await _last_word(agent, conversation, run, guard, time, told=False, said=reply)
        _count(run, guard)
        limit = guard.exceeded(_requested(reply))
        if reply.stop is StopReason.PAUSE_TURN and limit is None:
            paused.append(reply.message)
            continue
        last_turn = limit is Stop.TURNS
        if reply.stop is StopReason.CONTEXT_FULL and not last_turn and await _make_room(run, guard):
            _begin_again(run, paused)
            continue
        reply = replace(reply, message=whole_reply((*paused, reply.message)))
        paused.clear()
        if unsaid := _unsaid(reply, limit):
            _keep(conversation, reply, guard.explain(unsaid))
            return await _last_word(agent, conversation, run, guard, unsaid, told=False)
        if not _requested(reply) or reply.stop in _FINAL:
            return _end(conversation, reply, guard)
        if limit:
            _answer_all(conversation, reply, "Not run", guard.explain(limit), farewell=True)
        else:
            limit = await _act(agent, conversation, run, reply, guard, early)
        told = limit is not None
        limit = limit or await _keep_room(run, reply, guard)
        if limit:
            return await _last_word(agent, conversation, run, guard, limit, told=told)


async def _ask(
    agent: Agent,
    conversation: Conversation,
    run: RunContext,
    guard: Guard,
    early: EarlyCalls,
    paused: list[Message],
) -> Reply | str:
    """As `query`; a conversation that the provider does not take for its length is compacted."""
    while True:
        try:
            return await query(
                agent, conversation, run, guard.meter, guard.seconds_to_act, early, paused
            )
        except RequestTooLong:
            if not await _make_room(run, guard):
                raise
            _begin_again(run, paused)


def _begin_again(run: RunContext, paused: list[Message]) -> None:
    """The reply under way did not fit: it is asked for again, from its beginning."""
    run.emit(TextDiscarded())
    paused.clear()


def _count(run: RunContext, guard: Guard) -> None:
    """Count a reply; with the first, say so if its price is not known and should be."""
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
) -> Stop | None:
    """Run the reply's calls and append it with their results, those of a cancelled run included.

    Gives the limit that ended the calls early, if one did.
    """
    if reply.stop is not StopReason.TOOL_USE:
        _answer_all(conversation, reply, "Not run", load_prompt("user/cut_off").render())
        return None
    run.received(reply.message)
    results = _warnings(reply, guard)
    calls = [call for call in reply.tool_calls if call.id not in results]
    limit, why, news = None, "the user cancelled the run", ""
    try:
        async with run.clock.limit(guard.seconds_to_act):
            await execute(agent.tools, calls, run, results, early.take)
            news = await run.news()
    except TimeoutError:
        limit, why = Stop.TIME, guard.explain(Stop.TIME)
    finally:
        farewell = limit is not None
        _answer_all(
            conversation,
            reply,
            "Not finished",
            why,
            (*run.reminders(), *filter(None, (news,))),
            results,
            farewell=farewell,
        )
    guard.made(calls, results)
    return limit


def _warnings(reply: Reply, guard: Guard) -> dict[str, ToolResult]:
    """Instead of results, for the calls that repeat what was done; the next ones end the run."""
    repeated = guard.repeated(reply.tool_calls)
    if repeated:
        guard.warn()
    told = load_prompt("user/repeated").render(reason=guard.explain(Stop.REPETITION))
    return dict.fromkeys(repeated, ToolResult.failed(told))


async def _make_room(run: RunContext, guard: Guard) -> bool:
    """Whether the conversation could be compacted."""
    if run.compactor is None:
        return False
    try:
        async with run.clock.limit(guard.seconds_to_act):
            made = await run.compactor.compact(guard.meter)
    except BudgetSpent as error:
        run.emit(Notice(f"The conversation was not compacted. {error}"))
        return False
    except TimeoutError:
        return False
    if isinstance(made, NoGain):
        return False
    guard.forget()
    return True


async def _keep_room(run: RunContext, reply: Reply, guard: Guard) -> Stop | None:
    """Compact ahead of need. Gives the limit that is reached by now, if any."""
    if run.compactor:
        with suppress(TimeoutError):
            async with run.clock.limit(guard.seconds_to_act):
                if await run.compactor.compact_if_needed(reply.usage, guard.meter):
                    guard.forget()
    return guard.exceeded(())


def _unsaid(reply: Reply, limit: Stop | None) -> Stop | None:
    """The limit that keeps a reply without calls from being an answer, if one does."""
    if reply.stop is StopReason.PAUSE_TURN:
        return limit
    if reply.stop is StopReason.MAX_TOKENS and not (reply.text or _requested(reply)):
        return Stop.CUT_OFF  # all of it was thinking
    return None


async def _last_word(
    agent: Agent,
    conversation: Conversation,
    run: RunContext,
    guard: Guard,
    limit: Stop,
    *,
    told: bool,
    said: str = "",
) -> Outcome:
    """Let the model answer from what it has, once, without further tools.

    If that does not come in time, the longest answer is taken that was cut off.
    """
    reason = guard.explain(limit)
    if not told:
        conversation.append(user_message(load_prompt("user/last_word").render(reason=reason)))
    run.emit(Notice(f"The run is ending: {reason}."))
    nothing = EarlyCalls({}, run)
    last = await query(agent, conversation, run, guard.meter, guard.seconds_left, nothing)
    if isinstance(last, str):
        if text := max(said, last, key=len).rstrip():
            run.emit(TextDelta(text))
            block: Block = {"type": "text", "text": text}
            conversation.append({"role": "assistant", "content": [block]})
        return _unanswered(limit, guard, text)
    _count(run, guard)
    last = replace(last, message=whole_reply((last.message,)))
    if _requested(last):
        _keep(conversation, last, reason)
        return _unanswered(limit, guard, last.text)
    return replace(_end(conversation, last, guard), stop=limit)


def _unanswered(limit: Stop, guard: Guard, text: str = "") -> Outcome:
    fallback = f"No answer was reached before the run ended: {guard.explain(limit)}."
    return Outcome(text or fallback, limit, guard.turns, guard.meter.spending, bool(text))


def _end(conversation: Conversation, reply: Reply, guard: Guard) -> Outcome:
    stop = _ENDINGS.get(reply.stop, Stop.CUT_OFF)
    if stop is Stop.REFUSED:  # a refused reply is not sent back
        text = f"The model declined to answer. {reply.detail}".strip()
        return Outcome(text, stop, guard.turns, guard.meter.spending, by_model=False)
    _keep(conversation, reply, "the context is full")
    text = reply.text or "The model ended without an answer. Ask again, or ask for less at once."
    return Outcome(text, stop, guard.turns, guard.meter.spending, bool(reply.text))


def _keep(conversation: Conversation, reply: Reply, why: str) -> None:
    """Append a reply; none of its calls was run."""
    if _requested(reply):
        _answer_all(conversation, reply, "Not run", why)
    elif reply.message["content"]:
        conversation.append(reply.message)


def _requested(reply: Reply) -> list[ToolCall]:
    """The calls in a reply that must be answered, whole or not."""
    if reply.tool_calls:
        return list(reply.tool_calls)
    return [
        ToolCall(block["id"], block["name"], {})
        for block in reply.message["content"]
        if block.get("type") == "tool_use"
    ]


def _answer_all(
    conversation: Conversation,
    reply: Reply,
    fate: str,
    why: str,
    reminders: Iterable[str] = (),
    results: Mapping[str, ToolResult] = MappingProxyType({}),
    *,
    farewell: bool = False,
) -> None:
    """Append the reply and the answer to each of its calls: its result, or its fate and why.

    After them comes what else there is to know.
    """
    failed = ToolResult.failed(f"{fate}: {why}.")
    answers = [(call, results.get(call.id, failed)) for call in _requested(reply)]
    last_word = [load_prompt("user/last_word").render(reason=why)] if farewell else []
    conversation.append(reply.message)
    conversation.append(tool_answers(answers, *reminders, *last_word))


async def reviewed(
    answer: Outcome,
    conversation: Conversation,
    run: RunContext,
    guard: Guard,
    again: Callable[[], Awaitable[Outcome]],
) -> Outcome:
    """The answer, or the one that `again` gives once the model has heard of its faults.

    The first one stands, and is shown again, where no whole one takes its place: when a limit is
    reached, the model fails, or the run is cancelled.
    """
    if run.review is None or answer.stop is not Stop.ANSWERED or not answer.by_model:
        return answer
    faults = await run.review(answer.text)
    if not faults or guard.exceeded(()):
        return answer
    conversation.append(user_message(faults))
    run.emit(TextDiscarded(DiscardReason.CITATIONS))
    better: Outcome | None = None
    try:
        better = await again()
    except ModelError as error:
        run.emit(
            Notice(f"The answer stands as it was before its citations were corrected. {error}")
        )
    finally:
        if stands := better is None or better.stop is not Stop.ANSWERED or not better.by_model:
            run.emit(TextDiscarded())
            run.emit(TextDelta(answer.text))
    if stands or better is None:
        return replace(answer, turns=guard.turns, spending=guard.meter.spending)
    return better
