"""The folders that are served, and the application on them; opened when a client first asks."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from glossator.core import generated_code
from glossator.core.own_process import import_aside

if TYPE_CHECKING:
    from glossator.application import Application
    from glossator.mcp_server.tools import ToolPort

FindRoots = Callable[[], Awaitable[Sequence[str]]]


class Folders:
    """Opens the application on the folders of `find_roots`, and again where these changed."""

    port: ToolPort  # there with the application

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
        self._app: Application | None = None
        self._roots: tuple[str, ...] = ()  # of the application
        self._loading: asyncio.Task[None] | None = None
        self._opening: asyncio.Task[Application] | None = None
        self._changed = False

    async def app(self) -> Application:
        """The application on the current folders; it may still be scanning them."""
        return await asyncio.shield(self.open_soon())

    def load_soon(self) -> asyncio.Task[None]:
        """Begin to import what answers, unless that is done."""
        if self._loading is None:
            self._loading = asyncio.create_task(_load())
        return self._loading

    def open_soon(self) -> asyncio.Task[Application]:
        """Begin to open them, unless that is done."""
        before = self._opening
        failed = before and before.done() and (before.cancelled() or before.exception())
        if before is None or failed or self._changed:
            self._changed = False
            self._opening = asyncio.create_task(self._open(before))
            return self._opening
        return before

    def changed(self) -> None:
        """The client has other folders: they are asked for at the next call."""
        self._changed = True

    async def close(self) -> None:
        """End what goes on."""
        if self._loading is not None:
            await asyncio.wait({self._loading})
        if self._opening is not None:
            await asyncio.wait({self._opening})
        if self._app is not None:
            await self._app.close()

    async def _open(self, before: asyncio.Task[Application] | None) -> Application:
        if before is not None:
            await asyncio.wait({before})  # its own callers get its error
        roots = tuple(dict.fromkeys(await self._find_roots()))
        if self._app is not None:
            if roots == self._roots:
                return self._app
            app, self._app = self._app, None
            await app.close()
        await self.load_soon()
        from glossator.mcp_server.tools import opened  # noqa: PLC0415 - imported aside

        self._app, self.port = await opened(roots, self._settings, self._environment)
        self._roots = roots
        return self._app


async def _load() -> None:
    await import_aside("glossator.mcp_server.tools")
    generated_code.end()
