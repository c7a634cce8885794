"""The table of states: every way through it ends, within bounds, and a wrong signal is a bug."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossator.core.run_events import RunState, StateChanged
from glossator.turn.orchestrator import ENDS, MOST, TABLE, Orchestrator, Signal

LONGEST = 40  # transitions of a run, far above what the bounds allow


def machine(*signals: Signal) -> tuple[Orchestrator, list[StateChanged]]:
    events: list[StateChanged] = []
    orchestrator = Orchestrator(events.append)
    for each in signals:
        orchestrator.on(each)
    return orchestrator, events


def legal(orchestrator: Orchestrator) -> list[Signal]:
    return [each for each in Signal if orchestrator.may(each)]


def test_every_state_is_in_the_table() -> None:
    reached = {each.to for each in TABLE.values()} | {RunState.IDLE}
    assert reached - {None} == set(RunState)
    assert {state for state, _ in TABLE} == set(RunState) - ENDS
    assert {signal for _, signal in TABLE} == set(Signal)


@given(st.data())
def test_every_sequence_ends_within_bounds(data: st.DataObject) -> None:
    orchestrator, events = machine()
    orchestrator.state = data.draw(st.sampled_from(RunState))
    seen: Counter[Signal] = Counter()
    while orchestrator.state not in ENDS:
        signal = data.draw(st.sampled_from(legal(orchestrator)))
        orchestrator.on(signal)
        seen[signal] += 1
        assert len(events) < LONGEST
    assert legal(orchestrator) == []
    assert all(seen[signal] <= most for signal, most in MOST.items())
    assert seen[Signal.FELL] <= 2
    assert [event.state for event in events][-1:] in ([], [orchestrator.state])


def test_no_way_is_longer_than_the_bounds_allow() -> None:
    """Every way from every state, without failing and cancelling, which end at once."""

    def longest(*signals: Signal) -> int:
        orchestrator, _ = machine(*signals)
        ways = [s for s in legal(orchestrator) if s not in (Signal.FAILED, Signal.CANCELLED)]
        if not ways:
            assert orchestrator.state is RunState.DONE
            return len(signals)
        return max(longest(*signals, each) for each in ways)

    assert longest() == 27


@pytest.mark.parametrize("state", sorted(set(RunState) - ENDS))
def test_every_state_can_fail_and_be_cancelled(state: RunState) -> None:
    assert TABLE[state, Signal.FAILED].to is RunState.FAILED
    assert TABLE[state, Signal.CANCELLED].to is RunState.CANCELLED


def test_a_question_goes_back_to_where_it_came_up() -> None:
    way = (Signal.ASKED, Signal.COMPLEX, Signal.AMBIGUITY)
    orchestrator, events = machine(*way, Signal.CLARIFIED, Signal.PLANNED)
    assert [event.state.value for event in events] == [
        "ANALYSING",
        "PLANNING",
        "CLARIFYING",
        "PLANNING",
        "EXECUTING",
    ]
    assert orchestrator.may(Signal.CONFLICT)  # which is another question
    orchestrator.on(Signal.CONFLICT)
    orchestrator.on(Signal.CLARIFIED)
    assert not orchestrator.may(Signal.CONFLICT)


def test_a_wrong_signal_is_a_bug() -> None:
    orchestrator, events = machine(Signal.ASKED)
    with pytest.raises(AssertionError, match="In the state ANALYSING there is no signal 'fell'"):
        orchestrator.on(Signal.FELL)
    assert (orchestrator.state, len(events)) == (RunState.ANALYSING, 1)


async def test_a_run_that_fails_or_is_cancelled() -> None:
    orchestrator, _ = machine(Signal.ASKED)
    with pytest.raises(KeyError), orchestrator.ending():
        raise KeyError
    assert orchestrator.state is RunState.FAILED
    orchestrator, _ = machine(Signal.ASKED)
    with pytest.raises(asyncio.CancelledError), orchestrator.ending():
        raise asyncio.CancelledError
    assert orchestrator.state is RunState.CANCELLED


async def test_a_run_that_was_done_when_it_was_cancelled_stays_done() -> None:
    way = (Signal.ASKED, Signal.SIMPLE, Signal.ANSWERED, Signal.CHECKED)
    orchestrator, events = machine(*way)
    assert orchestrator.state is RunState.DONE
    with pytest.raises(asyncio.CancelledError), orchestrator.ending():
        raise asyncio.CancelledError
    assert (orchestrator.state, len(events)) == (RunState.DONE, len(way))
