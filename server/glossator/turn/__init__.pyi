from .answering import Answering
from .calls import call_tool, permit_direct_call
from .delegation import Delegation
from .hooks import SessionHooks, session_hooks
from .judged.grounding import Grounding
from .judged.new_facts import write_memory_back
from .plan.dispatcher import PlanChoice, PlanQuestion
from .plan.zones import fact_line
from .run import Agent, RunContext, Stop
from .told.attachments import (
    Attachment,
    Pasted,
    attach_again,
    attach_all,
    attach_lines,
    attach_mentioned,
)
from .told.changes import keep_texts
from .told.customizations import LoadedSkills, customizations_now, expand
from .told.editor import editor_state
from .told.facts import facts_for, follow_facts
from .told.instructions import further_instructions, instructions_now, left_out_files
from .told.opening import LEFT_OUT, SECTIONS, opening_of
from .told.part import Telling, in_time
from .told.question import SaidWords, news, open_conversation, say_question, say_steered
from .told.recall import Recall, likely_memories, memory_index
from .told.server_mentions import server_of
from .told.undos import changed_files, counting, telling_first

__all__ = [
    "LEFT_OUT",
    "SECTIONS",
    "Agent",
    "Answering",
    "Attachment",
    "Delegation",
    "Grounding",
    "LoadedSkills",
    "Pasted",
    "PlanChoice",
    "PlanQuestion",
    "Recall",
    "RunContext",
    "SaidWords",
    "SessionHooks",
    "Stop",
    "Telling",
    "attach_again",
    "attach_all",
    "attach_lines",
    "attach_mentioned",
    "call_tool",
    "changed_files",
    "counting",
    "customizations_now",
    "editor_state",
    "expand",
    "fact_line",
    "facts_for",
    "follow_facts",
    "further_instructions",
    "in_time",
    "instructions_now",
    "keep_texts",
    "left_out_files",
    "likely_memories",
    "memory_index",
    "news",
    "open_conversation",
    "opening_of",
    "permit_direct_call",
    "say_question",
    "say_steered",
    "server_of",
    "session_hooks",
    "telling_first",
    "write_memory_back",
]
