from .answers.compact import CompactAnswer
from .answers.context_sources import ContextSourceList, ContextState
from .answers.doctor import Check, CheckState, DoctorAnswer
from .answers.explore import Explored
from .answers.index import IndexAnswer
from .answers.mode import ModeAnswer
from .answers.models import ModelAnswer, ModelList, ModelView
from .answers.preview import PreviewAnswer
from .answers.rewind import RetryAnswer, RewindAnswer
from .answers.rules import RuleList
from .answers.sessions import (
    AgentInfo,
    AgentList,
    AgentTranscript,
    DeletedSession,
    ExportedSession,
    SessionInfo,
    SessionList,
)
from .answers.show_context import ContextAnswer, Part
from .answers.status import ChunksView, SpendingView, StatusAnswer
from .answers.summarise import SummaryAnswer
from .answers.tool import ToolAnswer
from .answers.undo import TurnList, TurnView, UndoAnswer
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
    "AgentInfo",
    "AgentList",
    "AgentTranscript",
    "Check",
    "CheckState",
    "ChunksView",
    "CommandDeclaration",
    "CompactAnswer",
    "ContextAnswer",
    "ContextSourceList",
    "ContextState",
    "DeletedSession",
    "DoctorAnswer",
    "Explored",
    "ExportedSession",
    "HoverAnswer",
    "HoverRequest",
    "IndexAnswer",
    "Lens",
    "LensFace",
    "LineAction",
    "LoadedCommand",
    "ModeAnswer",
    "ModelAnswer",
    "ModelList",
    "ModelView",
    "Part",
    "PreviewAnswer",
    "Range",
    "RetryAnswer",
    "RewindAnswer",
    "RuleList",
    "SessionInfo",
    "SessionList",
    "ShownGloss",
    "SpendingView",
    "StatusAnswer",
    "SummaryAnswer",
    "SymbolMatch",
    "SymbolNode",
    "ToolAnswer",
    "TurnList",
    "TurnView",
    "UndoAnswer",
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
