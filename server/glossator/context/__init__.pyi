from .attachments import (
    Attached,
    Exhibit,
    attach,
    attach_any,
    exhibit_image,
    in_tags,
    refuse_hidden,
)
from .compaction import CarriedState, Compacted, CompactionBackoff, Compactor, NoGain
from .environment import environment_facts, plain_facts
from .inspector import SentRequest, window_layers
from .instructions import InstructionFinder, Instructions, instructions_reminder
from .kept import KeptTools
from .mentions import (
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
from .reminders import Reminders
from .summary import PromptPrefix
from .system import (
    SECTIONS_APART,
    Section,
    ends_in_plan,
    instruction_sections,
    is_mode_notice,
    language_section,
    mode_notice,
    session_section,
    system_blocks,
)
from .whole import TooLarge, WholeWorkspace, changed_since, whole_workspace

__all__ = [
    "DIAGNOSTICS",
    "GIT",
    "GIT_DIFF",
    "SECTIONS_APART",
    "SELECTION",
    "TERMINAL",
    "Attached",
    "CarriedState",
    "Compacted",
    "CompactionBackoff",
    "Compactor",
    "Exhibit",
    "InstructionFinder",
    "Instructions",
    "KeptTools",
    "Mentioned",
    "NoGain",
    "PromptPrefix",
    "Reminders",
    "Section",
    "SentRequest",
    "TooLarge",
    "WholeWorkspace",
    "as_mention",
    "attach",
    "attach_any",
    "changed_since",
    "ends_in_plan",
    "environment_facts",
    "exhibit_image",
    "find_mentions",
    "in_tags",
    "instruction_sections",
    "instructions_reminder",
    "is_mode_notice",
    "language_section",
    "mode_notice",
    "plain_facts",
    "refuse_hidden",
    "resolve_mentions",
    "session_section",
    "system_blocks",
    "unfinished_mention",
    "whole_workspace",
    "window_layers",
]
