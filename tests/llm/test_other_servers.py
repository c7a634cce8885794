"""Servers that answer something else than the Messages API, and clouds without credentials."""

import logging
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from aiohttp import web

from glossator.core.errors import ModelError, ModelRefused, ModelUnavailable, StreamCut
from glossator.llm.anthropic_model import AnthropicModel
from glossator.llm.backends import client_factory
from glossator.settings.models import ModelSettings, RoleSettings
from tests.llm.asking import ENVIRONMENT, asker, events_of, request_of
from tests.standin import Text, Turn


@asynccontextmanager
async def server(status: int, kind: str, body: bytes) -> AsyncIterator[AnthropicModel]:
    """A model behind a server that always answers the same."""

    async def answer(_request: web.Request) -> web.Response:
        return web.Response(status=status, body=body, headers={"content-type": kind})

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    settings = ModelSettings(base_url=f"http://{host}:{port}", max_retries=0)
    model = AnthropicModel(settings.main, settings, client_factory(settings, ENVIRONMENT))
    try:
        yield model
    finally:
        await model.close()
        await runner.cleanup()


@pytest.mark.parametrize(
    ("status", "kind", "body", "error", "words"),
    [
        (200, "text/html", b"<html>Log in</html>", StreamCut, "before the reply was whole"),
        (204, "text/plain", b"", StreamCut, "before the reply was whole"),
        (302, "text/html", b"", ModelRefused, "302"),
        (500, "text/html", b"<html>Oops</html>", ModelUnavailable, "Oops"),
        (502, "text/html", b"", ModelUnavailable, "gateway"),
        (200, "text/event-stream", b"event: message_start\ndata: []\n\n", StreamCut, "whole"),
        (200, "text/event-stream", b"event: message_start\ndata: 5x\n\n", StreamCut, "broke off"),
        (200, "text/event-stream", b"event: message_start\ndata: \xff\n\n", StreamCut, "broke off"),
    ],
)
async def test_other_answers(
    status: int, kind: str, body: bytes, error: type[ModelError], words: str
) -> None:
    async with server(status, kind, body) as model:
        with pytest.raises(error, match=words):
            await events_of(model, request_of())


async def test_untold_limits_of_an_unlisted_model_are_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    async with asker([Turn(Text("Hi."))], main=RoleSettings(model="unheard-of")) as ask:
        await ask.model.prepare()
        await ask.model._ask_limits(await ask.model._open())
        assert ask.model.window == 200_000
    (record,) = [r for r in caplog.records if r.name.startswith("glossator")]
    assert record.levelname == "WARNING"
    assert "200000 tokens of context and 8000 of output are assumed" in record.getMessage()


@pytest.mark.parametrize("error", ["RuntimeError", "BotoCoreError"])
async def test_a_cloud_without_credentials(error: str, monkeypatch: pytest.MonkeyPatch) -> None:
    library = ModuleType("botocore.exceptions")
    library.BotoCoreError = type("BotoCoreError", (Exception,), {})  # type: ignore[attr-defined] # a library that is not installed
    monkeypatch.setitem(sys.modules, "botocore", ModuleType("botocore"))
    monkeypatch.setitem(sys.modules, "botocore.exceptions", library)
    raised = {"RuntimeError": RuntimeError, **vars(library)}[error]

    async def create(**_body: Any) -> None:
        raise raised("No profile.")

    async def close() -> None:
        return

    client = SimpleNamespace(messages=SimpleNamespace(create=create), close=close)
    settings = ModelSettings(backend="bedrock")
    model = AnthropicModel(settings.main, settings, lambda: client)
    with pytest.raises(ModelRefused, match=r"No profile.*Set up your AWS credentials"):
        await events_of(model, request_of())
    await model.close()
