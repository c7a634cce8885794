"""The `Model` protocol (what the agent loop asks of a language model), and sizes in tokens.

Messages are kept in the Messages API's own shape (role and content blocks): what a provider sent
goes back to it unchanged, including unknown blocks and signatures.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, Protocol, TypedDict

from glossator.core.events import Usage
from glossator.core.tokens import estimate_tokens

ContentBlock = dict[str, Any]
_IMAGE_TOKENS = 1_600  # the provider's figure for a large picture


class Message(TypedDict):
    """One message of a conversation, as the Messages API spells it."""

    role: Literal["user", "assistant"]
    content: list[ContentBlock]


class StopReason(StrEnum):
    """Why a reply ended. Tools are run on `TOOL_USE` only."""

    END_TURN = "end_turn"
    TOOL_USE = "tool_use"
    MAX_TOKENS = "max_tokens"
    STOP_SEQUENCE = "stop_sequence"
    PAUSE_TURN = "pause_turn"
    REFUSAL = "refusal"
    CONTEXT_FULL = "model_context_window_exceeded"


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the model sees it; `input_schema` is JSON Schema.

    A deferred tool stays out of the prompt until the model searches for it, where the server can
    search; elsewhere it is sent like any other.
    """

    name: str
    description: str
    input_schema: dict[str, Any]
    deferred: bool = False


@dataclass(slots=True)
class EncodedRequest:
    """The parts of a conversation's last request, with their JSON.

    It belongs to the conversation. Messages never change: the same object in the same place has the
    same JSON, any other is encoded. `opening`, by field, are the system prompt and the tools.
    """

    messages: list[tuple[Message, bytes]] = field(default_factory=list)
    opening: dict[str, tuple[object, bytes]] = field(default_factory=dict)

    def copy(self) -> EncodedRequest:
        """An independent copy."""
        return EncodedRequest(list(self.messages), dict(self.opening))


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request to a model.

    `system` (a text for each block, the most widely shared first) and `tools` never change during
    a conversation, and `messages` only grows. `previous_reply` is the id of the last reply, None
    for a first request: the provider reports what changed in the prompt since. `encoded` is the
    conversation's, so that its messages are not encoded again.

    `shared_blocks` is for questions that stand alone and share material: the prompt cache keeps
    the first message up to its block of this number and nothing else (0: nothing at all); None
    lays a conversation out. Without `thinks` the model thinks as little as it can. A server that
    can holds the reply to the JSON Schema `output_schema`; the prompt asks for its form as well.
    """

    system: tuple[str, ...]
    tools: tuple[ToolSpec, ...]
    messages: tuple[Message, ...]
    max_output_tokens: int | None = None  # None: the model's own limit, within reason
    effort: str | None = None
    previous_reply: str | None = None
    shared_blocks: int | None = None
    thinks: bool = True
    output_schema: Mapping[str, Any] | None = None
    encoded: EncodedRequest = field(default_factory=EncodedRequest, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the model calls; `about` is what people read in place of the arguments."""

    id: str
    name: str
    arguments: dict[str, Any]
    about: str = ""


@dataclass(frozen=True, slots=True)
class TextPiece:
    """More of the reply's text."""

    text: str


@dataclass(frozen=True, slots=True)
class ThinkingPiece:
    """More of the reply's summarised thinking."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolReady:
    """A call is complete while the reply still streams.

    It counts only if the reply ends with `TOOL_USE`, and is part of it then.
    """

    call: ToolCall


@dataclass(frozen=True, slots=True)
class RetryWait:
    """The provider could not answer; the next attempt starts after `seconds`.

    Pieces streamed before belong to a void reply.
    """

    seconds: float
    attempt: int
    reason: str


@dataclass(frozen=True, slots=True)
class ReplyUsage:
    """What the current reply has taken so far, as the provider reports; later events replace it.

    `long_write_tokens` is the part of `usage.cache_write_tokens` that is cached for an hour.
    `dollars` is the price, None if unknown.
    """

    usage: Usage
    long_write_tokens: int = 0
    dollars: float | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """A complete reply: the last event of a stream that is not cut off.

    For `usage`, `long_write_tokens` and `dollars` see `ReplyUsage`.
    """

    message: Message
    stop: StopReason
    usage: Usage
    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    detail: str = field(default="")  # the provider's explanation of a refusal, if any
    id: str | None = None  # the provider's, if it gave one
    long_write_tokens: int = 0
    dollars: float | None = None
    note: str = ""  # what the user should know of it

    @property
    def requested(self) -> tuple[ToolCall, ...]:
        """The calls that need a result, complete or not."""
        return self.tool_calls or tuple(
            ToolCall(block["id"], block["name"], {})
            for block in self.message["content"]
            if block.get("type") == "tool_use"
        )


ModelEvent = TextPiece | ThinkingPiece | ToolReady | RetryWait | ReplyUsage | Reply


class Model(Protocol):
    """A language model. Implementations hold no conversation."""

    @property
    def id(self) -> str:
        """The model's name."""

    @property
    def offline(self) -> bool:
        """True when answers are extracts and no provider is asked."""

    @property
    def window(self) -> int:
        """The context window in tokens."""

    @property
    def images(self) -> bool:
        """Whether the model sees images, as far as is known."""

    async def prepare(self) -> None:
        """Do slow work before the first request; sends nothing."""

    async def measure(self) -> None:
        """Find out how large the window is, if the server reports it. Raises like `prepare`."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """The reply in pieces; the last one is a `Reply`. Raises `ModelError`.

        Closing the generator early closes the connection.
        """

    async def close(self) -> None:
        """Close connections."""


def estimate_messages(messages: Sequence[Message]) -> int:
    """About how many tokens messages take in the window."""
    return sum(_tokens_of_value(block) for message in messages for block in message["content"])


def estimate_block(block: ContentBlock) -> int:
    """About how many tokens a block of a message takes in the window."""
    return _tokens_of_value(block)


def estimate_tool(tool: ToolSpec) -> int:
    """About how many tokens a tool's specification takes in the window."""
    return estimate_tokens(json.dumps([tool.name, tool.description, tool.input_schema]))


def estimate_request(request: ModelRequest) -> int:
    """About how many tokens a request takes in the window."""
    before = sum(map(estimate_tokens, request.system)) + sum(map(estimate_tool, request.tools))
    return before + estimate_messages(request.messages)


def _tokens_of_value(value: Any) -> int:  # noqa: ANN401 - any JSON value
    match value:
        case {"type": "image"}:
            return _IMAGE_TOKENS
        case dict():
            return sum(
                _tokens_of_value(part) for name, part in value.items() if name != "signature"
            )
        case list():
            return sum(map(_tokens_of_value, value))
        case str():
            return estimate_tokens(value)
    return 1
