from .acting import SessionActing
from .application import Application, BuildProgress
from .attaching import Attachment, Pasted, attach_again, attach_all, attach_lines, attach_mentioned
from .changed import describe_changes, keep_texts
from .customizing import (
    Expansion,
    LoadedSkills,
    customization_notices,
    customizations_now,
    expand,
)
from .delegation import Delegation
from .git import ask_git
from .instructing import left_out_files, new_instructions
from .opening import SECTIONS, opening_of

__all__ = [
    "SECTIONS",
    "Application",
    "Attachment",
    "BuildProgress",
    "Delegation",
    "Expansion",
    "LoadedSkills",
    "Pasted",
    "SessionActing",
    "ask_git",
    "attach_again",
    "attach_all",
    "attach_lines",
    "attach_mentioned",
    "customization_notices",
    "customizations_now",
    "describe_changes",
    "expand",
    "keep_texts",
    "left_out_files",
    "new_instructions",
    "opening_of",
]
