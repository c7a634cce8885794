from .groups import (
    FactSettings,
    GroundingSettings,
    Hook,
    HookSettings,
    McpOauthSettings,
    McpServerSettings,
    McpSettings,
    ProfileSettings,
    RetrievalSettings,
)
from .load import load_settings, use_server, user_file, valid_settings
from .model import (
    AgentBudget,
    LimitSettings,
    Settings,
    ShellSettings,
    SymbolSettings,
    WorkspaceSettings,
)
from .models import Backend, Effort, ModelSettings, Profile, RoleSettings

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
    "use_server",
    "user_file",
    "valid_settings",
]
