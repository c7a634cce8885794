"""The `Model` protocol: what the agent loop asks of a language model.

Messages are kept in the Messages API's own shape (role and content blocks): what a provider sent
goes back to it unchanged, unknown blocks and signatures included.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, Protocol, TypedDict

from glossator.core.events import Usage

Block = dict[str, Any]


class Message(TypedDict):
    """One message of a conversation, as the Messages API spells it."""

    role: Literal["user", "assistant"]
    content: list[Block]


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
    """What a conversation's last request was made of, with its JSON.

    It lives with the conversation. A message is never changed: the same object in the same place
    has the same JSON, and any other is encoded anew. `opening`, by field, are the system prompt and
    the tools.
    """

    messages: list[tuple[Message, bytes]] = field(default_factory=list)
    opening: dict[str, tuple[object, bytes]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request to a model.

    `system` (the text of each block, the most shared first) and `tools` never change in the life
    of a conversation; `messages` is only appended to. `previous_reply` is the id of the reply
    before, None for a first request: the provider says what of the prompt moved since then.
    `encoded` is the conversation's own, if it has one: it spares encoding its messages again.
    """

    system: tuple[str, ...]
    tools: tuple[ToolSpec, ...]
    messages: tuple[Message, ...]
    max_output_tokens: int | None = None  # None: the model's own limit, within reason
    effort: str | None = None
    previous_reply: str | None = None
    encoded: EncodedRequest = field(default_factory=EncodedRequest, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool the model wants run."""

    id: str
    name: str
    arguments: dict[str, Any]


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
    """A call's block is closed and its input whole, while the reply goes on.

    The call counts only when the reply ends whole with `TOOL_USE`, and then stands in it.
    """

    call: ToolCall


@dataclass(frozen=True, slots=True)
class RetryWait:
    """The provider could not answer; it is asked again after `seconds`.

    Pieces streamed before it belong to a reply that is void.
    """

    seconds: float
    attempt: int
    reason: str


@dataclass(frozen=True, slots=True)
class Taken:
    """What the reply under way has taken, as far as the provider has told; the last word counts.

    `long_write_tokens` are those of `usage.cache_write_tokens` that were written for an hour.
    `dollars` is the price, None when it is not known.
    """

    usage: Usage
    long_write_tokens: int = 0
    dollars: float | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """A whole reply: always the last event of a stream, and only when nothing was cut.

    For `usage`, `long_write_tokens` and `dollars` see `Taken`.
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


ModelEvent = TextPiece | ThinkingPiece | ToolReady | RetryWait | Taken | Reply


class Model(Protocol):
    """A language model. Implementations hold no conversation."""

    @property
    def id(self) -> str:
        """The name shown to the user."""

    @property
    def offline(self) -> bool:
        """True when answers are extracts and no provider is asked."""

    @property
    def window(self) -> int:
        """The context window in tokens."""

    @property
    def images(self) -> bool:
        """Whether it sees images, as far as is known."""

    async def prepare(self) -> None:
        """Do ahead of the first request what would delay it; sends nothing."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """The reply in pieces; the last one is a `Reply`. Raises `ModelError`.

        Whoever breaks off early closes the generator, which closes the connection.
        """

    async def close(self) -> None:
        """Give connections back."""
