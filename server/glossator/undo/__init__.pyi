from .checkpoint_log import CheckpointStore
from .checkpoints import Checkpoints, FileDelta
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
)
from .plans import Problem, TurnChanges, cut_off_in_notes, undone_in_notes
from .taking_back import OnConflict, Undone
from .turn_log import CHECKPOINTS, SEEN_UNDOS

__all__ = [
    "CHECKPOINTS",
    "SEEN_UNDOS",
    "CheckpointStore",
    "Checkpoints",
    "Content",
    "DiskFiles",
    "FileDelta",
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
    "cut_off_in_notes",
    "undone_in_notes",
]
