"""What the model asks of the user and of the editor, on its way there and back over the wire."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.support.editor import Editor, spawned
from tests.lsp.test_end_to_end_model import CANCELLED
from tests.standin import StandIn, Text, ToolUse, Turn

_OPTIONS = [{"label": "v1"}, {"label": "v2"}]
_CALL = ToolUse("AskUser", {"question": "Which?", "options": _OPTIONS}, "a")
_NO_ANSWER = "The user gave no answer."


@asynccontextmanager
async def asking(
    root: Path, call: ToolUse = _CALL, **knows: bool
) -> AsyncIterator[tuple[Editor, StandIn, int]]:
    """An editor whose server's model makes a call, and the id of the command."""
    async with StandIn([Turn(call), Turn(Text("Done."))]) as api:
        model = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": api.base_url}
        async with spawned(module="glossator.lsp", env={**os.environ, **model}) as process:
            editor = process.editor
            await editor.initialize(
                {"experimental": {"glossator": {"events": True, **knows}}},
                workspaceFolders=[{"uri": root.as_uri(), "name": root.name}],
            )
            yield editor, api, editor.command("glossator.ask", {"question": "?"})
            await editor.shut_down()


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"chosen": ["v2"]}, 'The user chose: "v2".'),
        ({"chosen": [], "words": "v3"}, "In the user's words: v3"),
        (None, _NO_ANSWER),
        ({"chosen": ["v9"]}, _NO_ANSWER),
        ("v1", _NO_ANSWER),
    ],
)
async def test_a_client_that_knows_questions(tmp_path: Path, answer: object, told: str) -> None:
    async with asking(tmp_path, questions=True) as (editor, api, command):
        asked = await editor.told("glossator/question")
        options = [{"label": "v1", "detail": ""}, {"label": "v2", "detail": ""}]
        session = (await editor.told("glossator/event"))["params"]["sessionId"]
        assert asked["params"] == {
            "text": "Which?",
            "options": options,
            "several": False,
            "draft": "",
            "refusal": "",
            "sessionId": session,
            "sessionTitle": "?",
        }
        editor.send({"jsonrpc": "2.0", "id": asked["id"], "result": answer})
        await editor.result(command)
        assert _result(api).startswith(told)


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ({"result": {"title": "v1"}}, 'The user chose: "v1".'),
        ({"result": {"title": "No answer"}}, _NO_ANSWER),
        ({"result": None}, _NO_ANSWER),
        ({"error": {"code": -32601, "message": "no windows"}}, _NO_ANSWER),
    ],
)
async def test_any_other_client(tmp_path: Path, reply: dict[str, Any], told: str) -> None:
    async with asking(tmp_path, questions=False) as (editor, api, command):
        asked = await editor.told("window/showMessageRequest")
        labels = [action["title"] for action in asked["params"]["actions"]]
        assert labels == [
            "No answer",
            "v1",
            "v2",
        ]
        editor.send({"jsonrpc": "2.0", "id": asked["id"], **reply})
        await editor.result(command)
        assert _result(api).startswith(told)


async def test_a_question_goes_with_its_run(tmp_path: Path) -> None:
    async with asking(tmp_path, questions=True) as (editor, _, command):
        asked = await editor.told("glossator/question")
        editor.cancel(command)
        assert (await editor.error(command))[0] == CANCELLED
        taken_back = await editor.told("$/cancelRequest")
        assert taken_back["params"]["id"] == asked["id"]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"line": 2, "severity": "error", "message": "no such name"}, "  2: error: no such name"),
        ({"line": 2, "severity": "bad", "message": "?"}, "The editor sent no"),
    ],
)
async def test_findings_of_other_servers(tmp_path: Path, answer: dict[str, Any], told: str) -> None:
    (tmp_path / "fish.py").write_text("swim\n")
    call = ToolUse("Diagnostics", {"path": "fish.py"}, "a")
    async with asking(tmp_path, call, diagnostics=True) as (editor, api, command):
        asked = await editor.told("glossator/diagnostics")
        uri = (tmp_path / "fish.py").as_uri()
        assert asked["params"] == {"files": [{"uri": uri, "version": None}], "seconds": 5.0}
        result = {"files": [{"uri": uri, "items": [answer]}]}
        editor.send({"jsonrpc": "2.0", "id": asked["id"], "result": result})
        await editor.result(command)
        assert told in _result(api)


def _result(api: StandIn) -> str:
    (result,) = api.requests[1].body["messages"][-1]["content"]
    return str(result["content"])
