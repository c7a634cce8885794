"""What a progress bar says of a run: what it does, which step it is at, and for how long."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from glossator.core import answer as so_far
from glossator.core.events import Todo, TodoChanged, TodoState, ToolFinished
from glossator.lsp import progress
from glossator.lsp.progress import ProgressBar
from tests.patience import until


@dataclass
class Bars:
    """What pygls was told to report."""

    tokens: dict[str, asyncio.Future[None]] = field(default_factory=dict)
    messages: list[str | None] = field(default_factory=list)

    def begin(self, token: str, value: Any) -> None:
        self.tokens[token] = asyncio.get_running_loop().create_future()
        self.messages.append(value.message)

    def report(self, _token: str, value: Any) -> None:
        self.messages.append(value.message)

    def end(self, _token: str, _value: Any) -> None:
        """The bar is gone."""


def shown(bars: Bars) -> ProgressBar:
    bar = ProgressBar(bars, "t", "Glossator: Ask", lambda: None)  # type: ignore[arg-type]
    bar.begin()
    return bar


async def test_the_step_under_way_stands_behind_what_is_done() -> None:
    bars = Bars()
    bar = shown(bars)
    bar.show(TodoChanged((Todo("Look", TodoState.DONE), Todo("Add it", TodoState.ACTIVE))))
    bar.show(ToolFinished("c", "Grep", "3 matches", error=False, milliseconds=1))
    bar.end()
    assert bars.messages == [None, "2 of 2: Add it", "Find text: 3 matches · 2 of 2: Add it"]


async def test_the_time_is_shown_also_while_nothing_happens(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [100.0]
    monkeypatch.setattr(so_far, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(progress, "_CLOCK_SECONDS", 0.001)
    bars = Bars()
    bar = shown(bars)
    timing = asyncio.create_task(bar.keep_time())
    bar.show(ToolFinished("c", "Bash", "npm test", error=False, milliseconds=1))
    await until(lambda: bars.messages.count("Run: npm test") > 1)
    now[0] += 12
    await until(lambda: "Run: npm test · 12 s" in bars.messages)
    timing.cancel()
    bar.end()
