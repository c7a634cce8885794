from .apply import OnConflict, Problem, Undone, undone_in_notes
from .checkpoint_log import CHECKPOINTS, SEEN_UNDOS, CheckpointStore
from .checkpoints import Checkpoints, TurnChanges
from .file_states import (
    Content,
    DiskFiles,
    FileState,
    FoundState,
    NoFile,
    ReadFileState,
    Restoration,
    Restored,
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
    "ReadFileState",
    "Restoration",
    "Restored",
    "TurnChanges",
    "Undone",
    "as_state",
    "undone_in_notes",
    "with_text",
]
