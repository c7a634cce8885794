"""Plays a scenario with the real server process, an editor and the stand-in as the model.

Each step waits for what it tells of: nothing is hurried, and nothing happens that is not told.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path

from watchfiles import awatch

from tests.lsp.support.editor import Message
from tests.patience import SECONDS
from tests.scenario import BROKEN_OFF, Step, blocks_in, files_in, items_in, matches
from tests.scenario_model import FAULTY, ScenarioModel, results_in
from tests.scenario_scene import Scene
from tests.standin import StandIn

_PERMISSION, _REVIEW, _APPLY = "glossator/permission", "glossator/review", "workspace/applyEdit"

_Played = Callable[..., Coroutine[None, None, None]]  # with the body, and the title's groups
_STEPS: list[tuple[re.Pattern[str], _Played]] = []


def step(title: str) -> Callable[[_Played], _Played]:
    """The method plays the steps of this title, a pattern."""

    def known(method: _Played) -> _Played:
        _STEPS.append((re.compile(title), method))
        return method

    return known


class Player:
    """One scenario under way."""

    def __init__(self, scene: Scene, model: ScenarioModel) -> None:
        self._scene, self._model = scene, model
        self._first: dict[str, tuple[int, bytes]] = {}  # the files before anything was done
        self._said: list[str] = []  # by the user
        self._asking = 0  # the command that the user waits for
        self._answer: Message = {}
        self._session = ""
        self._undone = ""

    async def play(self, told: Step) -> None:
        """One step, to its end."""
        for title, method in _STEPS:
            if found := title.fullmatch(told.title):
                await method(self, told.body, *found.groups())
                return
        raise AssertionError(f"no such step: {told.title}")

    async def end(self) -> None:
        """Nothing is left over."""
        await self._scene.close()
        assert self._model.is_done()

    # --- before

    @step("Workspace")
    async def _workspace(self, body: str) -> None:
        """These files are there: a level-3 heading and a fenced block for each."""
        for name, data in files_in(body).items():
            path = self._scene.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        self._first = self._scene.files()

    @step("Settings")
    async def _set(self, body: str) -> None:
        """JSON, as the editor tells it at the start."""
        self._scene.settings = json.loads(blocks_in(body)[0])

    @step("Model, asked for a summary")
    async def _summary(self, body: str) -> None:
        """What it replies whenever a conversation is compacted."""
        self._model.summary = body.strip()

    # --- the user

    @step("User")
    async def _ask(self, body: str) -> None:
        """The question, or what is to be done; in the session, once there is one."""
        editor = (await self._scene.desk()).editor
        question = body.strip()
        self._said.append(question)
        session = {"sessionId": self._session} if self._session else {}
        self._asking = editor.command("glossator.ask", {"question": question, **session})

    @step("Unsaved")
    async def _unsaved(self, body: str) -> None:
        """The editor shows these texts, and has not saved them."""
        desk = await self._scene.desk()
        for name, data in files_in(body).items():
            self._scene.show(desk, self._scene.uri(name), data.decode())

    @step(r"The user opens (\S+)")
    async def _open(self, _body: str, name: str) -> None:
        (await self._scene.desk()).open(self._scene.root / name)

    @step(r"The user types in (\S+)")
    async def _type(self, body: str, name: str) -> None:
        """What the editor then shows, not saved. The model's edit waits for a permission."""
        desk, uri = await self._scene.desk(), self._scene.uri(name)
        await self._scene.asked(_PERMISSION)
        desk.type(uri, desk.texts[uri], blocks_in(body)[0])

    @step(r"The user types in (\S+) just before the edit arrives")
    async def _type_before(self, body: str, name: str) -> None:
        """The edit is permitted, but it was made for the text that was."""
        desk, uri = await self._scene.desk(), self._scene.uri(name)
        await self._scene.asked(_PERMISSION)

        def apply(params: Message) -> Message:
            desk.editor.answers[_APPLY] = desk.apply
            desk.type(uri, desk.texts[uri], blocks_in(body)[0])
            return desk.apply(params)

        desk.editor.answers[_APPLY] = apply

    @step("Permissions")
    async def _permit(self, body: str) -> None:
        """What the user is asked, and answers: `Tool choice`."""
        for tool, choice in map(str.split, items_in(body)):
            assert (await self._scene.asked(_PERMISSION))["tool"] == tool
            await self._scene.answer(_PERMISSION, {"choice": choice})

    @step("The user accepts the only part")
    async def _accept(self, _body: str) -> None:
        """Of the edit that is shown for review."""
        await self._review(1)

    @step(r"The user rejects part (\d+) of (\d+)")
    async def _reject(self, body: str, number: str, count: str) -> None:
        """The others are accepted; the user's words stand below."""
        await self._review(int(count), int(number), body.strip())

    @step("The user undoes the turn")
    async def _undo(self, _body: str) -> None:
        """The last one that stands, and all of it."""
        undone = await self._take_back({})
        assert undone["incomplete"] is False

    @step("The user undoes the undo")
    async def _redo(self, _body: str) -> None:
        await self._take_back({"turn": self._undone})

    # --- the model

    @step(FAULTY)
    async def _fault(self, _body: str) -> None:
        """An answer of which the model hears that citations fail; the next one replaces it."""
        await self._model.reply()

    @step("Model(?:, whose window is now full)?")
    async def _reply(self, body: str) -> None:
        """List items `Tool {json}`, or the answer; at `…` the reply is still under way.

        A session whose window is full is compacted before it goes on.
        """
        editor, text = (await self._scene.desk()).editor, body.strip()
        whole = not text.endswith(BROKEN_OFF)
        await self._model.reply(whole=whole)
        if not whole:
            await editor.told("glossator/event", "text.delta", text[:8])
        elif not text.startswith("- "):
            self._answer = await editor.result(self._asking)
            assert self._answer["text"] == text
            self._session = self._answer["sessionId"]

    @step("Results")
    async def _results(self, body: str) -> None:
        """What the model is told of its calls, a fenced block each; a line `…` is any lines."""
        expected, actual = blocks_in(body), results_in(await self._model.asked())
        assert len(actual) == len(expected), actual
        for one, other in zip(expected, actual, strict=True):
            assert matches(one, other), other

    # --- the server

    @step(r"The server is killed(?: once (\S+) is there)?")
    async def _kill(self, _body: str, name: str | None) -> None:
        """With SIGKILL, as the system does when memory runs out; here while a command runs."""
        if name is not None:
            changes = awatch(self._scene.root, rust_timeout=100, yield_on_timeout=True)
            async with asyncio.timeout(SECONDS):
                while not (self._scene.root / name).exists():
                    await anext(changes)
            await changes.aclose()
        await self._scene.kill()

    @step("The session is resumed")
    async def _resume(self, _body: str) -> None:
        """By another server: it is the one of this workspace, and shows all that was said."""
        (session,) = (await self._scene.command("listSessions"))["sessions"]
        self._session = session["id"]
        events = (await self._scene.command("resumeSession", sessionId=self._session))["events"]
        assert [e["question"] for e in events if e["kind"] == "run.started"] == self._said

    # --- what then holds

    @step("Citations")
    async def _citations(self, body: str) -> None:
        """Of the answer: `path:1-2 status`."""
        cited = [
            f"{c['target']}:{c['firstLine']}-{c['lastLine']} {c['status']}"
            for c in self._answer["citations"]
        ]
        assert cited == items_in(body)

    @step("Files")
    async def _on_disk(self, body: str) -> None:
        """Byte for byte, those that are named."""
        for name, data in files_in(body).items():
            assert (self._scene.root / name).read_bytes() == data

    @step("Gone")
    async def _gone(self, body: str) -> None:
        """These files and folders are not there."""
        assert [name for name in items_in(body) if (self._scene.root / name).exists()] == []

    @step("The workspace is as it was at first")
    async def _as_at_first(self, _body: str) -> None:
        """Every file, its bytes and its mode."""
        assert self._scene.files() == self._first

    @step(r"The editor shows (\S+)")
    async def _shown(self, body: str, name: str) -> None:
        """The text of an open document, saved or not."""
        assert (await self._scene.desk()).texts[self._scene.uri(name)] == blocks_in(body)[0]

    @step(r"Each request began with the one before it(?:, but for (\d+) compactions)?")
    async def _prefix(self, _body: str, compactions: str | None) -> None:
        """Byte for byte: tools, system prompt and messages only ever grow at their end."""
        assert len(self._model.breaks()) == int(compactions or 0)

    @step("Nothing that the user said is lost")
    async def _kept(self, _body: str) -> None:
        """Every question stands word for word in the last request."""
        held = self._model.texts()
        assert [said for said in self._said if said not in held] == []

    @step("The last request holds")
    async def _held(self, body: str) -> None:
        """These words, a list item each."""
        held = self._model.texts()
        assert [words for words in items_in(body) if words not in held] == []

    # --- behind the scenes

    async def _review(self, count: int, without: int = 0, message: str = "") -> None:
        hunks = (await self._scene.asked(_REVIEW))["hunks"]
        assert len(hunks) == count
        kept = [hunk["id"] for n, hunk in enumerate(hunks, 1) if n != without]
        await self._scene.answer(_REVIEW, {"accepted": kept, "message": message})

    async def _take_back(self, argument: Message) -> Message:
        undone = await self._scene.command("undoTurn", sessionId=self._session, **argument)
        assert (undone["conflicts"], undone["failed"]) == ([], [])
        self._undone = undone["turn"]
        return undone


@asynccontextmanager
async def playing(root: Path, steps: list[Step]) -> AsyncIterator[Player]:
    """A player for these steps; whatever happens, its server ends."""
    model = ScenarioModel(steps)
    async with StandIn(model) as api:
        scene = Scene(root, api)
        async with scene.leave:
            yield Player(scene, model)
    assert api.refusals == []
