"""Whole replies: what is sent, what is shown on the way, and what is kept of them."""

import asyncio
import json
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pytest

from glossator.core.errors import ModelRefused, StreamCut
from glossator.core.tool_result import ToolResult
from glossator.llm.conversation import Conversation, tool_answers, user_message
from glossator.llm.model import Reply, StopReason, TextPiece, ThinkingPiece, ToolCall
from tests.llm.asking import asker
from tests.standin import (
    Fault,
    MaxTokensMidTool,
    NoEventNames,
    NoToolInput,
    NoUsage,
    Refused,
    Text,
    Thinking,
    ToolUse,
    TruncateAt,
    Turn,
    UnknownBlock,
    UnknownDelta,
    UnknownEvent,
)

GREP = ToolUse("Grep", {"pattern": "x"})


def without_breakpoints(value: Any) -> Any:
    match value:
        case Mapping():
            kept = {k: v for k, v in value.items() if k != "cache_control"}
            return {k: without_breakpoints(v) for k, v in kept.items()}
        case list():
            return [without_breakpoints(item) for item in value]
    return value


async def test_a_conversation_with_thinking_and_parallel_tools_keeps_its_prefix() -> None:
    script = [
        Turn(Thinking("Where is it? I search."), GREP, ToolUse("Glob", {"pattern": "*.py"})),
        Turn(Thinking("One more look."), Text("Reading on."), GREP),
        Turn(Text("It is in a.py.")),
    ]
    system = ("Shared by all. " * 200, "Of this session. " * 50)
    async with asker(script) as ask:
        conversation = Conversation((user_message("Where is x?"),))
        replies = []
        for _ in script:
            reply = await ask.reply(*conversation.messages, system=system)
            replies.append(reply)
            conversation.append(reply.message)
            conversation.append(
                tool_answers([(call, ToolResult("a.py:1: x")) for call in reply.tool_calls])
            )
        assert ask.api.refusals == []
        bodies = [without_breakpoints(request.body) for request in ask.api.requests]

    assert [reply.stop for reply in replies] == ["tool_use", "tool_use", "end_turn"]
    assert [call.name for call in replies[0].tool_calls] == ["Grep", "Glob"]
    assert replies[1].tool_calls == (ToolCall("toolu_0003", "Grep", {"pattern": "x"}),)
    assert replies[2].text == "It is in a.py."
    assert replies[1].usage.cache_read_tokens == replies[0].usage.cache_write_tokens > 0
    assert replies[2].usage.cache_read_tokens > replies[1].usage.cache_read_tokens
    for before, after in pairwise(bodies):
        for part in ("system", "tools"):
            assert json.dumps(before[part]) == json.dumps(after[part])
        earlier = json.dumps(before["messages"])
        assert json.dumps(after["messages"]).startswith(earlier[:-1])


async def test_pieces_come_in_order_and_the_reply_is_last() -> None:
    async with asker([Turn(Thinking("I think."), Text("An answer in pieces."), chunk=5)]) as ask:
        *pieces, reply = await ask.ask()
    assert "".join(p.text for p in pieces if isinstance(p, ThinkingPiece)) == "I think."
    assert "".join(p.text for p in pieces if isinstance(p, TextPiece)) == "An answer in pieces."
    assert isinstance(reply, Reply)
    assert [block["type"] for block in reply.message["content"]] == ["thinking", "text"]
    assert reply.message["content"][0]["signature"]


@pytest.mark.parametrize(
    "fault",
    [UnknownEvent(), UnknownDelta(), NoToolInput(), NoUsage()],
    ids=lambda f: type(f).__name__,
)
async def test_oddities_of_a_stream_are_passed_over(fault: Fault) -> None:
    async with asker([Turn(Text("Looking."), GREP, ToolUse("Glob"), fault=fault)]) as ask:
        reply = await ask.reply()
    assert reply.text == "Looking."
    assert [call.arguments for call in reply.tool_calls] == [{"pattern": "x"}, {}]
    assert reply.usage.input_tokens > 0
    assert reply.usage.output_tokens > 0


async def test_an_unknown_block_travels_back() -> None:
    async with asker([Turn(Text("Here."), fault=UnknownBlock())]) as ask:
        reply = await ask.reply()
    assert reply.text == "Here."
    kept = reply.message["content"][1]
    assert kept["type"] not in {"text", "thinking", "tool_use"}
    assert len(kept) > 1


async def test_a_reply_cut_by_max_tokens_runs_no_tools() -> None:
    whole = {"pattern": "a pattern of some length"}
    async with asker([Turn(Text("So."), ToolUse("Grep", whole), fault=MaxTokensMidTool())]) as ask:
        reply = await ask.reply()
    assert reply.stop is StopReason.MAX_TOKENS
    assert reply.tool_calls == ()
    assert reply.message["content"][1]["input"] != whole


@pytest.mark.parametrize(
    ("refused", "detail"),
    [
        (Refused("cyber", "It could harm systems."), "It could harm systems."),
        (Refused("bio"), "bio"),
        (Refused(), ""),
    ],
)
async def test_a_refusal_is_a_reply(refused: Refused, detail: str) -> None:
    async with asker([Turn(fault=refused)]) as ask:
        reply = await ask.reply()
    assert (reply.stop, reply.detail, reply.tool_calls) == (StopReason.REFUSAL, detail, ())


@pytest.mark.parametrize("stop", ["pause_turn", "max_tokens", "model_context_window_exceeded"])
async def test_a_known_stop_reason_is_told(stop: str) -> None:
    async with asker([Turn(Text("So far."), stop_reason=stop)]) as ask:
        reply = await ask.reply()
    assert (reply.stop, reply.text) == (stop, "So far.")


async def test_an_unknown_stop_reason_is_not_guessed_at() -> None:
    async with asker([Turn(Text("So far."), stop_reason="moonrise")]) as ask:
        with pytest.raises(ModelRefused, match="moonrise"):
            await ask.ask()
        assert len(ask.api.requests) == 1


@pytest.mark.parametrize("in_good_order", [False, True])
async def test_no_cut_stream_becomes_a_reply(in_good_order: bool) -> None:
    cut_at = 0

    def play(_body: Mapping[str, Any]) -> Turn:
        blocks = (Thinking("Grübeln."), Text("Größe: ok."), GREP)
        return Turn(*blocks, fault=TruncateAt(cut_at, in_good_order))

    async with asker(play, max_retries=0) as ask:
        whole = None
        while whole is None:
            try:
                whole = await ask.reply()
            except StreamCut:
                cut_at += 7
        assert len(ask.api.requests) == cut_at / 7 + 1
    assert cut_at > 1000
    assert whole.tool_calls == (ToolCall(whole.tool_calls[0].id, "Grep", {"pattern": "x"}),)


async def test_a_stream_without_event_names_is_a_cut_one() -> None:
    async with asker([Turn(Text("Hi."), fault=NoEventNames())], max_retries=0) as ask:
        with pytest.raises(StreamCut, match="before the reply was whole"):
            await ask.ask()


async def test_the_provider_tells_the_limits_of_an_unlisted_model() -> None:
    async with asker([Turn(Text("Hi.")), Turn(Text("Hi."))]) as ask:
        await ask.ask()
        assert ask.model._limits is not None
        await ask.model._limits
        assert (ask.model.window, ask.model.facts.max_output) == (1_000_000, 128_000)


async def test_streams_side_by_side_share_one_client() -> None:
    async with asker(lambda _body: Turn(Text("Hi."))) as ask:
        replies = await asyncio.gather(*(ask.reply() for _ in range(5)))
    assert [reply.text for reply in replies] == ["Hi."] * 5
