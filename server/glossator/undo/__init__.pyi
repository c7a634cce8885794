from .apply import OnConflict, Problem, Undone, undone_in_notes
from .checkpoint_log import CHECKPOINTS, SEEN_UNDOS, CheckpointStore
from .checkpoints import Checkpoints, TurnChanges
from .file_states import (
    Content,
    DiskFiles,
    FileState,
    FoundState,
    NoFile,
    Restoration,
    Restored,
    StateReader,
    as_state,
    with_text,
)

__all__ = [
    "CHECKPOINTS",
    "SEEN_UNDOS",
    "CheckpointStore",
    "Checkpoints",
    "Content",
    "DiskFiles",
    "FileState",
    "FoundState",
    "NoFile",
    "OnConflict",
    "Problem",
    "Restoration",
    "Restored",
    "StateReader",
    "TurnChanges",
    "Undone",
    "as_state",
    "undone_in_notes",
    "with_text",
]
