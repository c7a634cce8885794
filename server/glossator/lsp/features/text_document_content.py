"""`workspace/textDocumentContent`, `textDocument/documentLink`: glosses and reports as documents.

Clients that can ask for our documents get glosses this way; in glosses and report files, cited
lines are links. When a gloss or its state changes, the client refreshes its document and lenses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from glossator.core.text import LineTable
from glossator.core.uri import to_path
from glossator.lsp.reports import is_answer

if TYPE_CHECKING:
    from glossator.lsp.client import Client
    from glossator.lsp.server import Server

_SCHEME = "glossator"

_LINK = re.compile(r"\[(?P<ticks>`+)(?P<text>[^\n]+?)(?P=ticks)\]\((?P<uri>file:[^()\s]+)\)")


def register(server: Server) -> None:
    """Handle both requests, and follow the glosses."""
    server.feature(types.WORKSPACE_TEXT_DOCUMENT_CONTENT)(content)
    links = types.DocumentLinkOptions(resolve_provider=False)
    server.feature(types.TEXT_DOCUMENT_DOCUMENT_LINK, links)(document_link)
    server.when_running.append(follow_glosses)


def offer_contents(client: Client, capabilities: types.ServerCapabilities) -> None:
    """Say which documents are ours; pygls does not know of them."""
    if client.contents and capabilities.workspace is not None:
        options = types.TextDocumentContentOptions([_SCHEME])
        capabilities.workspace.text_document_content = options


async def content(
    ls: Server, params: types.TextDocumentContentParams
) -> types.TextDocumentContentResult:
    """The current text of one of our documents."""
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


async def document_link(ls: Server, params: types.DocumentLinkParams) -> list[types.DocumentLink]:
    """The links of a report or gloss; none in other documents."""
    uri = params.text_document.uri
    text = await ls.service.report_at(ls.application, uri)
    path = to_path(uri)
    if text is None and path is not None and is_answer(path):
        document = ls.application.host.snapshot().open_document(uri)
        text = document.text if document is not None else None
    return list(_links(LineTable(text), ls)) if text is not None else []


def _links(table: LineTable, ls: Server) -> Iterator[types.DocumentLink]:
    for found in _LINK.finditer(table.text):
        ends = (table.position(at, ls.client.encoding) for at in found.span("text"))
        start, end = (types.Position(*each) for each in ends)
        yield types.DocumentLink(
            types.Range(start, end), target=found["uri"], tooltip="Cited lines"
        )
