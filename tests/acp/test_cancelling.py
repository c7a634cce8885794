"""Prompts that are cancelled, and clients that leave and come back, at any moment.

Nothing hangs, no process stays behind, and no edit is lost or half made.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from random import Random
from typing import Any

import psutil
import pytest
from acp import schema, text_block

from tests.acp.editor import Editor, connected
from tests.patience import SECONDS, until
from tests.standin import StandIn, Text, ToolUse, Turn

FEW = 25
TIMES = 100
LINES = 50  # of the file, all of them alike


def script(times: int) -> list[Turn]:
    """Turns of which each changes the file as a whole."""
    turns = []
    for number in range(1, times + 1):
        write = {"path": "a.py", "content": f"count = {number}\n" * LINES}
        turns += [Turn(ToolUse("Write", write)), Turn(Text("Done."))]
    return turns


def count(root: Path) -> int:
    """The number that every line of the file has: never half of an edit is there."""
    (line,) = set((root / "a.py").read_text().splitlines())
    return int(line.removeprefix("count = "))


def told(editor: Editor) -> int:
    """The number of the last edit that the client was told is made."""
    calls = {each.tool_call_id: each.raw_input for each in editor.of(schema.ToolCallStart)}
    done = [e for e in editor.of(schema.ToolCallProgress) if e.status == "completed"]
    inputs = [json.dumps(calls[each.tool_call_id]) for each in done]
    return max((int(each.split("count = ")[1].split("\\n")[0]) for each in inputs), default=0)


@pytest.mark.parametrize("times", [FEW, pytest.param(TIMES, marks=pytest.mark.deep)])
@pytest.mark.parametrize("seed", [1])
async def test_prompts_are_cancelled_and_clients_leave_and_come_back(
    tmp_path: Path, seed: int, times: int
) -> None:
    random, session, ended = Random(seed), "", list[str]()
    (tmp_path / "a.py").write_text("count = 0\n" * LINES)
    before = {each.pid for each in psutil.Process().children(recursive=True)}
    left = times
    async with StandIn(script(3 * times)) as api:
        while left:
            fs = random.random() < 0.5
            offers = schema.FileSystemCapabilities(read_text_file=fs, write_text_file=fs)
            capabilities = schema.ClientCapabilities(fs=offers)
            async with connected(tmp_path, api, None, capabilities) as (editor, agent, served):
                if session:
                    await agent.load_session(cwd=str(tmp_path), session_id=session, mcp_servers=[])
                else:
                    session = (await agent.new_session(cwd=str(tmp_path))).session_id
                editor.updates.clear()
                await agent.set_session_mode(mode_id="acceptEdits", session_id=session)
                for _ in range(min(left, random.randint(1, 6))):
                    left -= 1
                    ended.append(await _cancelled(agent, session, random))
                    assert count(tmp_path) >= told(editor)
                if not left:
                    assert (await _asked(agent, session, "And now")).stop_reason == "end_turn"
                    break
                left -= 1
                asking = asyncio.create_task(_asked(agent, session, "Leaving"))
                await asyncio.sleep(random.random() * 0.08)
                served[1]()
                async with asyncio.timeout(SECONDS):
                    await served[0]
                await asyncio.wait({asking})
                asking.exception()  # whatever it was: the client has left
                assert count(tmp_path) >= told(editor)
        assert api.refusals == [], repr(api.refusals)
    assert set(ended) <= {"cancelled", "end_turn"}
    assert "cancelled" in ended
    await until(lambda: {e.pid for e in psutil.Process().children(recursive=True)} <= before)


async def _cancelled(agent: Any, session: str, random: Random) -> str:
    """How a prompt ended that was cancelled at some moment."""
    asking = asyncio.create_task(_asked(agent, session, "Count"))
    await asyncio.sleep(random.random() * 0.05)
    await agent.cancel(session)
    async with asyncio.timeout(SECONDS):
        return str((await asking).stop_reason)


async def _asked(agent: Any, session: str, words: str) -> schema.PromptResponse:
    answer: schema.PromptResponse = await agent.prompt(session, [text_block(words)])
    return answer
