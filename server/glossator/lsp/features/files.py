"""What happens to files and folders: watched files, file operations, workspace folders."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import TYPE_CHECKING

from lsprotocol import types

from glossator.core.uri import to_path
from glossator.lsp.client import folder_paths
from glossator.workspace import DiskChanged, RootsChanged

if TYPE_CHECKING:
    from glossator.lsp.server import Server

_EVERYTHING = types.FileOperationRegistrationOptions(
    filters=[types.FileOperationFilter(types.FileOperationPattern(glob="**/*"), scheme="file")]
)


def register(server: Server) -> None:
    """Listen to all five; `watch_files` asks the client which changes it reports."""
    server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(did_change_watched_files)
    server.feature(types.WORKSPACE_DID_CREATE_FILES, _EVERYTHING)(did_create)
    server.feature(types.WORKSPACE_DID_RENAME_FILES, _EVERYTHING)(did_rename)
    server.feature(types.WORKSPACE_DID_DELETE_FILES, _EVERYTHING)(did_delete)
    server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(did_change_folders)


def did_change_watched_files(ls: Server, params: types.DidChangeWatchedFilesParams) -> None:
    """Files appeared, changed or went."""
    _look_again(ls, (change.uri for change in params.changes))


def did_create(ls: Server, params: types.CreateFilesParams) -> None:
    """Files or folders were made."""
    _look_again(ls, (file.uri for file in params.files))


def did_rename(ls: Server, params: types.RenameFilesParams) -> None:
    """Files or folders have new names."""
    uris = [*chain.from_iterable((file.old_uri, file.new_uri) for file in params.files)]
    ls.application.host.moved(_paths(uris))
    _look_again(ls, uris)
    paths = [(to_path(file.old_uri), to_path(file.new_uri)) for file in params.files]
    ls.application.renamed({old: new for old, new in paths if old and new})


def did_delete(ls: Server, params: types.DeleteFilesParams) -> None:
    """Files or folders are gone."""
    uris = [file.uri for file in params.files]
    ls.application.host.moved(_paths(uris))
    _look_again(ls, uris)


def did_change_folders(ls: Server, params: types.DidChangeWorkspaceFoldersParams) -> None:
    """The workspace has other roots."""
    ls.application.host.apply(
        RootsChanged(folder_paths(params.event.added), folder_paths(params.event.removed))
    )


def watch_files(ls: Server) -> None:
    """Ask the client to report every file; without it the disk watcher works alone."""
    everything = types.DidChangeWatchedFilesRegistrationOptions(
        watchers=[types.FileSystemWatcher(glob_pattern="**/*")]
    )
    registration = types.Registration(
        "glossator-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, everything
    )
    ls.protocol.request(
        types.CLIENT_REGISTER_CAPABILITY,
        types.RegistrationParams([registration]),
        "the client reports no file changes",
    )


def _look_again(ls: Server, uris: Iterable[str]) -> None:
    """Have the workspace look at these again, as far as they are on disk."""
    if paths := _paths(uris):
        ls.application.host.apply(DiskChanged(paths))


def _paths(uris: Iterable[str]) -> frozenset[str]:
    return frozenset(path for uri in uris if (path := to_path(uri)) is not None)
