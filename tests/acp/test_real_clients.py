"""The program itself, driven by other people's clients; no model is asked."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from acp_client import Agent

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "vscode-client"
NODE = ROOT / ".venv" / "node" / "node"
COMMAND = [sys.executable, "-m", "glossator", "acp"]
FILES = {
    "retry.py": 'def retry(times):\n    """Try a request again, so often."""\n    return times\n'
}
QUESTION = "How often does retry try a request again?"


def workspace(root: Path) -> Path:
    for name, text in FILES.items():
        (root / name).write_text(text, "utf-8")
    return root


async def test_a_client_in_python_asks_leaves_and_goes_on(tmp_path: Path) -> None:
    """`acp-client`, which offers nothing of its own."""
    agent = Agent(COMMAND, workspace(tmp_path))
    answer = await agent.ask(QUESTION)
    assert f"(file://{tmp_path}/retry.py#L" in answer
    session = agent.session
    await agent.stop()
    shown: list[dict[str, Any]] = []
    again = Agent(COMMAND, tmp_path, session=session)
    await again.start(shown.append)
    await again.stop()
    assert again.carry_on is None
    kinds = [each["sessionUpdate"] for each in shown]
    assert kinds[0] == "user_message_chunk"
    assert "agent_message_chunk" in kinds


def test_the_typescript_sdk(tmp_path: Path) -> None:
    program = CLIENT / "test" / "acp" / "client.mjs"
    done = subprocess.run(
        [NODE, program, workspace(tmp_path), QUESTION, *COMMAND],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    said = {name: value for line in lines for name, value in line.items() if name != "update"}
    assert said["initialized"]["agentInfo"]["name"] == "glossator"
    assert said["answer"]["stopReason"] == "end_turn"
    assert said["code"] == 0
    updates = [line["update"] for line in lines if "update" in line]
    kinds = {each["sessionUpdate"] for each in updates}
    assert {"tool_call", "tool_call_update", "agent_message_chunk", "usage_update"} <= kinds
    assert "user_message_chunk" in kinds  # of the session that was loaded
