from .candidates import SearchScope, module_ends, module_of, named_modules
from .find import Coverage, Definition, Limits, LookUp, Name, SourceLine, Use
from .finder import ALL_USES, CALLS, SymbolFinder
from .grammars import grammar_of
from .symbol import NearSymbol, Symbol, symbol_at

__all__ = [
    "ALL_USES",
    "CALLS",
    "Coverage",
    "Definition",
    "Limits",
    "LookUp",
    "Name",
    "NearSymbol",
    "SearchScope",
    "SourceLine",
    "Symbol",
    "SymbolFinder",
    "Use",
    "grammar_of",
    "module_ends",
    "module_of",
    "named_modules",
    "symbol_at",
]
