"""A keyboard at which several wait loses no line, however soon a wait ends."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext

import pytest

from glossator.cli.terminal import SharedKeyboard


class Typed:
    """Gives the lines that were typed."""

    def __init__(self) -> None:
        self.lines: asyncio.Queue[str] = asyncio.Queue()

    async def line(self) -> str:
        return await self.lines.get()

    def forget(self) -> None:
        while not self.lines.empty():
            self.lines.get_nowait()

    def aside(self) -> nullcontext[None]:
        return nullcontext()

    def put(self, text: str) -> bool:
        raise NotImplementedError(text)

    def lend(self) -> nullcontext[None]:
        return nullcontext()


@pytest.mark.parametrize("turns", range(6))
async def test_a_line_that_comes_as_its_reader_is_cancelled_is_for_the_next_one(turns: int) -> None:
    typed = Typed()
    keyboard = SharedKeyboard(typed)
    reader = asyncio.create_task(keyboard.line())
    await asyncio.sleep(0.01)
    typed.lines.put_nowait("one")
    for _ in range(turns):  # of the event loop, between the line and the cancelling
        await asyncio.sleep(0)
    was_read = reader.done()
    reader.cancel()
    await asyncio.wait({reader})
    if was_read:
        assert reader.result() == "one"
    else:
        async with asyncio.timeout(5):
            assert await keyboard.line() == "one"
