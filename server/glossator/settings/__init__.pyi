from .answers import FactSettings, GroundingSettings, ProfileSettings
from .hooks import Hook, HookSettings
from .load import load_settings, user_file, valid_settings
from .mcp import McpOauthSettings, McpServerSettings, McpSettings
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
    "FactSettings",
    "GroundingSettings",
    "Hook",
    "HookSettings",
    "LimitSettings",
    "McpOauthSettings",
    "McpServerSettings",
    "McpSettings",
    "ModelSettings",
    "Profile",
    "ProfileSettings",
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
