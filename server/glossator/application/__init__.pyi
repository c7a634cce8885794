from .acting import Acting, SessionActing, WorkspaceNow
from .application import Application
from .context_source import ContextMaterial, fast_model, ledger_folder, price_range, source_of_all
from .git import CUT, ROOTS, ask_git
from .permission_checker import Permission
from .search_support import BuildProgress, embedding_bill
from .session_memory import mark_seen, turned_on, unseen

__all__ = [
    "CUT",
    "ROOTS",
    "Acting",
    "Application",
    "BuildProgress",
    "ContextMaterial",
    "Permission",
    "SessionActing",
    "WorkspaceNow",
    "ask_git",
    "embedding_bill",
    "fast_model",
    "ledger_folder",
    "mark_seen",
    "price_range",
    "source_of_all",
    "turned_on",
    "unseen",
]
