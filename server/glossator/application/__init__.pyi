from .acting import SessionActing
from .ambient import editor_state
from .application import Application
from .attaching import Attachment, Pasted, attach_again, attach_all, attach_lines, attach_mentioned
from .changed import describe_changes, keep_texts
from .context_source import (
    ContextSource,
    fast_model,
    ledger_folder,
    price_range,
    source_of_all,
)
from .customizing import (
    Expansion,
    LoadedSkills,
    customization_notices,
    customizations_now,
    expand,
)
from .delegation import Delegation
from .embedding_cost import embedding_bill
from .git import ask_git
from .hooking import SessionHooks
from .instructing import left_out_files, new_instructions
from .opening import SECTIONS, opening_of
from .progress import BuildProgress
from .recall import Recall, memory_index

__all__ = [
    "SECTIONS",
    "Application",
    "Attachment",
    "BuildProgress",
    "ContextSource",
    "Delegation",
    "Expansion",
    "LoadedSkills",
    "Pasted",
    "Recall",
    "SessionActing",
    "SessionHooks",
    "ask_git",
    "attach_again",
    "attach_all",
    "attach_lines",
    "attach_mentioned",
    "customization_notices",
    "customizations_now",
    "describe_changes",
    "editor_state",
    "embedding_bill",
    "expand",
    "fast_model",
    "keep_texts",
    "ledger_folder",
    "left_out_files",
    "memory_index",
    "new_instructions",
    "opening_of",
    "price_range",
    "source_of_all",
]
