"""The agent itself, without a connection."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from glossator.acp.serve import serve_streams  # noqa: F401 - it decides how the SDK is imported

# isort: split
from glossator.acp.agent import GlossatorAgent
from tests.quiet import quietly


async def test_what_is_opened_while_the_client_leaves_is_closed(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("one", "two", "three")]
    client: Any = None  # nobody is told anything
    before = asyncio.all_tasks()
    agent = GlossatorAgent({}, quietly({"models": {"offline": True}}))
    agent.on_connect(client)
    for each in folders:
        each.mkdir()
    await agent.new_session(cwd=str(folders[0]))
    opening = {asyncio.create_task(agent.new_session(cwd=str(each))) for each in folders[1:]}
    await asyncio.sleep(0.01)
    await agent.close()
    for task in opening:
        task.cancel()
    await asyncio.wait(opening)
    assert asyncio.all_tasks() <= before
