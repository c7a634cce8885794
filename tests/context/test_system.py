"""The system prompt: shared first, then the session's."""

from __future__ import annotations

from datetime import date

from glossator.context.system import system_blocks
from tests.workspaces import MakeWorkspace


async def test_the_first_block_is_the_same_for_everybody(workspace: MakeWorkspace) -> None:
    one, other = await workspace({}), await workspace({"a.py": ""})
    first = system_blocks(one.snapshot, date(2030, 1, 2))
    second = system_blocks(other.snapshot, date(2031, 3, 4))
    assert first[0] == second[0]
    assert f"- {one.root}" in first[1]
    assert "2030-01-02" in first[1]
    assert first[1] != second[1]
