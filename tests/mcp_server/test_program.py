"""The program itself: over stdio by our own client, by HTTP with and without the token."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from tests.lsp.support.editor import spawned
from tests.mcp.hubs import hub
from tests.mcp_server.client import text_of, write

COMMAND = [sys.executable, "-m", "glossator", "mcp", "serve"]
FILES = {"retry.py": 'def retry(times):\n    """Try a request again."""\n    return times\n'}
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


async def test_our_own_client_over_stdio(tmp_path: Path) -> None:
    """Which names the workspace as its roots: the program itself begins elsewhere."""
    write(tmp_path, FILES)
    settings = {"command": COMMAND[0], "args": COMMAND[1:], "env": dict(os.environ)}
    async with hub({"self": settings}, (str(tmp_path),)) as h:
        view = h.view("self")
        assert (view.state, view.tools, view.prompts) == ("ready", 7, 3)
        found, _ = await h.call("mcp__self__search", query="request again")
        assert "retry.py:1-3" in found.text
        assert "def retry(times):" in found.text
        found, _ = await h.call("mcp__self__grep", pattern="def", output_mode="content")
        assert found.text == "retry.py\n1:def retry(times):"


async def test_two_programs_share_one_workspace(tmp_path: Path) -> None:
    """One of them writes the index; both find what changes."""
    write(tmp_path, FILES)
    settings = {
        "command": COMMAND[0],
        "args": [*COMMAND[1:], "-C", str(tmp_path)],
        "env": dict(os.environ),
    }
    async with hub({"one": settings, "two": settings}) as h:
        for name in ("one", "two", "one"):
            found, _ = await h.call(f"mcp__{name}__search", query="request again")
            assert "retry.py:1-3" in found.text
        write(tmp_path, {"later.py": "def renew(lease):\n    return lease\n"})
        for name in ("one", "two"):
            found, _ = await h.call(f"mcp__{name}__search", query="renew lease")
            assert "later.py:1-2" in found.text


async def test_an_editor_s_server_and_a_client_s_share_one_index(tmp_path: Path) -> None:
    """Whichever began first writes it; once it is gone, the other one does."""
    root, state = tmp_path / "ws", tmp_path / "state"
    write(root, FILES)
    environment = {**os.environ, "XDG_STATE_HOME": str(state)}
    settings = {"command": COMMAND[0], "args": [*COMMAND[1:], "-C", str(root)], "env": environment}
    async with hub({"tools": settings}) as h, spawned(module="glossator.lsp", env=environment) as p:
        await p.editor.initialize(workspaceFolders=[{"uri": root.as_uri(), "name": "ws"}])

        async def places(query: str) -> tuple[str, str]:
            """What the editor's server finds first, and all that the client's says."""
            asked = p.editor.command("glossator.search", {"query": query, "report": False})
            found, (said, _) = (
                await p.editor.result(asked),
                await h.call("mcp__tools__search", query=query),
            )
            return found["hits"][0]["path"], said.text

        for number in range(5):
            write(root, {f"later{number}.py": f"def renew{number}(lease):\n    return lease\n"})
            first, said = await places(f"renew{number} lease")
            assert first == f"later{number}.py"
            assert f"later{number}.py:1-2" in said
        indexes = [each for each in (state / "glossator/index").iterdir() if each.is_dir()]
        assert len(indexes) == 1
        await p.editor.shut_down()
        write(root, {"last.py": "def last(word):\n    return word\n"})
        found, _ = await h.call("mcp__tools__search", query="last word")
        assert "last.py:1-2" in found.text


def test_what_is_no_message_is_answered_and_the_end_ends_it(tmp_path: Path) -> None:
    lines = ["no JSON", "[]", "", json.dumps(HELLO)]
    done = subprocess.run(
        COMMAND,
        input="".join(f"{each}\n" for each in lines),
        capture_output=True,
        text=True,
        cwd=write(tmp_path, FILES),
        timeout=60,
        check=True,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each["error"]["code"] for each in answers[:2]] == [-32700, -32700]
    assert all(each["result"]["serverInfo"]["name"] == "glossator" for each in answers[2:])


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["-C", "gone"], "gone is no folder"),
        (["--http", "0.0.0.0:0"], "not an address of this machine alone"),
        (["--token-file", "t"], "--token-file needs --http"),
    ],
)
def test_wrong_options(tmp_path: Path, words: list[str], says: str) -> None:
    done = subprocess.run(
        [*COMMAND, *words], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 2
    assert says in done.stderr


@asynccontextmanager
async def listening(root: Path, *words: str) -> AsyncIterator[tuple[str, Any]]:
    """The address of a server by HTTP, and its standard error behind that; it is ended politely."""
    process = await asyncio.create_subprocess_exec(
        *COMMAND, "--http", "127.0.0.1:0", *words, cwd=root, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    try:
        first = (await process.stderr.readline()).decode()
        found = re.fullmatch(r"listening on (http://127\.0\.0\.1:\d+/mcp)\n", first)
        assert found, first
        yield found[1], process.stderr
    finally:
        process.terminate()
        assert await process.wait() == 0


async def test_over_http_with_the_token(tmp_path: Path) -> None:
    async with listening(write(tmp_path, FILES)) as (address, errors):
        token = (await errors.readline()).decode().removeprefix("token: ").strip()
        head = {"Authorization": f"Bearer {token}"}
        for mode in ("legacy", "auto"):
            async with (
                httpx2.AsyncClient(headers=head) as http,
                Client(streamable_http_client(address, http_client=http), mode=mode) as client,
            ):
                found = await client.call_tool("search", {"query": "request again"})
                assert "retry.py:1-3" in text_of(found)


async def test_a_token_in_a_file_is_gone_at_the_end(tmp_path: Path) -> None:
    file = tmp_path / "token"
    async with listening(write(tmp_path, FILES), "--token-file", str(file)) as (address, _):
        assert file.stat().st_mode & 0o777 == 0o600
        head = {"Authorization": f"Bearer {file.read_text().strip()}"}
        async with httpx2.AsyncClient(headers=head) as http:
            kinds = {"Accept": "application/json, text/event-stream"}
            assert (await http.post(address, json=HELLO, headers=kinds)).status_code == 200
    assert not file.exists()
