from .answers import HookList, HookState, HookView
from .execution import HookAnswer, arguments_of, input_of, mode_of, run_hook, strictest
from .hook import KIND, HookEvent, Hooks, KnownHook, Proposal, Proposals, proposed_hooks

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
