"""The real server process and the real SDK, with the stand-in as the model."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.lsp.support.editor import Editor, spawned
from tests.standin import StandIn, Text, ToolUse, Turn

SOURCE = 'def swim(depth):\n    """Swim at a depth."""\n    return depth\n'
CANCELLED = -32800


@asynccontextmanager
async def server(root: Path, api: StandIn) -> AsyncIterator[Editor]:
    """A server on `root` whose model is `api`; ends with an orderly goodbye."""
    model = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": api.base_url}
    async with spawned(module="glossator.lsp", env={**os.environ, **model}) as process:
        editor = process.editor
        await editor.initialize(
            {"experimental": {"glossator": {"events": True}}},
            workspaceFolders=[{"uri": root.as_uri(), "name": root.name}],
        )
        yield editor
        await editor.shut_down()
        assert await process.exit_code() == 0


async def test_a_question_is_answered_from_lines(tmp_path: Path) -> None:
    (tmp_path / "fish.py").write_text(SOURCE)
    script = [
        Turn(ToolUse("Grep", {"pattern": "swim"}), ToolUse("Glob", {"pattern": "*.py"})),
        Turn(ToolUse("Read", {"path": "fish.py"})),
        Turn(Text("It gives the depth back. [cite: doc, fish.py, L3]")),
    ]
    async with StandIn(script) as api, server(tmp_path, api) as editor:
        answer = await editor.result(editor.command("glossator.ask", {"question": "What?"}))
        assert answer["text"].startswith("It gives the depth back.")
        assert [(c["target"], c["status"]) for c in answer["citations"]] == [("fish.py", "read")]
        assert answer["usage"]["outputTokens"] > 0
        kinds = [event["kind"] for event in editor.sent("glossator/event")]
        assert kinds[0] == "run.started"
        assert kinds.index("run.finished") == len(kinds) - 1
        assert kinds.count("tool.finished") == 3
        assert api.refusals == []


async def test_another_model_the_window_and_going_back(tmp_path: Path) -> None:
    (tmp_path / "fish.py").write_text(SOURCE)
    script = [Turn(Text("It dives.")), Turn(Text("It swims."))]
    async with StandIn(script) as api, server(tmp_path, api) as editor:
        listed = await editor.result(editor.command("glossator.listModels", {}))
        opus = next(model for model in listed["models"] if "opus" in model["id"])
        assert opus["price"] == {"input": 4, "output": 20, "upTo": None, "above": None}
        wanted = {"model": opus["id"], "effort": "xhigh"}
        chosen = await editor.result(editor.command("glossator.setModel", wanted))
        assert chosen == {**wanted, "before": listed["model"]}
        error = await editor.error(
            editor.command("glossator.setModel", {"model": "m", "effort": "much"})
        )
        assert "must be one of low, medium, high" in error[1]
        asked = await editor.result(editor.command("glossator.ask", {"question": "What?"}))
        session = {"sessionId": asked["sessionId"]}
        window = await editor.result(editor.command("glossator.showContext", session))
        assert [layer["name"] for layer in window["layers"]] == ["system", "tools", "conversation"]
        assert [part["kind"] for part in window["layers"][2]["parts"][:2]] == [
            "reminder",
            "question",
        ]
        assert window["cached"] > 0
        gone = await editor.result(editor.command("glossator.rewind", session))
        assert gone == {"runs": [{"runId": asked["runId"], "question": "What?"}], "changed": []}
        again = {"question": "How?", **session}
        assert (await editor.result(editor.command("glossator.ask", again)))["text"] == "It swims."
        assert [request.body["model"] for request in api.requests] == [opus["id"]] * 2
        assert [len(request.body["messages"]) for request in api.requests] == [1, 1]


async def test_hover_answers_while_an_ask_runs(tmp_path: Path) -> None:
    gate = asyncio.Event()
    (tmp_path / "fish.py").write_text(SOURCE)
    async with (
        StandIn([Turn(Text("A long answer."), gate=gate)]) as api,
        server(tmp_path, api) as editor,
    ):
        uri = (tmp_path / "fish.py").as_uri()
        editor.open(uri, SOURCE)
        ask = editor.command("glossator.ask", {"question": "What?"})
        await api.wait_for_requests(1)
        place = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 5}}
        hover = None
        while hover is None:  # there is one as soon as its time is enough for it
            hover = await editor.result(editor.ask("textDocument/hover", place))
        assert "Swim at a depth." in hover["contents"]["value"]
        assert api.open_streams == 1
        gate.set()
        assert (await editor.result(ask))["text"] == "A long answer."


async def test_a_cancelled_ask_leaves_the_model_at_once(tmp_path: Path) -> None:
    turn = Turn(Text("A long answer. " * 50), gate=asyncio.Event())
    async with StandIn([turn]) as api, server(tmp_path, api) as editor:
        ask = editor.command("glossator.ask", {"question": "What?"})
        await editor.told("glossator/event", "text.delta")
        cancelled_at = asyncio.get_running_loop().time()
        editor.cancel(ask)
        left = await api.wait_for_disconnect()
        assert left.disconnected_at is not None
        assert left.disconnected_at - cancelled_at < 0.2  # seconds; promised, not just measured
        assert (await editor.error(ask))[0] == CANCELLED
        await editor.told("glossator/event", "run.cancelled")
        posts = [request for request in api.requests if request.path.endswith("/messages")]
        assert len(posts) == 1


async def test_a_provider_out_of_reach_is_told_and_can_be_cancelled(tmp_path: Path) -> None:
    async with StandIn() as api, server(tmp_path, api) as editor:
        await api.stop_listening()
        ask = editor.command("glossator.ask", {"question": "What?"})
        await editor.told("glossator/event", "notice", "Asking again in")
        editor.cancel(ask)  # also ends the wait before the next try
        assert (await editor.error(ask))[0] == CANCELLED
