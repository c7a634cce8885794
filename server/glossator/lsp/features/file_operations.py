"""`workspace/didCreateFiles`, `didRenameFiles`, `didDeleteFiles`: done in the editor itself."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from lsprotocol import types

from glossator.core.uri import to_path
from glossator.lsp.features.watched_files import disk_changed

if TYPE_CHECKING:
    from glossator.lsp.server import Server

_EVERYTHING = types.FileOperationRegistrationOptions(
    filters=[types.FileOperationFilter(types.FileOperationPattern(glob="**/*"), scheme="file")]
)


def register(server: Server) -> None:
    """Listen to all three, for files and folders alike."""
    server.feature(types.WORKSPACE_DID_CREATE_FILES, _EVERYTHING)(did_create)
    server.feature(types.WORKSPACE_DID_RENAME_FILES, _EVERYTHING)(did_rename)
    server.feature(types.WORKSPACE_DID_DELETE_FILES, _EVERYTHING)(did_delete)


def did_create(ls: Server, params: types.CreateFilesParams) -> None:
    """Files or folders were made."""
    disk_changed(ls, (file.uri for file in params.files))


def did_rename(ls: Server, params: types.RenameFilesParams) -> None:
    """Files or folders have new names."""
    disk_changed(ls, chain.from_iterable((file.old_uri, file.new_uri) for file in params.files))
    paths = [(to_path(file.old_uri), to_path(file.new_uri)) for file in params.files]
    ls.application.renamed({old: new for old, new in paths if old and new})


def did_delete(ls: Server, params: types.DeleteFilesParams) -> None:
    """Files or folders are gone."""
    disk_changed(ls, (file.uri for file in params.files))
