"""Documents, files and folders, as the editor tells of them: its text of a document is the truth.

Changes are applied at once, in the order of arrival. One that is refused (for an old version, or as
the document is not open) is logged, as pygls answers no notification, and the text stays. If a
text was too large to be read, the file on disk counts until the document is opened again.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from glossator.core.attached import EditorState
from glossator.core.text import Position
from glossator.core.uri import to_path
from glossator.core.wire import from_wire
from glossator.lsp.client import folder_paths
from glossator.workspace import Closed, DiskChanged, Edited, Opened, RootsChanged, Saved, TextEdit

if TYPE_CHECKING:
    from glossator.lsp.server import Server

_EVERYTHING = types.FileOperationRegistrationOptions(
    filters=[types.FileOperationFilter(types.FileOperationPattern(glob="**/*"), scheme="file")]
)
EDITOR_STATE = "glossator/editorState"  # from a client that knows more than the LSP tells


def register(server: Server) -> None:
    """Take over the methods of documents from pygls, whose own are mutable; listen to the others.

    `watch_files` asks the client which changes of files it reports.
    """
    server.feature(types.TEXT_DOCUMENT_DID_OPEN)(did_open)
    server.feature(types.TEXT_DOCUMENT_DID_CHANGE)(did_change)
    server.feature(types.TEXT_DOCUMENT_DID_SAVE, types.SaveOptions(include_text=False))(did_save)
    server.feature(types.TEXT_DOCUMENT_DID_CLOSE)(did_close)
    server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(did_change_watched_files)
    server.feature(types.WORKSPACE_DID_CREATE_FILES, _EVERYTHING)(did_create)
    server.feature(types.WORKSPACE_DID_RENAME_FILES, _EVERYTHING)(did_rename)
    server.feature(types.WORKSPACE_DID_DELETE_FILES, _EVERYTHING)(did_delete)
    server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(did_change_folders)
    server.feature(EDITOR_STATE)(editor_state_changed)


def did_open(ls: Server, params: types.DidOpenTextDocumentParams) -> None:
    """A document's text is now the editor's."""
    document = params.text_document
    ls.unread.discard(document.uri)
    ls.application.trees.apply(
        Opened(document.uri, document.version, document.text, document.language_id)
    )


def did_change(ls: Server, params: types.DidChangeTextDocumentParams) -> None:
    """Apply the changes of a text; all edits of one notification make one version."""
    document = params.text_document
    ls.port.buttons.typed()
    if document.uri in ls.unread:
        return
    edits = tuple(map(_edit, params.content_changes))
    ls.application.trees.apply(Edited(document.uri, document.version, edits))


def did_save(ls: Server, params: types.DidSaveTextDocumentParams) -> None:
    """Note that the text is on disk, too."""
    if params.text_document.uri not in ls.unread:
        ls.application.trees.apply(Saved(params.text_document.uri))


def did_close(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
    """Note that the file's text counts again."""
    uri = params.text_document.uri
    if uri in ls.unread:
        ls.unread.discard(uri)
    else:
        ls.application.trees.apply(Closed(uri))


def _edit(change: types.TextDocumentContentChangeEvent) -> TextEdit:
    if isinstance(change, types.TextDocumentContentChangePartial):
        return TextEdit((_position(change.range.start), _position(change.range.end)), change.text)
    return TextEdit(None, change.text)


def _position(position: types.Position) -> Position:
    return Position(position.line, position.character)


def did_change_watched_files(ls: Server, params: types.DidChangeWatchedFilesParams) -> None:
    """Look at files that appeared, changed or disappeared."""
    _look_again(ls, (change.uri for change in params.changes))


def did_create(ls: Server, params: types.CreateFilesParams) -> None:
    """Files or folders were made."""
    _look_again(ls, (file.uri for file in params.files))


def did_rename(ls: Server, params: types.RenameFilesParams) -> None:
    """Files or folders have new names."""
    uris = [*chain.from_iterable((file.old_uri, file.new_uri) for file in params.files)]
    ls.application.trees.moved(_paths(uris))
    _look_again(ls, uris)
    paths = [(to_path(file.old_uri), to_path(file.new_uri)) for file in params.files]
    ls.application.renamed({old: new for old, new in paths if old and new})


def did_delete(ls: Server, params: types.DeleteFilesParams) -> None:
    """Files or folders are gone."""
    uris = [file.uri for file in params.files]
    ls.application.trees.moved(_paths(uris))
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
    """Have the workspace look at these paths again, if they are on disk."""
    if paths := _paths(uris):
        ls.application.trees.apply(DiskChanged(paths))


def _paths(uris: Iterable[str]) -> frozenset[str]:
    return frozenset(path for uri in uris if (path := to_path(uri)) is not None)


def editor_state_changed(ls: Server, params: dict[str, Any]) -> None:
    """The newest state replaces the one before. Raises `WireError`, which is logged."""
    ls.application.editor_state = from_wire(EditorState, params, strict=False)
