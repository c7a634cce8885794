"""The service layer as this edge uses it. Importing this module imports everything."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from glossator.application.application import Application
from glossator.core.text import Position
from glossator.lsp.service import Service
from glossator.lsp.settings import valid_settings
from glossator.usecases.commands import COMMANDS
from glossator.usecases.hover import HoverAnswer, HoverRequest, NotAtHand, hover, hover_at_hand
from glossator.usecases.lenses import glosses_changed, lens_face, lenses
from glossator.usecases.on_lines import why_not_edited
from glossator.usecases.reports import report_at
from glossator.usecases.symbols import document_symbols, symbol_named_at, workspace_symbols


def _hover(
    app: Application, uri: str, position: Position, links: bool
) -> HoverAnswer | Callable[[], Awaitable[HoverAnswer | None]] | None:
    request = HoverRequest(uri, position, links)
    try:
        return hover_at_hand(app, request)
    except NotAtHand:
        return partial(hover, app, request)


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
