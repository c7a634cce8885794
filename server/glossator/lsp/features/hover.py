"""`textDocument/hover`: what is known about a place; never waits for a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from glossator.core.text import Position

if TYPE_CHECKING:
    from glossator.lsp.server import Server


def register(server: Server) -> None:
    """Offer hovers."""
    server.feature(types.TEXT_DOCUMENT_HOVER)(hover)


async def hover(ls: Server, params: types.HoverParams) -> types.Hover | None:
    """The hover at a position, or nothing."""
    position = Position(params.position.line, params.position.character)
    uri, links = params.text_document.uri, ls.client.links
    answer = await ls.service.hover(ls.application, uri, position, links)
    if answer is None:
        return None
    kind = types.MarkupKind.Markdown if ls.client.markdown_hover else types.MarkupKind.PlainText
    return types.Hover(
        contents=types.MarkupContent(kind, answer.markdown),
        range=types.Range(types.Position(*answer.start), types.Position(*answer.end)),
    )
