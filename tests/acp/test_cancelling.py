"""Prompts that are cancelled and clients that leave, at any moment: nothing hangs or is lost."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random

import pytest

from tests.acp.editor import conversation
from tests.standin import Text, ToolUse, Turn

TIMES = 25
FILES = {"a.py": "count = 0\n"}


def script(times: int) -> list[Turn]:
    """Turns of which each changes the file as a whole."""
    turns = []
    for number in range(times):
        write = {"path": "a.py", "content": f"count = {number}\n" * 50}
        turns += [Turn(ToolUse("Write", write)), Turn(Text("Done."))]
    return turns


@pytest.mark.parametrize("seed", [1])
async def test_prompts_cancelled_at_any_moment(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    async with conversation(tmp_path, FILES, script(3 * TIMES)) as c:
        await c.agent.set_session_mode(mode_id="acceptEdits", session_id=c.session_id)
        ended = []
        for number in range(TIMES):
            asking = asyncio.create_task(c.ask(f"Number {number}"))
            await asyncio.sleep(random.random() * 0.05)
            await c.agent.cancel(c.session_id)
            ended.append((await asyncio.wait_for(asking, 20)).stop_reason)
            text = (tmp_path / "a.py").read_text()
            assert len(set(text.splitlines())) == 1  # never half of an edit
        assert set(ended) <= {"cancelled", "end_turn"}
        assert "cancelled" in ended
        assert (await c.ask("And now")).stop_reason == "end_turn"


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_a_client_that_leaves_at_any_moment(tmp_path: Path, seed: int) -> None:
    async with conversation(tmp_path, FILES, script(2)) as c:
        await c.agent.set_session_mode(mode_id="acceptEdits", session_id=c.session_id)
        asking = asyncio.create_task(c.ask("Count"))
        await asyncio.sleep(Random(seed).random() * 0.1)
        c.leave()
        await asyncio.wait_for(c.served, 20)
        await asyncio.wait({asking})
        asking.exception()  # whatever it was: the client has left
        assert len(set((tmp_path / "a.py").read_text().splitlines())) == 1
