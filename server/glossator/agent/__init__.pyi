from .agent import Agent, Stop
from .clock import RunClock
from .execute import call_tool, nothing_denied
from .guard import farewell
from .loop import run_agent
from .permission_checker import PermissionChecker, check_tools
from .run import Permission, RunContext
from .specs import tool_specs
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
