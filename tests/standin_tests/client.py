"""Requests for the tests of the stand-in, and the plainest client that can send them."""

import asyncio
import json
from copy import deepcopy
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import aiohttp

from tests.standin import StandIn

Json = dict[str, Any]

HEADERS = {"Authorization": "Bearer k", "anthropic-version": "2026-10-21"}
BASE: Json = {
    "model": "claude-sonnet-5-5",
    "max_tokens": 1000,
    "messages": [{"role": "user", "content": "Hello"}],
}
SCHEMA: Json = {"type": "object", "properties": {}, "additionalProperties": False}


def request(**changes: Any) -> Json:
    """The base request with these fields changed; `...` takes a field away."""
    body = deepcopy(BASE) | changes
    return {key: value for key, value in body.items() if value is not ...}


def chat(*messages: Json, **changes: Any) -> Json:
    """The base request with these messages."""
    return request(messages=list(messages), **changes)


def user(*content: Json | str) -> Json:
    return _message("user", content)


def assistant(*content: Json | str) -> Json:
    return _message("assistant", content)


def system(*content: Json | str) -> Json:
    return _message("system", content)


def text(words: str = "words", **fields: Any) -> Json:
    return {"type": "text", "text": words, **fields}


def cached(ttl: str = "5m", words: str = "words") -> Json:
    return text(words, cache_control={"type": "ephemeral", "ttl": ttl})


def tool_use(id_: str = "a", name: str = "Grep") -> Json:
    return {"type": "tool_use", "id": id_, "name": name, "input": {}}


def tool_result(id_: str = "a", content: Any = "found") -> Json:
    return {"type": "tool_result", "tool_use_id": id_, "content": content}


def tool(name: str = "Grep", schema: Json = SCHEMA, **fields: Any) -> Json:
    return {"name": name, "input_schema": schema, **fields}


def search_result(words: str = "line", *, cited: bool = True, **fields: Any) -> Json:
    return {
        "type": "search_result",
        "source": "core/text.py",
        "title": "text.py",
        "content": [text(words)],
        "citations": {"enabled": cited},
        **fields,
    }


def _message(role: str, content: tuple[Json | str, ...]) -> Json:
    blocks = [text(part) if isinstance(part, str) else part for part in content]
    return {"role": role, "content": blocks}


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole HTTP response; header names are case-insensitive as aiohttp keeps them."""

    status: int
    headers: Any
    raw: bytes

    @property
    def json(self) -> Json:
        found: Json = json.loads(self.raw)
        return found

    @property
    def error(self) -> str:
        message: str = self.json["error"]["message"]
        return message

    @property
    def events(self) -> list[Json]:
        lines = self.raw.decode().splitlines()
        return [json.loads(line[6:]) for line in lines if line.startswith("data: ")]


async def post(
    api: StandIn, body: Json | bytes, path: str = "/v1/messages", **headers: str
) -> Answer:
    """Send a body, with header names written with `_` for `-`; an empty value leaves one out."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    changed = HEADERS | {name.replace("_", "-"): value for name, value in headers.items()}
    sent = {name: value for name, value in changed.items() if value}
    async with (
        aiohttp.ClientSession() as session,
        session.post(api.base_url + path, data=BytesIO(data), headers=sent) as response,
    ):
        return Answer(response.status, response.headers, await response.read())


async def get(api: StandIn, path: str, **headers: str) -> Answer:
    async with (
        aiohttp.ClientSession(headers=headers or HEADERS) as session,
        session.get(api.base_url + path) as response,
    ):
        return Answer(response.status, response.headers, await response.read())


async def on_the_wire(api: StandIn, body: Json, *, ended: bool) -> bytes:
    """The body of a response as it came, `ended` by its last chunk or by the connection's end."""
    raw = await open_raw(api, body)
    received = await raw.reader.read()
    raw.writer.close()
    head, _, chunks = received.partition(b"\r\n\r\n")
    assert b"chunked" in head
    assert chunks.endswith(b"\r\n0\r\n\r\n") == ended
    joined = b""
    while chunks:
        size, _, rest = chunks.partition(b"\r\n")
        joined += rest[: int(size, 16)]
        chunks = rest[int(size, 16) + 2 :]
    return joined


@dataclass(frozen=True, slots=True)
class Raw:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


async def open_raw(api: StandIn, body: Json) -> Raw:
    """A bare connection over which the request has been written."""
    host, port = api.base_url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    data = json.dumps(body).encode()
    lines = ["POST /v1/messages HTTP/1.1", f"Host: {host}", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in HEADERS.items()]
    lines += [f"Content-Length: {len(data)}", "", ""]
    writer.write("\r\n".join(lines).encode() + data)
    await writer.drain()
    return Raw(reader, writer)
