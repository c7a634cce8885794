from .glosses import GlossStore
from .log import Contents, Log, NotOpened, unavailable
from .logs import LogInfo, Logs, Retention
from .objects import Blobs, BlobStatistics, Objects, object_id
from .shared import PASSWORD, RedisStore, SharedStore

__all__ = [
    "PASSWORD",
    "BlobStatistics",
    "Blobs",
    "Contents",
    "GlossStore",
    "Log",
    "LogInfo",
    "Logs",
    "NotOpened",
    "Objects",
    "RedisStore",
    "Retention",
    "SharedStore",
    "object_id",
    "unavailable",
]
