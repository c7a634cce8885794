"""A client that says exactly what a test tells it to, and remembers all it was told."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from glossator.lsp.server import Server
from tests.patience import SECONDS

Message = dict[str, Any]
NO_ANSWER = object()


@dataclass(frozen=True)
class Refusal:
    """An error, as the answer to a server's request."""

    code: int
    message: str


class Editor:
    """One end of a connection to a server."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._arrived = asyncio.Condition()
        self._next_id = 0
        self._replies: dict[int | str | None, Message] = {}
        self.received: list[Message] = []
        # method of a server's request -> the result to give, or a function of its parameters
        self.answers: dict[str, Any] = {}
        self._left = False
        self.task = asyncio.create_task(self._listen())

    # --- sending

    def write(self, data: bytes) -> None:
        self._writer.write(data)

    def send(self, message: object) -> None:
        self.write(framed(json.dumps(message).encode()))

    def notify(self, method: str, params: object = None) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method: str, params: object = None) -> int:
        self._next_id += 1
        self.send({"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": params})
        return self._next_id

    def command(self, name: str, argument: object = None, token: str | None = None) -> int:
        arguments = [] if argument is None else [argument]
        params: Message = {"command": name, "arguments": arguments}
        return self.ask(
            "workspace/executeCommand", params | ({"workDoneToken": token} if token else {})
        )

    def cancel(self, msg_id: int) -> None:
        self.notify("$/cancelRequest", {"id": msg_id})

    def open(self, uri: str, text: str, version: int = 1) -> None:
        document = {"uri": uri, "languageId": "plaintext", "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def change(self, uri: str, version: int, *edits: Message) -> None:
        document = {"uri": uri, "version": version}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": edits})

    def close(self) -> None:
        self._writer.close()

    # --- waiting

    async def until(self, wanted: Callable[[Message], bool]) -> Message:
        """The first message received, ever, that is wanted."""
        async with asyncio.timeout(SECONDS), self._arrived:
            while True:
                if found := next((message for message in self.received if wanted(message)), None):
                    return found
                assert not self._left, f"the server left; received: {self.received}"
                await self._arrived.wait()

    async def reply(self, msg_id: int | None) -> Message:
        async with asyncio.timeout(SECONDS), self._arrived:
            await self._arrived.wait_for(lambda: msg_id in self._replies or self._left)
        assert msg_id in self._replies, f"the server left; received: {self.received}"
        return self._replies[msg_id]

    async def result(self, msg_id: int) -> Any:
        reply = await self.reply(msg_id)
        assert "error" not in reply, reply
        return reply["result"]

    async def error(self, msg_id: int | None) -> tuple[int, str]:
        reply = await self.reply(msg_id)
        assert "error" in reply, reply
        return reply["error"]["code"], reply["error"]["message"]

    async def told(self, method: str, *words: str) -> Message:
        """A notification or request of this method whose JSON contains the words."""
        return await self.until(
            lambda m: m.get("method") == method and all(w in json.dumps(m) for w in words)
        )

    def sent(self, method: str) -> list[Message]:
        return [message["params"] for message in self.received if message.get("method") == method]

    # --- common conversations

    async def initialize(self, capabilities: Message | None = None, **params: Any) -> Message:
        base: Message = {"processId": None, "rootUri": None, "capabilities": capabilities or {}}
        result: Message = await self.result(self.ask("initialize", base | params))
        self.notify("initialized", {})
        return result

    async def shut_down(self) -> None:
        await self.result(self.ask("shutdown"))
        self.notify("exit")

    async def _listen(self) -> None:
        while (body := await _read(self._reader)) is not None:
            message = json.loads(body)
            method = message.get("method")
            if method is None:
                self._replies[message["id"]] = message
            elif "id" in message and method in self.answers:
                answer = self.answers[method]
                result = answer(message["params"]) if callable(answer) else answer
                reply = {"jsonrpc": "2.0", "id": message["id"]}
                if isinstance(result, Refusal):
                    self.send(reply | {"error": {"code": result.code, "message": result.message}})
                elif result is not NO_ANSWER:
                    self.send(reply | {"result": result})
            async with self._arrived:
                self.received.append(message)
                self._arrived.notify_all()
        async with self._arrived:
            self._left = True
            self._arrived.notify_all()


def framed(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


async def _read(reader: asyncio.StreamReader) -> bytes | None:
    try:
        header = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionResetError):
        return None
    return await reader.readexactly(int(header.split(b":")[1]))


@asynccontextmanager
async def connected(server: Server) -> AsyncIterator[Editor]:
    """An editor on a server in this process, over real sockets."""
    ours, theirs = socket.socketpair()
    editor = Editor(*await asyncio.open_connection(sock=ours))
    reader, writer = await asyncio.open_connection(sock=theirs)
    serving = asyncio.create_task(server.serve(reader, writer))
    try:
        yield editor
    finally:
        editor.close()
        async with asyncio.timeout(SECONDS):
            await serving
            await editor.task


class Process:
    """A server in a process of its own."""

    def __init__(self, process: asyncio.subprocess.Process, editor: Editor) -> None:
        self.process, self.editor = process, editor

    async def exit_code(self) -> int:
        async with asyncio.timeout(SECONDS):
            return await self.process.wait()

    async def errors(self) -> str:
        """Everything on stderr, once the process has ended."""
        assert self.process.stderr is not None
        async with asyncio.timeout(SECONDS):
            return (await self.process.stderr.read()).decode()


@asynccontextmanager
async def spawned(
    *arguments: str, module: str = "tests.lsp.support.minimal", env: dict[str, str] | None = None
) -> AsyncIterator[Process]:
    """A process serving over stdio; by default with the minimal service."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        module,
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=env,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    editor = Editor(process.stdout, process.stdin)
    try:
        yield Process(process, editor)
    finally:
        editor.close()
        if process.returncode is None:
            async with asyncio.timeout(SECONDS):
                await process.wait()
        await editor.task
