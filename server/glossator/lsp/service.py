"""What this edge asks of the service layer, as one value that is loaded late."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from glossator.core.ports import EditorPort
from glossator.core.text import Position, PositionEncoding

if TYPE_CHECKING:
    from glossator.application.application import Application
    from glossator.core.gloss import Subject
    from glossator.settings.model import Settings
    from glossator.symbols.symbol import Symbol
    from glossator.usecases.commands import Command
    from glossator.usecases.hover import HoverAnswer
    from glossator.usecases.lenses import Lens, LensFace
    from glossator.usecases.symbols import SymbolMatch, SymbolNode
    from glossator.worker.jobs import Progress


@dataclass(frozen=True, slots=True)
class Service:
    """The commands, and how to make what they work on.

    `settings` takes the client's settings and the environment, and gives the settings with a
    sentence for each source that had to be left out.
    """

    commands: Mapping[str, Command]
    application: Callable[
        [
            tuple[str, ...],
            Settings,
            EditorPort,
            PositionEncoding,
            Mapping[str, str],
            tuple[str, ...],
            bool | None,
        ],
        Application,
    ]
    settings: Callable[[object, Mapping[str, str]], tuple[Settings, list[str]]]
    hover: Callable[  # what has to be looked up first is told by calling what it gives
        [Application, str, Position, bool],
        HoverAnswer | Callable[[], Awaitable[HoverAnswer | None]] | None,
    ]
    why_not_edited: Callable[[Application], str | None]
    symbol_named_at: Callable[[Application, str, Position], Awaitable[Symbol | None]]
    document_symbols: Callable[[Application, str], Awaitable[list[SymbolNode]]]
    workspace_symbols: Callable[
        [Application, str, Callable[[Progress], None]], Awaitable[list[SymbolMatch]]
    ]
    lenses: Callable[[Application, str], Awaitable[list[Lens]]]
    lens_face: Callable[[Application, Subject, int], Awaitable[LensFace]]
    glosses_changed: Callable[[Application, Callable[[frozenset[str]], None]], None]
    report_at: Callable[[Application, str], Awaitable[str | None]]


def load_service() -> Service:
    """The real one."""
    # Half a second of imports: only after `initialize` was answered.
    from glossator.lsp.wiring import SERVICE  # noqa: PLC0415 - for the reason above

    return SERVICE
