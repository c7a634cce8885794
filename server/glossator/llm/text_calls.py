"""Tool calls that a model writes into its text, as models at servers of one's own do.

Read are the forms of Qwen, Llama, Hermes and Mistral: JSON with a name and arguments, bare or in
tags, and `<function=Name>` with JSON or with `<parameter=name>` in it. A call counts if it names a
tool that was offered and nothing is left over that looks like one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from glossator.llm.conversation import call_ids, usable_call
from glossator.llm.model import ContentBlock, Message, Reply, StopReason, ToolCall, ToolSpec

_TAGGED = re.compile(
    r"<tool_call>\s*(?P<call>.*?)\s*(?:</tool_call>|$)"
    r"|(?P<function><function=.*?(?:</function>|$))"
    r"|(?:<\|python_tag\|>|\[TOOL_CALLS\])\s*(?P<rest>.*)$",
    re.DOTALL,
)
_FUNCTION = re.compile(
    r"<function=(?P<name>[\w-]+)>\s*(?P<body>.*?)\s*(?:</function>\s*)?$", re.DOTALL
)
_PARAMETER = re.compile(r"<parameter=([\w-]+)>\n?(.*?)\n?</parameter>", re.DOTALL)
_FENCED = re.compile(r"```(?:json|tool_call)?\s*\n(?P<json>.*)\n\s*```", re.DOTALL)
_MARKS = re.compile(r"</?tool_call>|</?function\b|<\|python_tag\|>|\[TOOL_CALLS\]")
_NO_TOOLS = (
    "{model} writes tool calls as text that cannot be run, so it may not be able to search, read or"
    " change anything. Choose a model that calls tools, or have the server read its calls"
    " (llama.cpp: --jinja; vLLM: --enable-auto-tool-choice)."
)

_Call = tuple[str, dict[str, Any]]


def with_text_calls(
    reply: Reply, tools: Sequence[ToolSpec], messages: Iterable[Message], model: str
) -> Reply:
    """The reply with calls in place of their text, or with a note if they cannot be read."""
    if reply.stop is not StopReason.END_TURN or reply.requested or not tools:
        return reply
    named = {tool.name: tool for tool in tools}
    found = _tagged(reply.text, named) or _bare(reply.text, named)
    if found is None:
        strange = _MARKS.search(reply.text) and any(name in reply.text for name in named)
        return replace(reply, note=_NO_TOOLS.format(model=model)) if strange else reply
    text, calls = found
    taken = call_ids(messages)
    blocks = [
        usable_call({"type": "tool_use", "id": "", "name": name, "input": arguments}, taken)
        for name, arguments in calls
    ]
    others = [block for block in reply.message["content"] if block.get("type") != "text"]
    said: list[ContentBlock] = [{"type": "text", "text": text}] if text else []
    return replace(
        reply,
        message={"role": "assistant", "content": [*others, *said, *blocks]},
        stop=StopReason.TOOL_USE,
        text=text,
        tool_calls=tuple(ToolCall(each["id"], each["name"], each["input"]) for each in blocks),
    )


def _tagged(text: str, tools: Mapping[str, ToolSpec]) -> tuple[str, list[_Call]] | None:
    """The text before the calls in tags, and the calls; None if one of them cannot be read."""
    matches = list(_TAGGED.finditer(text))
    calls: list[_Call] = []
    for match in matches:
        written = match["call"] or match["function"] or match["rest"] or ""
        read = _calls(written, tools)
        if not read:
            return None
        calls += read
    left = _TAGGED.sub("", text)
    return (left.strip(), calls) if calls and not _MARKS.search(left) else None


def _bare(text: str, tools: Mapping[str, ToolSpec]) -> tuple[str, list[_Call]] | None:
    """The calls if the text is nothing but their JSON."""
    stripped = text.strip()
    fenced = _FENCED.fullmatch(stripped)
    calls = _calls(fenced["json"] if fenced else stripped, tools)
    return ("", calls) if calls else None


def _calls(written: str, tools: Mapping[str, ToolSpec]) -> list[_Call]:
    if function := _FUNCTION.match(written.strip()):
        found = _function(function["name"], function["body"], tools)
        return [found] if found else []
    try:
        value = json.loads(written)
    except ValueError:
        return []
    read = [_call(each, tools) for each in (value if isinstance(value, list) else [value])]
    calls = [call for call in read if call is not None]
    return calls if len(calls) == len(read) else []


def _call(value: object, tools: Mapping[str, ToolSpec]) -> _Call | None:
    if isinstance(value, dict) and isinstance(inner := value.get("function"), dict):
        value = inner
    match value:
        case (
            {"name": str(name), "arguments": given}
            | {"name": str(name), "parameters": given}
            | {"name": str(name), "input": given}
        ) if name in tools:
            arguments = _json(given) if isinstance(given, str) else given
            return (name, arguments) if isinstance(arguments, dict) else None
    return None


def _function(name: str, body: str, tools: Mapping[str, ToolSpec]) -> _Call | None:
    if name not in tools:
        return None
    if isinstance(arguments := _json(body), dict):
        return name, arguments
    if _PARAMETER.sub("", body).strip():
        return None
    fields = tools[name].input_schema.get("properties", {})
    return name, {
        key: text if fields.get(key, {}).get("type") == "string" else _json(text, text)
        for key, text in _PARAMETER.findall(body)
    }


def _json(text: str, otherwise: object = None) -> Any:  # noqa: ANN401 - any JSON value
    try:
        return json.loads(text)
    except ValueError:
        return otherwise
