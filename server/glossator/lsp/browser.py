"""Having the client open a web address in the user's browser."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

if TYPE_CHECKING:
    from glossator.lsp.client import Client
    from glossator.lsp.protocol import Protocol

_SECONDS = 60.0  # editors ask the user before they open an address

_log = logging.getLogger(__name__)


async def opened_in_browser(protocol: Protocol, client: Client, url: str) -> bool:
    """Whether the client opened the address outside of the editor."""
    if not client.show_document:
        return False
    params = types.ShowDocumentParams(uri=url, external=True)
    try:
        async with asyncio.timeout(_SECONDS):
            reply = await protocol.ask(types.WINDOW_SHOW_DOCUMENT, params)
    except (JsonRpcException, TimeoutError) as failure:
        _log.warning("The client opened no browser: %r", failure)
        return False
    return bool(reply.success)
