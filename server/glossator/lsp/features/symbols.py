"""Hovers, document symbols, workspace symbols and code lenses: all but hovers are off unless set.

The settings are read after `initialize` was answered, so what others offer, too, is registered
later, where the client allows it. Any other client is offered at once what its
`initializationOptions` ask for.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING

from lsprotocol import types

from glossator.core.markdown import plain
from glossator.core.report import Subject
from glossator.core.shown import shown_prose
from glossator.core.text import Position
from glossator.lsp.lifecycle import ServerPhase

if TYPE_CHECKING:
    from glossator.commands import HoverAnswer, Range, SymbolMatch, SymbolNode
    from glossator.lsp.client import Client
    from glossator.lsp.progress import BackgroundBar
    from glossator.lsp.server import Server
    from glossator.settings import SymbolSettings
    from glossator.worker import JobProgress

_KINDS = {
    "class": types.SymbolKind.Class,
    "constant": types.SymbolKind.Constant,
    "enum": types.SymbolKind.Enum,
    "function": types.SymbolKind.Function,
    "heading": types.SymbolKind.String,
    "impl": types.SymbolKind.Object,
    "interface": types.SymbolKind.Interface,
    "key": types.SymbolKind.Key,
    "macro": types.SymbolKind.Function,
    "method": types.SymbolKind.Method,
    "module": types.SymbolKind.Module,
    "namespace": types.SymbolKind.Namespace,
    "property": types.SymbolKind.Property,
    "struct": types.SymbolKind.Struct,
    "trait": types.SymbolKind.Interface,
    "type": types.SymbolKind.Class,
    "variable": types.SymbolKind.Variable,
}

_SETTING = {
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: "documentSymbol",
    types.WORKSPACE_SYMBOL: "workspaceSymbol",
    types.TEXT_DOCUMENT_CODE_LENS: "codeLens",
}


_OPTIONS = {types.TEXT_DOCUMENT_CODE_LENS: {"resolveProvider": True}}


def register(server: Server) -> None:
    """Handle the requests; `withheld` and `offer_symbols` decide which but hovers are offered."""
    server.feature(types.TEXT_DOCUMENT_HOVER)(hover)
    server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)(document_symbol)
    server.feature(types.WORKSPACE_SYMBOL)(workspace_symbol)
    lenses = types.CodeLensOptions(resolve_provider=True)
    server.feature(types.TEXT_DOCUMENT_CODE_LENS, lenses)(code_lens)
    server.feature(types.CODE_LENS_RESOLVE)(resolve_lens)
    server.when_running.append(offer_symbols)


async def document_symbol(
    ls: Server, params: types.DocumentSymbolParams
) -> list[types.DocumentSymbol] | list[types.SymbolInformation]:
    """The document's symbols, as a tree if the client knows trees."""
    uri = params.text_document.uri
    roots = await ls.service.document_symbols(ls.application, uri)
    if ls.client.symbol_trees:
        return [_tree(node) for node in roots]
    return [item for node in roots for item in _flat(node, uri)]


def _tree(node: SymbolNode) -> types.DocumentSymbol:
    return types.DocumentSymbol(
        name=node.symbol.name,
        detail=node.symbol.signature,
        kind=kind_of(node.symbol.kind),
        range=to_range(node.range),
        selection_range=to_range(node.name_range),
        children=[_tree(child) for child in node.children],
    )


def _flat(node: SymbolNode, uri: str) -> list[types.SymbolInformation]:
    own = types.SymbolInformation(
        location=types.Location(uri, to_range(node.range)),
        name=node.symbol.name,
        kind=kind_of(node.symbol.kind),
        container_name=node.symbol.container[-1] if node.symbol.container else None,
    )
    return [own, *(item for child in node.children for item in _flat(child, uri))]


def to_range(edges: Range) -> types.Range:
    """Two positions as the protocol has them."""
    start, end = edges
    return types.Range(types.Position(*start), types.Position(*end))


def kind_of(word: str) -> types.SymbolKind:
    """The protocol's number for our word; a word without one is a variable."""
    return _KINDS.get(word, types.SymbolKind.Variable)


async def workspace_symbol(
    ls: Server, params: types.WorkspaceSymbolParams
) -> list[types.SymbolInformation]:
    """The symbols that match, best first."""
    reading = _Reading(ls)
    try:
        found = await ls.service.workspace_symbols(ls.application, params.query, reading.show)
    finally:
        reading.end()
    return [_information(match) for match in found]


class _Reading:
    """The progress bar of a query; it appears with the first file that the query has to read."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._task = asyncio.current_task()
        self._bar: BackgroundBar | None = None

    def show(self, progress: JobProgress) -> None:
        """Say how many files were read."""
        if self._bar is None and self._server.client.progress and self._task is not None:
            title = "Glossator: reading symbols"
            self._bar = self._server.bars.background(title, self._cancel)
        if self._bar is not None:
            percentage = 100 * progress.done // max(progress.total, 1)
            self._bar.report(f"{progress.done:,} of {progress.total:,} files", percentage)

    def end(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.end()

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()


def _information(match: SymbolMatch) -> types.SymbolInformation:
    return types.SymbolInformation(
        location=types.Location(match.uri, to_range(match.name_range)),
        name=match.symbol.name,
        kind=kind_of(match.symbol.kind),
        container_name=".".join(match.symbol.container) or None,
    )


async def code_lens(ls: Server, params: types.CodeLensParams) -> list[types.CodeLens]:
    """The lenses of a document; what they say is found out for those that are seen."""
    found = await ls.service.lenses_of(ls.application, params.text_document.uri)
    return [
        types.CodeLens(
            to_range(lens.range), data=dataclasses.asdict(lens.subject) | {"line": lens.line}
        )
        for lens in found
    ]


async def resolve_lens(ls: Server, lens: types.CodeLens) -> types.CodeLens:
    """Fill in the text of a lens, which is shown now."""
    data = dict(lens.data or {})
    line = data.pop("line")
    face = await ls.service.lens_face(ls.application, Subject(**data), line)
    lens.command = types.Command(face.title, face.command, arguments=[dict(face.argument)])
    return lens


def withheld(client: Client) -> set[str]:
    """The methods that the answer to `initialize` does not offer."""
    settings = client.settings if isinstance(client.settings, Mapping) else {}
    symbols = settings.get("symbols")
    asked = symbols if isinstance(symbols, Mapping) else {}
    return {
        method
        for method, setting in _SETTING.items()
        if method in client.registers or asked.get(setting) is not True
    }


def offer_symbols(server: Server) -> None:
    """Register what is set, once the client is initialized and the settings are read."""
    if not server.client_ready or server.protocol.lifecycle.phase is not ServerPhase.RUNNING:
        return
    wanted = _wanted(server.application.settings.symbols) & server.client.registers
    if wanted:
        registrations = [
            types.Registration(f"glossator-{method}", method, _OPTIONS.get(method))
            for method in wanted
        ]
        server.protocol.request(
            types.CLIENT_REGISTER_CAPABILITY,
            types.RegistrationParams(registrations),
            "the client asks for no symbols",
        )


def _wanted(settings: SymbolSettings) -> set[str]:
    wanted = set()
    if settings.document_symbol:
        wanted.add(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    if settings.workspace_symbol:
        wanted.add(types.WORKSPACE_SYMBOL)
    if settings.code_lens:
        wanted.add(types.TEXT_DOCUMENT_CODE_LENS)
    return wanted


async def hover(ls: Server, params: types.HoverParams) -> types.Hover | None:
    """The hover at a position, or nothing."""
    position = Position(params.position.line, params.position.character)
    uri, links = params.text_document.uri, ls.client.links
    return _hover(ls, await ls.service.hover_at(ls.application, uri, position, links))


def _hover(ls: Server, answer: HoverAnswer | None) -> types.Hover | None:
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
