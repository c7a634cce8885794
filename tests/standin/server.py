"""The stand-in as a test uses it: a server for the length of an `async with`."""

from collections.abc import Sequence
from types import TracebackType
from typing import Self

from aiohttp import web

from tests.patience import SECONDS
from tests.standin.api import Api
from tests.standin.recording import Journal, Recorded
from tests.standin.script import Script


class StandIn:
    """The Messages API on a free loopback port.

    Each accepted `POST /v1/messages` plays the next turn of the script, or the turn the script
    function gives for its body. A request beyond the end of the script is answered 500. What a
    script function raises is answered 500 too, and raised again at the end of the `async with`.
    With `guests` it serves other people's clients as well; what they send is not checked.
    """

    def __init__(self, script: Script = (), *, guests: bool = False) -> None:
        self.base_url = ""
        """`http://127.0.0.1:PORT`, from the moment the server listens."""
        self._journal = Journal()
        api = Api(script, self._journal, guests=guests)
        self.batches = api.batches
        """The message batches it was given, and how it treats them."""
        app = api.app()
        # Cancelling a handler when its client leaves is how a departure is seen at once.
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.01)
        self._site: web.TCPSite | None = None

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        self._site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await self._site.start()
        host, port = self._runner.addresses[0][:2]
        self.base_url = f"http://{host}:{port}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._journal.close()
        await self._runner.cleanup()
        for failure in self._journal.keep_failure.failures:
            raise failure

    @property
    def requests(self) -> list[Recorded]:
        """Every POST, accepted or refused, in the order it came."""
        return self._journal.requests

    @property
    def refusals(self) -> list[tuple[int, str]]:
        """(status, message) of every refusal sent; scripted faults are not among them."""
        return self._journal.refusals

    @property
    def open_streams(self) -> int:
        """How many replies are under way."""
        return self._journal.open_streams

    async def stop_listening(self) -> None:
        """Refuse every new connection from now on; open ones go on."""
        assert self._site is not None, "stop_listening() is for inside the `async with`."
        await self._site.stop()

    async def wait_for_requests(
        self,
        count: int,
        timeout: float = SECONDS,  # noqa: ASYNC109 - part of the interface tests call
    ) -> Sequence[Recorded]:
        """Wait until `count` POSTs have come, at most `timeout` seconds; then all of them."""
        await self._journal.wait_until(lambda: len(self.requests) >= count, timeout)
        return self.requests

    async def wait_for_disconnect(
        self,
        count: int = 1,
        timeout: float = SECONDS,  # noqa: ASYNC109 - part of the interface tests call
    ) -> Recorded:
        """Wait until `count` clients have left before their reply's end; the last one's request."""
        journal = self._journal
        await journal.wait_until(lambda: len(journal.departures) >= count, timeout)
        return journal.departures[-1]
