from .answers import McpServerList, McpServerView, McpState
from .hub import McpServers
from .login import log_in, log_out
from .offered import OfferedPrompt, OfferedResource
from .opening import News, instructions_section, opening_specs
from .tools import ToolsWithMcp

__all__ = [
    "McpServerList",
    "McpServerView",
    "McpServers",
    "McpState",
    "News",
    "OfferedPrompt",
    "OfferedResource",
    "ToolsWithMcp",
    "instructions_section",
    "log_in",
    "log_out",
    "opening_specs",
]
