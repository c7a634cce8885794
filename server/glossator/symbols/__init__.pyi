from .candidates import SearchScope, module_ends, module_of, named_modules
from .documented import Documented, DocumentedIn
from .find import Coverage, Definition, Limits, Name, SourceLine, SymbolHits, Use
from .finder import ALL_USES, CALLS, SymbolFinder
from .grammars import grammar_of
from .symbol import NearSymbol, Symbol, symbol_at

__all__ = [
    "ALL_USES",
    "CALLS",
    "Coverage",
    "Definition",
    "Documented",
    "DocumentedIn",
    "Limits",
    "Name",
    "NearSymbol",
    "SearchScope",
    "SourceLine",
    "Symbol",
    "SymbolFinder",
    "SymbolHits",
    "Use",
    "grammar_of",
    "module_ends",
    "module_of",
    "named_modules",
    "symbol_at",
]
