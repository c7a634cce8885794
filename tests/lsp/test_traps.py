"""Traps of the libraries beneath, each fallen into once: it must not happen again."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from glossator.core.frames import MAX_BODY_BYTES
from tests.lsp.support.editor import Editor, connected, spawned
from tests.lsp.support.minimal import build

CANCELLED = -32800
DOCUMENT = "untitled:draft"


async def test_1_cancelling_a_command_stops_its_coroutine(editor: Editor) -> None:
    waiting = editor.command("glossator.ask", {"question": "wait", "runId": "r1"})
    await editor.told("glossator/event", "run.started")
    editor.cancel(waiting)
    assert (await editor.error(waiting))[0] == CANCELLED
    status = await editor.result(editor.command("glossator.status"))
    assert status["running"] == []
    assert status["ended"] == ["r1"]


async def test_2_a_cancellation_from_inside_answers_the_client(editor: Editor) -> None:
    inner = editor.command("glossator.ask", {"question": "inner cancel"})
    assert (await editor.error(inner))[0] == CANCELLED


async def test_2_a_run_cancelled_by_command_answers_its_asker(editor: Editor) -> None:
    waiting = editor.command("glossator.ask", {"question": "wait", "runId": "r2"})
    await editor.told("glossator/event", "run.started")
    cancelled = await editor.result(editor.command("glossator.cancel", {"runId": "r2"}))
    assert cancelled == {"cancelled": ["r2"]}
    assert (await editor.error(waiting))[0] == CANCELLED


async def test_2_a_cancelled_progress_bar_cancels_its_command(editor: Editor) -> None:
    waiting = editor.command("glossator.ask", {"question": "wait"}, token="bar")
    await editor.told("$/progress", "begin")
    editor.notify("window/workDoneProgress/cancel", {"token": "bar"})
    assert (await editor.error(waiting))[0] == CANCELLED


async def test_3_shutdown_answers_what_is_in_flight_first(tmp_path: Path) -> None:
    async with spawned() as process:
        editor = process.editor
        await editor.initialize({"experimental": {"glossator": {"events": True}}})
        waiting = [
            editor.command("glossator.ask", {"question": "wait", "runId": f"r{n}"})
            for n in range(30)
        ]
        for n in range(30):
            await editor.told("glossator/event", "run.started", f'"r{n}"')
        end = editor.ask("shutdown")
        editor.notify("exit")
        assert (await editor.reply(end))["result"] is None
        answered = [message["id"] for message in editor.received if "id" in message]
        assert answered[-1] == end
        assert set(waiting) < set(answered)
        assert {(await editor.error(n))[0] for n in waiting} == {CANCELLED}
        assert await process.exit_code() == 0
        assert await process.errors() == "application closed\n"


async def test_4_a_reply_to_a_cancelled_question_is_harmless(raw: Editor) -> None:
    await raw.initialize({"window": {"workDoneProgress": True}})
    asked = raw.command("glossator.ask", {"question": "wait"})
    creation = await raw.told("window/workDoneProgress/create")
    raw.cancel(asked)
    assert (await raw.error(asked))[0] == CANCELLED
    for _ in range(2):
        raw.send({"jsonrpc": "2.0", "id": creation["id"], "result": None})
    await raw.result(raw.command("glossator.status"))
    assert raw.sent("$/progress") == raw.sent("window/logMessage") == []


async def test_5_stray_output_and_threads_do_not_break_frames() -> None:
    async with spawned() as process:
        editor = process.editor
        await editor.initialize()
        for _ in range(20):
            assert await editor.result(editor.command("glossator.doctor")) == {"printed": 2}
        await editor.told("window/logMessage", "from a thread")
        await editor.shut_down()
        assert await process.exit_code() == 0
        assert (await process.errors()).count("a stray write") == 20


async def test_6_a_request_keeps_the_text_of_its_moment(editor: Editor) -> None:
    whole = {"text": "new"}
    for n in range(20):
        uri = f"untitled:{n}"
        editor.open(uri, "old")
        asked = editor.command("glossator.tool", {"name": uri})
        editor.change(uri, 2, whole)
        assert (await editor.result(asked))["text"] == "old"
        later = await editor.result(editor.command("glossator.tool", {"name": uri}))
        assert later["text"] == "new"


@pytest.mark.parametrize("odd", ["\x0c", "\x0b", "\x1c", "\x85", "\u2028", "\u2029"])
async def test_7_only_the_three_line_ends_of_the_protocol_end_lines(
    editor: Editor, odd: str
) -> None:
    editor.open(DOCUMENT, f"a{odd}b\nSECOND\n")
    second = {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 6}}
    editor.change(DOCUMENT, 2, {"range": second, "text": "2nd"})
    read = await editor.result(editor.command("glossator.tool", {"name": DOCUMENT}))
    assert read["text"] == f"a{odd}b\n2nd\n"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"Content-Length: 1000000000000\r\n\r\n", "1000000000000"),
        (b"Content-Length: 2147483648\r\n\r\n", "2147483648"),
        (b"Content-Length: -1\r\n\r\n", "-1"),
        (b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n", "twice"),
        (b"no colon\r\n\r\n", "no colon"),
        (b"Content-Type: x\r\n\r\n", "no Content-Length"),
        (b"x" * 100_000, "longer"),
    ],
)
async def test_8_a_malformed_header_ends_the_server_with_one_line(data: bytes, says: str) -> None:
    async with spawned() as process:
        await process.editor.initialize()
        await process.editor.result(process.editor.command("glossator.status"))
        process.editor.write(data)
        assert await process.exit_code() == 1
        ours = [line for line in (await process.errors()).splitlines() if "ERROR" in line]
        assert len(ours) == 1
        assert says in ours[0]


async def test_8_lower_case_and_lf_only_headers_are_read(editor: Editor) -> None:
    message = {"jsonrpc": "2.0", "id": "lf", "method": "shutdown"}
    body = json.dumps(message).encode()
    editor.write(b"content-length: %d\n\n%b" % (len(body), body))
    await editor.until(lambda message: message.get("id") == "lf" and "result" in message)


async def test_9_a_dead_parent_ends_the_server() -> None:
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "input()", stdin=asyncio.subprocess.PIPE
    )
    async with spawned() as process:
        await process.editor.initialize(processId=parent.pid)
        await process.editor.result(process.editor.command("glossator.status"))
        parent.kill()
        assert await process.exit_code() == 1
    await parent.wait()


async def test_10_a_version_that_goes_back_is_refused_and_logged(editor: Editor) -> None:
    editor.open(DOCUMENT, "five", version=5)
    editor.change(DOCUMENT, 3, {"text": "three"})
    read = await editor.result(editor.command("glossator.tool", {"name": DOCUMENT}))
    assert (read["text"], read["version"]) == ("five", 5)
    await editor.told("window/logMessage", "version")


async def test_10_a_position_inside_a_character_is_clamped(editor: Editor) -> None:
    editor.open(DOCUMENT, "a\U0001f41fb")
    inside = {"start": {"line": 0, "character": 2}, "end": {"line": 0, "character": 3}}
    editor.change(DOCUMENT, 2, {"range": inside, "text": "x"})
    read = await editor.result(editor.command("glossator.tool", {"name": DOCUMENT}))
    assert read["text"] == "axb"


async def test_11_files_are_read_as_their_bytes_are(editor: Editor, tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_bytes("f\xfcr\n".encode("latin-1"))
    (tmp_path / "crlf.txt").write_bytes(b"one\r\ntwo\r\n")
    for name, text in (("latin.txt", "f\xfcr\n"), ("crlf.txt", "one\r\ntwo\r\n")):
        uri = (tmp_path / name).as_uri()
        read = await editor.result(editor.command("glossator.tool", {"name": uri}))
        assert read["text"] == text


async def test_13_a_failure_in_a_task_group_is_told_as_itself(editor: Editor) -> None:
    failed = editor.command("glossator.ask", {"question": "group"})
    assert await editor.error(failed) == (-32803, "Inner failure; do this.")


async def test_a_message_that_is_too_large_is_refused_and_the_server_goes_on(
    tmp_path: Path,
) -> None:
    server = build()
    async with connected(server) as editor:
        await editor.initialize(rootUri=tmp_path.as_uri())
        uri, text = (tmp_path / "big.txt").as_uri(), "x" * MAX_BODY_BYTES

        async def is_open() -> bool:
            await editor.result(editor.command("glossator.status"))
            return server.application.host.snapshot().open_document(uri) is not None

        editor.open(uri, "typed")
        assert await is_open()
        for number in (2, 3):  # told once
            editor.change(uri, number, {"text": text})
        editor.change(uri, 4, {"text": "short again"})
        editor.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
        code, said = await editor.error(editor.ask("textDocument/hover", {"text": text}))
        assert (code, "was not read" in said) == (-32600, True)
        (shown,) = editor.sent("window/showMessage")
        assert "big.txt is too large" in shown["message"]
        assert not await is_open()
        editor.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        editor.open(uri, "small")
        assert await is_open()
        # some clients send the text before the URI
        item = {"text": text, "version": 1, "languageId": "plaintext", "uri": uri + "2"}
        editor.notify("textDocument/didOpen", {"textDocument": item})
        await editor.told("window/showMessage", "big.txt2 is too large")
        logged = [each["message"] for each in editor.sent("window/logMessage")]
        assert not [each for each in logged if "is not open" in each]
