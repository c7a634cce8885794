"""The server around the rules: recording, concurrency, gates and clients that leave."""

import asyncio

import aiohttp
import pytest

from tests.standin import ServerToolUse, SlowHeaders, StandIn, Text, ToolUse, Turn
from tests.standin_tests.client import (
    BASE,
    HEADERS,
    Json,
    assistant,
    chat,
    get,
    open_raw,
    post,
    request,
    tool_result,
    tool_use,
    user,
)

STREAMED = request(stream=True)


async def test_every_post_is_recorded_in_order() -> None:
    async with StandIn([Turn(Text("ok"))]) as api:
        await post(api, BASE, X_Trace="t1")
        await post(api, request(foo=1))
        await post(api, BASE, "/v1/nowhere")
        await get(api, "/v1/models")
    assert [(r.path, r.body) for r in api.requests] == [
        ("/v1/messages", BASE),
        ("/v1/messages", request(foo=1)),
        ("/v1/nowhere", BASE),
    ]
    assert [status for status, _ in api.refusals] == [400, 404]
    assert api.requests[0].headers["x-trace"] == "t1"
    times = [recorded.received_at for recorded in api.requests]
    assert times == sorted(times)
    assert [recorded.disconnected_at for recorded in api.requests] == [None] * 3


async def test_a_refused_request_takes_no_turn() -> None:
    async with StandIn([Turn(Text("first"))]) as api:
        await post(api, request(foo=1))
        assert (await post(api, BASE)).json["content"][0]["text"] == "first"


async def test_guests_are_served_unchecked_where_they_are_welcome() -> None:
    async with StandIn([Turn(Text("ok"))], guests=True) as api:
        served = await post(api, request(foo=1), anthropic_version="2023-06-01")
        assert served.json["content"][0]["text"] == "ok"
        assert (await post(api, request(foo=1))).status == 400


async def test_a_function_answers_several_agents() -> None:
    def script(body: Json) -> Turn:
        return Turn(Text(f"you said {body['messages'][-1]['content'][0]['text']}"))

    async with StandIn(script) as api:
        answers = await asyncio.gather(*(post(api, chat(user(str(n)))) for n in range(8)))
    assert [a.json["content"][0]["text"] for a in answers] == [f"you said {n}" for n in range(8)]


async def test_what_a_function_raises_reaches_the_test() -> None:
    def script(body: Json) -> Turn:
        raise KeyError("no turn for this agent")

    with pytest.raises(KeyError, match="no turn for this agent"):
        async with StandIn(script) as api:
            assert (await post(api, BASE)).status == 500


async def test_a_conversation_begun_on_another_server_keeps_its_ids() -> None:
    begun = chat(user("x"), assistant(tool_use("toolu_0001")), user(tool_result("toolu_0001")))
    async with StandIn([Turn(ToolUse("Grep"))]) as api:
        assert (await post(api, begun)).json["content"][0]["id"] == "toolu_0002"


async def test_ids_are_numbered_and_unique() -> None:
    script = [Turn(ToolUse("a"), ToolUse("b", id="mine"), ServerToolUse("c")), Turn(ToolUse("d"))]
    async with StandIn(script) as api:
        answers = [(await post(api, BASE)).json for _ in script]
    assert [answer["id"] for answer in answers] == ["msg_0001", "msg_0002"]
    assert [block["id"] for answer in answers for block in answer["content"]] == [
        "toolu_0001",
        "mine",
        "srvtoolu_0001",
        "toolu_0002",
    ]


async def test_waiting_for_requests() -> None:
    async with StandIn(lambda _: Turn(Text("ok"))) as api:
        with pytest.raises(TimeoutError):
            await api.wait_for_requests(1, timeout=0.01)
        waiting = asyncio.create_task(api.wait_for_requests(2))
        await post(api, BASE)
        assert not waiting.done()
        await post(api, BASE)
        assert len(await waiting) == 2


async def test_a_gate_holds_the_stream_after_its_first_delta() -> None:
    gate = asyncio.Event()
    async with StandIn([Turn(Text("Hello there, reader."), gate=gate, chunk=6)]) as api:
        raw = await open_raw(api, STREAMED)
        held = await raw.reader.readuntil(b'"Hello "}}\n\n')
        assert held.count(b"content_block_delta") == 2  # once on the event line, once in the data
        assert api.open_streams == 1
        rest = asyncio.create_task(raw.reader.read())
        assert (await post(api, BASE)).status == 500  # others are served meanwhile
        assert not rest.done()
        gate.set()
        assert b"message_stop" in await rest
        raw.writer.close()
    assert api.open_streams == 0
    assert api.requests[0].disconnected_at is None


async def test_a_gate_holds_a_whole_reply() -> None:
    gate = asyncio.Event()
    async with StandIn([Turn(Text("Hello"), gate=gate)]) as api:
        answer = asyncio.create_task(post(api, BASE))
        await api.wait_for_requests(1)
        assert (await post(api, BASE)).status == 500
        assert not answer.done()
        gate.set()
        assert (await answer).status == 200


@pytest.mark.parametrize("before_headers", [True, False])
async def test_a_client_that_leaves_is_seen_at_once(before_headers: bool) -> None:
    gate = asyncio.Event()
    fault = SlowHeaders(gate) if before_headers else None
    async with StandIn([Turn(Text("Hello"), gate=gate, fault=fault), Turn(Text("ok"))]) as api:
        raw = await open_raw(api, STREAMED)
        await api.wait_for_requests(1)
        if not before_headers:
            await raw.reader.readuntil(b"content_block_delta")
        left = asyncio.get_running_loop().time()
        raw.writer.close()
        recorded = await api.wait_for_disconnect()
        assert recorded is api.requests[0]
        assert recorded.disconnected_at is not None
        assert 0 <= recorded.disconnected_at - left < 1  # seconds
        assert api.open_streams == 0
        assert (await post(api, BASE)).status == 200


async def test_waiting_for_several_to_leave() -> None:
    async with StandIn(lambda _: Turn(Text("Hello"), gate=asyncio.Event())) as api:
        clients = [await open_raw(api, STREAMED) for _ in range(3)]
        await api.wait_for_requests(3)
        for client in clients:
            client.writer.close()
        await api.wait_for_disconnect(3)
        assert api.open_streams == 0


async def test_leaving_the_block_ends_held_streams() -> None:
    async with StandIn([Turn(Text("Hello"), gate=asyncio.Event())]) as api:
        raw = await open_raw(api, STREAMED)
        await raw.reader.readuntil(b"content_block_delta")
    await raw.reader.read()
    raw.writer.close()
    assert api.open_streams == 0
    assert api.requests[0].disconnected_at is None  # the server ended it, not the client


async def test_connections_are_kept_alive() -> None:
    async with (
        StandIn(lambda _: Turn(Text("ok"))) as api,
        aiohttp.ClientSession(headers=HEADERS) as session,
    ):
        for body in (BASE, request(foo=1), STREAMED, BASE):
            async with session.post(f"{api.base_url}/v1/messages", json=body) as response:
                await response.read()
                assert response.headers.get("connection") != "close"
