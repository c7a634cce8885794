"""The order of life: initialize, wait for the service, shutdown, exit; and every other end."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from pathlib import Path

import pytest

from glossator.lsp.features import build_server
from glossator.lsp.service import Service
from tests.lsp.support.editor import Editor, connected, framed, spawned
from tests.patience import SECONDS

pytestmark = pytest.mark.usefixtures("true_start")

STATUS = {"command": "glossator.status"}
INITIALIZE: dict[str, object] = {"processId": None, "rootUri": None, "capabilities": {}}


def call(msg_id: int | None, method: str, params: object = None) -> bytes:
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    return framed(json.dumps(message | ({} if msg_id is None else {"id": msg_id})).encode())


async def test_shutdown_then_exit_gives_0() -> None:
    async with spawned() as process:
        await process.editor.initialize()
        await process.editor.shut_down()
        assert await process.exit_code() == 0


async def test_exit_without_shutdown_gives_1() -> None:
    async with spawned() as process:
        await process.editor.initialize()
        process.editor.notify("exit")
        assert await process.exit_code() == 1


async def test_a_closed_stdin_ends_the_server_with_work_in_flight() -> None:
    async with spawned() as process:
        await process.editor.initialize({"experimental": {"glossator": {"events": True}}})
        process.editor.command("glossator.ask", {"question": "wait"})
        await process.editor.told("glossator/event", "run.started")
        process.editor.close()
        assert await process.exit_code() == 1
        assert await process.errors() == "application closed\n"


async def test_a_thread_that_never_ends_keeps_no_process_alive() -> None:
    async with spawned() as process:
        await process.editor.initialize({"experimental": {"glossator": {"events": True}}})
        process.editor.command("glossator.ask", {"question": "block"})
        await process.editor.told("glossator/event", "run.started")
        await process.editor.shut_down()
        assert await process.exit_code() == 0
        assert await process.errors() == "application closed\n"


async def test_a_signal_ends_the_server_in_order() -> None:
    async with spawned() as process:
        await process.editor.initialize()
        await process.editor.result(process.editor.command("glossator.status"))
        process.process.terminate()
        assert await process.exit_code() == 1
        assert await process.errors() == "application closed\n"


async def test_nothing_but_initialize_comes_first(raw: Editor) -> None:
    code, message = await raw.error(raw.ask("workspace/executeCommand", STATUS))
    assert (code, message) == (-32002, "Send `initialize` first.")
    await raw.initialize()
    again = raw.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    assert (await raw.error(again))[0] == -32600
    await raw.result(raw.ask("workspace/executeCommand", STATUS))


async def test_nothing_but_exit_comes_after_shutdown(editor: Editor) -> None:
    await editor.result(editor.ask("shutdown"))
    code, _ = await editor.error(editor.ask("workspace/executeCommand", STATUS))
    assert code == -32600


class SlowService:
    """Loads the small service when it is told to."""

    def __init__(self) -> None:
        self.may_load = threading.Event()

    def __call__(self) -> Service:
        assert self.may_load.wait(SECONDS)
        from tests.lsp.support.service import SERVICE  # noqa: PLC0415 - as late as the real one

        return SERVICE


async def test_messages_wait_for_the_service_in_order() -> None:
    load = SlowService()
    async with connected(build_server(load)) as editor:
        await editor.initialize()
        editor.open("untitled:a", "one")
        first = editor.command("glossator.tool", {"name": "untitled:a"})
        editor.change("untitled:a", 2, {"text": "two"})
        second = editor.command("glossator.tool", {"name": "untitled:a"})
        unwanted = editor.command("glossator.ask", {"question": "wait"})
        editor.cancel(unwanted)
        assert (await editor.error(unwanted))[0] == -32800  # at once, before the service exists
        load.may_load.set()
        assert (await editor.result(first))["text"] == "one"
        assert (await editor.result(second))["text"] == "two"


async def test_shutdown_before_the_service_exists() -> None:
    load = SlowService()
    async with connected(build_server(load)) as editor:
        await editor.initialize()
        waiting = editor.command("glossator.status")
        end = editor.ask("shutdown")
        assert (await editor.error(waiting))[0] == -32800
        assert await editor.result(end) is None
        load.may_load.set()


async def test_a_service_that_cannot_be_loaded_is_told_and_answered() -> None:
    def load() -> Service:
        raise ImportError("no module named fish")

    async with connected(build_server(load)) as editor:
        await editor.initialize()
        early = editor.command("glossator.status")
        assert await editor.error(early) == (
            -32603,
            "Glossator could not start: no module named fish",
        )
        await editor.told("window/showMessage", "no module named fish")
        assert (await editor.error(editor.command("glossator.status")))[0] == -32603
        assert await editor.result(editor.ask("shutdown")) is None


async def test_nothing_heavy_is_imported_before_initialize_is_answered() -> None:
    heavy = "pydantic anthropic platformdirs tree_sitter watchfiles re2 glossator.commands.loaded"
    script = (
        "import sys, glossator.lsp.__main__\n"
        f"print([name for name in {heavy.split()} if name in sys.modules])"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await asyncio.wait_for(process.communicate(), SECONDS)
    assert output.strip() == b"[]"


async def test_stdin_may_be_a_plain_file(tmp_path: Path) -> None:
    script = tmp_path / "session"
    script.write_bytes(call(1, "initialize", INITIALIZE) + call(2, "shutdown") + call(None, "exit"))
    with script.open("rb") as stdin:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tests.lsp.support.minimal",
            stdin=stdin,
            stdout=asyncio.subprocess.PIPE,
        )
        output, _ = await asyncio.wait_for(process.communicate(), SECONDS)
    assert process.returncode == 0
    assert b'"id":2' in output


async def test_a_stdin_of_nothing_ends_the_server() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.lsp.support.minimal", stdin=asyncio.subprocess.DEVNULL
    )
    assert await asyncio.wait_for(process.wait(), SECONDS) == 1


async def test_a_client_that_stops_reading_does_not_block_the_server(tmp_path: Path) -> None:
    read_end, write_end = os.pipe()  # nobody reads; a pipe holds 64 KiB
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.lsp.support.minimal",
        stdin=asyncio.subprocess.PIPE,
        stdout=write_end,
        stderr=asyncio.subprocess.PIPE,
    )
    os.close(write_end)
    assert process.stdin is not None
    assert process.stderr is not None
    process.stdin.write(call(1, "initialize", INITIALIZE))
    unknown = call(2, "x" * 50_000)
    for _ in range(40):
        process.stdin.write(unknown)
    await asyncio.wait_for(process.stdin.drain(), SECONDS)  # all of it was read
    process.stdin.close()
    assert await asyncio.wait_for(process.wait(), SECONDS) == 1
    os.close(read_end)
