from .gloss_index import GlossIndex, GlossState
from .hover_cache import HoverCache
from .passages import passage_of
from .text import document, gloss_link, opening, origin, report_link, state

__all__ = [
    "GlossIndex",
    "GlossState",
    "HoverCache",
    "document",
    "gloss_link",
    "opening",
    "origin",
    "passage_of",
    "report_link",
    "state",
]
