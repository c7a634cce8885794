"""The commands about memories: list, show, open, forget."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.commands.memory import (
    ListMemoriesRequest,
    MemoryRequest,
    forget_memory,
    list_memories,
    memory_problem,
    open_memory,
    show_memory,
)
from glossator.core.errors import UsageError
from glossator.core.uri import to_uri
from tests.memory.remembering import by_hand
from tests.stage import stage

OWN = "---\ntype: user\nupdated: 2020-01-01\ndescription: Mine.\n---\nText \x1b.\n"
OF_ROOT = "---\ntype: project\ndescription: Ours.\nabout: [src/a.py, src/b.py, swim]\n---\nText.\n"
FILES = {"src/a.py": "def swim():\n    pass\n"}


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


async def test_they_are_listed_with_where_they_stand(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    mine, ours = by_hand("", "a.md", OWN), by_hand(root, "b.md", OF_ROOT)
    bad = by_hand(root, "bad.md", "no head")
    async with stage(root, FILES, []) as s:
        listed = await list_memories(s.app, ListMemoriesRequest())
    first, second = listed.memories
    assert (first.name, first.source, first.type, first.state) == (
        "b",
        "project",
        "project",
        "stale",
    )
    assert first.origin == "today, from a file that somebody wrote"
    assert first.why == "src/b.py is gone"
    assert first.about == ("src/a.py", "src/b.py", "swim")
    assert (first.path, first.uri) == (str(ours), to_uri(str(ours)))
    assert (second.name, second.source, second.state) == ("a", "user", "on")
    assert (second.updated, second.description) == ("2020-01-01T00:00:00+00:00", "Mine.")
    assert [problem.startswith(f"The memory {bad} has nothing") for problem in listed.problems] == [
        True
    ]
    assert (ours.parent / "MEMORY.md").read_text().endswith("- [b](b.md): Ours.\n")
    assert (mine.parent / "MEMORY.md").exists()


async def test_switched_off_they_are_listed_as_such(tmp_path: Path) -> None:
    by_hand("", "a.md", OWN)
    async with stage(tmp_path / "ws", FILES, [], {"memory": {"enabled": False}}) as s:
        (listed,) = (await list_memories(s.app, ListMemoriesRequest())).memories
    assert listed.state == "off"


async def test_one_is_shown_opened_and_forgotten(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    mine, ours = by_hand("", "a.md", OWN), by_hand(root, "a.md", OF_ROOT)
    async with stage(root, FILES, []) as s:
        shown = await show_memory(s.app, MemoryRequest("a"))
        assert (shown.memory.source, shown.text) == ("project", "Text.")
        general = await show_memory(s.app, MemoryRequest("a", everywhere=True))
        assert (general.memory.source, general.text) == ("user", "Text \\u001b.")
        opened = await open_memory(s.app, MemoryRequest("a", everywhere=True))
        assert (opened.path, opened.uri) == (str(mine), to_uri(str(mine)))
        forgotten = await forget_memory(s.app, MemoryRequest("a"))
        assert (forgotten.name, forgotten.left) == ("a", 1)
        assert (ours.exists(), mine.exists()) == (False, True)
        bad = by_hand(root, "bad.md", "no head")
        for command in (show_memory, open_memory, forget_memory):
            with pytest.raises(UsageError) as caught:
                await command(s.app, MemoryRequest("none"))
            assert str(caught.value).startswith(
                f"There is no memory none.\nThere are: a.\nThe memory {bad} has nothing as its type"
            )


def test_a_file_is_checked_after_it_was_edited() -> None:
    path = by_hand("", "a.md", OWN)
    assert memory_problem(str(path)) == ""
    path.write_text("no head")
    assert memory_problem(str(path)).startswith(f"{path} has nothing as its type; write one of")
    path.unlink()
    assert memory_problem(str(path)) == f"{path} cannot be read (No such file or directory)."
