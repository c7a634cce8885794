from .agents import CustomAgent, agents_listing, custom_agents
from .attachments import (
    Attached,
    Exhibit,
    attach,
    attach_any,
    enclosed,
    exhibit_image,
    refuse_hidden,
)
from .compaction import Carried, Compacted, CompactionBackoff, Compactor, NoGain
from .inspector import Sent, inspect
from .kept import Weights
from .mentions import (
    DIAGNOSTICS,
    SELECTION,
    Mentioned,
    as_mention,
    find_mentions,
    look_up,
    unfinished,
)
from .summary import Frame
from .system import ends_in_plan, mode_to_tell, system_blocks, tells_mode

__all__ = [
    "DIAGNOSTICS",
    "SELECTION",
    "Attached",
    "Carried",
    "Compacted",
    "CompactionBackoff",
    "Compactor",
    "CustomAgent",
    "Exhibit",
    "Frame",
    "Mentioned",
    "NoGain",
    "Sent",
    "Weights",
    "agents_listing",
    "as_mention",
    "attach",
    "attach_any",
    "custom_agents",
    "enclosed",
    "ends_in_plan",
    "exhibit_image",
    "find_mentions",
    "inspect",
    "look_up",
    "mode_to_tell",
    "refuse_hidden",
    "system_blocks",
    "tells_mode",
    "unfinished",
]
