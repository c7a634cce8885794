"""`glossator/editorState`: a client that knows more of its editor than the LSP tells says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from glossator.core.attached import EditorState
from glossator.core.wire import from_wire

if TYPE_CHECKING:
    from glossator.lsp.server import Server

EDITOR_STATE = "glossator/editorState"


def register(server: Server) -> None:
    """Listen to it."""
    server.feature(EDITOR_STATE)(editor_state_changed)


def editor_state_changed(ls: Server, params: dict[str, Any]) -> None:
    """The newest state replaces the one before. Raises `WireError`, which is logged."""
    ls.application.editor_state = from_wire(EditorState, params, strict=False)
