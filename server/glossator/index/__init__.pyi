from .candidates import Candidates, Ranges
from .index import TextIndex, TextView
from .manager import TextIndexManager, TextIndexStatus
from .parts import listed_stamp, read_parts, with_plain_line_ends
from .plain import searchable
from .policy import Hooks
from .query import Query
from .required import analyse

__all__ = [
    "Candidates",
    "Hooks",
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
    "with_plain_line_ends",
]
