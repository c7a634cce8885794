"""Logging in to a server at an address, in the browser (OAuth), when the user wants to.

The browser is opened through the editor, and comes back to a listener on loopback. Where that
cannot be reached, as with an editor on another machine, the user pastes the address instead.
Any page that a browser shows can send requests to the listener, so only an answer with the state of
this login counts; others change nothing. Source: RFC 8252, 7.3 and 8.9.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

from glossator.core.errors import UsageError
from glossator.core.own_process import import_aside
from glossator.core.question import Option, Question, QuestionAnswer
from glossator.mcp.hub import McpServers
from glossator.mcp.logins import is_private_enough

if TYPE_CHECKING:
    from glossator.mcp.logins import Login


Ask = Callable[[Question], Awaitable[QuestionAnswer]]
Open = Callable[[str], Awaitable[None]]  # an address, in the browser

SECONDS = 300.0  # for the user to log in

_NOT_IT = "What you pasted is not the address at which this login ended."
_PATH = "/callback"
_HEAD_BYTES = 16_384
_ARRIVAL_SECONDS = 10.0  # for a request
_DONE = "Glossator has what it needs. Close this page, and go back to your editor or terminal."
_NOT_THIS = "This is not the login that Glossator waits for."


async def log_in(
    servers: McpServers, name: str, open_address: Open, ask: Ask, seconds: float = SECONDS
) -> None:
    """Have the user log in, keep the login, and connect the server with it.

    `ask` stands beside the browser: it may be answered, or not. Raises `UsageError`, and then no
    login was kept.
    """
    launch = await servers.address_of(name, runs=True)
    host = urlsplit(launch.url).netloc
    if launch.has_key:
        raise UsageError(
            f"{name} has a key in its headers (Authorization), or a password in its address, which"
            " is used instead of a login. Remove it from the settings to log in."
        )
    if not is_private_enough(launch.url, launch.url):
        raise UsageError(f"Nothing secret is sent to {host} without https://, so no login is.")
    if name in servers.logging_in:
        raise UsageError(f"A login to {name} waits for you already, in your browser.")
    servers.logging_in.add(name)
    try:
        # the SDK takes half a second to import
        module = await import_aside("glossator.mcp.authorization")
        async with asyncio.timeout(seconds), callback(launch.oauth.callback_port) as waiting:
            browser = _Browser(name, host, waiting, open_address, ask)
            try:
                login: Login = await module.authorize(name, launch, browser)
            finally:
                await browser.close()
    except TimeoutError:
        raise UsageError(
            f"Nobody logged in to {name} within {seconds:g} s. Run `glossator mcp login {name}`"
            " to try again."
        ) from None
    finally:
        servers.logging_in.discard(name)
    await servers.logins.keep(launch.url, login)
    await servers.restart(name)


async def log_out(servers: McpServers, name: str) -> None:
    """Forget the login to a server, by its name or its address. Raises `UsageError` without one.

    The address is for a server that is not in the settings any more.
    """
    url = name if "://" in name else (await servers.address_of(name, runs=False)).url
    if not await servers.logins.drop(url):
        raise UsageError(f"You are not logged in to {name}, so there is nothing to forget.")
    if servers.is_server(name):
        await servers.restart(name, quiet=True)


class _Browser:
    """The user's browser, and the question beside it."""

    def __init__(
        self, name: str, host: str, waiting: Callback, open_address: Open, ask: Ask
    ) -> None:
        self.redirect = waiting.redirect
        self.answer = waiting.answer
        self._question = Question(
            f"Log in to the MCP server {name} ({host}) in your browser. If that ends at a page that"
            f" cannot be opened ({waiting.redirect}…), paste the address of the page here.",
            (Option("Do not log in"),),
        )
        self._waiting = waiting
        self._open = open_address
        self._ask = ask
        self._asking: asyncio.Task[None] | None = None

    async def show(self, address: str) -> None:
        """Open the login page."""
        self._waiting.expect(address)
        await self._open(address)
        self._asking = asyncio.create_task(self._paste())

    async def close(self) -> None:
        """Take the question back."""
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.gather(self._asking, return_exceptions=True)

    async def _paste(self) -> None:
        """Take what the user pastes; without an answer only the browser is waited for."""
        question = self._question
        while answer := await self._ask(question):
            if answer.chosen:
                self._waiting.give_up()
            if answer.chosen or self._waiting.take(answer.words):
                return
            question = replace(question, text=f"{_NOT_IT} {self._question.text}")


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
        """Note that the user does not want to log in."""
        if not self._answer.done():
            self._answer.set_exception(UsageError("The login was ended; nothing was kept of it."))

    async def answer(self) -> Mapping[str, str]:
        """The parameters of the answer. Raises `UsageError` once the user gave up."""
        return await self._answer

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request of a browser."""
        try:
            async with asyncio.timeout(_ARRIVAL_SECONDS):
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
