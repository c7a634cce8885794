from .change import Closed, DiskChanged, Edited, Opened, RootsChanged, Saved, TextEdit
from .host import Indexing, WorkspaceHost
from .ignored import MAX_IGNORED, with_ignored
from .overlays import Overlay, edited, masked
from .snapshot import WorkspaceSnapshot

__all__ = [
    "MAX_IGNORED",
    "Closed",
    "DiskChanged",
    "Edited",
    "Indexing",
    "Opened",
    "Overlay",
    "RootsChanged",
    "Saved",
    "TextEdit",
    "WorkspaceHost",
    "WorkspaceSnapshot",
    "edited",
    "masked",
    "with_ignored",
]
