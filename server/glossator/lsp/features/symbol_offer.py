"""Which symbol requests the client is offered: none unless set, since others answer them, too.

The settings are read after `initialize` was answered, so the requests are registered later, where
the client allows it. Any other is offered at once what its own `initializationOptions` ask for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from lsprotocol import types

from glossator.lsp.lifecycle import Phase

if TYPE_CHECKING:
    from glossator.lsp.client import Client
    from glossator.lsp.server import Server
    from glossator.settings import SymbolSettings

_SETTING = {
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: "documentSymbol",
    types.WORKSPACE_SYMBOL: "workspaceSymbol",
    types.TEXT_DOCUMENT_CODE_LENS: "codeLens",
}


_OPTIONS = {types.TEXT_DOCUMENT_CODE_LENS: {"resolveProvider": True}}


def withheld(client: Client) -> set[str]:
    """The methods that the answer to `initialize` does not offer."""
    settings = client.settings if isinstance(client.settings, Mapping) else {}
    symbols = settings.get("symbols")
    asked = symbols if isinstance(symbols, Mapping) else {}
    return {
        method
        for method, setting in _SETTING.items()
        if method in client.registers or asked.get(setting) is not True
    }


def offer_symbols(server: Server) -> None:
    """Register what is set, once the client is initialized and the settings are read."""
    if not server.client_ready or server.protocol.lifecycle.phase is not Phase.RUNNING:
        return
    wanted = _wanted(server.application.settings.symbols) & server.client.registers
    if wanted:
        registrations = [
            types.Registration(f"glossator-{method}", method, _OPTIONS.get(method))
            for method in wanted
        ]
        server.protocol.request(
            types.CLIENT_REGISTER_CAPABILITY,
            types.RegistrationParams(registrations),
            "the client asks for no symbols",
        )


def _wanted(settings: SymbolSettings) -> set[str]:
    wanted = set()
    if settings.document_symbol:
        wanted.add(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    if settings.workspace_symbol:
        wanted.add(types.WORKSPACE_SYMBOL)
    if settings.code_lens:
        wanted.add(types.TEXT_DOCUMENT_CODE_LENS)
    return wanted
