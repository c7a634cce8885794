"""A hostile model at a real server: what it calls, what the user is asked, what it gets to see.

    async with hostile_model(root, {"permissions": {"mode": "auto"}}) as model:
        tried = await model.tries(ToolUse("Read", {"path": "../secret"}))
        assert tried.asked == []

One server serves many attempts; each attempt is a session of its own.
"""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.lsp.support.desk import ALL, Desk
from tests.lsp.support.editor import Message, Process, spawned
from tests.quiet import quietly
from tests.standin import StandIn, Text, ToolUse, Turn

KEY = "sk-ant-a-key-that-nothing-may-see"
DENY: Message = {"choice": "deny"}
ONCE: Message = {"choice": "once"}
_WELL = Turn(Text("Well."))
_WHOLE = 10_000  # characters in one delta: nobody watches the model type
_MARKDOWN = {"textDocument": {"hover": {"contentFormat": ["markdown"]}}}
_KNOWS = {
    "events": True,
    "permissions": True,
    "questions": True,
    "diagnostics": True,
    "links": True,
}


@dataclass(frozen=True)
class Result:
    """What the model was told of one call."""

    text: str
    error: bool


@dataclass(frozen=True)
class Tried:
    """What became of an attempt.

    `asked` are the permissions that were asked for, `questions` the other questions to the user,
    `edits` what the editor was to apply. `seen` is every word that was sent to the model.
    """

    results: tuple[Result, ...]
    asked: tuple[Message, ...]
    questions: tuple[Message, ...]
    edits: tuple[Message, ...]
    seen: str

    @property
    def tools(self) -> list[str]:
        """The tools that were asked about, in order."""
        return [request["tool"] for request in self.asked]


@dataclass
class HostileModel:
    """Plays tool calls through the API; the user answers every question by `answer`.

    `turns` are its next replies; after them it says "Well.".
    """

    desk: Desk
    api: StandIn
    process: Process
    turns: list[Turn]
    answer: Message | Callable[[Message], Message] = field(default_factory=lambda: DENY)
    trusts: Message | None = None  # the answer to the question of trust

    async def tries(
        self, *calls: ToolUse, mode: str = "auto", answer: Message = DENY, at_once: bool = False
    ) -> Tried:
        """Calls in turn, or `at_once` in one reply, in a session of their own."""
        await self.command("setMode", mode=mode)
        self.answer = answer
        self.turns[:] = [Turn(*calls, chunk=_WHOLE)] if at_once else map(Turn, calls)
        return await self.asks("Do it.")

    async def asks(self, question: str, **fields: Any) -> Tried:
        """A question of the user's, which the model answers by its `turns`."""
        received, requests = self.desk.editor.received, self.api.requests
        before, first = len(received), len(requests)
        await self.command("ask", question=question, **fields)

        def told(method: str) -> tuple[Message, ...]:
            return tuple(m["params"] for m in received[before:] if m.get("method") == method)

        bodies = [request.body for request in requests[first:]]
        return Tried(
            tuple(_results(bodies)),
            told("glossator/permission"),
            told("glossator/question"),
            told("workspace/applyEdit"),
            json.dumps(bodies, ensure_ascii=False),
        )

    async def command(self, name: str, /, **argument: Any) -> Any:
        """The answer to one of the server's commands."""
        editor = self.desk.editor
        return await editor.result(editor.command(f"glossator.{name}", argument))

    def permission(self, request: Message) -> Message:
        """The user's answer to a permission."""
        return self.answer(request) if callable(self.answer) else self.answer


@asynccontextmanager
async def hostile_model(
    root: Path,
    settings: Message | None = None,
    *,
    trusted: bool | None = True,
    environment: Mapping[str, str] | None = None,
    workspace: Message = ALL,
) -> AsyncIterator[HostileModel]:
    """A server process on `root`; ends with an orderly goodbye and nothing on stderr.

    `workspace` is what the editor can do, `trusted` what it says of its user's trust.
    """
    turns: list[Turn] = []
    async with StandIn(lambda _: turns.pop(0) if turns else _WELL) as api:
        model = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": api.base_url}
        environment = {**os.environ, **(environment or {}), **model}
        async with spawned(module="glossator.lsp", env=environment) as process:
            hostile = HostileModel(Desk(process.editor), api, process, turns)
            editor = process.editor
            editor.answers["glossator/permission"] = hostile.permission
            editor.answers["glossator/diagnostics"] = {"files": []}
            editor.answers["glossator/question"] = lambda _: hostile.trusts
            options: Message = {"settings": quietly(settings)}
            await editor.initialize(
                {"workspace": workspace, **_MARKDOWN, "experimental": {"glossator": _KNOWS}},
                workspaceFolders=[{"uri": root.as_uri(), "name": root.name}],
                initializationOptions=options | ({} if trusted is None else {"trusted": trusted}),
            )
            yield hostile
            await editor.shut_down()
            assert await process.exit_code() == 0
            assert not (errors := await process.errors()), errors
        assert api.refusals == [], repr(api.refusals)


def contents(top: Path, but: Iterable[str] = ()) -> dict[str, bytes | str]:
    """Every file below a folder and its bytes, and where links lead; folders by their mode."""
    found: dict[str, bytes | str] = {}
    for folder, folders, names in os.walk(top):
        folders[:] = [name for name in folders if name not in but]
        for path in (Path(folder, name) for name in (*folders, *names)):
            if path.is_symlink():
                found[str(path)] = str(path.readlink())
            elif path.is_file():
                found[str(path)] = path.read_bytes()
            else:
                found[str(path)] = oct(path.lstat().st_mode)
    return found


def _results(bodies: Iterable[Message]) -> Iterable[Result]:
    """The results of all calls of a conversation, in order."""
    last = max(bodies, key=lambda body: len(body["messages"]))
    for message in last["messages"]:
        parts = message["content"] if isinstance(message["content"], list) else ()
        for part in parts:
            if part["type"] == "tool_result":
                content = part["content"]
                text = content if isinstance(content, str) else json.dumps(content)
                yield Result(text, bool(part.get("is_error")))
