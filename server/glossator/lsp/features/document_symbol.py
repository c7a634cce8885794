"""`textDocument/documentSymbol`: the outline of an open document. Off unless it is set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from glossator.lsp.server import Server
    from glossator.usecases import Range, SymbolNode

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


def register(server: Server) -> None:
    """Handle the request; whether it is offered, `symbol_offer.py` decides."""
    server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)(document_symbol)


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
