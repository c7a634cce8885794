"""The real server process: exploring, and ending a sub-agent by a command of its own."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.lsp.test_end_to_end_model import SOURCE, server
from tests.standin import SlowHeaders, StandIn, Text, ToolUse, Turn

READ = ToolUse("Read", {"path": "fish.py"})


async def test_a_sub_agent_is_ended_and_its_run_answers(tmp_path: Path) -> None:
    (tmp_path / "fish.py").write_text(SOURCE)
    said = Text("It gives the depth back. [cite: doc, fish.py, L3]")
    script = [Turn(said, READ), Turn(fault=SlowHeaders(asyncio.Event()))]
    async with StandIn(script) as api, server(tmp_path, api) as editor:
        explored = editor.command("glossator.explore", {"task": "What?", "thoroughness": "quick"})
        event = await editor.told("glossator/event", "agent.started")
        agent = event["params"]["agentId"]
        await api.wait_for_requests(2)
        ended = await editor.result(editor.command("glossator.cancel", {"agentId": agent}))
        assert ended == {"cancelled": [agent]}
        answer = await editor.result(explored)
        assert answer["stop"] == "partial"
        assert answer["report"]["partial"] == "it was cancelled"
        (finding,) = answer["report"]["findings"]
        assert finding["text"] == said.text
        assert [each["status"] for each in finding["citations"]] == ["read"]
        assert answer["report"]["searched"] == [
            'Read path="fish.py" (3 lines)',
            "lines shown to it: fish.py 1-3",
        ]
        shown = await editor.result(
            editor.command(
                "glossator.showAgent", {"sessionId": answer["sessionId"], "agentId": agent}
            )
        )
        assert shown["agent"]["findings"] == 1
        assert "def swim(depth):" in shown["text"]
        assert api.refusals == []
