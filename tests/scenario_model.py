"""The model of a scenario: it is asked, and replies when the story gets to it."""

from __future__ import annotations

import asyncio
import json
from itertools import pairwise
from typing import Any

from tests.patience import SECONDS
from tests.scenario import Step, turn_in
from tests.sessions.compaction.compacting import is_asked_for_a_summary
from tests.standin import Text, Turn
from tests.turn.test_loop import without_cache_marks

FULL = "Model, whose window is now full"
FAULTY = "Model, whose citations do not hold"
_FULL_USAGE = {"cache_read_input_tokens": 850_000}  # of a window of a million


class ScenarioModel:
    """A script for the stand-in, made of the steps *Model*; each reply waits to be let go on."""

    def __init__(self, steps: list[Step]) -> None:
        self.summary = ""  # what it replies to those who ask for one
        self.requests: list[dict[str, Any]] = []  # but for those
        self._arrived: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._asked: dict[str, Any] | None = None
        replies = [each for each in steps if each.title in {"Model", FULL, FAULTY}]
        self._gates = [asyncio.Event() for _ in replies]
        self._released = iter(self._gates)
        self._turns = iter(
            turn_in(each.body, gate, _FULL_USAGE if each.title == FULL else {})
            for each, gate in zip(replies, self._gates, strict=True)
        )

    def __call__(self, body: dict[str, Any]) -> Turn:
        if is_asked_for_a_summary(body):
            return Turn(Text(self.summary))
        self.requests.append(body)
        self._arrived.put_nowait(body)
        return next(self._turns)

    async def asked(self) -> dict[str, Any]:
        """The request that its next reply will answer."""
        if self._asked is None:
            async with asyncio.timeout(SECONDS):
                self._asked = await self._arrived.get()
        return self._asked

    async def reply(self, *, whole: bool = True) -> None:
        """Say it; if not `whole`, only the beginning comes."""
        await self.asked()
        self._asked = None
        gate = next(self._released)
        if whole:
            gate.set()

    def is_done(self) -> bool:
        """Whether it has said all it was to say, and was asked nothing else."""
        return next(self._released, None) is None and self._asked is None and self._arrived.empty()

    def breaks(self) -> list[int]:
        """The numbers of the requests that did not begin with all that was sent before."""
        sent = [_parts(body) for body in self.requests]
        return [n for n, (one, other) in enumerate(pairwise(sent), 1) if other[: len(one)] != one]

    def texts(self) -> str:
        """Everything that the last request says in words, and as results."""
        messages = self.requests[-1]["messages"]
        blocks = (block for message in messages for block in message["content"])
        return "\n".join(block.get("text") or str(block.get("content")) for block in blocks)


def results_in(body: dict[str, Any]) -> list[str]:
    """The tool results since the last reply."""
    messages = body["messages"]
    last = max(n for n, message in enumerate(messages) if message["role"] == "assistant")
    parts = (part for message in messages[last + 1 :] for part in message["content"])
    return [part["content"] for part in parts if part["type"] == "tool_result"]


def _parts(body: dict[str, Any]) -> list[str]:
    """The prompt in the order the model reads it: tools, system, and each message's blocks."""
    body = without_cache_marks(body)
    blocks = (
        (message["role"], block) for message in body["messages"] for block in message["content"]
    )
    return [json.dumps(part) for part in (body["tools"], body["system"], *blocks)]
