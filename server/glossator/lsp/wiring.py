"""The service layer as this edge uses it. Importing this module imports everything."""

from __future__ import annotations

from glossator.core.text import Position
from glossator.lsp.service import Service
from glossator.lsp.settings import valid_settings
from glossator.service.application import Application
from glossator.service.commands import COMMANDS
from glossator.service.hover import HoverAnswer, HoverRequest, hover
from glossator.service.lenses import glosses_changed, lens_face, lenses
from glossator.service.on_lines import why_not_edited
from glossator.service.reports import report_at
from glossator.service.symbols import document_symbols, symbol_named_at, workspace_symbols


async def _hover(app: Application, uri: str, position: Position, links: bool) -> HoverAnswer | None:
    return await hover(app, HoverRequest(uri, position, links))


SERVICE = Service(
    COMMANDS,
    Application,
    valid_settings,
    _hover,
    why_not_edited,
    symbol_named_at,
    document_symbols,
    workspace_symbols,
    lenses,
    lens_face,
    glosses_changed,
    report_at,
)
