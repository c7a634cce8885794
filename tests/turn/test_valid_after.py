"""However a reply ends, and wherever a run is cut, the provider takes the next request.

The strict stand-in is the judge: a conversation that it would refuse fails the stage.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from glossator.core.errors import ModelError
from glossator.core.events import Envelope
from tests.stage import Stage, stage
from tests.standin import (
    MaxTokensMidTool,
    Refused,
    ServerToolUse,
    StreamError,
    Text,
    Thinking,
    ToolSearch,
    ToolUse,
    TruncateAt,
    Turn,
)
from tests.standin.script import Block
from tests.turn.test_loop import FILES

GLOB = ToolUse("Glob", {"pattern": "*.py"})
READ = ToolUse("Read", {"path": "app.py"})
SEARCH = ServerToolUse("web_search", {"query": "greet"})
FOUND = ToolSearch("greet", ("Grep",))
_LOOKED = 5  # events of the turn before the reply
FULL = "model_context_window_exceeded"


def reply(*blocks: Block, **fields: Any) -> Turn:
    """A turn whose blocks come in one piece each."""
    return Turn(*blocks, chunk=1_000, **fields)


REPLIES: dict[str, list[Turn]] = {
    "an answer": [reply(Thinking("Hm."), Text("It greets."))],
    "calls": [reply(Thinking("Hm."), Text("I look."), GLOB, READ)],
    "right and wrong calls": [
        reply(Thinking("Hm."), GLOB, ToolUse("Nonsense"), ToolUse("Read", {"file": 3}), READ)
    ],
    "calls that act": [reply(GLOB, ToolUse("Bash", {"command": "true"}), READ)],
    "calls after a pause": [
        reply(Thinking("Hm."), Text("Half."), SEARCH, stop_reason="pause_turn"),
        reply(Thinking("So."), GLOB, READ),
    ],
    "two pauses": [
        reply(Text("A third."), stop_reason="pause_turn"),
        reply(Thinking("Hm."), Text("Two thirds."), SEARCH, stop_reason="pause_turn"),
        reply(Thinking("So."), Text("Whole.")),
    ],
    "a refusal after a pause": [
        reply(Thinking("Hm."), SEARCH, stop_reason="pause_turn"),
        reply(Text("No"), fault=Refused()),
    ],
    "a full window after a pause": [
        reply(Thinking("Hm."), Text("Half."), SEARCH, stop_reason="pause_turn"),
        reply(Text("and"), stop_reason=FULL),
    ],
    "cut off in text": [reply(Thinking("Hm."), Text("So far"), stop_reason="max_tokens")],
    "cut off in thinking": [reply(Thinking("Hm."), stop_reason="max_tokens")],
    "cut off in a call": [reply(Thinking("Hm."), GLOB, READ, fault=MaxTokensMidTool())],
    "cut off in a call of the server": [
        reply(Thinking("Hm."), Text("So far"), FOUND, SEARCH, stop_reason="max_tokens")
    ],
    "cut off between both kinds of calls": [
        reply(Thinking("Hm."), GLOB, SEARCH, stop_reason="max_tokens")
    ],
    "both kinds of calls": [reply(Thinking("Hm."), SEARCH, GLOB)],
    "refused after text": [reply(Thinking("Hm."), Text("No"), fault=Refused())],
    "refused after a call": [reply(Text("No"), GLOB, fault=Refused())],
    "a full window": [reply(Thinking("Hm."), Text("So far"), GLOB, stop_reason=FULL)],
    "blank texts": [reply(Thinking("Hm."), Text(""), Text("\n\n"), GLOB), reply(Text(" "))],
    "an answer with calls": [reply(Text("Yes."), GLOB, stop_reason="end_turn")],
}
CUT = (
    "right and wrong calls",
    "calls that act",
    "calls after a pause",
    "two pauses",
    "a full window after a pause",
    "cut off in a call",
    "refused after a call",
)


class Player:
    """Looks around once, replies as it is told, and then with an answer."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []

    def tell(self, turns: list[Turn]) -> None:
        self.turns = [reply(Thinking("First."), ToolUse("Grep", {"pattern": "greet"})), *turns]

    def __call__(self, _body: dict[str, Any]) -> Turn:
        return self.turns.pop(0) if self.turns else reply(Thinking("Now."), Text("Fine."))


class Talks:
    """Questions, each in a session of its own, that may be cut at an event."""

    def __init__(self, s: Stage, player: Player) -> None:
        self._s = s
        self._player = player
        self._at = -1
        self._cut: Callable[[], object] = lambda: None
        s.port.emit = self._emit  # type: ignore[method-assign] # the test's lever

    async def run(
        self, turns: list[Turn], at: int = -1, cut: Callable[[], object] = lambda: None
    ) -> bool:
        """Ask, cut at event number `at`, and go on; gives whether there was such an event."""
        self._player.tell(turns)
        self._at, self._cut = at, cut
        session, first = self._s.app.sessions.create(), len(self._s.port.envelopes)
        with suppress(asyncio.CancelledError, ModelError):
            await asyncio.create_task(self._s.ask("What?", session_id=session.id))
        reached = len(self._s.port.envelopes) - first > at
        self._at = -1
        await self.go_on(session.id)
        return reached

    def _emit(self, envelope: Envelope) -> None:
        self._s.port.envelopes.append(envelope)
        if envelope.seq == self._at:
            self._cut()

    async def go_on(self, session_id: str) -> None:
        """The next question is answered."""
        self._player.turns.clear()
        answer = await self._s.ask("And now?", session_id=session_id)
        assert self._s.api.refusals == []
        assert answer.text == "Fine."


@asynccontextmanager
async def talks(root: Path, **settings: Any) -> AsyncIterator[tuple[Stage, Talks]]:
    player = Player()
    settings = {"permissions": {"mode": "auto"}, "models": {"maxRetries": 0}, **settings}
    async with stage(root, FILES, player, settings) as s:
        await s.app.ready()
        yield s, Talks(s, player)


@pytest.mark.parametrize("turns", REPLIES.values(), ids=REPLIES)
async def test_however_a_reply_ends(tmp_path: Path, turns: list[Turn]) -> None:
    async with talks(tmp_path) as (_, talk):
        await talk.run(turns)


@pytest.mark.parametrize("turns", REPLIES.values(), ids=REPLIES)
async def test_whichever_limit_it_meets(tmp_path: Path, turns: list[Turn]) -> None:
    async with talks(tmp_path, limits={"turns": 2}) as (_, talk):
        await talk.run(turns)


@pytest.mark.parametrize("name", CUT)
async def test_wherever_it_is_cancelled(tmp_path: Path, name: str) -> None:
    async with talks(tmp_path) as (s, talk):
        for number in count(_LOOKED):
            if not await talk.run(REPLIES[name], number, s.app.runs.cancel):
                break
        assert number > _LOOKED + 1


@pytest.mark.parametrize("name", CUT)
async def test_wherever_the_time_runs_out(tmp_path: Path, name: str) -> None:
    async with talks(tmp_path) as (s, talk):

        def run_out() -> None:
            for run in s.app.runs._runs.values():
                run.clock._began -= 1_000_000
                for limit in run.clock._limits:
                    limit.reschedule(0)

        for number in count(_LOOKED):
            if not await talk.run(REPLIES[name], number, run_out):
                break
        assert number > _LOOKED + 1


@pytest.mark.parametrize("name", CUT)
async def test_wherever_its_stream_ends(tmp_path: Path, name: str) -> None:
    *before, last = REPLIES[name]
    blocks, stop = last.blocks, last.stop_reason
    faults = [*(TruncateAt(byte) for byte in range(900, 2_600, 331)), *map(_overloaded, range(4))]
    async with talks(tmp_path) as (_, talk):
        for fault in faults:
            cut = reply(*blocks, stop_reason=stop, fault=fault)
            await talk.run([*before, cut])


def _overloaded(deltas: int) -> StreamError:
    return replace(StreamError(), after=deltas)
