"""The agent loop: query, act, observe, until the model answers or a limit ends the run.

The conversation is valid for the next request at every await: a reply is appended together with
the answers to its tool calls, even when the run is cancelled between the two.
"""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import replace

from glossator.agent.agent import Agent, Outcome, Stop
from glossator.agent.execute import execute
from glossator.agent.guard import Guard
from glossator.agent.run import RunContext
from glossator.agent.specs import tool_specs
from glossator.core.errors import StreamCut
from glossator.core.events import Notice, TextDelta, ThinkingDelta
from glossator.core.tool_result import ToolResult
from glossator.llm.conversation import Conversation, tool_answers
from glossator.llm.model import (
    ModelRequest,
    Reply,
    RetryWait,
    StopReason,
    TextPiece,
    ThinkingPiece,
    ToolCall,
)
from glossator.prompts.loader import load_prompt

_ENDINGS = {
    StopReason.END_TURN: Stop.ANSWERED,
    StopReason.STOP_SEQUENCE: Stop.ANSWERED,
    StopReason.MAX_TOKENS: Stop.CUT_OFF,
    StopReason.REFUSAL: Stop.REFUSED,
    StopReason.CONTEXT_FULL: Stop.CONTEXT_FULL,
}


async def run_agent(agent: Agent, conversation: Conversation, run: RunContext) -> Outcome:
    """Answer the conversation's last message. Raises `ModelError` when the model cannot."""
    guard = Guard(agent.limits)
    while True:
        reply = await _query(agent, conversation, run)
        guard.count(reply)
        run.emit(reply.usage)
        if reply.stop is StopReason.PAUSE_TURN and guard.exceeded(()) is None:
            conversation.append(reply.message)
            continue
        calls = _requested(reply)
        if not calls:
            return _end(conversation, reply, guard)
        if limit := guard.exceeded(calls):
            return await _last_word(agent, conversation, run, reply, guard, limit)
        await _act(agent, conversation, run, reply, guard)


async def _query(agent: Agent, conversation: Conversation, run: RunContext) -> Reply:
    request = ModelRequest(agent.system, tool_specs(agent.tools), conversation.messages)
    async with aclosing(run.model.stream(request)) as events:
        async for event in events:
            match event:
                case TextPiece(text):
                    run.emit(TextDelta(text))
                case ThinkingPiece(text):
                    run.emit(ThinkingDelta(text))
                case RetryWait(seconds, attempt, reason):
                    wait = f"Asking again in {seconds:.0f} s (try {attempt + 1})."
                    run.emit(Notice(f"{reason} {wait}"))
                case Reply():
                    return event
    raise StreamCut("The model's answer ended before it was complete. Ask again.")


async def _act(
    agent: Agent, conversation: Conversation, run: RunContext, reply: Reply, guard: Guard
) -> None:
    """Run the reply's calls and append it with their results, those of a cancelled run included."""
    if reply.stop is not StopReason.TOOL_USE:
        _answer_all(conversation, reply, load_prompt("user/cut_off").render())
        return
    results: dict[str, ToolResult] = {}
    why = "the user cancelled the run"
    try:
        async with asyncio.timeout(guard.seconds_left):
            await execute(agent.tools, reply.tool_calls, run, results)
    except TimeoutError:
        why = guard.explain(Stop.TIME)
    finally:
        unfinished = ToolResult.failed(f"Not finished: {why}.")
        answers = [(call, results.get(call.id, unfinished)) for call in reply.tool_calls]
        conversation.append(reply.message)
        conversation.append(tool_answers(answers))


async def _last_word(
    agent: Agent,
    conversation: Conversation,
    run: RunContext,
    reply: Reply,
    guard: Guard,
    limit: Stop,
) -> Outcome:
    """Let the model answer from what it has, once, without further tools."""
    reason = guard.explain(limit)
    run.emit(Notice(f"The run is ending: {reason}."))
    _answer_all(
        conversation,
        reply,
        f"Not run: {reason}.",
        load_prompt("user/last_word").render(reason=reason),
    )
    last = await _query(agent, conversation, run)
    guard.count(last)
    run.emit(last.usage)
    if _requested(last):
        _answer_all(conversation, last, f"Not run: {reason}.")
        text = last.text or f"No answer was reached before the run ended: {reason}."
        return Outcome(text, limit, guard.turns, guard.usage)
    return replace(_end(conversation, last, guard), stop=limit)


def _end(conversation: Conversation, reply: Reply, guard: Guard) -> Outcome:
    stop = _ENDINGS.get(reply.stop, Stop.CUT_OFF)
    if reply.message["content"] and stop is not Stop.REFUSED:
        conversation.append(reply.message)
    text = reply.text
    if stop is Stop.REFUSED:
        text = f"The model declined to answer. {reply.detail}".strip()
    return Outcome(text, stop, guard.turns, guard.usage)


def _requested(reply: Reply) -> list[ToolCall]:
    """The calls in a reply that must be answered, whole or not."""
    if reply.tool_calls:
        return list(reply.tool_calls)
    return [
        ToolCall(block["id"], block["name"], {})
        for block in reply.message["content"]
        if block.get("type") == "tool_use"
    ]


def _answer_all(conversation: Conversation, reply: Reply, why: str, *reminders: str) -> None:
    failed = ToolResult.failed(why)
    conversation.append(reply.message)
    conversation.append(tool_answers([(call, failed) for call in _requested(reply)], *reminders))
