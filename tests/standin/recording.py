"""What the stand-in saw and refused, and waiting for it."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any


@dataclass(slots=True)
class Recorded:
    """One POST. Header names are in lower case; times are seconds of the event loop's clock.

    `body` is {} when it was not a JSON object. `disconnected_at` is set when the client closed the
    connection before the whole reply was sent.
    """

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]
    received_at: float
    disconnected_at: float | None = None


class Keeper:
    """Around an answer, keeps what broke the stand-in or a script function, for the test to see."""

    def __init__(self) -> None:
        self.failures: list[Exception] = []

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, Exception) and not isinstance(error, ConnectionResetError):
            self.failures.append(error)


class Journal:
    """Every POST in order, every refusal sent, and the replies still under way."""

    def __init__(self) -> None:
        self.requests: list[Recorded] = []
        self.refusals: list[tuple[int, str]] = []
        self.keep_failure = Keeper()
        self.open_streams = 0
        self._closed = False
        self._changed = asyncio.Event()

    def record(self, path: str, headers: Mapping[str, str], body: dict[str, Any]) -> Recorded:
        """Note a request that has just been read."""
        recorded = Recorded(path, headers, body, asyncio.get_running_loop().time())
        self.requests.append(recorded)
        self._changed.set()
        return recorded

    def disconnected(self, recorded: Recorded) -> None:
        """Note that the client of this request has left, unless the server is the one closing."""
        if self._closed:
            return
        recorded.disconnected_at = asyncio.get_running_loop().time()
        self._changed.set()

    def close(self) -> None:
        """The server ends every reply from here on."""
        self._closed = True

    @property
    def departures(self) -> list[Recorded]:
        """The requests whose client left early, in the order of leaving."""
        left = [(r.disconnected_at, r) for r in self.requests if r.disconnected_at is not None]
        return [recorded for _, recorded in sorted(left, key=lambda pair: pair[0])]

    async def wait_until(self, reached: Callable[[], bool], seconds: float) -> None:
        """Wait for a state of the journal; `TimeoutError` after so many seconds."""
        async with asyncio.timeout(seconds):
            while not reached():
                self._changed.clear()
                await self._changed.wait()
