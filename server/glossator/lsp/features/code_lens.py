"""`textDocument/codeLens` above definitions: their calls, and their glosses. Off unless set."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from lsprotocol import types

from glossator.core.gloss import Subject
from glossator.lsp.features.document_symbol import to_range

if TYPE_CHECKING:
    from glossator.lsp.server import Server


def register(server: Server) -> None:
    """Handle both requests; whether they are offered, `symbol_offer.py` decides."""
    options = types.CodeLensOptions(resolve_provider=True)
    server.feature(types.TEXT_DOCUMENT_CODE_LENS, options)(code_lens)
    server.feature(types.CODE_LENS_RESOLVE)(resolve)


async def code_lens(ls: Server, params: types.CodeLensParams) -> list[types.CodeLens]:
    """The lenses of a document; what they say is found out for those that are seen."""
    found = await ls.service.lenses(ls.application, params.text_document.uri)
    return [
        types.CodeLens(
            to_range(lens.range), data=dataclasses.asdict(lens.subject) | {"line": lens.line}
        )
        for lens in found
    ]


async def resolve(ls: Server, lens: types.CodeLens) -> types.CodeLens:
    """What a lens says."""
    data = dict(lens.data or {})
    line = data.pop("line")
    face = await ls.service.lens_face(ls.application, Subject(**data), line)
    lens.command = types.Command(face.title, face.command, arguments=[dict(face.argument)])
    return lens
