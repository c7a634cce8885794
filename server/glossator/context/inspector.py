"""The context inspector: the parts of the window, with their tokens and why they are there.

The figures are estimates, scaled to what the provider counted for a request with the same texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from glossator.context.ours import TEXTS, prompt_of
from glossator.context.summary import PromptPrefix
from glossator.context.system import SECTIONS_APART
from glossator.context.transcript import calls_in, estimate_block, estimate_messages, estimate_tool
from glossator.core.price import estimate_tokens
from glossator.core.session_answers import Kind, Layer, Part
from glossator.llm import ContentBlock, Message
from glossator.prompts import load_prompt

WHY = {
    Kind.SHARED: "who the model is and how it works; the same for everybody",
    Kind.SESSION: "the workspace, the platform and the date; of this session",
    Kind.TOOL: "what the model may call; fixed when the conversation began",
    Kind.SUMMARY: "stands for what a compaction took away",
    Kind.KEPT: "kept word for word by a compaction",
    Kind.STATE: "how things stood at a compaction",
    Kind.QUESTION: "what you said",
    Kind.ATTACHMENT: "what you pointed at",
    Kind.MEMORY: "what was remembered from earlier sessions",
    Kind.REMINDER: "what Glossator told the model",
    Kind.INSTRUCTIONS: "what the project wishes; of folders that were looked into later",
    Kind.REPLY: "what the model said",
    Kind.THINKING: "what the model thought; it goes back unchanged",
    Kind.CALL: "what the model asked for",
    Kind.RESULT: "what the model was given",
    Kind.IMAGE: "what you showed",
    Kind.OTHER: "what the provider put there; it goes back unchanged",
}
_DEFERRED = "is no part of the prompt until the model searches for it"

_SYSTEM_BLOCKS = ("instructions", "this session", "the whole workspace")

_BLOCKS = {
    "text": (Kind.REPLY, "text"),
    "thinking": (Kind.THINKING, "thinking"),
    "redacted_thinking": (Kind.THINKING, "thinking"),
    "image": (Kind.IMAGE, "images"),
}
_NAMES = {
    "user/diagnostics": "diagnostics",
    "compaction/said": "your words",
    "compaction/failure": "failures",
    "compaction/result": "results",
    "compaction/answered": "results",
}


@dataclass(frozen=True, slots=True)
class SentRequest:
    """The newest request: its number of messages, and the tokens that the provider counted.

    `opening_cached` and `messages_cached` say which parts are still in the provider's cache.
    `searches`: the server searches for deferred tools.
    """

    messages: int = 0
    counted: int = 0
    opening_cached: bool = False
    messages_cached: bool = False
    searches: bool = False


def window_layers(
    frame: PromptPrefix, messages: Sequence[Message], sent: SentRequest
) -> tuple[Layer, ...]:
    """The layers of the window: system prompt, tools, conversation."""
    scale = _scale(frame, messages, sent)
    held = _Parts(scale)
    for kind, name, why, text in _system(frame):
        held.add(kind, name, estimate_tokens(text), why, cached=sent.opening_cached)
    tools = _Parts(scale)
    for tool in frame.tools:
        waits = tool.deferred and sent.searches
        tokens = 0 if waits else estimate_tool(tool)
        tools.add(Kind.TOOL, tool.name, tokens, cached=sent.opening_cached, deferred=waits)
    said = _Parts(scale)
    calls = calls_in(messages)
    for number, message in enumerate(messages):
        cached = sent.messages_cached and number < sent.messages
        for block in message["content"]:
            kind, name = _what(message, block, calls)
            said.add(kind, name, estimate_block(block), cached=cached)
    return held.layer("system"), tools.layer("tools"), said.layer("conversation")


def _system(frame: PromptPrefix) -> Iterator[tuple[Kind, str, str, str]]:
    """The parts of the system blocks: kind, name, why it is there, text."""
    for number, text in enumerate(frame.system):
        if number == 1 and frame.sections:
            at = 0
            for name, why, length in frame.sections:
                yield Kind.SESSION, name, why, text[at : at + length]
                at += length + len(SECTIONS_APART)
            continue
        kind = Kind.SESSION if number else Kind.SHARED
        name = _SYSTEM_BLOCKS[min(number, len(_SYSTEM_BLOCKS) - 1)]
        yield kind, name, WHY[kind], text


def _scale(frame: PromptPrefix, messages: Sequence[Message], sent: SentRequest) -> float:
    """The number of tokens that the provider counts for an estimated one."""
    in_prompt = (tool for tool in frame.tools if not (tool.deferred and sent.searches))
    opening = sum(map(estimate_tokens, frame.system)) + sum(map(estimate_tool, in_prompt))
    estimated = opening + estimate_messages(messages[: sent.messages])
    return sent.counted / estimated if sent.counted and sent.messages and estimated else 1.0


class _Parts:
    """Adds up parts of the same kind and name, in order of first appearance."""

    def __init__(self, scale: float) -> None:
        self._scale = scale
        self._held: dict[tuple[Kind, str, str, bool], tuple[int, int, int]] = {}

    def add(
        self,
        kind: Kind,
        name: str,
        tokens: int,
        why: str = "",
        *,
        cached: bool,
        deferred: bool = False,
    ) -> None:
        """Add a part with its estimated tokens; `why` it is there, if not as all of its kind."""
        key = kind, name, why or (_DEFERRED if deferred else WHY[kind]), deferred
        count, total, read = self._held.get(key, (0, 0, 0))
        self._held[key] = count + 1, total + tokens, read + tokens * cached

    def layer(self, name: str) -> Layer:
        """All parts as a layer."""
        parts = tuple(
            Part(
                kind,
                of,
                why,
                count,
                round(tokens * self._scale),
                round(cached * self._scale),
                deferred,
            )
            for (kind, of, why, deferred), (count, tokens, cached) in self._held.items()
        )
        tokens, cached = (sum(part.tokens for part in parts), sum(part.cached for part in parts))
        return Layer(name, tokens, cached, parts)


def _what(
    message: Message, block: ContentBlock, calls: dict[str, ContentBlock]
) -> tuple[Kind, str]:
    """The kind of a block, and its name among those of its kind."""
    match block.get("type"):
        case "text" if message["role"] == "user":
            return _text(str(block.get("text", "")))
        case "tool_use":
            return Kind.CALL, str(block.get("name", ""))
        case "tool_result":
            call = calls.get(str(block.get("tool_use_id")), {})
            return Kind.RESULT, str(call.get("name", "a tool"))
        case other:
            return _BLOCKS.get(str(other), (Kind.OTHER, str(other)))


def _text(text: str) -> tuple[Kind, str]:
    name = prompt_of(text)
    if not name:
        return Kind.QUESTION, "questions"
    kind = TEXTS[name]
    if kind in (Kind.ATTACHMENT, Kind.MEMORY):
        return kind, _NAMES.get(name) or load_prompt(name).first_value(text)
    names = {
        Kind.SUMMARY: "summary",
        Kind.STATE: "state",
        Kind.REMINDER: "reminders",
        Kind.INSTRUCTIONS: "instruction files",
    }
    return kind, names.get(kind) or _NAMES[name]
