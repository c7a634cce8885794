"""What goes into a model's window, by its kinds."""

from __future__ import annotations

from enum import StrEnum

SWITCHED_OFF = "You turned it off here."  # why something is off


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


class ContextKind(StrEnum):
    """What something is that goes into the window, or changes what does."""

    INSTRUCTIONS = "instructions"
    MEMORY = "memory"
    FACT = "fact"
    SKILL = "skill"
    COMMAND = "command"
    AGENT = "agent"
    HOOK = "hook"
    MCP = "mcp"
    RULE = "rule"  # a permission rule
    INDEX = "index"  # what Search finds by
