"""Framing, and what the client says to a server's requests."""

from __future__ import annotations

import asyncio
import json

import pytest

from glossator.cli.render.pipe import JsonLines
from glossator.cli.replies import Replies
from glossator.cli.server import ResponseError, ServerConnection, ServerLost, read_frame, to_frame
from glossator.cli.terminal import TerminalLock
from glossator.core.wire import Json

REPLIES = Replies(JsonLines(), (), TerminalLock(), None)


def reader_of(*pieces: bytes) -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    for piece in pieces:
        reader.feed_data(piece)
    reader.feed_eof()
    return reader


class Sent:
    def __init__(self) -> None:
        self.frames: list[bytes] = []
        self.answered = asyncio.Event()

    def write(self, data: bytes) -> None:
        self.frames.append(data)
        if b'"method"' not in data:
            self.answered.set()


def client_of(*messages: dict[str, Json]) -> tuple[ServerConnection, Sent, list[str]]:
    sent = Sent()
    notified: list[str] = []
    reader = reader_of(*map(to_frame, messages))

    def heard(method: str, _params: Json) -> None:
        notified.append(method)

    return ServerConnection(reader, sent, heard, REPLIES.reply), sent, notified


@pytest.mark.parametrize(
    "frame",
    [
        b'Content-Length: 10\r\n\r\n{"id": 17}',
        b'content-length:10\r\n\r\n{"id": 17}',
        b'Content-Type: application/vscode-jsonrpc\r\nContent-Length: 10\r\n\r\n{"id": 17}',
    ],
)
async def test_a_frame_is_read_whatever_its_header(frame: bytes) -> None:
    pieces = [frame[i : i + 1] for i in range(len(frame))]
    assert await read_frame(reader_of(*pieces)) == {"id": 17}


@pytest.mark.parametrize(
    "frame",
    [
        b"Hello\r\n\r\n",
        b"Content-Length: many\r\n\r\n{}",
        b"Content-Length: -1\r\n\r\n{}",
        b"Content-Length: 2\r\n\r\n[]",
        b"Content-Length: 2\r\n\r\n{{",
    ],
)
async def test_what_is_no_frame_loses_the_server(frame: bytes) -> None:
    client = ServerConnection(reader_of(frame), Sent(), lambda *_: None, REPLIES.reply)
    with pytest.raises(ServerLost, match="not LSP"):
        await client.request("x")


async def test_a_stream_that_ends_loses_the_server() -> None:
    client, _, _ = client_of()
    with pytest.raises(ServerLost, match="left"):
        await client.request("x")


async def test_any_text_survives_a_frame() -> None:
    message = {"text": "é 🙂 \udcff"}
    assert await read_frame(reader_of(to_frame(message))) == message


async def test_notifications_before_the_answer_are_handled_in_order() -> None:
    client, _, notified = client_of(
        {"method": "one"}, {"id": 99, "result": None}, {"method": "two"}, {"id": 1, "result": 5}
    )
    assert await client.request("x") == 5
    assert notified == ["one", "two"]


async def test_several_wait_for_answers_and_one_may_leave() -> None:
    reader = asyncio.StreamReader()
    client = ServerConnection(reader, Sent(), lambda *_: None, REPLIES.reply)
    beside = asyncio.create_task(client.hear_beside(client.post("beside")))
    main = asyncio.create_task(client.request("main"))
    await asyncio.sleep(0)
    waited = client.waits
    left = asyncio.create_task(client.hear_beside(client.post("left")))
    frame = to_frame({"id": 1, "result": "beside"})
    reader.feed_data(frame[:20])
    await asyncio.sleep(0)
    left.cancel()  # in the middle of a frame
    reader.feed_data(frame[20:] + to_frame({"id": 3, "result": "nobody's"}))
    assert await beside == "beside"
    reader.feed_data(to_frame({"id": 2, "result": "main"}))
    assert await main == "main"
    assert (waited, client.waits) == (True, False)
    late = asyncio.create_task(client.hear_beside(client.post("late")))
    reader.feed_data(b"Hello\r\n\r\n")
    with pytest.raises(ServerLost, match="not LSP"):
        await late


async def test_an_error_answer_is_raised() -> None:
    client, _, _ = client_of({"id": 1, "error": {"code": -32803, "message": "No."}})
    with pytest.raises(ResponseError, match=r"No\.") as caught:
        await client.request("x")
    assert caught.value.code == -32803


@pytest.mark.parametrize(
    ("method", "params", "expect"),
    [
        ("client/registerCapability", {}, {"result": None}),
        ("client/unregisterCapability", {}, {"result": None}),
        ("window/workDoneProgress/create", {"token": 1}, {"result": None}),
        ("window/showMessageRequest", {}, {"result": None}),
        ("workspace/configuration", {"items": [{}, {}]}, {"result": [None, None]}),
        (
            "workspace/unheardOf",
            {},
            {"error": {"code": -32601, "message": "workspace/unheardOf is not supported."}},
        ),
    ],
)
async def test_requests_of_the_server_are_answered(
    method: str, params: Json, expect: dict[str, Json]
) -> None:
    client, sent, _ = client_of(
        {"id": "s1", "method": method, "params": params}, {"id": 1, "result": None}
    )
    await client.request("x")
    await sent.answered.wait()  # beside the reading
    answer = json.loads(sent.frames[-1].split(b"\r\n\r\n")[1])
    assert answer == {"jsonrpc": "2.0", "id": "s1", **expect}


async def test_cancel_names_the_request_that_is_waited_for() -> None:
    client, sent, _ = client_of({"id": 1, "result": None})
    await client.request("x")
    client.cancel()
    assert sent.frames[-1].endswith(b'"method":"$/cancelRequest","params":{"id":1}}')
