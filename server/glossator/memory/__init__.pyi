from .answers import ForgottenMemory, MemoryList, MemoryText, MemoryView, OpenedMemory
from .entry import MAX_DESCRIPTION, MAX_NAME, Memory, MemoryType, problem_in, secret_in
from .memories import Kept, Memories, SessionMemories, check_size
from .memory_tool import MemoryTool
from .ranking import bearing, pick, rank
from .texts import (
    age,
    gone_places,
    gone_symbols,
    index_section,
    memory_text,
    newest_first,
    origin,
    unlisted,
)

__all__ = [
    "MAX_DESCRIPTION",
    "MAX_NAME",
    "ForgottenMemory",
    "Kept",
    "Memories",
    "Memory",
    "MemoryList",
    "MemoryText",
    "MemoryTool",
    "MemoryType",
    "MemoryView",
    "OpenedMemory",
    "SessionMemories",
    "age",
    "bearing",
    "check_size",
    "gone_places",
    "gone_symbols",
    "index_section",
    "memory_text",
    "newest_first",
    "origin",
    "pick",
    "problem_in",
    "rank",
    "secret_in",
    "unlisted",
]
