"""One LSP method, or one family of methods, per file: convert in, call, convert out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from glossator.lsp.features import (
    code_action,
    code_lens,
    document_link,
    document_symbol,
    execute_command,
    file_operations,
    folders,
    hover,
    initialize,
    shutdown,
    sync,
    text_document_content,
    watched_files,
    workspace_symbol,
)

if TYPE_CHECKING:
    from glossator.lsp.server import Server

_FEATURES = (
    initialize,
    sync,
    watched_files,
    file_operations,
    folders,
    hover,
    code_action,
    code_lens,
    document_symbol,
    workspace_symbol,
    text_document_content,
    document_link,
    execute_command,
    shutdown,
)


def register(server: Server) -> None:
    """Give the server every handler; what is registered is what `initialize` offers."""
    for feature in _FEATURES:
        feature.register(server)
