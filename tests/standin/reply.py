"""A turn made into the message the API would return for a request."""

import json
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from pydantic_core import from_json

from tests.standin.content import located_blocks, merged_turns, tokens_in
from tests.standin.faults import MaxTokensMidTool, Refused, UnknownBlock
from tests.standin.rules.call import unanswered_server_calls
from tests.standin.script import (
    Block,
    ServerToolUse,
    Text,
    Thinking,
    ToolSearch,
    ToolUse,
    Turn,
)
from tests.standin.signature import Prefix

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole message, and the JSON text of each tool input by block index (it may be cut off)."""

    message: Json
    tool_json: dict[int, str]


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the server found out about a request's prompt: its `usage` and its `diagnostics`."""

    usage: Json
    diagnostics: Json | None


class Ids:
    """The next ids of one server: `msg_0001`, `toolu_0001`, …"""

    def __init__(self) -> None:
        self._counters = {kind: count(1) for kind in ("msg", "toolu", "srvtoolu", "req")}

    def next(self, kind: str, taken: Container[str] = ()) -> str:
        """The next id of a kind that is not taken, as by a conversation begun on another server."""
        numbered = (f"{kind}_{number:04d}" for number in self._counters[kind])
        return next(id_ for id_ in numbered if id_ not in taken)


def compose(turn: Turn, body: Json, prompt: Prompt, ids: Ids) -> Reply:
    """The message this turn is in answer to this request, signed and with its usage."""
    content = _content(turn, body, ids)
    tool_json = {
        index: json.dumps(block["input"], ensure_ascii=False)
        for index, block in enumerate(content)
        if block["type"] in {"tool_use", "server_tool_use"}
    }
    if isinstance(turn.fault, MaxTokensMidTool):
        _cut_last_tool(content, tool_json)
    stop_reason = _stop_reason(turn)
    output = {"output_tokens": tokens_in(content)}
    message = {
        "id": ids.next("msg"),
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": content,
        "stop_reason": stop_reason,
        "stop_sequence": _stop_sequence(stop_reason, body),
        "stop_details": _stop_details(turn),
        "diagnostics": prompt.diagnostics,
        "usage": prompt.usage | output | dict(turn.usage or {}),
    }
    return Reply(message, tool_json)


def _content(turn: Turn, body: Json, ids: Ids) -> list[Json]:
    prefix = Prefix(body)
    taken: set[str] = set()
    for _, role, block in located_blocks(body):
        prefix.add(role, block)
        taken.add(block.get("id", ""))
    content = list(_left_open(body))
    for made in content:
        prefix.add("assistant", made)
    for scripted in turn.blocks:
        for made in _blocks(scripted, body, prefix, lambda kind: ids.next(kind, taken)):
            prefix.add("assistant", made)
            content.append(made)
    if isinstance(turn.fault, UnknownBlock):
        content.append({"type": "future_block", "data": "what a later API may send"})
    return content


def _blocks(
    scripted: Block, body: Json, prefix: Prefix, new_id: Callable[[str], str]
) -> Iterator[Json]:
    match scripted:
        case Text(text, citations):
            yield {"type": "text", "text": text, "citations": list(citations) or None}
        case ToolUse(name, tool_input, id_):
            id_ = id_ or new_id("toolu")
            yield {"type": "tool_use", "id": id_, "name": name, "input": tool_input}
        case ServerToolUse(name, tool_input):
            id_ = new_id("srvtoolu")
            yield {"type": "server_tool_use", "id": id_, "name": name, "input": tool_input}
        case ToolSearch(query, found):
            yield from _search(query, found, new_id("srvtoolu"))
        case Thinking(text):
            config = body.get("thinking", {})
            if config.get("type") == "disabled":
                return
            text = text if config.get("display") == "summarized" else ""
            yield {"type": "thinking", "thinking": text, "signature": prefix.bind(text).sign()}


def _left_open(body: Json) -> Iterator[Json]:
    """The results of the searches that a paused turn left open: what it goes on with."""
    role, blocks = merged_turns(body)[-1]
    calls = {block["id"]: block for _, block in blocks if block["type"] == "server_tool_use"}
    for id_ in unanswered_server_calls(blocks) if role == "assistant" else ():
        if calls[id_]["name"] == "web_search":
            yield {"type": "web_search_tool_result", "tool_use_id": id_, "content": []}


def _search(query: str, found: Sequence[str], id_: str) -> Iterator[Json]:
    name, asked = "tool_search_tool_bm25", {"query": query}
    yield {"type": "server_tool_use", "id": id_, "name": name, "input": asked}
    references = [{"type": "tool_reference", "tool_name": tool} for tool in found]
    result = {"type": "tool_search_tool_search_result", "tool_references": references}
    yield {"type": "tool_search_tool_result", "tool_use_id": id_, "content": result}


def _cut_last_tool(content: list[Json], tool_json: dict[int, str]) -> None:
    last = max(tool_json)
    cut = tool_json[last][: (len(tool_json[last]) + 1) // 2]
    tool_json[last] = cut
    content[last]["input"] = from_json(cut, allow_partial=True)


def _stop_reason(turn: Turn) -> str:
    if isinstance(turn.fault, Refused):
        return "refusal"
    if isinstance(turn.fault, MaxTokensMidTool):
        return "max_tokens"
    calls = any(isinstance(block, ToolUse) for block in turn.blocks)
    return turn.stop_reason or ("tool_use" if calls else "end_turn")


def _stop_sequence(stop_reason: str, body: Json) -> str | None:
    return body["stop_sequences"][0] if stop_reason == "stop_sequence" else None


def _stop_details(turn: Turn) -> Json | None:
    match turn.fault:
        case Refused(category, explanation):
            return {"type": "refusal", "category": category, "explanation": explanation}
        case _:
            return None
