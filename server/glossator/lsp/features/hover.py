"""`textDocument/hover`: the symbol at a place and its gloss; no model is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from glossator.core.markdown import plain
from glossator.core.shown import shown_prose
from glossator.core.text import Position

if TYPE_CHECKING:
    from glossator.commands import HoverAnswer
    from glossator.lsp.server import Server


def register(server: Server) -> None:
    """Offer hovers."""
    server.feature(types.TEXT_DOCUMENT_HOVER)(hover)


async def hover(ls: Server, params: types.HoverParams) -> types.Hover | None:
    """The hover at a position, or nothing."""
    position = Position(params.position.line, params.position.character)
    uri, links = params.text_document.uri, ls.client.links
    return _shown(ls, await ls.service.hover(ls.application, uri, position, links))


def _shown(ls: Server, answer: HoverAnswer | None) -> types.Hover | None:
    if answer is None:
        return None
    if ls.client.markdown_hover:
        shown = shown_prose(answer.markdown)
        contents = types.MarkupContent(types.MarkupKind.Markdown, shown)
    else:
        shown = shown_prose(plain(answer.markdown))
        contents = types.MarkupContent(types.MarkupKind.PlainText, shown)
    return types.Hover(
        contents=contents,
        range=types.Range(types.Position(*answer.start), types.Position(*answer.end)),
    )
