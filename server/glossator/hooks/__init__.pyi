from .answer import HookAnswer, strictest
from .choosing import KIND, Hooks
from .hook import HookEvent, KnownHook
from .proposals import Proposal, Proposals, proposed_hooks
from .running import run_hook
from .tool_input import arguments_of, input_of, mode_of

__all__ = [
    "KIND",
    "HookAnswer",
    "HookEvent",
    "Hooks",
    "KnownHook",
    "Proposal",
    "Proposals",
    "arguments_of",
    "input_of",
    "mode_of",
    "proposed_hooks",
    "run_hook",
    "strictest",
]
