"""Servers of models on this machine are found by what they answer; others are left alone."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web

from glossator.llm import local_servers
from glossator.llm.local_servers import KINDS, LocalServer, find_local_servers

Json = dict[str, Any]
Seen = list[tuple[str, str]]

TAGS = {"models": [
    {"name": "qwen3-coder:30b", "model": "qwen3-coder:30b"},
    {"name": "nomic-embed-text:latest", "model": "nomic-embed-text:latest"},
    {"name": "glm-5:cloud", "model": "glm-5:cloud"},
]}  # fmt: skip
STUDIO = {"object": "list", "data": [
    {"id": "gemma", "type": "vlm", "state": "not-loaded"},
    {"id": "nomic", "type": "embeddings", "state": "loaded"},
    {"id": "qwen", "type": "llm", "state": "loaded"},
]}  # fmt: skip
LLAMA = {"object": "list", "data": [{"id": "gpt-oss-20b", "owned_by": "llamacpp"}]}
OTHER = {"object": "list", "data": [{"id": "gpt-oss-20b", "owned_by": "somebody"}]}
INVALID = web.HTTPBadRequest, '{"type": "error"}'
MISSING = web.HTTPNotFound, "404 page not found"
STUDIO_MISSING = web.HTTPOk, '{"error": "Unexpected endpoint or method. (POST /v1/messages)"}'


@asynccontextmanager
async def serving(
    monkeypatch: pytest.MonkeyPatch,
    profile: str,
    answers: Mapping[str, Json],
    messages: tuple[type[web.Response], str],
) -> AsyncIterator[tuple[str, Seen]]:
    """Such a server alone is on this machine: its address, and what it was asked."""
    seen: Seen = []

    async def answer(request: web.Request) -> web.Response:
        seen.append((request.method, request.path))
        if request.path == "/v1/messages":
            kind, text = messages
            return web.Response(status=kind.status_code, text=text)  # type: ignore[attr-defined]
        if request.path not in answers:
            raise web.HTTPNotFound
        return web.json_response(answers[request.path])

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port = runner.addresses[0][1]
    kinds = tuple(replace(kind, port=port) for kind in KINDS if kind.profile == profile)
    monkeypatch.setattr(local_servers, "KINDS", kinds)
    try:
        yield f"http://127.0.0.1:{port}", seen
    finally:
        await runner.cleanup()


@pytest.mark.parametrize(
    ("profile", "answers", "messages", "models", "problem"),
    [
        ("ollama", {"/api/tags": TAGS}, INVALID, ("qwen3-coder:30b",), ""),
        ("ollama", {"/api/tags": TAGS}, MISSING, ("qwen3-coder:30b",), "Update Ollama"),
        ("ollama", {"/api/tags": {"models": []}}, INVALID, (), "no model that chats"),
        ("lmstudio", {"/api/v0/models": STUDIO}, INVALID, ("qwen", "gemma"), ""),
        ("lmstudio", {"/api/v0/models": STUDIO}, STUDIO_MISSING, ("qwen", "gemma"), "Update LM"),
        ("llama.cpp", {"/v1/models": LLAMA}, INVALID, ("gpt-oss-20b",), ""),
        ("llama.cpp", {"/v1/models": LLAMA}, MISSING, ("gpt-oss-20b",), "Update llama.cpp"),
    ],
)
async def test_what_answers_is_found(
    monkeypatch: pytest.MonkeyPatch,
    profile: str,
    answers: Mapping[str, Json],
    messages: Any,
    models: tuple[str, ...],
    problem: str,
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")  # which must not be asked
    async with serving(monkeypatch, profile, answers, messages) as (url, _):
        (found,) = await find_local_servers()
    assert (found.profile, found.url, found.models) == (profile, url, models)
    assert problem in found.problem
    assert bool(problem) == bool(found.problem)


@pytest.mark.parametrize(
    ("profile", "answers"),
    [
        ("llama.cpp", {"/v1/models": OTHER}),
        ("llama.cpp", {}),
        ("ollama", {"/api/tags": {"models": "none"}}),
        ("lmstudio", {"/api/v0/models": OTHER}),
    ],
)
async def test_another_program_at_the_port_is_left_alone(
    monkeypatch: pytest.MonkeyPatch, profile: str, answers: Mapping[str, Json]
) -> None:
    async with serving(monkeypatch, profile, answers, INVALID) as (_, seen):
        assert await find_local_servers() == ()
    assert [method for method, _ in seen] == ["GET"]


async def test_nothing_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_servers, "KINDS", (replace(KINDS[0], port=1),))
    nothing: tuple[LocalServer, ...] = ()
    assert await find_local_servers() == nothing
