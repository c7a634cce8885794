"""The commands that this room calls, as one value that is loaded late."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from glossator.core.ports import EditorPort
from glossator.core.text import Position, PositionEncoding

if TYPE_CHECKING:
    from glossator.application import Application
    from glossator.commands import (
        HoverAnswer,
        Lens,
        LensFace,
        LoadedCommand,
        SymbolMatch,
        SymbolNode,
    )
    from glossator.core.report import Subject
    from glossator.settings import Settings
    from glossator.symbols import Symbol
    from glossator.worker import JobProgress


@dataclass(frozen=True, slots=True)
class Service:
    """The commands, and how to make what they work on.

    Each has the name of the function in `commands/` that it is; `load_service` fills them in.
    `valid_settings` takes the client's settings and the environment, and gives the settings with a
    sentence for each source that had to be left out.
    """

    commands: Mapping[str, LoadedCommand]
    application: Callable[
        [
            tuple[str, ...],
            Settings,
            EditorPort,
            PositionEncoding,
            Mapping[str, str],
            tuple[str, ...],
            bool | None,
            object,
        ],
        Application,
    ]
    valid_settings: Callable[[object, Mapping[str, str]], tuple[Settings, list[str]]]
    hover_at: Callable[[Application, str, Position, bool], Awaitable[HoverAnswer | None]]
    why_not_edited: Callable[[Application, bool], str | None]
    symbol_named_at: Callable[[Application, str, Position], Awaitable[Symbol | None]]
    document_symbols: Callable[[Application, str], Awaitable[list[SymbolNode]]]
    workspace_symbols: Callable[
        [Application, str, Callable[[JobProgress], None]], Awaitable[list[SymbolMatch]]
    ]
    lenses_of: Callable[[Application, str], Awaitable[list[Lens]]]
    lens_face: Callable[[Application, Subject, int], Awaitable[LensFace]]
    glosses_changed: Callable[[Application, Callable[[frozenset[str]], None]], None]
    report_at: Callable[[Application, str], Awaitable[str | None]]


def load_service() -> Service:
    """The real one. It takes half a second of imports: only after `initialize` was answered."""
    # ruff: noqa: PLC0415 - for the reason above
    from glossator.application import Application
    from glossator.commands import (
        COMMANDS,
        HoverRequest,
        document_symbols,
        glosses_changed,
        hover_at,
        lens_face,
        lenses_of,
        report_at,
        symbol_named_at,
        why_not_edited,
        workspace_symbols,
    )
    from glossator.settings import valid_settings

    return Service(
        commands=COMMANDS,
        application=Application,
        valid_settings=valid_settings,
        hover_at=lambda app, uri, position, links: hover_at(
            app, HoverRequest(uri, position, links)
        ),
        why_not_edited=lambda app, in_new_sessions: why_not_edited(
            app, in_new_sessions=in_new_sessions
        ),
        symbol_named_at=symbol_named_at,
        document_symbols=document_symbols,
        workspace_symbols=workspace_symbols,
        lenses_of=lenses_of,
        lens_face=lens_face,
        glosses_changed=glosses_changed,
        report_at=report_at,
    )
