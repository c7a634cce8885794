"""`shutdown` and `exit`: the end, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from glossator.lsp.server import Server


def register(server: Server) -> None:
    """Take over from pygls, which does not wait for what it cancels."""
    server.feature(types.SHUTDOWN)(shutdown)
    server.feature(types.EXIT)(leave)


async def shutdown(ls: Server, _params: None) -> None:
    """End all work; every other request is answered before this one."""
    await ls.close()


def leave(ls: Server, _params: None) -> None:
    """End the process."""
    ls.leave()
