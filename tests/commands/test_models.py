"""The models are listed, and another one answers from the next run on, in the same conversation."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, get_args

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from glossator.commands.answers.server import ModelList
from glossator.commands.doctor import DoctorRequest, doctor
from glossator.commands.models import ListModelsRequest, SetModelRequest, list_models, set_model
from glossator.commands.status import StatusRequest, status
from glossator.core.errors import UsageError
from glossator.core.events import RunStarted
from glossator.llm.models import Models
from glossator.llm.request import ModelOptions
from glossator.settings.models import Effort, ModelSettings, RoleSettings
from tests.stage import Stage, stage
from tests.standin import Script, Text, Thinking, ToolUse, Turn
from tests.turn.test_loop import without_cache_marks

FILES = {"app.py": "one\n"}
OPUS, SONNET = "claude-opus-5-5", "claude-sonnet-5-5"
CATALOGUE = ["claude-haiku-5-5", SONNET, OPUS, "claude-fable-5-1"]


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def reading(number: int) -> list[Turn]:
    read = ToolUse("Read", {"path": "app.py"}, f"r{number}")
    return [Turn(Thinking(f"Thought {number}."), read), Turn(Thinking("So."), Text("One."))]


async def listed(s: Stage) -> ModelList:
    return await list_models(s.app, ListModelsRequest())


async def choose(s: Stage, model: str, effort: Effort | None = None) -> None:
    answer = await set_model(s.app, SetModelRequest(model, effort))
    assert (answer.model, answer.effort) == (model, effort)


def conversation(s: Stage, number: int) -> Any:
    body = without_cache_marks(s.sent(number))
    return body["system"], body["tools"], body["messages"]


async def test_the_server_s_own_list_is_shown(tmp_path: Path) -> None:
    async with stage(tmp_path, FILES, []) as s:
        found = await listed(s)
        assert (found.model, found.effort, found.problem) == (SONNET, None, "")
        assert [model.id for model in found.models] == [*CATALOGUE, "offline"]
        assert [model.id for model in found.models if model.current] == [SONNET]
        opus, offline = found.models[2], found.models[-1]
        assert (opus.window, opus.max_output, opus.effort) == (1_000_000, 128_000, "medium")
        assert opus.efforts == get_args(Effort)
        assert opus.price is not None
        assert (opus.price.input, opus.price.output) == (4, 20)
        assert (offline.offline, offline.efforts) == (True, ())


async def test_without_it_the_known_ones_are(tmp_path: Path) -> None:
    settings = {"models": {"main": {"model": "claude-next"}}}
    async with stage(tmp_path, FILES, [], settings) as s:
        await s.api.stop_listening()
        found = await listed(s)
        assert [model.id for model in found.models] == [*CATALOGUE, "claude-next", "offline"]
        assert found.models[4].price is None
        assert found.models[4].current
        assert "cannot be reached" in found.problem


async def test_a_server_of_one_s_own_lists_what_it_has(tmp_path: Path) -> None:
    async with stage(tmp_path, FILES, [], {"models": {"profile": "ollama"}}) as s:
        assert [model.efforts for model in (await listed(s)).models] == [()] * 5
        with pytest.raises(UsageError, match="does not take the effort high; choose none"):
            await choose(s, SONNET, "high")


@pytest.mark.parametrize(
    ("body", "told", "problem"),
    [
        ({"object": "list", "data": [{"id": "llama", "created": 1}, {}, 1]}, ["llama"], ""),
        ({"data": []}, [], ""),
        ({"data": None}, [], "does not list its models in a form that is known."),
        ([], [], "does not list its models in a form that is known."),
        (None, [], "does not list its models."),
    ],
)
async def test_lists_of_other_servers(body: Any, told: list[str], problem: str) -> None:
    async def listing(_: web.Request) -> web.Response:
        return web.json_response(body) if body is not None else web.Response(status=404)

    app = web.Application()
    app.router.add_get("/v1/models", listing)
    async with TestServer(app) as server:
        address = str(server.make_url("/"))
        settings = ModelSettings(base_url=address, profile="ollama", main=RoleSettings(model="m"))
        models = Models(settings, {}, ModelOptions())
        known, said = await models.known()
        await models.close()
    assert [facts.id for facts in known] == [*told, "m"]
    assert said.endswith(problem)
    assert bool(said) is bool(problem)


async def test_a_conversation_goes_on_with_another_model_and_back(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Thinking is sent back as it came; each model reads what it had cached itself."""
    script: Script = [*reading(1), *reading(2), *reading(3)]
    async with stage(tmp_path, FILES, script) as s:
        session_id = (await s.ask("First?")).session_id
        await choose(s, OPUS, "low")
        second = await s.ask("Second?", session_id=session_id)
        await choose(s, SONNET)
        third = await s.ask("Third?", session_id=session_id)
        models = [SONNET, SONNET, OPUS, OPUS, SONNET, SONNET]
        assert [s.sent(number)["model"] for number in range(6)] == models
        assert [event.model for event in s.port.of(RunStarted)] == [SONNET, OPUS, SONNET]
        efforts = [s.sent(number).get("output_config") for number in (0, 2, 4)]
        assert efforts == [None, {"effort": "low"}, None]
        for number in range(1, 6):
            system, tools, messages = conversation(s, number - 1)
            now = conversation(s, number)
            assert json.dumps(now[:2]) == json.dumps([system, tools])
            assert json.dumps(now[2][: len(messages)]) == json.dumps(messages)
        assert "Thought 1." in json.dumps(conversation(s, 2))
        assert s.app.sessions.loaded()[0].account.replies == 6
        assert second.model == OPUS
        assert third.usage.cache_read_tokens > second.usage.cache_read_tokens
    assert "prompt cache could not be used" not in caplog.text


async def test_another_server_goes_on_with_another_model(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, reading(1)) as s:
        session_id = (await s.ask("First?")).session_id
    async with stage(tmp_path / "ws", {}, reading(2)) as s:
        await choose(s, OPUS)
        assert (await s.ask("Second?", session_id=session_id)).model == OPUS


async def test_a_run_on_its_way_keeps_its_model(tmp_path: Path) -> None:
    gate = asyncio.Event()
    read = ToolUse("Read", {"path": "app.py"})
    async with stage(tmp_path, FILES, [Turn(read, gate=gate), Turn(Text("Hi."))]) as s:
        run = asyncio.create_task(s.ask("?"))
        await s.api.wait_for_requests(1)
        await choose(s, OPUS)
        gate.set()
        assert (await run).model == SONNET
        assert s.sent(1)["model"] == SONNET


async def test_offline_and_back(tmp_path: Path) -> None:
    async with stage(tmp_path, FILES, [*reading(1), *reading(2)]) as s:
        session_id = (await s.ask("First?")).session_id
        await choose(s, "offline")
        assert (await s.ask("one?", session_id=session_id)).offline
        assert (await status(s.app, StatusRequest())).offline
        assert (await listed(s)).models[-1].current
        await choose(s, SONNET)
        assert (await s.ask("Third?", session_id=session_id)).text == "One."
        checks = (await doctor(s.app, DoctorRequest())).checks
        (detail,) = [check.detail for check in checks if check.name == "Model"]
        assert SONNET in detail


@pytest.mark.parametrize(
    ("settings", "model", "effort", "said"),
    [
        ({}, " ", None, "name is empty"),
        ({}, "offline", "low", "takes no effort"),
        ({"offline": True}, SONNET, None, r"models\.offline keeps models from being asked"),
    ],
)
async def test_what_cannot_be_chosen(
    tmp_path: Path, settings: Any, model: str, effort: Effort | None, said: str
) -> None:
    async with stage(tmp_path, FILES, [], {"models": settings}) as s:
        before = s.app.model
        with pytest.raises(UsageError, match=said):
            await set_model(s.app, SetModelRequest(model, effort))
        assert s.app.model is before


async def test_without_a_key_nothing_but_offline_can_be_chosen() -> None:
    models = Models(ModelSettings(), {}, ModelOptions())
    with pytest.raises(UsageError, match="Set ANTHROPIC_API_KEY"):
        await models.choose(OPUS, None)
    await models.choose("offline", None)
    assert models.main.offline
