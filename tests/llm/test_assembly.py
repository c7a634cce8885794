"""Replies put together from events that no schema vouches for."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glossator.core.errors import ModelError, ModelRefused, StreamCut
from glossator.llm.assembly import Assembly
from glossator.llm.model import ContentBlock, Message, Reply, StopReason, ToolReady

KEYS = ["content_block", "delta", "id", "index", "input", "message", "name", "partial_json"]
KEYS += ["signature", "stop_details", "stop_reason", "text", "thinking", "type", "usage"]
WORDS = ["content_block_delta", "content_block_start", "input_json_delta", "message_delta"]
WORDS += ["message_start", "message_stop", "signature_delta", "text", "text_delta", "thinking"]
WORDS += ["thinking_delta", "tool_use", "end_turn", "{}", ""]
SCALARS = st.none() | st.booleans() | st.integers(-1, 2) | st.sampled_from(WORDS)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(KEYS), inner),
    max_leaves=12,
)
EVENTS = st.lists(st.dictionaries(st.sampled_from(KEYS), VALUES), max_size=8)
STOP = {"type": "message_stop"}


def assemble(*events: dict[str, Any]) -> Reply:
    reply = Assembly()
    for event in events:
        reply.add(event)
    return reply.finish({})


def tool_turn(block: ContentBlock, *partials: str, stop: str = "tool_use") -> Reply:
    deltas = (
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "input_json_delta", "partial_json": partial},
        }
        for partial in partials
    )
    return assemble(
        {"type": "content_block_start", "index": 0, "content_block": block},
        *deltas,
        {"type": "message_delta", "delta": {"stop_reason": stop}},
        STOP,
    )


CALL: ContentBlock = {"type": "tool_use", "id": "t", "name": "Grep"}


@given(EVENTS)
@settings(max_examples=100, deadline=None)
def test_nonsense_is_passed_over_or_refused(events: list[dict[str, Any]]) -> None:
    try:
        reply = assemble(*events, STOP)
    except ModelError:
        return
    json.dumps(reply.message, allow_nan=False)


@pytest.mark.parametrize("block", [CALL, {**CALL, "input": None}, {**CALL, "input": {}}])
def test_no_input_is_an_empty_object(block: ContentBlock) -> None:
    reply = tool_turn(block)
    assert reply.tool_calls[0].arguments == {}
    assert reply.message["content"] == [{**CALL, "input": {}}]


@pytest.mark.parametrize(
    "partials", [('{"a": ', '"b'), ("[1]",), ('"x"',), ("{}}",), ('{"a": NaN}',)]
)
def test_a_call_that_is_no_json_object_is_not_run(partials: tuple[str, ...]) -> None:
    with pytest.raises(StreamCut, match="it was not run"):
        tool_turn(CALL, *partials)


@pytest.mark.parametrize("stop", ["tool_use", "max_tokens", "end_turn"])
@pytest.mark.parametrize("name", [{}, {"name": None}, {"name": 5}])
def test_a_call_without_a_name_is_not_run(stop: str, name: ContentBlock) -> None:
    """Nor could it be answered."""
    with pytest.raises(StreamCut, match="without a name"):
        tool_turn({"type": "tool_use", "id": "t", **name}, stop=stop)


@pytest.mark.parametrize("given", [{}, {"id": None}, {"id": ""}, {"id": "a b"}, {"id": "ä"}])
def test_a_call_without_a_usable_id_gets_one(given: ContentBlock) -> None:
    reply = tool_turn({"type": "tool_use", "name": "Grep", **given})
    assert [call.id for call in reply.tool_calls] == ["call_1"]
    assert reply.message["content"][0]["id"] == "call_1"


def test_what_is_told_early_is_called_as_in_the_whole_reply() -> None:
    asked: Message = {"role": "assistant", "content": [{**CALL, "id": "call_1", "input": {}}]}
    reply = Assembly(messages=[asked])
    ready = []
    for index in range(2):
        block = {**CALL, "id": "call_1", "name": "Grep files!"}
        reply.add({"type": "content_block_start", "index": index, "content_block": block})
        ready.append(reply.add({"type": "content_block_stop", "index": index}))
    reply.add({"type": "message_delta", "delta": {"stop_reason": "tool_use"}})
    reply.add(STOP)
    calls = reply.finish({}).tool_calls
    assert ready == [ToolReady(call) for call in calls]
    assert [(call.id, call.name) for call in calls] == [
        ("call_2", "Grep_files_"),
        ("call_3", "Grep_files_"),
    ]


def test_a_call_cut_by_max_tokens_keeps_what_came() -> None:
    reply = tool_turn(CALL, '{"a": 1, "b": "unfin', stop="max_tokens")
    assert (reply.stop, reply.tool_calls) == (StopReason.MAX_TOKENS, ())
    assert reply.message["content"][0]["input"]["a"] == 1


def test_fields_that_nobody_knows_are_kept() -> None:
    block: ContentBlock = {"type": "text", "text": "Hi.", "mood": {"x": [1]}}
    reply = assemble(
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        STOP,
    )
    assert reply.message["content"] == [block]
    assert reply.text == "Hi."


@pytest.mark.parametrize("text", ["", "\n\n", None])
def test_a_blank_text_is_left_out(text: str | None) -> None:
    """The provider sends such a block, but refuses it when it comes back."""
    blank = {"type": "content_block_start", "index": 0}
    reply = assemble(
        {**blank, "content_block": {"type": "text", "text": text}},
        {"type": "content_block_start", "index": 1, "content_block": CALL},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
        STOP,
    )
    assert reply.message["content"] == [{**CALL, "input": {}}]


def test_a_reply_that_is_longer_than_any_is_refused() -> None:
    """In one piece or in many, of whatever kind."""
    for kind, name in (
        ("text_delta", "text"),
        ("thinking_delta", "thinking"),
        ("input_json_delta", "partial_json"),
        ("signature_delta", "signature"),
    ):
        for times, characters in ((1, 2_000_001), (3, 700_000)):
            reply = Assembly()
            reply.add({"type": "content_block_start", "index": 0, "content_block": CALL})
            delta = {"type": kind, name: "x" * characters}
            event = {"type": "content_block_delta", "index": 0, "delta": delta}
            for _ in range(times - 1):
                reply.add(event)
            with pytest.raises(ModelRefused, match=r"more than 2,000,000 characters as one reply"):
                reply.add(event)
    whole = {"type": "text", "text": "x" * 2_000_001}
    with pytest.raises(ModelRefused):
        Assembly().add({"type": "content_block_start", "index": 0, "content_block": whole})


def test_blocks_stand_in_the_order_of_their_numbers() -> None:
    """Whichever began first."""
    blocks = [
        {"type": "content_block_start", "index": n, "content_block": {"type": "text", "text": text}}
        for n, text in ((1, "second"), (0, "first "))
    ]
    end = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
    reply = assemble(*blocks, end, STOP)
    assert reply.text == "first second"
    assert [block["text"] for block in reply.message["content"]] == ["first ", "second"]
