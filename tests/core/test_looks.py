"""Short looks at the disk that share one thread."""

import asyncio
import contextvars
import threading
from typing import NoReturn

import pytest

from glossator.core.looks import look


async def test_looks_that_begin_together_are_made_in_one_thread() -> None:
    threads = await asyncio.gather(*(look(threading.get_ident) for _ in range(5)))
    assert len(set(threads)) == 1
    assert threads[0] != threading.get_ident()


async def test_each_gets_its_own_result_or_error() -> None:
    def fail() -> NoReturn:
        raise OSError("no disk")

    found = await asyncio.gather(look(int, "1"), look(fail), look(int, "3"), return_exceptions=True)
    assert (found[0], str(found[1]), found[2]) == (1, "no disk", 3)


async def test_one_that_hangs_holds_up_no_other() -> None:
    go = threading.Event()
    async with asyncio.timeout(2):
        hung = [asyncio.create_task(look(go.wait)) for _ in range(2)]
        found = await asyncio.gather(look(int, "1"), look(int, "2"))
        assert not any(each.done() for each in hung)
        go.set()
        assert await asyncio.gather(*hung) == [True, True]
    assert tuple(found) == (1, 2)


async def test_what_was_found_before_one_hangs_is_given() -> None:
    go = threading.Event()
    async with asyncio.timeout(2):
        first = asyncio.create_task(look(int, "1"))
        hung = asyncio.create_task(look(go.wait))
        assert await first == 1
        go.set()
        assert await hung


async def test_a_look_that_nobody_waits_for_harms_no_other() -> None:
    cancelled = asyncio.create_task(look(int, "1"))
    other = asyncio.create_task(look(int, "2"))
    await asyncio.sleep(0)
    cancelled.cancel()
    assert await other == 2
    with pytest.raises(asyncio.CancelledError):
        await cancelled


async def test_what_was_cancelled_before_its_turn_is_not_made() -> None:
    go, made = threading.Event(), list[str]()
    hung = asyncio.create_task(look(go.wait))
    waiting = asyncio.create_task(look(made.append, "made"))
    await asyncio.sleep(0)
    waiting.cancel()
    go.set()
    assert await hung
    assert await look(int, "1") == 1
    assert made == []


async def test_a_look_sees_the_context_of_its_caller() -> None:
    name: contextvars.ContextVar[str] = contextvars.ContextVar("name")
    name.set("caller")
    assert await look(name.get) == "caller"


async def test_later_looks_are_made_too() -> None:
    assert [await look(int, str(number)) for number in range(3)] == [0, 1, 2]
