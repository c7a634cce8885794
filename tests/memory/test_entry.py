"""The files of memories: what is read of them, and what is written."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from glossator.memory.entry import MAX_BYTES, Memory, MemoryType, is_memory_file, parse_memory
from tests.memory.remembering import THEN, memory

NOW = datetime(2026, 11, 25, tzinfo=UTC)
HEAD = "---\nname: x\ndescription: What it is about.\ntype: user\n---\n"


def read(text: str | bytes) -> Memory | str:
    content = text.encode() if isinstance(text, str) else text
    return parse_memory(content, Path("x.md"), NOW, everywhere=False)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"text": "", "source": ""},
        {"about": ("src/a b.py:12", "Parser.parse", "c, d")},
        {"description": "Colon: here, # and 'quotes' \"too\" [a] {b} \\n"},
        {"description": "yes"},
        {"description": "12"},
        {"description": "- a list? *no* & not this | nor > that"},
        {"source": "session 4f2a: Was heißt „für“ 🎣?"},
        {"text": "---\nnot: a head\n---\n\n```\ncode\n```", "type": MemoryType.PROJECT},
    ],
)
def test_what_is_written_is_read(fields: dict[str, Any]) -> None:
    made = memory("x", **fields)
    assert read(made.file()) == made


def test_a_file_that_a_person_wrote() -> None:
    found = read(
        "---\ntype: feedback\ndescription: >\n  Two\n  lines\nabout: a.py b.py\n---\nText.\n"
    )
    assert isinstance(found, Memory)
    assert (found.name, found.description, found.text) == ("x", "Two lines", "Text.")
    assert found.about == ("a.py", "b.py")
    assert (found.created, found.updated, found.source) == (NOW, NOW, "")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2026-08-20", datetime(2026, 8, 20, tzinfo=UTC)),
        ("2026-08-20T12:00:00+00:00", THEN),
        ("last summer", NOW),
        ("", NOW),
    ],
)
def test_times(written: str, meant: datetime) -> None:
    found = read(HEAD.replace("---\n", f"---\nupdated: {written}\n", 1))
    assert isinstance(found, Memory)
    assert (found.created, found.updated) == (meant, meant)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("Only text.", "has nothing as its type; write one of user, feedback, project, reference"),
        (HEAD.replace("user", "secret"), "has secret as its type"),
        (HEAD.replace("What it is about.", ""), "has no description; add one line"),
        (HEAD.removesuffix("---\n"), "has no second line of ---"),
        (HEAD.replace("name: x", 'name: "x'), "is not YAML in line"),
        (HEAD.encode() + b"\xff\xfe", "is not UTF-8; save it so."),
        (HEAD + "x" * MAX_BYTES, "has more than 4,000 bytes; shorten it"),
    ],
)
def test_what_is_no_memory_says_why(content: str | bytes, says: str) -> None:
    found = read(content)
    assert isinstance(found, str)
    assert says in found


def test_names_and_descriptions_are_one_visible_line() -> None:
    found = read(HEAD.replace("name: x", r'name: "a\u202eb"').replace("is about", "is\u200babout"))
    assert isinstance(found, Memory)
    assert (found.name, found.description) == ("a\\u202eb", "What it is\\u200babout.")


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("a.md", True),
        ("MEMORY.md", False),
        ("memory.md", False),
        (".a.md", False),
        ("a.txt", False),
    ],
)
def test_which_files_are_memories(name: str, *, is_one: bool) -> None:
    assert is_memory_file(name) == is_one


def test_a_version_changes_with_what_is_said() -> None:
    one = memory()
    assert memory(updated=NOW, source="session 1").version == one.version
    changed = ({"text": "Else."}, {"description": "Else."}, {"about": ("a.py",)})
    assert all(memory(**fields).version != one.version for fields in changed)
