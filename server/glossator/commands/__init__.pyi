from .declaration import CommandDeclaration, LineAction
from .declared import CHAT_COMMANDS, DECLARED
from .gloss import ShownGloss, report_at
from .hover import HoverAnswer, HoverRequest, hover_at
from .lenses import Lens, LensFace, glosses_changed, lens_face, lenses_of
from .line_actions import EXPLAIN, FIX, LINE_ACTIONS
from .loaded import COMMANDS, LoadedCommand, load_command
from .memory import memory_problem
from .on_lines import why_not_edited
from .symbols import (
    Range,
    SymbolMatch,
    SymbolNode,
    document_symbols,
    symbol_named_at,
    workspace_symbols,
)

__all__ = [
    "CHAT_COMMANDS",
    "COMMANDS",
    "DECLARED",
    "EXPLAIN",
    "FIX",
    "LINE_ACTIONS",
    "CommandDeclaration",
    "HoverAnswer",
    "HoverRequest",
    "Lens",
    "LensFace",
    "LineAction",
    "LoadedCommand",
    "Range",
    "ShownGloss",
    "SymbolMatch",
    "SymbolNode",
    "document_symbols",
    "glosses_changed",
    "hover_at",
    "lens_face",
    "lenses_of",
    "load_command",
    "memory_problem",
    "report_at",
    "symbol_named_at",
    "why_not_edited",
    "workspace_symbols",
]
