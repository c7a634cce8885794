from .log import Contents, Log, NotOpened, unavailable
from .logs import LogInfo, Logs, Retention
from .objects import Blobs, BlobStatistics, Objects, object_id
from .shared import PASSWORD, RedisStore, SharedDocuments, SharedStore
from .tables import FORGOTTEN_DAYS, FORGOTTEN_MOST, Damage, GlossStore, LedgerRow, LedgerStore

__all__ = [
    "FORGOTTEN_DAYS",
    "FORGOTTEN_MOST",
    "PASSWORD",
    "BlobStatistics",
    "Blobs",
    "Contents",
    "Damage",
    "GlossStore",
    "LedgerRow",
    "LedgerStore",
    "Log",
    "LogInfo",
    "Logs",
    "NotOpened",
    "Objects",
    "RedisStore",
    "Retention",
    "SharedDocuments",
    "SharedStore",
    "object_id",
    "unavailable",
]
