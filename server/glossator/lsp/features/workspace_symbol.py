"""`workspace/symbol`: symbols of the whole workspace by the letters of their names. Off unless set.

The first query reads every file. A bar shows how far it is; what was read is kept when the client
cancels the query for one with another letter.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lsprotocol import types

from glossator.lsp.features.document_symbol import kind_of, to_range

if TYPE_CHECKING:
    from glossator.lsp.progress import Background
    from glossator.lsp.server import Server
    from glossator.usecases import SymbolMatch
    from glossator.worker import JobProgress


def register(server: Server) -> None:
    """Handle the request; whether it is offered, `symbol_offer.py` decides."""
    server.feature(types.WORKSPACE_SYMBOL)(workspace_symbol)


async def workspace_symbol(
    ls: Server, params: types.WorkspaceSymbolParams
) -> list[types.SymbolInformation]:
    """The symbols that match, best first."""
    reading = _Reading(ls)
    try:
        found = await ls.service.workspace_symbols(ls.application, params.query, reading.show)
    finally:
        reading.end()
    return [_information(match) for match in found]


class _Reading:
    """The bar of a query that has files to read; there is none until it has."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._task = asyncio.current_task()
        self._bar: Background | None = None

    def show(self, progress: JobProgress) -> None:
        """Say how many files were read."""
        if self._bar is None and self._server.client.progress and self._task is not None:
            title = "Glossator: reading symbols"
            self._bar = self._server.bars.background(title, self._cancel)
        if self._bar is not None:
            percentage = 100 * progress.done // max(progress.total, 1)
            self._bar.report(f"{progress.done:,} of {progress.total:,} files", percentage)

    def end(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.end()

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()


def _information(match: SymbolMatch) -> types.SymbolInformation:
    return types.SymbolInformation(
        location=types.Location(match.uri, to_range(match.name_range)),
        name=match.symbol.name,
        kind=kind_of(match.symbol.kind),
        container_name=".".join(match.symbol.container) or None,
    )
