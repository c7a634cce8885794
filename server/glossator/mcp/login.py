"""Logging in to a server at an address, in the browser (OAuth), when the user wants to.

The browser is opened through the editor, and comes back to a listener on loopback. Where that
cannot be reached, as with an editor on another machine, the user pastes the address instead.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from glossator.core.errors import UsageError
from glossator.core.question import Option, Question, QuestionAnswer
from glossator.core.resources import import_aside
from glossator.mcp.addresses import is_private_enough
from glossator.mcp.callback import Callback, callback
from glossator.mcp.hub import McpServers

if TYPE_CHECKING:
    from glossator.mcp.logins import Login

SECONDS = 300.0  # for the user to log in

_STOP = Option("Do not log in")
_NOT_IT = "What you pasted is not the address at which this login ended."

Ask = Callable[[Question], Awaitable[QuestionAnswer]]
Open = Callable[[str], Awaitable[None]]  # an address, in the browser


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
            (_STOP,),
        )
        self._waiting = waiting
        self._open = open_address
        self._ask = ask
        self._asking: asyncio.Task[None] | None = None

    async def show(self, address: str) -> None:
        """Open the page of the login."""
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
