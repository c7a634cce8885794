from .answers import HookList, HookState, HookView
from .choosing import KIND, Hooks
from .hook import HookEvent, KnownHook
from .printed import HookAnswer, strictest
from .proposals import Proposal, Proposals, proposed_hooks
from .running import run_hook
from .tool_input import arguments_of, input_of, mode_of

__all__ = [
    "KIND",
    "HookAnswer",
    "HookEvent",
    "HookList",
    "HookState",
    "HookView",
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
