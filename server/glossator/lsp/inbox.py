"""What the client sends, message by message.

A message is handed on in the very step of the event loop that read it: while the interpreter is
busy, each further step would cost some milliseconds. Of several that came at once each has a step
of its own, so that a request's first step sees the state at its place in the order.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from glossator.lsp.frames import Frames, MalformedFrame, TooLarge

FRAME_SECONDS = 30.0  # from a frame's first byte to its last one
_MUCH = 1024 * 1024  # bytes of frames that wait; then no more are read
_CHUNK = 64 * 1024


class Inbox(asyncio.Protocol):
    """Hands the bodies of frames to `receive`, which must not raise.

    `ended` is called once: when all was handed on, with None, or with what ended it early, a
    `MalformedFrame` or an `OSError`.
    """

    def __init__(
        self,
        receive: Callable[[bytes | TooLarge], None],
        ended: Callable[[Exception | None], None],
        seconds: float = FRAME_SECONDS,
    ) -> None:
        self._receive = receive
        self._ended = ended
        self._seconds = seconds
        self._loop = asyncio.get_running_loop()
        self._frames = Frames()
        self._transport: asyncio.ReadTransport | None = None
        self._handing_on = self._paused = self._eof = self._over = False
        self._late: asyncio.TimerHandle | None = None

    @property
    def full(self) -> bool:
        """Whether so much waits that nothing more should be read for now."""
        return self._handing_on and len(self._frames) > _MUCH

    async def room(self) -> None:
        """Wait until more may be read."""
        while self.full:  # noqa: ASYNC110 - each step of the event loop hands on a message
            await asyncio.sleep(0)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See `asyncio.Protocol`."""
        assert isinstance(transport, asyncio.ReadTransport)  # noqa: S101 - what it is made for
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        self._frames.feed(data)
        if not self._handing_on:
            self._hand_on()
        elif self.full and self._transport is not None and not self._paused:
            self._paused = True
            self._transport.pause_reading()

    def eof_received(self) -> None:
        """See `asyncio.Protocol`."""
        self._eof = True
        if not self._handing_on:
            self._hand_on()

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        if exc is not None:
            self._end(exc)
        elif not self._eof:
            self.eof_received()

    def _hand_on(self) -> None:
        """Hand on the next message, if it is there."""
        self._handing_on = False
        if self._over:
            return
        try:
            body = self._frames.take()
            if body is None and self._eof:
                self._frames.end()
        except MalformedFrame as error:
            self._end(error)
            return
        if body is None:
            self._wait_for_more()
            return
        if self._late is not None:
            self._late.cancel()
            self._late = None
        self._handing_on = True
        self._receive(body)
        self._loop.call_soon(self._hand_on)  # after the first step of a request

    def _wait_for_more(self) -> None:
        if self._eof:
            self._end(None)
        elif self._frames.begun and self._late is None:
            self._late = self._loop.call_later(self._seconds, self._give_up)
        if self._paused and self._transport is not None:
            self._paused = False
            self._transport.resume_reading()

    def _give_up(self) -> None:
        self._end(MalformedFrame(f"a frame was not whole after {self._seconds:g} s"))

    def _end(self, problem: Exception | None) -> None:
        if not self._over:
            self._over = True
            if self._late is not None:
                self._late.cancel()
            self._ended(problem)


async def pump(stream: asyncio.StreamReader, inbox: Inbox) -> None:
    """Give an inbox all that a stream holds."""
    try:
        while data := await stream.read(_CHUNK):
            inbox.data_received(data)
            await inbox.room()
    except OSError as error:
        inbox.connection_lost(error)
    else:
        inbox.eof_received()
