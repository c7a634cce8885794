"""What the model asks of the user and of the editor, on its way there and back over the wire."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.lsp.support.editor import Editor, Message, spawned
from tests.lsp.test_end_to_end_model import CANCELLED
from tests.standin import StandIn, Text, ToolUse, Turn

_OPTIONS = [{"label": "v1"}, {"label": "v2"}]
_CALL = ToolUse("AskUser", {"question": "Which?", "options": _OPTIONS}, "a")
_NO_ANSWER = "The user gave no answer."


@asynccontextmanager
async def asking(
    root: Path, call: ToolUse = _CALL, *, times: int = 1, **knows: bool
) -> AsyncIterator[tuple[Editor, StandIn]]:
    """An editor whose server's model makes a call whenever it is asked."""
    async with StandIn([Turn(call), Turn(Text("Done."))] * times) as api:
        model = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": api.base_url}
        async with spawned(module="glossator.lsp", env={**os.environ, **model}) as process:
            editor = process.editor
            await editor.initialize(
                {"experimental": {"glossator": {"events": True, **knows}}},
                workspaceFolders=[{"uri": root.as_uri(), "name": root.name}],
            )
            yield editor, api
            await editor.shut_down()


async def replied(editor: Editor, api: StandIn, method: str, reply: Message) -> tuple[Message, str]:
    """What a run asks the editor, and what its model is told of the reply."""
    editor.received.clear()
    command = editor.command("glossator.ask", {"question": "?"})
    asked = await editor.told(method)
    editor.send({"jsonrpc": "2.0", "id": asked["id"], **reply})
    await editor.result(command)
    (result,) = api.requests[-1].body["messages"][-1]["content"]
    return asked["params"], str(result["content"])


async def test_a_client_that_knows_questions(tmp_path: Path) -> None:
    rows: list[tuple[object, str]] = [
        ({"chosen": ["v2"]}, 'The user chose: "v2".'),
        ({"chosen": [], "words": "v3"}, "In the user's words: v3"),
        (None, _NO_ANSWER),
        ({"chosen": ["v9"]}, _NO_ANSWER),
        ("v1", _NO_ANSWER),
    ]
    options = [{"label": "v1", "detail": ""}, {"label": "v2", "detail": ""}]
    async with asking(tmp_path, times=len(rows), questions=True) as (editor, api):
        for answer, expect in rows:
            params, told = await replied(editor, api, "glossator/question", {"result": answer})
            session = (await editor.told("glossator/event", "run.started"))["params"]["sessionId"]
            assert (answer, params) == (
                answer,
                {
                    "text": "Which?",
                    "options": options,
                    "several": False,
                    "draft": "",
                    "refusal": "",
                    "sessionId": session,
                    "sessionTitle": "?",
                },
            )
            assert (answer, told[: len(expect)]) == (answer, expect)


async def test_any_other_client(tmp_path: Path) -> None:
    rows: list[tuple[Message, str]] = [
        ({"result": {"title": "v1"}}, 'The user chose: "v1".'),
        ({"result": {"title": "No answer"}}, _NO_ANSWER),
        ({"result": None}, _NO_ANSWER),
        ({"error": {"code": -32601, "message": "no windows"}}, _NO_ANSWER),
    ]
    async with asking(tmp_path, times=len(rows), questions=False) as (editor, api):
        for reply, expect in rows:
            params, told = await replied(editor, api, "window/showMessageRequest", reply)
            labels = [action["title"] for action in params["actions"]]
            assert (reply, labels) == (reply, ["No answer", "v1", "v2"])
            assert (reply, told[: len(expect)]) == (reply, expect)


async def test_a_question_goes_with_its_run(tmp_path: Path) -> None:
    async with asking(tmp_path, questions=True) as (editor, _):
        command = editor.command("glossator.ask", {"question": "?"})
        asked = await editor.told("glossator/question")
        editor.cancel(command)
        assert (await editor.error(command))[0] == CANCELLED
        taken_back = await editor.told("$/cancelRequest")
        assert taken_back["params"]["id"] == asked["id"]


async def test_findings_of_other_servers(tmp_path: Path) -> None:
    rows: list[tuple[Message, str]] = [
        ({"line": 2, "severity": "error", "message": "no such name"}, "  2: error: no such name"),
        ({"line": 2, "severity": "bad", "message": "?"}, "No compiler or linter told"),
    ]
    (tmp_path / "fish.py").write_text("swim\n")
    uri = (tmp_path / "fish.py").as_uri()
    call = ToolUse("Diagnostics", {"path": "fish.py"}, "a")
    async with asking(tmp_path, call, times=len(rows), diagnostics=True) as (editor, api):
        for item, expect in rows:
            reply = {"result": {"files": [{"uri": uri, "items": [item]}]}}
            params, told = await replied(editor, api, "glossator/diagnostics", reply)
            assert params == {"files": [{"uri": uri, "version": None}], "seconds": 5.0}
            assert expect in told, item
