from .known import SCRIPTS, language_at, scripts_lack
from .servers import LanguageServers, ServerState

__all__ = ["SCRIPTS", "LanguageServers", "ServerState", "language_at", "scripts_lack"]
