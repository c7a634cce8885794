from .known import SCRIPTS, language_at, missing_servers, scripts_lack
from .servers import LanguageServers, ServerState

__all__ = [
    "SCRIPTS",
    "LanguageServers",
    "ServerState",
    "language_at",
    "missing_servers",
    "scripts_lack",
]
