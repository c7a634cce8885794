from .answer import HookAnswer, strictest
from .choosing import HookEvent, Hooks
from .proposals import Proposal, Proposals, proposed_hooks
from .running import run_hook

__all__ = [
    "HookAnswer",
    "HookEvent",
    "Hooks",
    "Proposal",
    "Proposals",
    "proposed_hooks",
    "run_hook",
    "strictest",
]
