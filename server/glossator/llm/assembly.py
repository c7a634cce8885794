"""Puts a streamed reply together, block by block, exactly as the provider sent it.

The SDK's own accumulator stops at a reply without usage, which several local servers send, and
reparses the whole input at every piece of a tool call; this one does neither. Unknown events and
deltas are ignored; unknown blocks and fields stay, because they must go back. Blank texts are
dropped: the provider sends them, but does not accept them.
Source: the provider's "Streaming messages".

Models at servers of one's own write tool calls into their text. Read are the forms of Qwen, Llama,
Hermes and Mistral: JSON with a name and arguments, bare or in tags, and `<function=Name>` with JSON
or with `<parameter=name>` in it. A call counts if it names a tool that was offered and nothing is
left over that looks like one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from glossator.core.errors import ModelRefused, StreamCut
from glossator.core.events import Usage
from glossator.core.tokens import Price, estimate_tokens
from glossator.llm.conversation import call_ids, usable_call
from glossator.llm.meter import cost
from glossator.llm.model import (
    ContentBlock,
    Message,
    Reply,
    ReplyUsage,
    StopReason,
    TextPiece,
    ThinkingPiece,
    ToolCall,
    ToolReady,
    ToolSpec,
)

_CUT = (
    "The connection closed before the reply was whole; nothing of it was used. Ask again; if this"
    " happens every time, look at the network, the proxy, or models.baseUrl if it is set."
)
_MAX_CHARACTERS = 2_000_000  # of a reply; models write some 128,000 tokens at most, a quarter
_TOO_LONG = (
    f"The server sent more than {_MAX_CHARACTERS:,} characters as one reply, which no model"
    " writes; nothing of it was used. Check what models.baseUrl leads to, if it is set, or choose"
    " another model."
)
_TOOL_BLOCKS = frozenset({"tool_use", "server_tool_use"})
_LONG_WRITE = "ephemeral_1h_input_tokens"

Piece = TextPiece | ThinkingPiece | ToolReady | ReplyUsage
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


def reply_of(message: Mapping[str, Any], price: Price | None) -> Reply:
    """The reply in a whole message, such as one of a batch. Raises like `Assembly.finish`."""
    reply = Assembly(price)
    reply.add({"type": "message_start", "message": message})
    content = message.get("content")
    for index, block in enumerate(content if isinstance(content, list) else ()):
        reply.add({"type": "content_block_start", "index": index, "content_block": block})
    reply.add({"type": "message_delta", "delta": message})
    reply.whole = True
    return reply.finish({})


class Assembly:
    """One reply while it streams in: `add` every event, then `finish`.

    Its tool calls get ids that are valid after the `messages` of the request.
    """

    def __init__(self, price: Price | None = None, messages: Sequence[Message] = ()) -> None:
        self._price = price
        self._messages = messages
        self._call_ids: set[str] | None = None  # ids in use, once the reply has a call
        self._blocks: dict[int, ContentBlock] = {}
        self._inputs: dict[int, list[str]] = {}
        self._texts: dict[int, dict[str, list[str]]] = {}  # pieces, by block and field
        self._left = _MAX_CHARACTERS
        self._usage: dict[str, int] = {}
        self._stop: str | None = None
        self._stop_details: Mapping[str, Any] = {}
        self._id: str | None = None
        self.cache_miss = ""  # the provider's reason, if any
        self.whole = False  # message_stop has arrived

    def add(self, event: Mapping[str, Any]) -> Piece | None:
        """Add one event of the stream; returns the piece that it brings, if any.

        Raises `ModelRefused` for a reply longer than any that is allowed.
        """
        match event:
            case {"type": "message_start", "message": dict(message)}:
                self._id = message["id"] if isinstance(message.get("id"), str) else None
                self.cache_miss = _cache_miss(message.get("diagnostics"))
                return self._count(message.get("usage"))
            case {"type": "content_block_start", "index": int(index), "content_block": dict(block)}:
                self._take(block)
                self._blocks[index], self._texts[index] = self._begun(dict(block)), {}
                return _opening(block)
            case {"type": "content_block_delta", "index": int(index), "delta": dict(delta)}:
                if index in self._blocks:
                    self._take(delta)
                    return self._extend(self._blocks[index], index, delta)
            case {"type": "content_block_stop", "index": int(index)}:
                return self._ready(index)
            case {"type": "message_delta", "delta": dict(delta)}:
                self._stop = delta.get("stop_reason")
                details = delta.get("stop_details")
                self._stop_details = details if isinstance(details, dict) else {}
                return self._count(event.get("usage"))
            case {"type": "message_stop"}:
                self.whole = True
        return None

    def finish(self, request: Mapping[str, Any]) -> Reply:
        """The reply to `request`.

        Raises `StreamCut` when it is not whole, `ModelRefused` when it ended in an unknown way.
        """
        if not self.whole:
            raise StreamCut(_CUT)
        stop = _stop_reason(self._stop)
        for index, pieces in self._texts.items():
            self._blocks[index].update({name: "".join(each) for name, each in pieces.items()})
        for index, block in self._blocks.items():
            if block.get("type") in _TOOL_BLOCKS:
                block["input"] = self._input(index, stop)
        blocks = (self._blocks[index] for index in sorted(self._blocks))
        content = [
            block
            for block in blocks
            if block.get("type") != "text" or str(block.get("text") or "").strip()
        ]
        calls = _tool_calls(content)
        counted = self._reply_usage() if self._usage else self._estimate(request, content)
        texts = (block.get("text") for block in content if block.get("type") == "text")
        return Reply(
            message={"role": "assistant", "content": content},
            stop=stop,
            usage=counted.usage,
            text="".join(text for text in texts if isinstance(text, str)),
            tool_calls=calls if stop is StopReason.TOOL_USE else (),
            detail=str(
                self._stop_details.get("explanation") or self._stop_details.get("category") or ""
            ),
            id=self._id,
            long_write_tokens=counted.long_write_tokens,
            dollars=counted.dollars,
        )

    def _take(self, part: Mapping[str, Any]) -> None:
        """Count the characters of a block or of a piece of one; too many raise `ModelRefused`."""
        self._left -= sum(len(value) for value in part.values() if isinstance(value, str))
        if self._left < 0:
            raise ModelRefused(_TOO_LONG)

    def _begun(self, block: ContentBlock) -> ContentBlock:
        if block.get("type") != "tool_use":
            return block
        if self._call_ids is None:
            self._call_ids = call_ids(self._messages)
        return usable_call(block, self._call_ids)

    def _extend(
        self, block: ContentBlock, index: int, delta: Mapping[str, Any]
    ) -> TextPiece | ThinkingPiece | None:
        match delta:
            case {"type": "text_delta", "text": str(text)}:
                self._put(block, index, "text", text)
                return TextPiece(text)
            case {"type": "thinking_delta", "thinking": str(thinking)}:
                self._put(block, index, "thinking", thinking)
                return ThinkingPiece(thinking)
            case {"type": "signature_delta", "signature": str(signature)}:
                block["signature"] = signature
            case {"type": "citations_delta", "citation": citation}:
                block["citations"] = [*(block.get("citations") or ()), citation]
            case {"type": "input_json_delta", "partial_json": str(partial)}:
                self._inputs.setdefault(index, []).append(partial)
        return None

    def _put(self, block: ContentBlock, index: int, name: str, text: str) -> None:
        """Keep a piece of text; pieces are joined at the end, as joining each costs ever more."""
        self._texts[index].setdefault(name, [str(block.get(name) or "")]).append(text)

    def _ready(self, index: int) -> ToolReady | None:
        """The call in a complete block; None for other blocks and for broken input."""
        match self._blocks.get(index):
            case {"type": "tool_use", "id": str(id_), "name": str(name)}:
                try:
                    return ToolReady(ToolCall(id_, name, self._input(index, StopReason.TOOL_USE)))
                except StreamCut:  # raised again when the reply ends
                    return None
        return None

    def _input(self, index: int, stop: StopReason) -> dict[str, Any]:
        """A tool's input; if the reply broke off in it, the part that is complete."""
        from jiter import from_json  # noqa: PLC0415 - comes with the SDK, which is loaded late

        text = "".join(self._inputs.get(index, ()))
        if not text:
            value = self._blocks[index].get("input") or {}
        else:
            try:
                value = from_json(
                    text.encode(),
                    partial_mode=stop is not StopReason.TOOL_USE,
                    allow_inf_nan=False,  # it could not be sent back
                )
            except ValueError as error:
                raise StreamCut(
                    "The model wrote a tool call that is not valid JSON; it was not run. Ask again."
                ) from error
        if not isinstance(value, dict):
            raise StreamCut(
                "The model wrote a tool call that is not a JSON object; it was not run. Ask again."
            )
        return value

    def _count(self, usage: object) -> ReplyUsage | None:
        """Take over the counts: they are running totals, so later ones replace earlier ones."""
        if isinstance(usage, dict):
            written = usage.get("cache_creation")
            figures = {**usage, **(written if isinstance(written, dict) else {})}
            self._usage.update({k: v for k, v in figures.items() if isinstance(v, int)})
        return self._reply_usage() if self._usage else None

    def _reply_usage(self) -> ReplyUsage:
        usage = Usage(
            input_tokens=self._usage.get("input_tokens", 0),
            cache_read_tokens=self._usage.get("cache_read_input_tokens", 0),
            cache_write_tokens=self._usage.get("cache_creation_input_tokens", 0),
            output_tokens=self._usage.get("output_tokens", 0),
        )
        long = self._usage.get(_LONG_WRITE, 0)
        return ReplyUsage(usage, long, cost(self._price, usage, long))

    def _estimate(self, request: Mapping[str, Any], content: list[ContentBlock]) -> ReplyUsage:
        """Estimate the usage, for a server that reports none."""
        asked, answered = (json.dumps(part, ensure_ascii=False) for part in (request, content))
        usage = Usage(input_tokens=estimate_tokens(asked), output_tokens=estimate_tokens(answered))
        return ReplyUsage(usage, 0, cost(self._price, usage))


def _opening(block: Mapping[str, Any]) -> TextPiece | ThinkingPiece | None:
    match block:
        case {"type": "text", "text": str(text)} if text:
            return TextPiece(text)
        case {"type": "thinking", "thinking": str(thinking)} if thinking:
            return ThinkingPiece(thinking)
    return None


def _cache_miss(diagnostics: object) -> str:
    """Why the prompt cache was missed, with the tokens it cost; "" when nothing diverged."""
    match diagnostics:
        case {"cache_miss_reason": {"type": str(reason), "cache_missed_input_tokens": int(tokens)}}:
            return f"{reason}, {tokens:,} tokens"
        case {"cache_miss_reason": {"type": str(reason)}}:
            return reason
    return ""


def _stop_reason(name: str | None) -> StopReason:
    try:
        return StopReason(name or "")
    except ValueError as error:
        raise ModelRefused(
            f"The model stopped for a reason that this version does not know ({name!r}), so its"
            " reply was not used. Update Glossator, or choose another model."
        ) from error


def _tool_calls(content: list[ContentBlock]) -> tuple[ToolCall, ...]:
    calls = [block for block in content if block.get("type") == "tool_use"]
    if not all(isinstance(call.get(key), str) for call in calls for key in ("id", "name")):
        raise StreamCut("The model wrote a tool call without a name; it was not run. Ask again.")
    return tuple(ToolCall(call["id"], call["name"], call["input"]) for call in calls)


_Call = tuple[str, dict[str, Any]]


def with_text_calls(
    reply: Reply, tools: Sequence[ToolSpec], messages: Iterable[Message], model: str
) -> Reply:
    """The reply with calls in place of their text, or with a note if they cannot be read."""
    if reply.stop is not StopReason.END_TURN or reply.requested or not tools:
        return reply
    named = {tool.name: tool for tool in tools}
    found = _tagged_calls(reply.text, named) or _bare_calls(reply.text, named)
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


def _tagged_calls(text: str, tools: Mapping[str, ToolSpec]) -> tuple[str, list[_Call]] | None:
    """The text before the calls in tags, and the calls; None if one of them cannot be read."""
    matches = list(_TAGGED.finditer(text))
    calls: list[_Call] = []
    for match in matches:
        written = match["call"] or match["function"] or match["rest"] or ""
        read = _calls_in(written, tools)
        if not read:
            return None
        calls += read
    left = _TAGGED.sub("", text)
    return (left.strip(), calls) if calls and not _MARKS.search(left) else None


def _bare_calls(text: str, tools: Mapping[str, ToolSpec]) -> tuple[str, list[_Call]] | None:
    """The calls if the text is nothing but their JSON."""
    stripped = text.strip()
    fenced = _FENCED.fullmatch(stripped)
    calls = _calls_in(fenced["json"] if fenced else stripped, tools)
    return ("", calls) if calls else None


def _calls_in(written: str, tools: Mapping[str, ToolSpec]) -> list[_Call]:
    if function := _FUNCTION.match(written.strip()):
        found = _call_in_tags(function["name"], function["body"], tools)
        return [found] if found else []
    try:
        value = json.loads(written)
    except ValueError:
        return []
    read = [_call_of(each, tools) for each in (value if isinstance(value, list) else [value])]
    calls = [call for call in read if call is not None]
    return calls if len(calls) == len(read) else []


def _call_of(value: object, tools: Mapping[str, ToolSpec]) -> _Call | None:
    if isinstance(value, dict) and isinstance(inner := value.get("function"), dict):
        value = inner
    match value:
        case (
            {"name": str(name), "arguments": given}
            | {"name": str(name), "parameters": given}
            | {"name": str(name), "input": given}
        ) if name in tools:
            arguments = _json_or(given) if isinstance(given, str) else given
            return (name, arguments) if isinstance(arguments, dict) else None
    return None


def _call_in_tags(name: str, body: str, tools: Mapping[str, ToolSpec]) -> _Call | None:
    if name not in tools:
        return None
    if isinstance(arguments := _json_or(body), dict):
        return name, arguments
    if _PARAMETER.sub("", body).strip():
        return None
    fields = tools[name].input_schema.get("properties", {})
    return name, {
        key: text if fields.get(key, {}).get("type") == "string" else _json_or(text, text)
        for key, text in _PARAMETER.findall(body)
    }


def _json_or(text: str, otherwise: object = None) -> Any:  # noqa: ANN401 - any JSON value
    try:
        return json.loads(text)
    except ValueError:
        return otherwise
