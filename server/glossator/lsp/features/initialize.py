"""`initialize`, `initialized`, `shutdown` and `exit`: the beginning and the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.capabilities import ServerCapabilitiesBuilder

from glossator.commands import DECLARED
from glossator.lsp.client import describe
from glossator.lsp.features.documents import watch_files
from glossator.lsp.features.symbols import offer_symbols, withheld
from glossator.lsp.features.text_document_content import offer_contents

if TYPE_CHECKING:
    from glossator.lsp.server import Server


def register(server: Server) -> None:
    """Replace pygls' own, which make its `Workspace` and do not wait for what they cancel."""
    server.feature(types.INITIALIZE)(initialize)
    server.feature(types.INITIALIZED)(initialized)
    server.feature(types.SHUTDOWN)(shutdown)
    server.feature(types.EXIT)(leave)


def initialize(ls: Server, params: types.InitializeParams) -> types.InitializeResult:
    """Describe both sides to each other; the application is made after the answer is sent."""
    client = describe(params)
    protocol = ls.protocol
    protocol.client_capabilities = params.capabilities
    protocol.trace = params.trace or types.TraceValue.Off
    protocol.server_capabilities = ServerCapabilitiesBuilder(
        params.capabilities,
        {*protocol.fm.features, *protocol.fm.builtin_features} - withheld(client),
        protocol.fm.feature_options,
        [] if client.commands else list(DECLARED),
        types.TextDocumentSyncKind.Incremental,
        position_encoding=types.PositionEncodingKind(client.encoding),
    ).build()  # type: ignore[no-untyped-call]  # pygls left it untyped
    offer_contents(client, protocol.server_capabilities)
    if commands := protocol.server_capabilities.execute_command_provider:
        commands.work_done_progress = True
    ls.introduce(client)
    return types.InitializeResult(protocol.server_capabilities, protocol.server_info)


def initialized(ls: Server, _params: types.InitializedParams) -> None:
    """The client is ready to be asked for things."""
    if ls.client.watches_files:
        watch_files(ls)
    ls.client_ready = True
    offer_symbols(ls)


async def shutdown(ls: Server, _params: None) -> None:
    """End all work; every other request is answered before this one."""
    await ls.close()


def leave(ls: Server, _params: None) -> None:
    """End the process."""
    ls.leave()
