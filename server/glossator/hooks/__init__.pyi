from .answer import HookAnswer, strictest
from .choosing import Hooks
from .hook import HookEvent, KnownHook
from .proposals import Proposal, Proposals, proposed_hooks
from .running import run_hook

__all__ = [
    "HookAnswer",
    "HookEvent",
    "Hooks",
    "KnownHook",
    "Proposal",
    "Proposals",
    "proposed_hooks",
    "run_hook",
    "strictest",
]
