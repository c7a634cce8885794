"""Where the browser comes back to after a login: a listener on loopback, for one answer.

Any page that a browser shows can send requests here, so only an answer with the state of this login
counts; others change nothing. Source: RFC 8252, 7.3 and 8.9.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from urllib.parse import parse_qsl, urlsplit

from glossator.core.errors import UsageError

_PATH = "/callback"
_HEAD_BYTES = 16_384
_SECONDS = 10.0  # for a request to arrive
_DONE = "Glossator has what it needs. Close this page, and go back to your editor or terminal."
_NOT_THIS = "This is not the login that Glossator waits for."


class Callback:
    """The answer that a browser brings; `redirect` is the address it is sent to."""

    def __init__(self, redirect: str) -> None:
        self.redirect = redirect
        self._state = ""
        self._answer: asyncio.Future[Mapping[str, str]] = asyncio.Future()

    def expect(self, address: str) -> None:
        """Wait for the answer to the login that begins at this address."""
        self._state = _parameters(address).get("state", "")

    def take(self, address: str) -> bool:
        """Take the address that the browser was sent to; False if it is not of this login."""
        parameters = _parameters(address)
        if not self._state or parameters.get("state") != self._state or self._answer.done():
            return False
        self._answer.set_result(parameters)
        return True

    def give_up(self) -> None:
        """The user does not want to log in."""
        if not self._answer.done():
            self._answer.set_exception(UsageError("The login was ended; nothing was kept of it."))

    async def answer(self) -> Mapping[str, str]:
        """The parameters of the answer. Raises `UsageError` once the user gave up."""
        return await self._answer

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request of a browser."""
        try:
            async with asyncio.timeout(_SECONDS):
                head = await reader.readuntil(b"\r\n\r\n")
                method, target, _ = (*head.decode("latin-1").split(" ", 2), "", "")[:3]
                is_ours = method == "GET" and urlsplit(target).path == _PATH and self.take(target)
                writer.write(_page("200 OK", _DONE) if is_ours else _page("400 No", _NOT_THIS))
                await writer.drain()
        except (TimeoutError, OSError, ValueError, EOFError, asyncio.LimitOverrunError):
            return  # no browser, or one that is gone; the login waits on
        finally:
            writer.close()


@asynccontextmanager
async def callback(port: int) -> AsyncIterator[Callback]:
    """A listener on loopback; 0 is any free port. Raises `UsageError` where it cannot listen."""
    taken: Callback | None = None

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if taken is not None:
            await taken.serve(reader, writer)

    try:
        server = await asyncio.start_server(serve, "127.0.0.1", port, limit=_HEAD_BYTES)
    except OSError as error:
        raise UsageError(
            f"The browser cannot come back to the port {port} of this machine ({error}). Set"
            " oauth.callbackPort to another one, or leave it out."
        ) from error
    try:
        port = server.sockets[0].getsockname()[1]
        taken = Callback(f"http://127.0.0.1:{port}{_PATH}")
        yield taken
    finally:
        server.close()


def _parameters(address: str) -> dict[str, str]:
    try:
        return dict(parse_qsl(urlsplit(address.strip()).query))
    except ValueError:  # half of an IPv6 address
        return {}


def _page(status: str, text: str) -> bytes:
    body = f"{text}\n".encode()
    head = (
        f"HTTP/1.1 {status}",
        "Content-Type: text/plain; charset=utf-8",
        f"Content-Length: {len(body)}",
        "Cache-Control: no-store",
        "Referrer-Policy: no-referrer",
        "Connection: close",
    )
    return "\r\n".join((*head, "", "")).encode() + body
