"""One LSP method, or one family of methods, per file: convert in, call, convert out."""

from __future__ import annotations

from collections.abc import Callable

from glossator.lsp.features import (
    code_action,
    code_lens,
    document_link,
    document_symbol,
    execute_command,
    files,
    hover,
    lifecycle,
    sync,
    text_document_content,
    workspace_symbol,
)
from glossator.lsp.server import Server
from glossator.lsp.service import Service, load_service

__all__ = ["build_server"]

_FEATURES = (
    lifecycle,
    sync,
    files,
    hover,
    code_action,
    code_lens,
    document_symbol,
    workspace_symbol,
    text_document_content,
    document_link,
    execute_command,
)


def build_server(load: Callable[[], Service] = load_service) -> Server:
    """A server with every feature; what is registered is what `initialize` offers."""
    server = Server(load)
    for feature in _FEATURES:
        feature.register(server)
    return server
