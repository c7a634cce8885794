from .acting import SessionActing
from .application import Application, BuildProgress
from .attaching import Attachment, Pasted, attach_again, attach_all, attach_lines, attach_mentioned
from .changed import describe_changes, keep_texts
from .context_source import (
    ContextSource,
    fast_model,
    ledger_folder,
    price_range,
    source_of_all,
)
from .delegation import Delegation
from .opening import agents_notice, opening_of

__all__ = [
    "Application",
    "Attachment",
    "BuildProgress",
    "ContextSource",
    "Delegation",
    "Pasted",
    "SessionActing",
    "agents_notice",
    "attach_again",
    "attach_all",
    "attach_lines",
    "attach_mentioned",
    "describe_changes",
    "fast_model",
    "keep_texts",
    "ledger_folder",
    "opening_of",
    "price_range",
    "source_of_all",
]
