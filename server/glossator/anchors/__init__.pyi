from .anchor_index import AnchorIndex
from .passages import Freshness, PassagePlace, passage_of
from .renames import Names, new_path, renamed_passages

__all__ = [
    "AnchorIndex",
    "Freshness",
    "Names",
    "PassagePlace",
    "new_path",
    "passage_of",
    "renamed_passages",
]
