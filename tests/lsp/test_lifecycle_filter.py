"""What waits for the application, when something else happens meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from lsprotocol import types

from glossator.lsp.lifecycle import Dispatcher, LifecycleFilter, ServerPhase


@dataclass
class Passed:
    """What was let through, and refused; `then` is called with each that was let through."""

    ids: list[int | str] = field(default_factory=list)
    refused: dict[int | str, str] = field(default_factory=dict)
    then: Callable[[], object] = lambda: None

    def dispatch(self, message: Any) -> None:
        self.ids.append(message.id)
        self.then()

    def answer_error(self, msg_id: int | str, error: Exception) -> None:
        self.refused[msg_id] = str(error)


def waiting(passed: Passed) -> LifecycleFilter:
    lifecycle = LifecycleFilter(cast("Dispatcher", passed))
    lifecycle.phase = ServerPhase.STARTING
    where = types.TextDocumentIdentifier("file:///a")
    for number in range(3):
        params = types.HoverParams(where, types.Position(0, 0))
        lifecycle.admit(types.HoverRequest(number, params))
    assert not passed.ids
    return lifecycle


async def test_what_waited_passes_in_order_once_there_is_an_application() -> None:
    passed = Passed()
    lifecycle = waiting(passed)
    await lifecycle.open()
    assert (passed.ids, passed.refused, lifecycle.phase) == ([0, 1, 2], {}, ServerPhase.RUNNING)


@pytest.mark.parametrize("phase", [ServerPhase.STOPPING, ServerPhase.FAILED])
async def test_an_end_while_it_opens_is_the_end(phase: ServerPhase) -> None:
    passed = Passed()
    lifecycle = waiting(passed)
    passed.then = lifecycle.stop if phase is ServerPhase.STOPPING else lambda: lifecycle.fail("No.")
    await asyncio.wait_for(lifecycle.open(), 10)
    assert (passed.ids, sorted(passed.refused)) == ([0], [1, 2])
    assert lifecycle.phase is phase
