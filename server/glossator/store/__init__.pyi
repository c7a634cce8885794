from .glosses import GlossStore
from .log import Contents, Log, NotOpened, unavailable
from .logs import LogInfo, Logs, Retention
from .objects import Blobs, BlobStatistics, Objects, object_id

__all__ = [
    "BlobStatistics",
    "Blobs",
    "Contents",
    "GlossStore",
    "Log",
    "LogInfo",
    "Logs",
    "NotOpened",
    "Objects",
    "Retention",
    "object_id",
    "unavailable",
]
