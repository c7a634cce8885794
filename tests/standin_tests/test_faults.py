"""Each fault, and what of it travels on the wire."""

import asyncio
import json

import pytest

from tests.standin import (
    EndBeforeStop,
    HttpError,
    MaxTokensMidTool,
    NoEventNames,
    NoToolInput,
    NoUsage,
    Refused,
    ResetConnection,
    SlowHeaders,
    StandIn,
    StreamError,
    Text,
    ToolUse,
    TruncateAt,
    Turn,
    UnknownBlock,
    UnknownDelta,
    UnknownEvent,
    rate_limited,
    spend_capped,
)
from tests.standin_tests.client import BASE, Json, on_the_wire, open_raw, post, request

STREAMED = request(stream=True)
SAID = Text("Hello there, reader.")
CALL = ToolUse("Grep", {"pattern": "naïve"})


async def streamed(turn: Turn) -> list[Json]:
    """The events of one turn over a connection that ends in good order."""
    async with StandIn([turn]) as api:
        answer = await post(api, STREAMED)
    assert answer.status == 200
    return answer.events


def types(events: list[Json]) -> list[str]:
    return [event["type"] for event in events]


async def test_without_a_fault() -> None:
    events = await streamed(Turn(SAID, CALL, chunk=10))
    assert types(events) == [
        "message_start",
        "content_block_start",
        "ping",
        *["content_block_delta"] * 2,
        "content_block_stop",
        "content_block_start",
        *["content_block_delta"] * 3,
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    assert events[6]["content_block"] == {
        "type": "tool_use",
        "id": "toolu_0001",
        "name": "Grep",
        "input": {},
    }
    pieces = [event["delta"]["partial_json"] for event in events[7:10]]
    assert pieces == ["", '{"pattern"', ': "naïve"}']
    assert events[-2]["delta"]["stop_reason"] == "tool_use"
    assert events[-2]["usage"]["output_tokens"] > events[0]["message"]["usage"]["output_tokens"]


@pytest.mark.parametrize("in_good_order", [True, False])
async def test_truncated_at_any_byte(in_good_order: bool) -> None:
    async with StandIn([Turn(SAID)]) as api:
        whole = await on_the_wire(api, STREAMED, ended=True)
    for cut in range(1, len(whole), 97):
        async with StandIn([Turn(SAID, fault=TruncateAt(cut, in_good_order))]) as api:
            received = await on_the_wire(api, STREAMED, ended=in_good_order)
        assert received == whole[:cut]


async def test_truncated_far_into_a_long_stream() -> None:
    turn = Turn(Text("x" * 3_000_000), fault=TruncateAt(2_000_000), chunk=100_000)
    async with StandIn([turn]) as api:
        assert len(await on_the_wire(api, STREAMED, ended=False)) == 2_000_000


async def test_ended_before_message_stop() -> None:
    events = await streamed(Turn(SAID, fault=EndBeforeStop()))
    assert types(events)[-1] == "message_delta"


@pytest.mark.parametrize("type_", ["overloaded_error", "api_error"])
async def test_an_error_inside_the_stream(type_: str) -> None:
    events = await streamed(Turn(SAID, fault=StreamError(type_, "Sorry", after=1)))
    assert types(events)[-2:] == ["content_block_delta", "error"]
    assert types(events).count("content_block_delta") == 1
    assert events[-1] == {
        "type": "error",
        "error": {"type": type_, "message": "Sorry"},
        "request_id": "req_0001",
    }


@pytest.mark.parametrize(
    ("fault", "status", "type_", "retry_after"),
    [
        (rate_limited(2), 429, "rate_limit_error", "2"),
        (rate_limited(0.5), 429, "rate_limit_error", "0.5"),
        (rate_limited(), 429, "rate_limit_error", None),
        (rate_limited(86_400), 429, "rate_limit_error", "86400"),
        (spend_capped(), 429, "rate_limit_error", None),
        (HttpError(529), 529, "overloaded_error", None),
        (HttpError(529, retry_after=30), 529, "overloaded_error", "30"),
        (HttpError(500), 500, "api_error", None),
        (HttpError(503), 503, "api_error", None),
        (HttpError(504), 504, "timeout_error", None),
        (HttpError(400), 400, "invalid_request_error", None),
        (HttpError(401), 401, "authentication_error", None),
        (HttpError(402), 402, "billing_error", None),
        (HttpError(403), 403, "permission_error", None),
        (HttpError(404), 404, "not_found_error", None),
        (HttpError(409), 409, "conflict_error", None),
        (HttpError(413), 413, "request_too_large", None),
    ],
)
async def test_an_error_status(
    fault: HttpError, status: int, type_: str, retry_after: str | None
) -> None:
    async with StandIn([Turn(fault=fault), Turn(SAID)]) as api:
        answer = await post(api, STREAMED)
        assert (await post(api, STREAMED)).status == 200  # the next turn is played as ever
        assert api.refusals == []  # a scripted fault is no refusal
    assert answer.status == status
    assert answer.json["error"]["type"] == type_
    assert answer.json["request_id"] == answer.headers["request-id"] == "req_0001"
    assert answer.headers.get("retry-after") == retry_after


async def test_a_spend_cap_says_so() -> None:
    async with StandIn([Turn(fault=spend_capped())]) as api:
        answer = await post(api, BASE)
    assert "usage limits" in answer.error
    assert answer.json["error"]["details"] == {"error_code": "enforced_spend_limit_reached"}


@pytest.mark.parametrize("stream", [True, False])
async def test_a_refusal(stream: bool) -> None:
    turn = Turn(fault=Refused("cyber", "Not this."))
    async with StandIn([turn]) as api:
        answer = await post(api, request(stream=stream))
    assert answer.status == 200
    stop = answer.events[-2]["delta"] if stream else answer.json
    assert stop["stop_reason"] == "refusal"
    assert stop["stop_details"] == {
        "type": "refusal",
        "category": "cyber",
        "explanation": "Not this.",
    }


@pytest.mark.parametrize(
    "reason", ["pause_turn", "max_tokens", "model_context_window_exceeded", "end_turn"]
)
async def test_a_stop_reason(reason: str) -> None:
    events = await streamed(Turn(SAID, stop_reason=reason))
    assert events[-2]["delta"]["stop_reason"] == reason


async def test_a_stop_sequence() -> None:
    async with StandIn([Turn(SAID, stop_reason="stop_sequence")]) as api:
        answer = await post(api, request(stop_sequences=["END"]))
    assert (answer.json["stop_reason"], answer.json["stop_sequence"]) == ("stop_sequence", "END")


async def test_max_tokens_inside_a_tool_call() -> None:
    turn = Turn(ToolUse("Glob"), CALL, fault=MaxTokensMidTool())
    async with StandIn([turn, turn]) as api:
        events = (await post(api, STREAMED)).events
        whole = (await post(api, BASE)).json
    deltas = [e["delta"] for e in events if e["type"] == "content_block_delta" and e["index"] == 1]
    cut = "".join(delta["partial_json"] for delta in deltas)
    assert cut
    assert cut != json.dumps(CALL.input, ensure_ascii=False)
    with pytest.raises(ValueError, match="line 1 column"):
        json.loads(cut)
    assert events[-2]["delta"]["stop_reason"] == whole["stop_reason"] == "max_tokens"
    assert whole["content"][1]["input"] != CALL.input


def test_max_tokens_inside_no_tool_call() -> None:
    with pytest.raises(ValueError, match="give the turn a ToolUse"):
        Turn(SAID, fault=MaxTokensMidTool())


async def test_an_unknown_event() -> None:
    events = await streamed(Turn(SAID, fault=UnknownEvent()))
    assert types(events)[:3] == ["message_start", "future_event", "content_block_start"]
    assert types(events)[-1] == "message_stop"


async def test_an_unknown_block() -> None:
    events = await streamed(Turn(SAID, fault=UnknownBlock()))
    starts = [e["content_block"]["type"] for e in events if e["type"] == "content_block_start"]
    assert starts == ["text", "future_block"]
    assert events[-2]["delta"]["stop_reason"] == "end_turn"


async def test_an_unknown_delta() -> None:
    events = await streamed(Turn(SAID, fault=UnknownDelta()))
    deltas = [e["delta"]["type"] for e in events if e["type"] == "content_block_delta"]
    assert deltas[:2] == ["future_delta", "text_delta"]


async def test_frames_without_event_names() -> None:
    async with StandIn([Turn(SAID), Turn(SAID, fault=NoEventNames())]) as api:
        named = await post(api, STREAMED)
        nameless = await post(api, STREAMED)
    assert named.raw.count(b"event: ") == named.raw.count(b"data: ")
    assert b"event: " not in nameless.raw
    assert types(nameless.events) == types(named.events)


async def test_a_tool_call_that_starts_without_input() -> None:
    events = await streamed(Turn(CALL, fault=NoToolInput()))
    start = next(e["content_block"] for e in events if e["type"] == "content_block_start")
    assert start == {"type": "tool_use", "id": "toolu_0001", "name": "Grep"}


@pytest.mark.parametrize("body", [STREAMED, BASE])
async def test_no_usage(body: Json) -> None:
    async with StandIn([Turn(SAID, fault=NoUsage())]) as api:
        answer = await post(api, body)
    assert b"usage" not in answer.raw
    assert b"Hello" in answer.raw


async def test_headers_that_wait() -> None:
    gate = asyncio.Event()
    async with StandIn([Turn(SAID, fault=SlowHeaders(gate))]) as api:
        raw = await open_raw(api, STREAMED)
        await api.wait_for_requests(1)
        byte = asyncio.create_task(raw.reader.read(1))
        # The server answers another client meanwhile, so the silence on this one is meant.
        assert (await post(api, BASE)).status == 500
        assert not byte.done()
        gate.set()
        assert await byte == b"H"
        raw.writer.close()


async def test_a_reset_before_the_response() -> None:
    async with StandIn([Turn(fault=ResetConnection()), Turn(SAID)]) as api:
        raw = await open_raw(api, STREAMED)
        with pytest.raises(ConnectionResetError):
            await raw.reader.read()
        raw.writer.close()
        assert (await post(api, STREAMED)).status == 200
        assert [recorded.disconnected_at for recorded in api.requests] == [None, None]


async def test_a_refused_connection() -> None:
    async with StandIn() as api:
        await api.stop_listening()
        with pytest.raises(ConnectionRefusedError):
            await open_raw(api, BASE)


async def test_a_stream_fault_needs_a_stream() -> None:
    async with StandIn([Turn(SAID, fault=EndBeforeStop())]) as api:
        answer = await post(api, BASE)
    assert answer.status == 500
    assert "EndBeforeStop needs a request with `stream`" in answer.error
