"""How large the window of a model at a server of one's own is, and what it costs there."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web

from glossator.llm.anthropic_model import AnthropicModel
from glossator.llm.backends import Learnt, client_factory
from glossator.llm.model_facts import facts_at
from glossator.settings.models import ModelSettings, RoleSettings

Json = dict[str, Any]

LLAMA = {"/props": {"default_generation_settings": {"n_ctx": 8192}, "total_slots": 1}}
SHOWN = {
    "parameters": "stop     <|im_end|>\nnum_ctx                        16384",
    "model_info": {},
}
LOADED = {"models": [{"name": "qwen:latest", "model": "qwen:latest", "context_length": 4096}]}
UNSHOWN = {"model_info": {"qwen2.context_length": 262_144}}
SMALL = {"model_info": {"bert.context_length": 512}}
STUDIO = {"data": [{"id": "other", "loaded_context_length": 1}, {
    "id": "qwen", "state": "loaded", "max_context_length": 131_072, "loaded_context_length": 4096,
}]}  # fmt: skip
VLLM = {"data": [{"id": "qwen", "object": "model", "max_model_len": 32_768}]}
LITELLM = {"data": [{"model_name": "qwen", "model_info": {"max_input_tokens": 40_000}}]}


@asynccontextmanager
async def server(
    answers: Mapping[str, Json | Callable[[], Json]],
    asked: list[str] | None = None,
    **settings: Any,
) -> AsyncIterator[AnthropicModel]:
    """The model `qwen` at a server that answers only this; `asked` gets the paths."""

    async def answer(request: web.Request) -> web.Response:
        if asked is not None:
            asked.append(request.path)
        if request.path not in answers:
            raise web.HTTPNotFound
        found = answers[request.path]
        return web.json_response(found() if callable(found) else found)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    named: Json = {"main": RoleSettings(model="qwen")} | settings
    chosen = ModelSettings(base_url=f"http://{host}:{port}", max_retries=0, **named)
    model = AnthropicModel(chosen.main, chosen, client_factory(chosen, {}))
    try:
        yield model
    finally:
        await model.close()
        await runner.cleanup()


@pytest.mark.parametrize(
    ("profile", "answers", "window"),
    [
        ("llama.cpp", LLAMA, 8_192),
        ("ollama", {"/api/show": SHOWN}, 16_384),
        ("ollama", {"/api/show": UNSHOWN, "/api/ps": LOADED}, 4_096),
        ("ollama", {"/api/show": UNSHOWN, "/api/ps": {"models": []}}, 4_096),
        ("ollama", {"/api/show": SHOWN, "/api/ps": LOADED}, 4_096),
        ("ollama", {"/api/show": SMALL}, 512),
        ("ollama", {}, 200_000),
        ("lmstudio", {"/api/v0/models": STUDIO}, 4_096),
        ("lmstudio", {"/v1/models": {"data": [{"id": "qwen"}]}}, 200_000),
        ("vllm", {"/v1/models": VLLM}, 32_768),
        ("litellm", {"/model/info": LITELLM}, 40_000),
        ("vllm", {"/v1/models": {"data": "none"}}, 200_000),
        ("llama.cpp", {}, 200_000),
    ],
)
async def test_it_is_as_the_server_says(
    profile: str, answers: Mapping[str, Json], window: int
) -> None:
    async with server(answers, profile=profile) as model:
        await model.measure()
        assert model.window == window


async def test_what_is_set_is_not_asked() -> None:
    set_to = RoleSettings(model="qwen", window=24_000)
    async with server(LLAMA, profile="llama.cpp", main=set_to) as model:
        await model.measure()
        assert model.window == 24_000


async def test_ollama_loads_the_model_before_it_is_asked() -> None:
    """Otherwise it tells nothing, or what another client wanted of the model."""
    asked: list[str] = []
    loaded = {"models": [{"name": "qwen:latest", "context_length": 32_768}]}

    def ps() -> Json:
        return loaded if "/api/generate" in asked else LOADED

    answers = {"/api/generate": lambda: {"done": True, "done_reason": "load"}, "/api/ps": ps}
    async with server(answers, asked, profile="ollama") as model:
        await model.measure()
        await model.measure()
        assert model.window == 32_768
    assert asked == ["/api/generate", "/api/ps"], "once it is told it is not asked again"


async def test_ollama_is_asked_again_after_the_first_answer() -> None:
    """Where nobody may load a model but by asking it."""
    shown: dict[str, Json] = {"/api/show": UNSHOWN, "/api/ps": {"models": []}}
    async with server(shown, profile="ollama") as model:
        await model.measure()
        await model.measure()
        assert model.window == 4_096
        shown["/api/ps"] = {"models": [{"name": "qwen:latest", "context_length": 65_536}]}
        await model.measure()
        assert model.window == 65_536


async def test_a_cloud_model_of_ollama_has_all_of_its_window() -> None:
    cloud = RoleSettings(model="qwen:cloud")
    async with server({"/api/show": UNSHOWN}, profile="ollama", main=cloud) as model:
        await model.measure()
        assert model.window == 262_144


async def test_a_window_that_is_told_replaces_one_that_was_learnt() -> None:
    """The server may have been started with another one since; a likely one does not."""
    shown: dict[str, Json] = {"/api/show": UNSHOWN}
    async with server(shown, profile="ollama") as model:
        await model.prepare()
        model._known.recall(Learnt(window=9_000), window=True)
        await model.measure()
        assert model.window == 9_000
        shown["/api/ps"] = LOADED
        await model.measure()
        assert model.window == 4_096


@pytest.mark.parametrize(
    ("settings", "window", "priced"),
    [
        ({}, 1_000_000, True),
        ({"base_url": "http://127.0.0.1:8080"}, 1_000_000, False),
        ({"base_url": "http://localhost:8080", "profile": "ollama"}, 200_000, False),
        ({"base_url": "http://[::1]:8080", "profile": "vllm"}, 200_000, False),
        ({"base_url": "https://gateway.example"}, 1_000_000, True),
        ({"base_url": "http://127.0.0.1:1", "main": {"model": "claude-opus-5-5"}}, 1_000_000, True),
        ({"base_url": "http://127.0.0.1:1", "main": {"model": "qwen"}}, 200_000, False),
    ],
)
def test_the_default_name_says_nothing_of_what_answers_on_this_machine(
    settings: Json, window: int, *, priced: bool
) -> None:
    chosen = ModelSettings(**settings)
    facts = facts_at(chosen.main, chosen)
    assert (facts.window, facts.price is not None) == (window, priced)
