from .answers import McpServerList, McpServerView, McpState
from .hub import McpServers
from .introduction import News, instructions_section, opening_specs
from .login import log_in, log_out
from .offered import OfferedPrompt, OfferedResource
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
