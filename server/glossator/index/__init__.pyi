from .candidates import Candidates, Ranges
from .index import TextIndex, TextView
from .jobs import Prune
from .lock import writing
from .manager import TextIndexManager, TextIndexStatus
from .plain import listed_stamp, read_parts, searchable, version_of, with_plain_line_ends
from .policy import Hooks
from .required import analyse
from .trigrams import Query

__all__ = [
    "Candidates",
    "Hooks",
    "Prune",
    "Query",
    "Ranges",
    "TextIndex",
    "TextIndexManager",
    "TextIndexStatus",
    "TextView",
    "analyse",
    "listed_stamp",
    "read_parts",
    "searchable",
    "version_of",
    "with_plain_line_ends",
    "writing",
]
