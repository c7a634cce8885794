"""`textDocument/didOpen`, `didChange`, `didSave`, `didClose`: the editor's text is the truth.

Changes are applied at once, in the order of arrival. One that is refused (for an old version, or as
the document is not open) is logged, as pygls answers no notification, and the text stays. If a
text was too large to be read, the file on disk counts until the document is opened again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from glossator.core.text import Position
from glossator.workspace import Closed, Edited, Opened, Saved, TextEdit

if TYPE_CHECKING:
    from glossator.lsp.server import Server


def register(server: Server) -> None:
    """Take over the four methods from pygls, whose own documents are mutable."""
    server.feature(types.TEXT_DOCUMENT_DID_OPEN)(did_open)
    server.feature(types.TEXT_DOCUMENT_DID_CHANGE)(did_change)
    server.feature(types.TEXT_DOCUMENT_DID_SAVE, types.SaveOptions(include_text=False))(did_save)
    server.feature(types.TEXT_DOCUMENT_DID_CLOSE)(did_close)


def did_open(ls: Server, params: types.DidOpenTextDocumentParams) -> None:
    """A document's text is now the editor's."""
    document = params.text_document
    ls.unread.discard(document.uri)
    ls.application.host.apply(
        Opened(document.uri, document.version, document.text, document.language_id)
    )


def did_change(ls: Server, params: types.DidChangeTextDocumentParams) -> None:
    """The text changed; all edits of one notification make one version."""
    document = params.text_document
    ls.port.buttons.typed()
    if document.uri in ls.unread:
        return
    edits = tuple(map(_edit, params.content_changes))
    ls.application.host.apply(Edited(document.uri, document.version, edits))


def did_save(ls: Server, params: types.DidSaveTextDocumentParams) -> None:
    """The text is on disk too."""
    if params.text_document.uri not in ls.unread:
        ls.application.host.apply(Saved(params.text_document.uri))


def did_close(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
    """The text is the disk's again."""
    uri = params.text_document.uri
    if uri in ls.unread:
        ls.unread.discard(uri)
    else:
        ls.application.host.apply(Closed(uri))


def _edit(change: types.TextDocumentContentChangeEvent) -> TextEdit:
    if isinstance(change, types.TextDocumentContentChangePartial):
        return TextEdit((_position(change.range.start), _position(change.range.end)), change.text)
    return TextEdit(None, change.text)


def _position(position: types.Position) -> Position:
    return Position(position.line, position.character)
