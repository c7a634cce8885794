"""The folders that are served, and the application on them; opened when a client first asks."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from glossator.application import Application
from glossator.core.events import Envelope
from glossator.core.silent_port import SilentPort
from glossator.settings import valid_settings

Listener = Callable[[Envelope], None]
FindRoots = Callable[[], Awaitable[Sequence[str]]]


class ToolPort(SilentPort):
    """The port of the runs that clients start: each is followed by the call that started it."""

    def __init__(self) -> None:
        self.following: dict[str, Listener] = {}  # by run

    def emit(self, envelope: Envelope) -> None:
        """Tell the call that started the run."""
        if (listener := self.following.get(envelope.run_id)) is not None:
            listener(envelope)


class Folders:
    """Opens the application on the folders of `find_roots`, and again where these changed."""

    def __init__(
        self,
        find_roots: FindRoots,
        environment: Mapping[str, str] | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        """By default the process's environment; `settings` come before the user's file."""
        self._find_roots = find_roots
        self._environment = dict(os.environ if environment is None else environment)
        self._settings = settings or {}
        self._roots: tuple[str, ...] = ()  # of the application
        self._opening: asyncio.Task[Application] | None = None
        self._changed = False
        self.port = ToolPort()

    async def app(self) -> Application:
        """The application on the current folders; it may still be scanning them."""
        return await asyncio.shield(self.open_soon())

    def open_soon(self) -> asyncio.Task[Application]:
        """Begin to open them, unless that is done."""
        before = self._opening
        if before is not None and before.done() and (before.cancelled() or before.exception()):
            before = None
        if before is None or self._changed:
            self._changed = False
            before = self._opening = asyncio.create_task(self._open(before))
        return before

    def changed(self) -> None:
        """The client has other folders: they are asked for at the next call."""
        self._changed = True

    async def close(self) -> None:
        """End what goes on."""
        if self._opening is not None:
            await asyncio.wait({self._opening})
            if not self._opening.cancelled() and self._opening.exception() is None:
                await self._opening.result().close()

    async def _open(self, before: asyncio.Task[Application] | None) -> Application:
        app = await before if before is not None else None
        roots = tuple(dict.fromkeys(await self._find_roots()))
        if app is not None:
            if roots == self._roots:
                return app
            await app.close()
        settings, problems = await asyncio.to_thread(
            valid_settings, self._settings, self._environment
        )
        app = Application(roots, settings, self.port, "utf-16", self._environment, tuple(problems))
        await app.mcp.close()  # no server of the user's is started: this may be one of them
        await app.start()
        self._roots = roots
        return app
