"""The faults a turn can carry: what the wire, a busy server or a lesser backend does to a reply.

A `pause_turn`, `max_tokens` or `model_context_window_exceeded` reply that is otherwise whole needs
no fault: `Turn(..., stop_reason="pause_turn")`.
"""

import asyncio
from dataclasses import dataclass

from tests.standin.errors import TYPE_OF_STATUS

SPEND_LIMIT = (
    "You have reached your specified API usage limits. Access returns when they are raised."
)


@dataclass(frozen=True, slots=True)
class TruncateAt:
    """The SSE body ends after `byte` bytes: the connection drops, or closes in good order."""

    byte: int
    in_good_order: bool = False


@dataclass(frozen=True, slots=True)
class EndBeforeStop:
    """The stream ends in good order just before `message_stop`."""


@dataclass(frozen=True, slots=True)
class StreamError:
    """An `error` event after `after` content deltas of a stream that began with HTTP 200."""

    type: str = "overloaded_error"
    message: str = "Overloaded"
    after: int = 1


@dataclass(frozen=True, slots=True)
class HttpError:
    """An error response; `retry_after` is in seconds, None leaves the header out.

    `error_code` is the machine-readable code some errors carry in `error.details`.
    """

    status: int
    type: str = ""
    message: str = "The request failed."
    retry_after: float | None = None
    error_code: str | None = None

    def __post_init__(self) -> None:
        if not self.type:
            object.__setattr__(self, "type", TYPE_OF_STATUS[self.status])


def rate_limited(retry_after: float | None = None) -> HttpError:
    """A 429 that passes with time; `retry_after` in seconds."""
    return HttpError(
        429, message="This request would exceed your rate limit.", retry_after=retry_after
    )


def spend_capped() -> HttpError:
    """A 429 that no waiting cures: without `retry-after`, and naming the spend limit."""
    return HttpError(429, message=SPEND_LIMIT, error_code="enforced_spend_limit_reached")


@dataclass(frozen=True, slots=True)
class Refused:
    """HTTP 200 with stop_reason `refusal`: the model declines, after the turn's blocks if any."""

    category: str | None = None
    explanation: str | None = None


@dataclass(frozen=True, slots=True)
class MaxTokensMidTool:
    """`max_tokens` is reached inside the last tool call: half of its input is missing."""


@dataclass(frozen=True, slots=True)
class UnknownEvent:
    """An event of a kind no client knows, before the first block."""


@dataclass(frozen=True, slots=True)
class UnknownBlock:
    """A content block of a kind no client knows, after the turn's own blocks."""


@dataclass(frozen=True, slots=True)
class UnknownDelta:
    """A delta of a kind no client knows, first in the first block."""


@dataclass(frozen=True, slots=True)
class NoEventNames:
    """Frames without their `event:` line, as some gateways send them."""


@dataclass(frozen=True, slots=True)
class NoToolInput:
    """Tool calls start without `input`, as llama.cpp sends them."""


@dataclass(frozen=True, slots=True)
class NoUsage:
    """No `usage` anywhere, as some local servers answer."""


@dataclass(frozen=True, slots=True)
class SlowHeaders:
    """Nothing is sent, headers included, until `gate` is set."""

    gate: asyncio.Event


@dataclass(frozen=True, slots=True)
class ResetConnection:
    """The connection is reset (RST) after the request was read and before any response."""


@dataclass(frozen=True, slots=True)
class Expired:
    """In a batch: the batch expired before this request was answered."""


StreamFault = (
    TruncateAt
    | EndBeforeStop
    | StreamError
    | UnknownEvent
    | UnknownDelta
    | NoEventNames
    | NoToolInput
)
"""Faults that only a streamed reply can have."""

Fault = (
    StreamFault
    | HttpError
    | Refused
    | MaxTokensMidTool
    | UnknownBlock
    | NoUsage
    | SlowHeaders
    | ResetConnection
    | Expired
)
