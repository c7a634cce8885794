"""Words of the user for a run under way: they wait for the next message to the model."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from glossator.core.attached import Attached, Exhibit


@dataclass(frozen=True, slots=True, eq=False)
class SteeredWords:
    """What the user said while the run was on, and what is attached to it."""

    text: str
    attached: tuple[Attached | Exhibit, ...] = ()
    told: asyncio.Future[bool] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


class Steering:
    """The words that wait in one run, oldest first; for the event loop.

    It takes words between `open` and `close`. Nothing is lost: who gave words hears whether they
    were told.
    """

    def __init__(self) -> None:
        self.is_open = False
        self.waiting: list[SteeredWords] = []

    def open(self) -> None:
        """The run hears words from now on."""
        self.is_open = True

    async def say(self, text: str, attached: Sequence[Attached | Exhibit] = ()) -> bool:
        """Have the model told with the next results; whether it was.

        A caller that is cancelled takes the words back, unless they were told.
        """
        if not self.is_open:
            return False
        words = SteeredWords(text, tuple(attached))
        self.waiting.append(words)
        try:
            return await words.told
        except asyncio.CancelledError:
            if words.told.cancelled():
                raise
            return words.told.result()  # it was settled just before
        finally:
            if words in self.waiting:
                self.waiting.remove(words)

    def take(self) -> tuple[SteeredWords, ...]:
        """What waits; it counts as told, so put it into a message before anything is awaited."""
        return self._settle(told=True)

    def close(self) -> None:
        """No more messages go to the model in this run; safe to call again."""
        self.is_open = False
        self._settle(told=False)

    def _settle(self, *, told: bool) -> tuple[SteeredWords, ...]:
        # Words of a caller that was cancelled are taken back, even if it has not run since.
        settled = tuple(words for words in self.waiting if not words.told.done())
        self.waiting = []
        for words in settled:
            words.told.set_result(told)
        return settled
