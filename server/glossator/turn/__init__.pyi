from .calls import call_tool, permit_direct_call
from .compaction import compactor_of
from .delegation import Delegation
from .hooks import session_hooks
from .judged.judge import Judging
from .judged.new_facts import new_facts
from .plan.planner import PlanChoice
from .plan.task_result import fact_line
from .told.attachments import (
    Attachment,
    Pasted,
    attach_again,
    attach_all,
    attach_lines,
    attach_mentioned,
    server_of,
)
from .told.changes import telling_first, views_of
from .told.customizations import LoadedSkills, customizations_now
from .told.editor import editor_state
from .told.exhibits import HidingRules, refuse_hidden
from .told.facts import facts_for
from .told.instruction_files import (
    InstructionFile,
    further_instructions,
    instructions_now,
    left_out_files,
)
from .told.mentions import (
    DIAGNOSTICS,
    GIT,
    GIT_DIFF,
    SELECTION,
    TERMINAL,
    Mentioned,
    as_mention,
    find_mentions,
    resolve_mentions,
    unfinished_mention,
)
from .told.opening import LEFT_OUT, SECTIONS, opening_of
from .told.part import Telling, in_time
from .told.question import SaidWords
from .told.recall import likely_memories, memory_index
from .told.system import SECTIONS_APART
from .turn import Asked, last_plan, take_turn

__all__ = [
    "DIAGNOSTICS",
    "GIT",
    "GIT_DIFF",
    "LEFT_OUT",
    "SECTIONS",
    "SECTIONS_APART",
    "SELECTION",
    "TERMINAL",
    "Asked",
    "Attachment",
    "Delegation",
    "HidingRules",
    "InstructionFile",
    "Judging",
    "LoadedSkills",
    "Mentioned",
    "Pasted",
    "PlanChoice",
    "SaidWords",
    "Telling",
    "as_mention",
    "attach_again",
    "attach_all",
    "attach_lines",
    "attach_mentioned",
    "call_tool",
    "compactor_of",
    "customizations_now",
    "editor_state",
    "fact_line",
    "facts_for",
    "find_mentions",
    "further_instructions",
    "in_time",
    "instructions_now",
    "last_plan",
    "left_out_files",
    "likely_memories",
    "memory_index",
    "new_facts",
    "opening_of",
    "permit_direct_call",
    "refuse_hidden",
    "resolve_mentions",
    "server_of",
    "session_hooks",
    "take_turn",
    "telling_first",
    "unfinished_mention",
    "views_of",
]
