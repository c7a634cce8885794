from .gloss_index import GlossIndex, GlossState
from .hover_cache import HoverCache
from .text import (
    freshness_text,
    gloss_document,
    gloss_link,
    gloss_origin,
    gloss_summary,
    whole_gloss_link,
)

__all__ = [
    "GlossIndex",
    "GlossState",
    "HoverCache",
    "freshness_text",
    "gloss_document",
    "gloss_link",
    "gloss_origin",
    "gloss_summary",
    "whole_gloss_link",
]
