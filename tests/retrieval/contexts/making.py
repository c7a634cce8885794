"""Documents, a scripted fast model and a generator, for the tests of contexts."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from glossator.llm.anthropic_model import AnthropicModel
from glossator.llm.backends import client_factory
from glossator.llm.failures import RetryPolicy
from glossator.llm.request import ModelOptions
from glossator.retrieval import ContextFile, ContextGenerator, SourceChunk, SourceDocument
from glossator.retrieval.contexts.batches import Pace
from glossator.settings.models import ModelSettings
from tests.standin import Script, StandIn, Text, Turn

ENVIRONMENT = {"ANTHROPIC_API_KEY": "sk-test-0123456789abcdef"}
LINES = 40  # of a chunk


def document(name: str, chunks: int = 3) -> SourceDocument:
    """A document of so many chunks of 40 lines; each of some 400 tokens, and unlike any other."""
    lines = [
        f"{name}_{number} = compute_{name}({number}, 'value')" for number in range(chunks * LINES)
    ]
    parts = tuple(
        SourceChunk(at + 1, at + LINES, "\n".join(lines[at : at + LINES]))
        for at in range(0, len(lines), LINES)
    )
    return SourceDocument(f"src/{name}.py", "\n".join(lines) + "\n", parts)


def blocks(body: dict[str, Any]) -> list[dict[str, Any]]:
    """The blocks of a request for one context."""
    (message,) = body["messages"]
    found: list[dict[str, Any]] = message["content"]
    return found


def chunk_in(body: dict[str, Any]) -> str:
    """The chunk that a request asks about, by its first name: `alpha_40`."""
    named = re.search(r"<chunk-\w+>\n(\S+)", blocks(body)[-1]["text"])
    assert named is not None
    return named[1]


def tell(body: dict[str, Any]) -> Turn:
    """The scripted model's context for a chunk."""
    return Turn(Text(f"It sets {chunk_in(body)}."))


@dataclass
class Maker:
    """A generator, the server that its model asks, and what it would have slept."""

    api: StandIn
    folder: Path
    settings: ModelSettings
    options: ModelOptions
    waits: list[float] = field(default_factory=list)
    on_wait: Callable[[float], None] = lambda _seconds: None
    _models: list[AnthropicModel] = field(default_factory=list)
    _files: list[ContextFile] = field(default_factory=list)

    @property
    def model(self) -> AnthropicModel:
        """A model with its own connections."""

        async def at_once(_seconds: float) -> None:
            pass

        policy = RetryPolicy(2, 60, sleep=at_once)
        factory = client_factory(self.settings, ENVIRONMENT)
        model = AnthropicModel(self.settings.fast, self.settings, factory, policy, self.options)
        self._models.append(model)
        return model

    def contexts(self, name: str = "contexts.sqlite") -> ContextFile:
        """A store of its own connection to one file."""
        self._files.append(ContextFile(str(self.folder / name)))
        return self._files[-1]

    def generator(self, glossary: str = "", **changes: Any) -> ContextGenerator:
        """A generator as a new process would make it."""

        async def sleep(seconds: float) -> None:
            self.waits.append(seconds)
            self.on_wait(seconds)
            await asyncio.sleep(0)

        fields: dict[str, Any] = {"pace": Pace(sleep)} | changes
        folder = str(self.folder / "ledger")
        return ContextGenerator(self.model, self.contexts(), folder, glossary, **fields)

    async def close(self) -> None:
        for model in self._models:
            await model.close()
        for file in self._files:
            await file.close()


@asynccontextmanager
async def maker(
    folder: Path,
    script: Script = tell,
    options: ModelOptions = ModelOptions(),  # noqa: B008 - frozen
    **settings: Any,
) -> AsyncIterator[Maker]:
    named = {"main": ModelSettings().main, "fast": ModelSettings().fast}  # so they have prices
    async with StandIn(script) as api:
        made = Maker(api, folder, ModelSettings(base_url=api.base_url, **named | settings), options)
        try:
            yield made
        finally:
            await made.close()
