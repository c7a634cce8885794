from .servers import LanguageServers, ServerState

__all__ = ["LanguageServers", "ServerState"]
