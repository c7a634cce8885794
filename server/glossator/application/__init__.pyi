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
from .opening import opening_of

__all__ = [
    "Application",
    "Attachment",
    "BuildProgress",
    "Delegation",
    "Expansion",
    "LoadedSkills",
    "Pasted",
    "SessionActing",
    "attach_again",
    "attach_all",
    "attach_lines",
    "attach_mentioned",
    "customization_notices",
    "customizations_now",
    "describe_changes",
    "expand",
    "keep_texts",
    "opening_of",
]
