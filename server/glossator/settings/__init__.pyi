from .hooks import Hook, HookSettings
from .load import load_settings, user_file, valid_settings
from .mcp import McpServerSettings, McpSettings
from .model import (
    AgentBudget,
    Backend,
    Effort,
    LimitSettings,
    ModelSettings,
    Profile,
    RoleSettings,
    Settings,
    ShellSettings,
    SymbolSettings,
    WorkspaceSettings,
)
from .retrieval import RetrievalSettings

__all__ = [
    "AgentBudget",
    "Backend",
    "Effort",
    "Hook",
    "HookSettings",
    "LimitSettings",
    "McpServerSettings",
    "McpSettings",
    "ModelSettings",
    "Profile",
    "RetrievalSettings",
    "RoleSettings",
    "Settings",
    "ShellSettings",
    "SymbolSettings",
    "WorkspaceSettings",
    "load_settings",
    "user_file",
    "valid_settings",
]
