"""Asks a model that talks to the stand-in, with waits that are recorded instead of slept."""

import random
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from glossator.llm.anthropic_model import AnthropicModel
from glossator.llm.backends import client_factory
from glossator.llm.conversation import user_message
from glossator.llm.failures import RetryPolicy
from glossator.llm.model import Message, Model, ModelEvent, ModelRequest, Reply, ToolSpec
from glossator.llm.request import DEFAULT_OPTIONS, ModelOptions
from glossator.settings.models import ModelSettings
from tests.standin import Script, StandIn

KEY = "sk-test-0123456789abcdef"
ENVIRONMENT = {"ANTHROPIC_API_KEY": KEY}
NAMED: dict[str, Any] = {"main": ModelSettings().main}  # on this machine others have no price
TOOLS = tuple(
    ToolSpec(
        name, f"Runs {name}.", {"type": "object", "properties": {"pattern": {"type": "string"}}}
    )
    for name in ("Grep", "Glob")
)


@dataclass
class Asker:
    """A model, the server it asks, and the waits it would have slept."""

    model: AnthropicModel
    api: StandIn
    waits: list[float] = field(default_factory=list)

    async def ask(self, *messages: Message, **changes: Any) -> list[ModelEvent]:
        """All events of one request."""
        return await events_of(self.model, request_of(*messages, **changes))

    async def reply(self, *messages: Message, **changes: Any) -> Reply:
        """The reply to one request."""
        last = (await self.ask(*messages, **changes))[-1]
        assert isinstance(last, Reply)
        return last


@asynccontextmanager
async def asker(
    script: Script,
    environment: Mapping[str, str] = ENVIRONMENT,
    options: ModelOptions = DEFAULT_OPTIONS,
    **settings: Any,
) -> AsyncIterator[Asker]:
    async with StandIn(script) as api:
        chosen = ModelSettings(base_url=api.base_url, **NAMED | settings)
        waits: list[float] = []

        async def sleep(seconds: float) -> None:
            waits.append(seconds)

        policy = RetryPolicy(chosen.max_retries, chosen.max_retry_wait, random.Random(7), sleep)
        factory = client_factory(chosen, environment)
        model = AnthropicModel(chosen.main, chosen, factory, policy, options)
        try:
            yield Asker(model, api, waits)
        finally:
            await model.close()


def request_of(*messages: Message, **changes: Any) -> ModelRequest:
    fields: dict[str, Any] = {"system": ("Shared.", "Of this session."), "tools": TOOLS}
    return ModelRequest(**(fields | changes), messages=messages or (user_message("Hello?"),))


async def events_of(model: Model, request: ModelRequest) -> list[ModelEvent]:
    return [event async for event in model.stream(request)]
