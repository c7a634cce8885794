"""Our words for kinds of symbols as the protocol's numbers."""

from __future__ import annotations

from lsprotocol.types import SymbolKind

_KINDS = {
    "class": SymbolKind.Class,
    "constant": SymbolKind.Constant,
    "enum": SymbolKind.Enum,
    "function": SymbolKind.Function,
    "heading": SymbolKind.String,
    "impl": SymbolKind.Object,
    "interface": SymbolKind.Interface,
    "key": SymbolKind.Key,
    "macro": SymbolKind.Function,
    "method": SymbolKind.Method,
    "module": SymbolKind.Module,
    "namespace": SymbolKind.Namespace,
    "property": SymbolKind.Property,
    "struct": SymbolKind.Struct,
    "trait": SymbolKind.Interface,
    "type": SymbolKind.Class,
    "variable": SymbolKind.Variable,
}


def kind_of(word: str) -> SymbolKind:
    """The number of a kind; a word without one is a variable."""
    return _KINDS.get(word, SymbolKind.Variable)
