"""Where a scenario is set: a workspace, an editor with its documents, and a server process."""

from __future__ import annotations

import os
import stat
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from tests.lsp.support.desk import ALL, Desk
from tests.lsp.support.editor import Message, Process, spawned
from tests.quiet import quietly
from tests.standin import NAMED, StandIn

_KNOWS: Message = {
    "workspace": ALL,
    "experimental": {"glossator": {"events": True, "permissions": True, "reviews": True}},
}
_QUESTIONS = {"glossator/permission", "glossator/review"}


class Scene:
    """The server is started when it is first needed, and again after it was killed."""

    def __init__(self, root: Path, api: StandIn) -> None:
        self.root = root
        self.settings: Message = {}
        self.leave = AsyncExitStack()
        self._api = api
        self._server: Process | None = None
        self._desk: Desk | None = None
        self._answered: set[int] = set()  # the server's questions, by id

    async def desk(self) -> Desk:
        """The editor on a server that runs; what was open before is open again."""
        if self._desk is not None and self._server is not None:
            return self._desk
        model = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": self._api.base_url} | NAMED
        self._server = await self.leave.enter_async_context(
            spawned(module="glossator.lsp", env={**os.environ, **model})
        )
        shown = self._desk.texts if self._desk is not None else {}
        self._desk, self._answered = Desk(self._server.editor), set()
        await self._desk.editor.initialize(
            _KNOWS,
            workspaceFolders=[{"uri": self.root.as_uri(), "name": "workspace"}],
            initializationOptions={"settings": quietly(self.settings), "trusted": True},
        )
        for uri, text in shown.items():
            self.show(self._desk, uri, text)
        return self._desk

    def show(self, desk: Desk, uri: str, text: str) -> None:
        """Open a document with a text that need not be on disk."""
        desk.texts[uri], desk.versions[uri] = text, 1
        desk.editor.open(uri, text)

    async def command(self, name: str, **argument: Any) -> Message:
        """The answer to one of the server's commands."""
        editor = (await self.desk()).editor
        result: Message = await editor.result(editor.command(f"glossator.{name}", argument))
        return result

    async def asked(self, method: str) -> Message:
        """The parameters of the question that waits for the user."""
        params: Message = (await self._question(method))["params"]
        return params

    async def answer(self, method: str, reply: Message) -> None:
        """The user answers it."""
        question = await self._question(method)
        self._answered.add(question["id"])
        editor = (await self.desk()).editor
        editor.send({"jsonrpc": "2.0", "id": question["id"], "result": reply})

    async def _question(self, method: str) -> Message:
        editor = (await self.desk()).editor
        return await editor.until(
            lambda m: m.get("method") == method and m["id"] not in self._answered
        )

    async def kill(self) -> None:
        """The server, with SIGKILL."""
        assert self._server is not None
        self._server.process.kill()
        await self.leave.aclose()
        self._server = None

    async def close(self) -> None:
        """The editor is closed: every question was answered, and the server has nothing to add."""
        editor = (await self.desk()).editor
        await editor.shut_down()
        assert self._server is not None
        assert await self._server.exit_code() == 0
        assert await self._server.errors() == ""
        questions = {each["id"] for each in editor.received if each.get("method") in _QUESTIONS}
        assert questions == self._answered, "the user was asked what the scenario does not tell"

    def uri(self, name: str) -> str:
        """Of a file of the workspace."""
        return (self.root / name).as_uri()

    def files(self) -> dict[str, tuple[int, bytes]]:
        """Every file's mode and bytes."""
        return {
            str(path.relative_to(self.root)): (stat.S_IMODE(path.stat().st_mode), path.read_bytes())
            for path in self.root.rglob("*")
            if path.is_file()
        }
