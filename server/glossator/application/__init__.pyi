from .acting import SessionActing
from .ambient import editor_state
from .application import Application
from .attaching import Attachment, Pasted, attach_again, attach_all, attach_lines, attach_mentioned
from .changed import describe_changes, keep_texts
from .context_source import (
    ContextMaterial,
    fast_model,
    ledger_folder,
    price_range,
    source_of_all,
)
from .correcting import CorrectedAnswer, correct, is_to_correct
from .customizing import (
    Expansion,
    LoadedSkills,
    customization_notices,
    customizations_now,
    expand,
)
from .delegation import Delegation
from .embedding_cost import embedding_bill
from .from_servers import server_of
from .gathering import Telling, in_time
from .git import ask_git
from .hooking import SessionHooks, session_hooks
from .instructing import (
    further_instructions,
    instructions_now,
    left_out_files,
    new_instructions,
    not_seen_notice,
)
from .judging import Judging
from .leaving_out import LeftOut, left_out
from .memorising import memorise, write_memory_back
from .opening import LEFT_OUT, SECTIONS, opening_of
from .planned_tasks import PlannedTasks, synthesis
from .progress import BuildProgress
from .recall import Recall, likely_memories, memory_index
from .telling_facts import (
    established,
    established_again,
    facts_for,
    follow_facts,
    known_lines,
)

__all__ = [
    "LEFT_OUT",
    "SECTIONS",
    "Application",
    "Attachment",
    "BuildProgress",
    "ContextMaterial",
    "CorrectedAnswer",
    "Delegation",
    "Expansion",
    "Judging",
    "LeftOut",
    "LoadedSkills",
    "Pasted",
    "PlannedTasks",
    "Recall",
    "SessionActing",
    "SessionHooks",
    "Telling",
    "ask_git",
    "attach_again",
    "attach_all",
    "attach_lines",
    "attach_mentioned",
    "correct",
    "customization_notices",
    "customizations_now",
    "describe_changes",
    "editor_state",
    "embedding_bill",
    "established",
    "established_again",
    "expand",
    "facts_for",
    "fast_model",
    "follow_facts",
    "further_instructions",
    "in_time",
    "instructions_now",
    "is_to_correct",
    "keep_texts",
    "known_lines",
    "ledger_folder",
    "left_out",
    "left_out_files",
    "likely_memories",
    "memorise",
    "memory_index",
    "new_instructions",
    "not_seen_notice",
    "opening_of",
    "price_range",
    "server_of",
    "session_hooks",
    "source_of_all",
    "synthesis",
    "write_memory_back",
]
