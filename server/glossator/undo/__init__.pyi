from .apply import OnConflict, Problem, Undone, undone_turns
from .checkpoint_log import NAME, TOLD, CheckpointStore, Turn, notes_from_json, take_note
from .checkpoints import Checkpoints, TurnChanges
from .file_states import (
    Absent,
    Content,
    DiskFiles,
    Found,
    Look,
    Restoration,
    Restored,
    State,
    described,
    holding,
)

__all__ = [
    "NAME",
    "TOLD",
    "Absent",
    "CheckpointStore",
    "Checkpoints",
    "Content",
    "DiskFiles",
    "Found",
    "Look",
    "OnConflict",
    "Problem",
    "Restoration",
    "Restored",
    "State",
    "Turn",
    "TurnChanges",
    "Undone",
    "described",
    "holding",
    "notes_from_json",
    "take_note",
    "undone_turns",
]
