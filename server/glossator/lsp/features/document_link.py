"""`textDocument/documentLink`: the cited lines in reports, which are Markdown links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lsprotocol import types

from glossator.core.text import LineTable
from glossator.core.uri import to_path
from glossator.lsp.reports import is_answer

if TYPE_CHECKING:
    from glossator.lsp.server import Server

_LINK = re.compile(r"\[(?P<ticks>`+)(?P<text>[^\n]+?)(?P=ticks)\]\((?P<uri>file:[^()\s]+)\)")


def register(server: Server) -> None:
    """Offer links; they are whole at once."""
    options = types.DocumentLinkOptions(resolve_provider=False)
    server.feature(types.TEXT_DOCUMENT_DOCUMENT_LINK, options)(document_link)


async def document_link(ls: Server, params: types.DocumentLinkParams) -> list[types.DocumentLink]:
    """The links of a report; other documents are others' business."""
    uri = params.text_document.uri
    text = await ls.service.report_at(ls.application, uri)
    if text is None and _is_report(uri):
        document = ls.application.host.snapshot().open_document(uri)
        text = document.text if document is not None else None
    return list(_links(LineTable(text), ls)) if text is not None else []


def _is_report(uri: str) -> bool:
    path = to_path(uri)
    return path is not None and is_answer(path)


def _links(table: LineTable, ls: Server) -> Iterator[types.DocumentLink]:
    for found in _LINK.finditer(table.text):
        ends = (table.position(at, ls.client.encoding) for at in found.span("text"))
        start, end = (types.Position(*each) for each in ends)
        yield types.DocumentLink(
            types.Range(start, end), target=found["uri"], tooltip="Cited lines"
        )
