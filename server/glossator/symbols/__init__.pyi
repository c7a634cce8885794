from .candidates import Place
from .find import Coverage, Definition, Found, Limits, Line, Use
from .finder import ALL_USES, CALLS, SymbolFinder
from .grammars import grammar_of
from .modules import module_ends, module_of, named_modules
from .names import Name
from .near import Near
from .symbol import Symbol, symbol_at

__all__ = [
    "ALL_USES",
    "CALLS",
    "Coverage",
    "Definition",
    "Found",
    "Limits",
    "Line",
    "Name",
    "Near",
    "Place",
    "Symbol",
    "SymbolFinder",
    "Use",
    "grammar_of",
    "module_ends",
    "module_of",
    "named_modules",
    "symbol_at",
]
