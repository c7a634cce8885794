"""What a test writes: the turns the model plays, block by block."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.standin.faults import Fault, MaxTokensMidTool

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Text:
    """A text block; `citations` holds `search_result_location` objects in the API's own shape."""

    text: str
    citations: Sequence[Json] = ()


@dataclass(frozen=True, slots=True)
class Thinking:
    """A thinking block; its text arrives empty unless asked for with `display: summarized`."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool call. Without an `id` it gets the next one: `toolu_0001`, `toolu_0002`, …"""

    name: str
    input: Json = field(default_factory=dict)
    id: str | None = None


@dataclass(frozen=True, slots=True)
class ServerToolUse:
    """A call of a tool the API itself runs; without its result it belongs in a paused turn."""

    name: str
    input: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolSearch:
    """A search among the deferred tools, run by the API: the call and what it found, by name."""

    query: str
    found: tuple[str, ...]


Block = Text | Thinking | ToolUse | ServerToolUse | ToolSearch


@dataclass(frozen=True, slots=True, init=False)
class Turn:
    """One reply of the model, and how it travels.

    `stop_reason` None means `tool_use` with a tool call among the blocks, else `end_turn`.
    `usage` overrides single figures of the computed usage (tokens).
    `gate` holds the stream open after its first delta until the event is set; with
    `gate_after_block`, after its first block.
    `chunk` is the number of characters in one delta; without it about 12, more in a long block.
    `pause` is the seconds before the first frame, `pace` those between frames.
    """

    blocks: tuple[Block, ...]
    stop_reason: str | None
    usage: Mapping[str, int] | None
    fault: Fault | None
    gate: asyncio.Event | None
    chunk: int | None
    gate_after_block: bool
    pause: float
    pace: float

    def __init__(
        self,
        *blocks: Block,
        stop_reason: str | None = None,
        usage: Mapping[str, int] | None = None,
        fault: Fault | None = None,
        gate: asyncio.Event | None = None,
        chunk: int | None = None,
        gate_after_block: bool = False,
        pause: float = 0,
        pace: float = 0,
    ) -> None:
        if isinstance(fault, MaxTokensMidTool) and not any(isinstance(b, ToolUse) for b in blocks):
            raise ValueError("MaxTokensMidTool cuts a tool call: give the turn a ToolUse.")
        values = (
            blocks,
            stop_reason,
            usage,
            fault,
            gate,
            chunk,
            gate_after_block,
            pause,
            pace,
        )
        for name, value in zip(self.__slots__, values, strict=True):
            object.__setattr__(self, name, value)


Script = Sequence[Turn] | Callable[[Json], Turn]
"""The turns in order, or a function from a request's body to its turn (for concurrent agents)."""
