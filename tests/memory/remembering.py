"""Memories for tests."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from glossator.memory.entry import Memory, MemoryType
from glossator.memory.memories import Memories, memory_base

LABELLED = Path(__file__).parent / "labelled.json"
THEN = datetime(2026, 8, 20, 12, 0, tzinfo=UTC)


def memory(name: str = "prefers-tabs", **fields: Any) -> Memory:
    """A memory that is on no disk yet."""
    defaults: dict[str, Any] = {
        "path": Path(f"{name}.md"),
        "everywhere": False,
        "name": name,
        "description": "Indents with tabs in every language but Python.",
        "type": MemoryType.USER,
        "text": "Said after spaces had broken a Makefile.",
        "created": THEN,
        "updated": THEN,
        "source": "session 4f2a: Why did you reindent my Makefile?",
    }
    return Memory(**defaults | fields)


def labelled() -> dict[str, Any]:
    """Realistic memories of one project, and questions with those that each needs, or may have."""
    found: dict[str, Any] = json.loads(LABELLED.read_text("utf-8"))
    return found


def labelled_memories() -> tuple[Memory, ...]:
    """The memories of the labelled set."""
    return tuple(
        memory(
            each["name"],
            description=each["description"],
            type=MemoryType(each["type"]),
            text=each["text"],
        )
        for each in labelled()["memories"]
    )


def by_hand(root: Path | str, name: str, text: str) -> Path:
    """A file that a person put among the memories of a workspace; "" is everywhere."""
    memories = Memories(lambda: (str(root),) if root else ())
    folder = memories.place(everywhere=not root)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def files() -> set[str]:
    """The names of all files below the folder of memories, but for locks."""
    base = memory_base()
    paths = base.rglob("*") if base.is_dir() else ()
    return {path.name for path in paths if path.is_file() and path.suffix != ".lock"}
