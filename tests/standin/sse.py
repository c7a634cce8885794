"""A reply as server-sent events, with the faults that live in the stream itself."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.standin.errors import error_body
from tests.standin.faults import (
    EndBeforeStop,
    Fault,
    NoEventNames,
    NoToolInput,
    NoUsage,
    StreamError,
    UnknownDelta,
    UnknownEvent,
)
from tests.standin.reply import Reply

Json = dict[str, Any]

DELTA_USAGE = (
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
)
_CHUNK = 12  # characters of a delta
_DELTAS = 200  # of a block, about: a long text in small pieces would cost the tests seconds
FUTURE = "what a later API may send"


@dataclass(frozen=True, slots=True)
class Frame:
    """One event; its name on the `event:` line is the `type` in its data, unless left out."""

    data: Json
    named: bool = True

    @property
    def is_delta(self) -> bool:
        """Whether the frame brings a piece of content."""
        return bool(self.data["type"] == "content_block_delta")

    def encode(self) -> bytes:
        """The bytes on the wire."""
        name = f"event: {self.data['type']}\n" if self.named else ""
        return f"{name}data: {json.dumps(self.data, ensure_ascii=False)}\n\n".encode()


def stream(reply: Reply, fault: Fault | None, chunk: int | None, request_id: str) -> list[Frame]:
    """All frames of a reply, deltas of `chunk` characters, as this fault leaves them."""
    frames = [Frame(data) for data in _events(reply, chunk)]
    first_delta = next((i for i, frame in enumerate(frames) if frame.is_delta), len(frames) - 2)
    match fault:
        case EndBeforeStop():
            frames = frames[:-1]
        case StreamError(type_, message, after):
            deltas = [i for i, frame in enumerate(frames) if frame.is_delta]
            cut = deltas[after] if after < len(deltas) else len(frames) - 2
            frames = [*frames[:cut], Frame(error_body(type_, message, request_id))]
        case UnknownEvent():
            frames.insert(1, Frame({"type": "future_event", "detail": FUTURE}))
        case UnknownDelta():
            delta = {"type": "future_delta", "data": FUTURE}
            strange = Frame({"type": "content_block_delta", "index": 0, "delta": delta})
            frames.insert(first_delta, strange)
        case NoEventNames():
            frames = [Frame(frame.data, named=False) for frame in frames]
        case NoToolInput():
            frames = [Frame(_without_tool_input(frame.data)) for frame in frames]
        case NoUsage():
            frames = [Frame(without_usage(frame.data)) for frame in frames]
    return frames


def without_usage(data: Json) -> Json:
    """A message or an event without `usage`, in it or in its message."""
    kept = {key: value for key, value in data.items() if key != "usage"}
    if "message" in kept:
        kept["message"] = without_usage(kept["message"])
    return kept


def _without_tool_input(data: Json) -> Json:
    if data["type"] != "content_block_start":
        return data
    block = {key: value for key, value in data["content_block"].items() if key != "input"}
    return data | {"content_block": block}


def _events(reply: Reply, chunk: int | None) -> Iterator[Json]:
    message = reply.message
    unstopped = dict.fromkeys(("stop_reason", "stop_sequence", "stop_details"))
    started = (
        message | unstopped | {"content": [], "usage": message["usage"] | {"output_tokens": 1}}
    )
    yield {"type": "message_start", "message": started}
    for index, block in enumerate(message["content"]):
        start, deltas = _pieces(block, reply.tool_json.get(index, ""), chunk)
        yield {"type": "content_block_start", "index": index, "content_block": start}
        if index == 0:
            yield {"type": "ping"}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    stop = {key: message[key] for key in unstopped}
    usage = {key: message["usage"][key] for key in DELTA_USAGE}
    yield {"type": "message_delta", "delta": stop, "usage": usage}
    yield {"type": "message_stop"}


def _pieces(block: Json, tool_json: str, chunk: int | None) -> tuple[Json, list[Json]]:
    """The block as it starts, and the deltas that complete it."""
    match block["type"]:
        case "text":
            start: Json = {"type": "text", "text": ""}
            deltas = _split(block["text"], chunk, lambda s: {"type": "text_delta", "text": s})
            cited = [{"type": "citations_delta", "citation": c} for c in block["citations"] or ()]
            return start, deltas + cited
        case "thinking":
            start = {"type": "thinking", "thinking": "", "signature": ""}
            signature = {"type": "signature_delta", "signature": block["signature"]}
            deltas = _split(
                block["thinking"], chunk, lambda s: {"type": "thinking_delta", "thinking": s}
            )
            return start, [*deltas, signature]
        case "tool_use" | "server_tool_use":
            # The first piece is empty, as the API sends it.
            deltas = _split(
                tool_json, chunk, lambda s: {"type": "input_json_delta", "partial_json": s}
            )
            return block | {"input": {}}, [
                {"type": "input_json_delta", "partial_json": ""},
                *deltas,
            ]
        case _:
            return block, []


def _split(text: str, chunk: int | None, wrap: Callable[[str], Json]) -> list[Json]:
    size = chunk or max(_CHUNK, len(text) // _DELTAS)
    return [wrap(text[i : i + size]) for i in range(0, len(text), size)]
