"""Words for a run: who gave them hears whether they were told, and takes them back until then."""

from __future__ import annotations

import asyncio

import pytest

from glossator.core.events import RunFinished
from glossator.sessions.runs import Runs, Steering
from tests.stage import Recorder


async def said(steering: Steering) -> asyncio.Task[bool]:
    saying = asyncio.create_task(steering.say("Look."))
    await asyncio.sleep(0)
    return saying


async def test_words_are_told_once() -> None:
    steering = Steering()
    assert not await steering.say("Look.")
    steering.open()
    saying = await said(steering)
    assert [words.text for words in steering.take()] == ["Look."]
    assert await saying
    left_over = await said(steering)
    steering.close()
    assert not await left_over


async def test_words_that_were_taken_back_are_not_told() -> None:
    """Also where their caller has not run since."""
    steering = Steering()
    steering.open()
    saying = await said(steering)
    saying.cancel()
    assert steering.take() == ()
    with pytest.raises(asyncio.CancelledError):
        await saying


async def test_words_that_were_told_cannot_be_taken_back() -> None:
    steering = Steering()
    steering.open()
    saying = await said(steering)
    assert len(steering.take()) == 1
    saying.cancel()
    assert await saying


async def test_words_that_wait_for_a_session_come_when_it_listens_or_is_free() -> None:
    runs = Runs(Recorder())
    await runs.free_or_steered("s")
    async with runs.open("s", None) as run:
        waiting = asyncio.create_task(runs.free_or_steered("s"))
        await asyncio.sleep(0)
        assert not waiting.done()
        run.steering.open()
        await waiting
        run.steering.close()
        waiting = asyncio.create_task(runs.free_or_steered("s"))
        run.emit(RunFinished("answered"))
        await asyncio.sleep(0)
        assert not waiting.done()
    await waiting
