from .calls import call_tool, permit_direct_call
from .guard import seconds_for_last_word
from .loop import run_agent
from .permission_checker import PermissionChecker, check_tools
from .query import tool_specs
from .run import Agent, Permission, RunClock, RunContext, RunOutcome, Stop, ToolHooks
from .subagent import SubAgentProgress, SubAgentResult, read_only_permission, run_subagent

__all__ = [
    "Agent",
    "Permission",
    "PermissionChecker",
    "RunClock",
    "RunContext",
    "RunOutcome",
    "Stop",
    "SubAgentProgress",
    "SubAgentResult",
    "ToolHooks",
    "call_tool",
    "check_tools",
    "permit_direct_call",
    "read_only_permission",
    "run_agent",
    "run_subagent",
    "seconds_for_last_word",
    "tool_specs",
]
