"""Limits of a run, in tokens, money, turns and repetitions."""

from dataclasses import replace

import pytest

from glossator.agent.agent import Stop
from glossator.agent.guard import Guard
from glossator.core.events import Usage
from glossator.llm.model import Reply, StopReason, ToolCall
from glossator.settings.model import LimitSettings

CALL = ToolCall("t", "Grep", {"pattern": "x"})
REPLY = Reply(
    {"role": "assistant", "content": []},
    StopReason.TOOL_USE,
    Usage(60, 30, 5, 5),
    "",
    (CALL,),
    dollars=0.01,
)


@pytest.mark.parametrize(
    ("limits", "dollars", "after", "stop", "said"),
    [
        ({"turns": 2}, None, 2, Stop.TURNS, "2 turns"),
        ({"tokens": 200}, None, 2, Stop.TOKENS, "200 tokens"),
        ({}, 0.03, 3, Stop.MONEY, "$0.03"),
        ({}, 0.001, 1, Stop.MONEY, "$0.001"),
        ({"repeats": 4}, None, 4, Stop.REPETITION, "4 times"),
        ({"seconds": 1e-9}, None, 0, Stop.TIME, "seconds"),
    ],
)
def test_limits(
    limits: dict[str, int], dollars: float | None, after: int, stop: Stop, said: str
) -> None:
    guard = Guard(LimitSettings(**({"repeats": 99} | limits)), dollars)
    for _ in range(after):
        if stop is not Stop.TIME:
            assert guard.exceeded((CALL,)) is None
        guard.count(REPLY)
    assert guard.exceeded((CALL,)) is stop
    assert said in guard.explain(stop)


def test_an_unknown_price_is_no_price_and_is_told() -> None:
    guard = Guard(LimitSettings(), 0.02)
    told = []
    for dollars in (0.01, None):
        guard.count(replace(REPLY, dollars=dollars, tool_calls=()))
        told.append(guard.is_blind)
    assert told == [False, True]
    assert guard.spending.dollars is None
    assert guard.exceeded(()) is None
    guard.count(replace(REPLY, tool_calls=()))
    assert guard.exceeded(()) is Stop.MONEY


def test_without_a_limit_no_price_is_asked_for() -> None:
    guard = Guard(LimitSettings())
    guard.count(replace(REPLY, dollars=None))
    assert not guard.is_blind
    assert guard.exceeded(()) is None
