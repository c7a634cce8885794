"""Bodies that are no messages, and a fuzzed conversation: every request is answered."""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests.lsp.support.chance import seeded
from tests.lsp.support.editor import Editor, framed
from tests.lsp.support.fuzz import spoiled_message


@pytest.mark.parametrize(
    ("body", "msg_id", "code", "says"),
    [
        (b"", None, -32700, "not JSON"),
        (b"{", None, -32700, "not JSON"),
        (b"\xff\xfe", None, -32700, "not JSON"),
        (b"[" * 100_000, None, -32700, "not JSON"),
        (b"1" * 5000, None, -32700, "not JSON"),
        (b"[]", None, -32600, "batches"),
        (b'"x"', None, -32600, "must be an object"),
        (b"{}", None, -32600, "jsonrpc"),
        (b'{"jsonrpc":"1.0","id":7,"method":"shutdown"}', 7, -32600, "jsonrpc"),
        (b'{"jsonrpc":"2.0"}', None, -32600, "needs a method"),
        (b'{"jsonrpc":"2.0","id":7}', 7, -32600, "needs a method"),
        (b'{"jsonrpc":"2.0","id":7,"method":7}', 7, -32600, "method must be"),
        (b'{"jsonrpc":"2.0","id":[],"method":"shutdown"}', None, -32600, "id must be"),
        (b'{"jsonrpc":"2.0","id":null,"method":"shutdown"}', None, -32600, "id must be"),
        (b'{"jsonrpc":"2.0","id":true,"method":"shutdown"}', None, -32600, "id must be"),
        (b'{"jsonrpc":"2.0","id":7,"method":"shutdown","params":"x"}', 7, -32600, "params"),
        (
            b'{"jsonrpc":"2.0","id":7,"method":"fish/swim","params":{"type_name":"1"}}',
            7,
            -32601,
            "fish",
        ),
        (
            b'{"jsonrpc":"2.0","id":7,"method":"textDocument/hover","params":{}}',
            7,
            -32602,
            "position",
        ),
        (b'{"jsonrpc":"2.0","id":7,"method":"textDocument/hover","params":[1]}', 7, -32602, "form"),
        (
            b'{"jsonrpc":"2.0","id":7,"method":"textDocument/didOpen","params":{}}',
            7,
            -32601,
            "didOpen",
        ),
    ],
)
async def test_what_is_no_message_is_answered_and_survived(
    editor: Editor, body: bytes, msg_id: int | None, code: int, says: str
) -> None:
    editor.write(framed(body))
    found_code, message = await editor.error(msg_id)
    assert found_code == code
    assert says in message
    await editor.result(editor.command("glossator.status"))


@pytest.mark.parametrize(
    "params", [{"command": "glossator.status", "workDoneToken": {}}, {"command": ["x"]}]
)
async def test_ids_and_tokens_have_their_types(editor: Editor, params: object) -> None:
    assert (await editor.error(editor.ask("workspace/executeCommand", params)))[0] == -32602


@pytest.mark.parametrize(
    "message",
    [
        {"method": "workspace/executeCommand", "params": {"command": "glossator.status"}},
        {"method": "textDocument/didOpen", "params": {}},
        {"method": "textDocument/didChange", "params": {"textDocument": 1, "contentChanges": {}}},
        {"method": "textDocument/didClose", "params": {"textDocument": {"uri": "untitled:none"}}},
        {"method": "notebookDocument/didOpen", "params": {}},
        {"method": "$/fish", "params": {"a": {"b": []}}},
        {"method": "$/cancelRequest", "params": {"id": 4242}},
        {"method": "$/cancelRequest", "params": {}},
        {"method": "window/workDoneProgress/cancel", "params": {"token": "none"}},
        {"id": 4242, "result": None},
        {"id": "x", "error": "not an object"},
        {"id": None, "error": {"code": 1, "message": ""}},
    ],
)
async def test_what_needs_no_answer_gets_none(editor: Editor, message: dict[str, Any]) -> None:
    editor.send({"jsonrpc": "2.0"} | message)
    await editor.result(editor.command("glossator.status"))
    assert [m for m in editor.received if "error" in m] == []


async def test_an_id_in_use_is_refused_and_the_first_goes_on(editor: Editor) -> None:
    first = editor.command("glossator.ask", {"question": "wait", "runId": "r"})
    await editor.told("glossator/event", "run.started")
    editor.send({"jsonrpc": "2.0", "id": first, "method": "shutdown"})
    assert (await editor.error(first)) == (-32600, f"The id {first} is in use.")
    assert (await editor.result(editor.command("glossator.status")))["running"] == ["r"]


async def test_nested_messages_in_arguments_are_left_alone(editor: Editor) -> None:
    editor.open("untitled:a", "text")
    inner = {"jsonrpc": "2.0", "method": "exit", "id": 1, "type_name": "x", "first_line": None}
    asked = editor.command("glossator.tool", {"name": "untitled:a", "arguments": inner})
    assert (await editor.result(asked))["arguments"] == inner


async def test_half_a_surrogate_pair_survives_the_round_trip(editor: Editor) -> None:
    editor.open("untitled:a", "x\ud83dy")
    read = await editor.result(editor.command("glossator.tool", {"name": "untitled:a"}))
    assert read["text"] == "x\ud83dy"


async def test_a_fuzzed_conversation_answers_every_request(editor: Editor) -> None:
    """`FRAMES=1000000 pytest -k fuzzed --timeout 0 tests/lsp/test_messages.py`: the long run."""
    chance = seeded()
    for _ in range(int(os.environ.get("FRAMES", "5000")) // 100):
        for _ in range(100):
            editor.send(spoiled_message(chance))
        await editor.result(editor.command("glossator.status"))
        faults = [m for m in editor.received if m.get("error", {}).get("code") == -32603]
        assert faults == []
        editor.received.clear()
