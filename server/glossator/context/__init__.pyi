from .agents import CustomAgent, agents_listing, custom_agents
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
from .inspector import SentRequest, window_layers
from .kept import KeptTools
from .mentions import (
    DIAGNOSTICS,
    SELECTION,
    Mention,
    Mentioned,
    as_mention,
    find_mentions,
    resolve_mentions,
    unfinished_mention,
)
from .reminders import Reminders
from .summary import PromptPrefix
from .system import ends_in_plan, is_mode_notice, mode_notice, system_blocks
from .whole import TooLarge, WholeWorkspace, changed_since, whole_workspace

__all__ = [
    "DIAGNOSTICS",
    "SELECTION",
    "Attached",
    "CarriedState",
    "Compacted",
    "CompactionBackoff",
    "Compactor",
    "CustomAgent",
    "Exhibit",
    "KeptTools",
    "Mention",
    "Mentioned",
    "NoGain",
    "PromptPrefix",
    "Reminders",
    "SentRequest",
    "TooLarge",
    "WholeWorkspace",
    "agents_listing",
    "as_mention",
    "attach",
    "attach_any",
    "changed_since",
    "custom_agents",
    "ends_in_plan",
    "exhibit_image",
    "find_mentions",
    "in_tags",
    "is_mode_notice",
    "mode_notice",
    "refuse_hidden",
    "resolve_mentions",
    "system_blocks",
    "unfinished_mention",
    "whole_workspace",
    "window_layers",
]
