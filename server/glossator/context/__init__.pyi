from .answers import ContextAnswer, Kind, Part
from .attachments import (
    Attached,
    Exhibit,
    attach,
    attach_any,
    exhibit_image,
    refuse_hidden,
)
from .compaction import CarriedState, Compacted, CompactionBackoff, Compactor, NoGain
from .environment import environment_facts, plain_facts
from .inspector import SentRequest, estimate_sent, window_layers
from .instructions import (
    InstructionFile,
    InstructionFinder,
    Instructions,
    instruction_reminders,
)
from .kept import KeptTools
from .mending import Mending
from .mentions import (
    DIAGNOSTICS,
    GIT,
    GIT_DIFF,
    SELECTION,
    TERMINAL,
    Mention,
    Mentioned,
    as_mention,
    find_mentions,
    resolve_mentions,
    unfinished_mention,
)
from .places import words_of_user
from .reminders import Reminders
from .summary import PromptPrefix, Summary, extracted, summarise
from .system import (
    SECTIONS_APART,
    Section,
    instruction_sections,
    is_mode_notice,
    language_section,
    mode_notice,
    profile_section,
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
    "ContextAnswer",
    "Exhibit",
    "InstructionFile",
    "InstructionFinder",
    "Instructions",
    "KeptTools",
    "Kind",
    "Mending",
    "Mention",
    "Mentioned",
    "NoGain",
    "Part",
    "PromptPrefix",
    "Reminders",
    "Section",
    "SentRequest",
    "Summary",
    "TooLarge",
    "WholeWorkspace",
    "as_mention",
    "attach",
    "attach_any",
    "changed_since",
    "environment_facts",
    "estimate_sent",
    "exhibit_image",
    "extracted",
    "find_mentions",
    "instruction_reminders",
    "instruction_sections",
    "is_mode_notice",
    "language_section",
    "mode_notice",
    "plain_facts",
    "profile_section",
    "refuse_hidden",
    "resolve_mentions",
    "session_section",
    "summarise",
    "system_blocks",
    "unfinished_mention",
    "whole_workspace",
    "window_layers",
    "words_of_user",
]
