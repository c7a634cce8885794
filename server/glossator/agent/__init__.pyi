from .calls import call_tool, nothing_denied
from .guard import farewell
from .loop import run_agent
from .permission_checker import PermissionChecker, check_tools
from .query import tool_specs
from .run import Agent, Permission, RunClock, RunContext, Stop
from .subagent import Ended, Progress, only_reading, run_subagent, said

__all__ = [
    "Agent",
    "Ended",
    "Permission",
    "PermissionChecker",
    "Progress",
    "RunClock",
    "RunContext",
    "Stop",
    "call_tool",
    "check_tools",
    "farewell",
    "nothing_denied",
    "only_reading",
    "run_agent",
    "run_subagent",
    "said",
    "tool_specs",
]
