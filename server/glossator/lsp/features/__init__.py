"""One LSP method, or one family of methods, per file: convert in, call, convert out."""

from __future__ import annotations

from collections.abc import Callable

from glossator.lsp.features import (
    code_action,
    documents,
    execute_command,
    initialize,
    symbols,
    text_document_content,
)
from glossator.lsp.server import Server
from glossator.lsp.service import Service, load_service

__all__ = ["build_server"]

_FEATURES = (initialize, documents, symbols, code_action, text_document_content, execute_command)


def build_server(load: Callable[[], Service] = load_service) -> Server:
    """A server with every feature; what is registered is what `initialize` offers."""
    server = Server(load)
    for feature in _FEATURES:
        feature.register(server)
    return server
