"""`workspace/didChangeWorkspaceFolders`: folders join or leave the workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from glossator.documents.change import RootsChanged
from glossator.lsp.client import folder_paths

if TYPE_CHECKING:
    from glossator.lsp.server import Server


def register(server: Server) -> None:
    """Take over from pygls, which would keep a `Workspace` of its own."""
    server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(did_change_folders)


def did_change_folders(ls: Server, params: types.DidChangeWorkspaceFoldersParams) -> None:
    """The workspace has other roots."""
    ls.application.host.apply(
        RootsChanged(folder_paths(params.event.added), folder_paths(params.event.removed))
    )
