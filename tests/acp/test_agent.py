"""The agent itself, without a connection."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from glossator.acp.serve import serve_streams  # noqa: F401 - it decides how the SDK is imported

# isort: split
from glossator.acp.agent import GlossatorAgent
from glossator.acp.workspace import Workspace
from tests.quiet import quietly


async def test_what_is_opened_while_the_client_leaves_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what waits for its turn is not opened."""
    folders = [tmp_path / name for name in ("one", "two", "three")]
    opened, begun = list[str](), asyncio.Event()
    the_opening = Workspace.opened

    async def noted(roots: tuple[str, ...], *more: Any) -> Workspace:
        opened.append(Path(roots[0]).name)
        if len(opened) == 2:
            begun.set()
        return await the_opening(roots, *more)

    monkeypatch.setattr(Workspace, "opened", noted)
    client: Any = None  # gets no messages
    before = asyncio.all_tasks()
    agent = GlossatorAgent({}, quietly({"models": {"offline": True}}))
    agent.on_connect(client)
    for each in folders:
        each.mkdir()
    await agent.new_session(cwd=str(folders[0]))
    opening = [asyncio.create_task(agent.new_session(cwd=str(each))) for each in folders[1:]]
    await begun.wait()
    await agent.close()
    for task in opening:
        task.cancel()
    await asyncio.wait(opening)
    assert len(opened) == 2
    assert asyncio.all_tasks() <= before
