"""A redirect of the model's server takes neither the conversation nor the key anywhere."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from aiohttp import web

from glossator.core.errors import ModelRefused
from glossator.llm import anthropic_model, backends
from glossator.llm.anthropic_model import AnthropicModel
from glossator.llm.backends import KEY_VARIABLE, client_factory
from glossator.settings.models import Backend, ModelSettings
from tests.llm.asking import KEY, events_of, request_of

BACKENDS: tuple[Backend, ...] = ("anthropic", "bedrock", "vertex", "foundry")
STATUSES = (301, 302, 303, 307, 308)
ENVIRONMENT = dict.fromkeys(KEY_VARIABLE.values(), KEY)


@dataclass
class Elsewhere:
    """Another origin: how often it was connected to, and what it was sent."""

    origin: str = ""
    connections: int = 0
    received: bytearray = field(default_factory=bytearray)

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.received += await reader.read(65536)
        writer.close()


@asynccontextmanager
async def elsewhere() -> AsyncIterator[Elsewhere]:
    other = Elsewhere()
    async with await asyncio.start_server(other.take, "127.0.0.1", 0) as server:
        other.origin = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        yield other


@asynccontextmanager
async def redirecting(status: int, location: str) -> AsyncIterator[tuple[str, list[str]]]:
    """A server that redirects whatever it is asked: its address, and the paths it was asked."""
    asked: list[str] = []

    async def answer(request: web.Request) -> web.Response:
        asked.append(request.path)
        return web.Response(status=status, headers={"location": location} if location else {})

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    try:
        yield f"http://{host}:{port}", asked
    finally:
        await runner.cleanup()


async def the_refusal(
    base_url: str,
    act: Callable[[AnthropicModel], Awaitable[object]],
    backend: Backend = "anthropic",
) -> ModelRefused:
    """What a model behind `base_url` raises."""
    settings = ModelSettings(
        backend=backend, base_url=base_url, region="r", project="p", max_retries=2
    )

    def make() -> object:
        client = client_factory(settings, ENVIRONMENT)()
        if backend == "vertex":
            client.access_token = KEY  # of Google's library otherwise, which need not be here
        return client

    model = AnthropicModel(settings.main, settings, make)
    try:
        with pytest.raises(ModelRefused) as caught:
            await act(model)
    finally:
        await model.close()
    return caught.value


async def ask(model: AnthropicModel) -> None:
    await events_of(model, request_of())


async def list_models(model: AnthropicModel) -> None:
    await model.offered()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("status", STATUSES)
async def test_a_question_goes_to_no_other_origin(
    backend: Backend, status: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(backends, "find_spec", lambda _name: object())  # extras need not be there
    monkeypatch.setattr(anthropic_model, "credential_errors", lambda _backend: ())
    async with elsewhere() as other, redirecting(status, f"{other.origin}/steal") as (url, asked):
        refusal = await the_refusal(url, ask, backend)
        assert (other.connections, bytes(other.received)) == (0, b"")
        assert len(asked) == 1, "and it is not tried again"
        assert f"redirect ({status} to {other.origin})" in str(refusal)
        assert "models.baseUrl" in str(refusal)
        assert KEY not in "".join(traceback.format_exception(refusal)) + caplog.text


@pytest.mark.parametrize("status", STATUSES)
async def test_the_list_of_models_is_asked_of_no_other_origin(status: int) -> None:
    async with elsewhere() as other, redirecting(status, f"{other.origin}/v1/models") as (url, _):
        assert other.origin in str(await the_refusal(url, list_models))
        assert (other.connections, bytes(other.received)) == (0, b"")


async def test_nor_are_a_models_limits(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    async with elsewhere() as other, redirecting(307, other.origin) as (url, _):
        settings = ModelSettings(base_url=url)
        model = AnthropicModel(settings.main, settings, client_factory(settings, ENVIRONMENT))
        await model._ask_limits(await model._open())
        await model.close()
        assert "answers with a redirect" in caplog.text
        assert other.connections == 0


@pytest.mark.parametrize(
    ("location", "said"),
    [
        ("/v1/messages?again=1", "(307 to http://127.0.0.1:"),  # of the same origin
        ("//evil.example/x", "(307 to http://evil.example)"),
        ("https://user:secret@evil.example/p?q", "(307 to https://evil.example)"),
        ("http://[::1", "(307)"),
        ("", "(307)"),
        ("https://{server}.example", "(307 to https://{server}.example)"),
    ],
)
async def test_where_it_leads_is_named_and_no_more(location: str, said: str) -> None:
    async with redirecting(307, location) as (url, asked):
        refusal = str(await the_refusal(url, ask))
    assert said in refusal
    assert "secret" not in refusal
    assert len(asked) == 1
