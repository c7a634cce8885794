from .candidates import (
    SearchScope,
    is_call_of,
    may_need_imports,
    module_ends,
    module_of,
    named_modules,
    only_definition,
)
from .documented import Documented, DocumentedIn
from .find import Coverage, Definition, Limits, Name, SourceLine, SymbolHits, Use
from .finder import ALL_USES, CALLS, SymbolFinder
from .grammars import grammar_of
from .known_code import NamePlace, namesakes, place_at, place_of, unquoted
from .lines import outline_by_lines
from .sources import Library, Outlines, SourceText, editor_text, outlines, read
from .symbol import NearSymbol, Symbol, symbol_at
from .symbols_tool import Symbols

__all__ = [
    "ALL_USES",
    "CALLS",
    "Coverage",
    "Definition",
    "Documented",
    "DocumentedIn",
    "Library",
    "Limits",
    "Name",
    "NamePlace",
    "NearSymbol",
    "Outlines",
    "SearchScope",
    "SourceLine",
    "SourceText",
    "Symbol",
    "SymbolFinder",
    "SymbolHits",
    "Symbols",
    "Use",
    "editor_text",
    "grammar_of",
    "is_call_of",
    "may_need_imports",
    "module_ends",
    "module_of",
    "named_modules",
    "namesakes",
    "only_definition",
    "outline_by_lines",
    "outlines",
    "place_at",
    "place_of",
    "read",
    "symbol_at",
    "unquoted",
]
