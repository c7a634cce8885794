"""Limits of a run, in tokens, money, turns and repetitions."""

from dataclasses import replace

import pytest

from glossator.core.events import Usage
from glossator.core.tool_result import ToolResult
from glossator.llm.meter import Meter, Spending, SpendingLimit
from glossator.llm.model import Reply, StopReason, ToolCall
from glossator.llm.offline import OfflineModel
from glossator.settings.model import LimitSettings
from glossator.turn.guard import Guard
from glossator.turn.run import Stop
from tests.turn.running import LoneRun

NOTHING = Spending()
CALL = ToolCall("t", "Grep", {"pattern": "x"})
REPLY = Reply(
    {"role": "assistant", "content": []},
    StopReason.TOOL_USE,
    Usage(60, 30, 5, 5),
    "",
    (CALL,),
    dollars=0.01,
)


def guard_of(limits: dict[str, float], before: Spending = NOTHING) -> Guard:
    """The guard of a run in a session that has taken `before`."""
    chosen = LimitSettings.model_validate(limits)
    budgets = SpendingLimit.of_run(chosen), SpendingLimit.of_session(chosen, before)
    run = LoneRun(OfflineModel())
    return Guard(chosen, Meter(budgets), {}, run)


def arrived(guard: Guard, reply: Reply) -> None:
    guard.meter.count(reply)
    guard.count()


@pytest.mark.parametrize(
    ("limits", "after", "stop", "said"),
    [
        ({"turns": 2}, 2, Stop.TURNS, "2 turns"),
        ({"tokens": 200}, 2, Stop.TOKENS, "the limit of 200 tokens"),
        ({"dollars": 0.03}, 3, Stop.MONEY, "the limit of $0.03"),
        ({"dollars": 0.001}, 1, Stop.MONEY, "$0.001"),
        ({"session_tokens": 650}, 2, Stop.TOKENS, "the session's limit of 650 tokens"),
        ({"session_dollars": 0.07}, 2, Stop.MONEY, "the session's limit of $0.07"),
        ({"seconds": 1e-9}, 0, Stop.TIME, "seconds"),
    ],
)
def test_limits(limits: dict[str, float], after: int, stop: Stop, said: str) -> None:
    guard = guard_of({"repeats": 99} | limits, before=Spending(Usage(500), known_dollars=0.05))
    for _ in range(after):
        if stop is not Stop.TIME:
            assert guard.exceeded((CALL,)) is None
        arrived(guard, REPLY)
    assert guard.exceeded((CALL,)) is stop
    assert said in guard.explain(stop)


def test_repetition_is_a_limit_once_it_was_warned_of() -> None:
    guard = guard_of({"repeats": 4})
    for _ in range(3):
        assert not guard.repeated((CALL,))
        arrived(guard, REPLY)
        guard.made((CALL,), {CALL.id: ToolResult("Found.")})
    assert guard.repeated((CALL,)) == {CALL.id}
    assert guard.exceeded((CALL,)) is None
    guard.warn()
    assert guard.exceeded((CALL,)) is Stop.REPETITION
    assert "4 times" in guard.explain(Stop.REPETITION)
    guard.forget()
    assert guard.exceeded((CALL,)) is None


def test_an_unknown_price_is_no_price_and_is_told() -> None:
    guard = guard_of({"dollars": 0.02})
    told = []
    for dollars in (0.01, None):
        arrived(guard, replace(REPLY, dollars=dollars, tool_calls=()))
        told.append(guard.meter.is_blind)
    assert told == [False, True]
    assert guard.meter.spending.dollars is None
    assert guard.exceeded(()) is None
    arrived(guard, replace(REPLY, tool_calls=()))
    assert guard.exceeded(()) is Stop.MONEY


def test_without_a_limit_no_price_is_asked_for() -> None:
    guard = guard_of({})
    arrived(guard, replace(REPLY, dollars=None))
    assert not guard.meter.is_blind
    assert guard.exceeded(()) is None


def test_of_two_limits_of_a_kind_the_runs_own_is_named() -> None:
    guard = guard_of({"tokens": 100, "session_tokens": 550}, before=Spending(Usage(500)))
    arrived(guard, REPLY)
    assert guard.exceeded((CALL,)) is Stop.TOKENS
    assert guard.explain(Stop.TOKENS) == "the limit of 100 tokens is reached"


def test_the_same_arguments_in_another_order_are_a_repetition() -> None:
    guard = guard_of({"repeats": 2})
    arrived(guard, REPLY)
    first = ToolCall("a", "Grep", {"pattern": "x", "path": "y"})
    again = ToolCall("b", "Grep", {"path": "y", "pattern": "x"})
    other = ToolCall("c", "Grep", {"path": "x", "pattern": "y"})
    guard.made((first,), {"a": ToolResult("Found.")})
    assert guard.repeated((again,)) == {"b"}
    assert not guard.repeated((other,))
