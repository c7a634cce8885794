"""A server that listens on TCP serves whoever knows its token, on this machine, and nobody else."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import stat
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from glossator.lsp import listen
from glossator.lsp.__main__ import main
from glossator.lsp.listen import Admission
from tests.lsp.support.editor import Editor, framed
from tests.patience import SECONDS

_FAILED = -32803  # LSP's RequestFailed


@dataclass
class Listening:
    """A server that waits for its client, and what it printed: its port, and its token."""

    process: asyncio.subprocess.Process
    port: int
    token: str

    async def answer(self, sent: bytes) -> bytes:
        """All that a connection is answered, up to its end, be that one before `sent` was read."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(sent)
        answered = b""
        async with asyncio.timeout(SECONDS):
            with contextlib.suppress(ConnectionResetError):
                while data := await reader.read(65_536):
                    answered += data
        writer.close()
        return answered

    async def serves(self, root: Path, token: str) -> None:
        """Whoever knows the token is served as over stdio, to the end."""
        editor = Editor(*await asyncio.open_connection("127.0.0.1", self.port))
        options = {"token": token}
        await editor.initialize(rootUri=root.as_uri(), initializationOptions=options)
        await editor.result(editor.command("glossator.status"))
        await editor.shut_down()
        async with asyncio.timeout(SECONDS):
            assert await self.process.wait() == 0
        editor.close()
        await editor.task


@asynccontextmanager
async def listening(
    *arguments: str, module: str = "tests.lsp.support.minimal"
) -> AsyncIterator[Listening]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", module, "--tcp", "127.0.0.1:0", *arguments),
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    try:
        async with asyncio.timeout(SECONDS):
            line = (await process.stderr.readline()).decode()
            said = re.fullmatch(r"listening on 127\.0\.0\.1:(\d+)\n", line)
            assert said, line
            printed = b"" if "--token-file" in arguments else await process.stderr.readline()
        yield Listening(process, int(said[1]), printed.decode().removeprefix("token: ").strip())
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def request(method: str, params: object) -> bytes:
    message = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
    return framed(json.dumps(message).encode())


def initialize(options: object, root: str = "file:///ws") -> bytes:
    base: dict[str, object] = {"processId": None, "rootUri": root, "capabilities": {}}
    return request("initialize", base | {"initializationOptions": options})


def from_a_page(line: str, body: bytes, port: int) -> bytes:
    """What a browser sends for a page that has it post `body` to the port."""
    head = (
        f"{line}\r\nHost: 127.0.0.1:{port}\r\nOrigin: https://evil.example\r\n"
        f"Content-Type: text/plain\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def test_only_who_knows_the_token_is_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One real server meets all of these, one after the other, and then its client."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "ws").mkdir()
    root = (tmp_path / "ws").as_uri()
    command = request("workspace/executeCommand", {"command": "glossator.status"})
    async with listening(module="glossator.lsp") as server:
        token = server.token
        assert len(token) >= 40
        strangers = [
            initialize(None, root),
            initialize({}, root),
            initialize({"token": ""}, root),
            initialize({"token": token[:-1]}, root),
            initialize({"token": f"{token} "}, root),
            initialize({"token": token.swapcase()}, root),
            initialize({"token": "\udc80"}, root),
            initialize({"token": None}, root),
            initialize({"token": [token]}, root),
            initialize({"Token": token}, root),
            initialize({"settings": {"token": token}}, root),
            request("initialize", []),
            request("shutdown", {"initializationOptions": {"token": token}}),
            command,
            initialize({}, root) + initialize({"token": token}, root) + command,
        ]
        for sent in strangers:
            header, _, body = (await server.answer(sent)).partition(b"\r\n\r\n")
            assert header.startswith(b"Content-Length: "), sent
            answered = json.loads(body)  # one message, and then the end
            assert (answered["id"], answered["error"]["code"]) == (7, _FAILED)
            assert "initializationOptions.token is missing or wrong" in answered["error"]["message"]
        frames = initialize({"token": "guess"}, root) + command
        plain = (
            from_a_page("POST / HTTP/1.1", frames, server.port),
            from_a_page("GET / HTTP/1.1", b"", server.port),
            b"Content-Length: 99999999999\r\n\r\n",
            framed(b"[]"),
            framed(b"nonsense"),
            framed(b"[" * 100_000),
            framed(b'{"jsonrpc": "2.0", "method": "exit"}'),
            b"Content-Length: 2097152\r\n\r\n" + b" " * 2_000_000,
            b"\x16\x03\x01\x02\x00\x01\n",
        )
        for sent in plain:
            assert await server.answer(sent) == b"", sent[:80]
        # A line with a colon passes for a header: then it takes the token, as anywhere.
        answered = await server.answer(from_a_page("POST /: HTTP/1.1", frames, server.port))
        assert answered.count(b"Content-Length") <= 1
        assert b"result" not in answered
        assert not (tmp_path / "state").exists(), "nothing was begun"
        await server.serves(tmp_path / "ws", token)
        assert (tmp_path / "state").exists(), "as it is by a client"


async def test_each_start_has_a_token_of_its_own() -> None:
    async with listening() as one, listening() as other:
        assert one.token != other.token


async def test_the_token_in_a_file_is_for_its_owner_and_gone_when_it_was_used(
    tmp_path: Path,
) -> None:
    file = tmp_path / "token"
    async with listening("--token-file", str(file)) as server:
        status = file.stat()
        assert stat.S_IMODE(status.st_mode) == 0o600
        assert status.st_uid == os.geteuid()
        await server.serves(tmp_path, file.read_text().strip())
        assert server.process.stderr is not None
        assert not file.exists()


async def test_the_token_file_goes_when_nobody_came(tmp_path: Path) -> None:
    file = tmp_path / "token"
    async with listening("--token-file", str(file)) as server:
        server.process.terminate()
        async with asyncio.timeout(SECONDS):
            assert await server.process.wait() == 1
    assert not file.exists()


@pytest.mark.parametrize("kind", ["file", "link", "dangling", "folder"])
def test_a_token_file_that_is_there_is_not_written(
    tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file, target = tmp_path / "token", tmp_path / "target"
    match kind:
        case "file":
            file.write_text("kept")
        case "folder":
            file.mkdir()
        case _:
            if kind == "link":
                target.write_text("kept")
            file.symlink_to(target)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(SystemExit) as ended:
        main(["--tcp", "127.0.0.1:0", "--token-file", str(file)])
    assert ended.value.code == 2
    assert "Name a file that is not there" in capsys.readouterr().err
    assert sorted(tmp_path.iterdir()) == before
    assert kind not in {"file", "link"} or file.read_text() == "kept"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--tcp", "0.0.0.0:0"), "not an address of this machine alone"),
        (("--tcp", "[::]:0"), "not an address of this machine alone"),
        (("--tcp", "192.168.1.2:0"), "not an address of this machine alone"),
        (("--tcp", "box.example:4000"), "ssh -L 4000:127.0.0.1:4000"),
        (("--tcp", "127.1:0"), "not an address of this machine alone"),
        (("--tcp", "127.0.0.1.evil.example:0"), "not an address of this machine alone"),
        (("--stdio", "--token-file", "x"), "--token-file needs --tcp"),
    ],
)
def test_no_other_machine_can_connect(
    arguments: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    assert ended.value.code == 2
    assert says in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("sent", [b"", b"Content-Le", initialize({})[:-1]])
async def test_who_says_nothing_is_not_waited_for(
    sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listen, "FIRST_SECONDS", 0.05)
    door = Admission("secret")
    async with await asyncio.start_server(door.meet, "127.0.0.1", 0) as listener:
        reader, writer = await asyncio.open_connection(*listener.sockets[0].getsockname())
        writer.write(sent)
        async with asyncio.timeout(SECONDS):
            assert await reader.read() == b""
        writer.close()


async def test_a_second_one_who_knows_the_token_comes_too_late() -> None:
    door = Admission("secret")
    async with await asyncio.start_server(door.meet, "127.0.0.1", 0) as listener:
        address = listener.sockets[0].getsockname()
        _, first = await asyncio.open_connection(*address)
        first.write(initialize({"token": "secret"}))
        async with asyncio.timeout(SECONDS):
            admitted = await door.admitted()
            assert framed(admitted.first) == initialize({"token": "secret"})
            reader, second = await asyncio.open_connection(*address)
            second.write(initialize({"token": "secret"}))
            assert await reader.read() == b""
        for writer in (first, second, admitted.writer):
            writer.close()
