from .acting import SessionActing
from .application import Application, BuildProgress
from .attaching import Attachment, Pasted, attach_again, attach_all, attach_lines, attach_mentioned
from .changed import describe_changes, keep_texts
from .delegation import Delegation
from .opening import agents_notice, opening_of
from .recall import Recall, memory_index

__all__ = [
    "Application",
    "Attachment",
    "BuildProgress",
    "Delegation",
    "Pasted",
    "Recall",
    "SessionActing",
    "agents_notice",
    "attach_again",
    "attach_all",
    "attach_lines",
    "attach_mentioned",
    "describe_changes",
    "keep_texts",
    "memory_index",
    "opening_of",
]
