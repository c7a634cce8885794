"""`workspace/textDocumentContent`: glosses as documents, for clients that ask for them.

When a gloss or its state changes, the client refreshes its document and the code lenses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

if TYPE_CHECKING:
    from glossator.lsp.client import Client
    from glossator.lsp.server import Server

_SCHEME = "glossator"


def register(server: Server) -> None:
    """Handle the request, and follow the glosses."""
    server.feature(types.WORKSPACE_TEXT_DOCUMENT_CONTENT)(content)
    server.when_running.append(follow_glosses)


def offer_contents(client: Client, capabilities: types.ServerCapabilities) -> None:
    """Say which documents are ours; pygls does not know of them."""
    if client.contents and capabilities.workspace is not None:
        options = types.TextDocumentContentOptions([_SCHEME])
        capabilities.workspace.text_document_content = options


async def content(
    ls: Server, params: types.TextDocumentContentParams
) -> types.TextDocumentContentResult:
    """The text of a document of ours, as it stands now."""
    text = await ls.service.report_at(ls.application, params.uri)
    if text is None:
        raise JsonRpcInvalidParams(f"There is no document {params.uri}.")
    ls.shown_reports.add(params.uri)
    return types.TextDocumentContentResult(text)


def follow_glosses(server: Server) -> None:
    """Have the client ask again for what shows a gloss that changed."""

    def changed(keys: frozenset[str]) -> None:
        if server.client.refreshes_lenses and server.application.settings.symbols.code_lens:
            _refresh(server, types.WORKSPACE_CODE_LENS_REFRESH, None)
        for uri in server.shown_reports:
            if any(f"/{key}/" in uri for key in keys):
                params = types.TextDocumentContentRefreshParams(uri)
                _refresh(server, types.WORKSPACE_TEXT_DOCUMENT_CONTENT_REFRESH, params)

    server.service.glosses_changed(server.application, changed)


def _refresh(server: Server, method: str, params: object) -> None:
    server.protocol.request(method, params, "the client does not ask again")
