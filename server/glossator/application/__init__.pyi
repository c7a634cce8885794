from .acting import Acting, SessionActing, WorkspaceNow
from .application import Application
from .context_source import ContextMaterial, fast_model, ledger_folder, price_range, source_of_all
from .git import CUT, ROOTS, ask_git
from .permission_checker import Permission
from .search_support import BuildProgress, embedding_bill
from .seen_memories import mark_seen, turned_on, unseen
from .toolbox import Directive, Explore, ExploreArgs, Fork, SubAgents, reading_tools

__all__ = [
    "CUT",
    "ROOTS",
    "Acting",
    "Application",
    "BuildProgress",
    "ContextMaterial",
    "Directive",
    "Explore",
    "ExploreArgs",
    "Fork",
    "Permission",
    "SessionActing",
    "SubAgents",
    "WorkspaceNow",
    "ask_git",
    "embedding_bill",
    "fast_model",
    "ledger_folder",
    "mark_seen",
    "price_range",
    "reading_tools",
    "source_of_all",
    "turned_on",
    "unseen",
]
