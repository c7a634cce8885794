from .acting import SessionActing
from .application import Application, BuildProgress
from .attaching import Attachment, Pasted, attach_again, attach_all, attach_lines, attach_mentioned
from .changed import describe_changes, keep_texts
from .delegation import Delegation
from .embedding_cost import embedding_bill
from .opening import agents_notice, opening_of

__all__ = [
    "Application",
    "Attachment",
    "BuildProgress",
    "Delegation",
    "Pasted",
    "SessionActing",
    "agents_notice",
    "attach_again",
    "attach_all",
    "attach_lines",
    "attach_mentioned",
    "describe_changes",
    "embedding_bill",
    "keep_texts",
    "opening_of",
]
