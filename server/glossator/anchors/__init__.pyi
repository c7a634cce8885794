from .anchor_index import AnchorIndex, Names, new_path, renamed_passages
from .gloss_index import GlossIndex, GlossState
from .gloss_text import (
    freshness_text,
    gloss_document,
    gloss_link,
    gloss_origin,
    gloss_summary,
    whole_gloss_link,
)
from .hover_cache import HoverCache
from .passages import Freshness, PassagePlace, passage_of

__all__ = [
    "AnchorIndex",
    "Freshness",
    "GlossIndex",
    "GlossState",
    "HoverCache",
    "Names",
    "PassagePlace",
    "freshness_text",
    "gloss_document",
    "gloss_link",
    "gloss_origin",
    "gloss_summary",
    "new_path",
    "passage_of",
    "renamed_passages",
    "whole_gloss_link",
]
