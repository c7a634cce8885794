from .change import Closed, DiskChanged, Edited, Opened, RootsChanged, Saved, TextEdit
from .host import Indexing, WorkspaceHost
from .overlays import Overlay, edited, masked
from .snapshot import WorkspaceSnapshot

__all__ = [
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
]
