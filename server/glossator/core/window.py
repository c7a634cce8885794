"""What the parts of a model's window are."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """What a part of the window is."""

    SHARED = "shared"
    SESSION = "session"
    TOOL = "tool"
    SUMMARY = "summary"
    KEPT = "kept"
    STATE = "state"
    QUESTION = "question"
    ATTACHMENT = "attachment"
    MEMORY = "memory"
    FACT = "fact"
    REMINDER = "reminder"
    INSTRUCTIONS = "instructions"
    REPLY = "reply"
    THINKING = "thinking"
    CALL = "call"
    RESULT = "result"
    IMAGE = "image"
    OTHER = "other"
