from .acting import SessionActing
from .application import Application, BuildProgress
from .attaching import Attachment, Pasted, attach_again, attach_all, attach_lines, attach_mentioned
from .changed import changes, keep_texts
from .delegation import Delegation
from .opening import agents_told, opening_of

__all__ = [
    "Application",
    "Attachment",
    "BuildProgress",
    "Delegation",
    "Pasted",
    "SessionActing",
    "agents_told",
    "attach_again",
    "attach_all",
    "attach_lines",
    "attach_mentioned",
    "changes",
    "keep_texts",
    "opening_of",
]
