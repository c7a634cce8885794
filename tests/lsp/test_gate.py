"""What waits for the application, when something else happens meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from lsprotocol import types

from glossator.lsp.gate import Gate, Phase
from glossator.lsp.protocol import Protocol


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


def waiting(passed: Passed) -> Gate:
    gate = Gate(cast("Protocol", passed))
    gate.phase = Phase.STARTING
    where = types.TextDocumentIdentifier("file:///a")
    for number in range(3):
        params = types.HoverParams(where, types.Position(0, 0))
        gate.admit(types.HoverRequest(number, params))
    assert not passed.ids
    return gate


async def test_what_waited_passes_in_order_once_there_is_an_application() -> None:
    passed = Passed()
    gate = waiting(passed)
    await gate.open()
    assert (passed.ids, passed.refused, gate.phase) == ([0, 1, 2], {}, Phase.RUNNING)


@pytest.mark.parametrize("phase", [Phase.STOPPING, Phase.FAILED])
async def test_an_end_while_it_opens_is_the_end(phase: Phase) -> None:
    passed = Passed()
    gate = waiting(passed)
    passed.then = gate.stop if phase is Phase.STOPPING else lambda: gate.fail("No.")
    await asyncio.wait_for(gate.open(), 10)
    assert (passed.ids, sorted(passed.refused)) == ([0], [1, 2])
    assert gate.phase is phase
