from .known import editor_lacks, language_at
from .servers import LanguageServers, ServerState

__all__ = ["LanguageServers", "ServerState", "editor_lacks", "language_at"]
