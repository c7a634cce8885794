"""Hooks about the tools of servers: the same whether a tool is called itself or by McpCall."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.mcp.test_conversations import DONE, ONCE, with_odd
from tests.sandboxed import SANDBOXED
from tests.standin import ToolUse, Turn

pytestmark = SANDBOXED

GIVEN = {"table": "users"}
CALLS = [
    ToolUse("mcp__odd__echo", GIVEN, "toolu_e"),
    ToolUse("McpCall", {"tool": "mcp__odd__echo", "arguments": GIVEN}, "toolu_e"),
]


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def hooks(**commands: str) -> dict[str, Any]:
    return {event: [{"command": each, "matcher": "mcp__odd"}] for event, each in commands.items()}


@pytest.mark.parametrize("call", CALLS)
async def test_a_hook_blocks_a_call_of_a_servers_tool(tmp_path: Path, call: ToolUse) -> None:
    said = hooks(beforeTool="cat > given.json; echo not this >&2; exit 2")
    async with with_odd(tmp_path, [Turn(call), DONE], hooks=said) as s:
        s.port.permitted = [ONCE]
        await s.ask("Hello")
        assert "mcp__odd__echo was not run: a hook" in s.results(1)["toolu_e"]["content"]
        assert s.port.permissions == []
        given = json.loads((s.root / "given.json").read_text())
        assert (given["tool_name"], given["tool_input"]) == ("mcp__odd__echo", GIVEN)


@pytest.mark.parametrize("call", CALLS)
async def test_a_hook_changes_the_arguments_of_such_a_call(tmp_path: Path, call: ToolUse) -> None:
    changed = {"hookSpecificOutput": {"updatedInput": {"table": "copies"}}}
    said = hooks(
        beforeTool=f"echo {shlex.quote(json.dumps(changed))}", afterTool="cat > after.json"
    )
    async with with_odd(tmp_path, [Turn(call), DONE], hooks=said) as s:
        s.port.permitted = [ONCE]
        await s.ask("Hello")
        content = s.results(1)["toolu_e"]["content"]
        assert '<material>\n{"table": "copies"}\n</material>' in content
        assert content.endswith('changed the arguments of this call to: {"table": "copies"}]')
        after = json.loads((s.root / "after.json").read_text())
        assert (after["tool_name"], after["tool_input"]) == ("mcp__odd__echo", {"table": "copies"})
