"""The Memory tool in a run: the user is asked, and what is kept is told to later sessions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from glossator.commands.context_sources import SwitchContextRequest, switch_context
from glossator.commands.memory import ListMemoriesRequest, list_memories
from glossator.commands.models import SetModeRequest, set_mode
from glossator.core.context_kinds import ContextKind
from glossator.core.permission import Choice, Mode, PermissionAnswer, PermissionRequest
from glossator.memory import memory_tool
from tests.memory.remembering import by_hand, files
from tests.patience import SECONDS
from tests.stage import Stage, stage
from tests.standin import Text, ToolUse, Turn

ONCE = PermissionAnswer(Choice.ONCE)
WRITE = {
    "action": "write",
    "name": "prefers-tabs",
    "type": "user",
    "description": "Indents with tabs.",
    "text": "Said after a Makefile broke.",
    "about": ["Makefile"],
}
FILES = {"Makefile": "all:\n"}


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def calling(*calls: dict[str, Any]) -> Callable[[dict[str, Any]], Turn]:
    """The main model makes the calls, one a turn; the fast one recalls nothing."""
    turns = iter([*(Turn(ToolUse("Memory", call)) for call in calls), Turn(Text("Done."))])
    return lambda body: next(turns) if body.get("tools") else Turn(Text("none"))


async def results(s: Stage, question: str = "Remember that I like tabs.") -> list[str]:
    """What each call of the run came to."""
    await s.ask(question)
    last = next(r.body for r in reversed(s.api.requests) if r.body.get("tools"))["messages"]
    found = [part for message in last for part in message["content"]]
    return [part["content"] for part in found if part.get("type") == "tool_result"]


async def test_the_user_is_asked_and_sees_the_whole_file(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, calling(WRITE)) as s:
        s.port.permitted = [ONCE]
        (result,) = await results(s)
        (asked,) = s.port.permissions
        (memory,) = s.app.memories.kept().memories
    assert (asked.tool, asked.title) == (
        "Memory",
        "Keep prefers-tabs for this workspace?",
    )
    assert asked.reasons == ("Later sessions are told of it, so you are asked in every mode.",)
    assert asked.suggestions == ("Memory",)
    for line in ("description: Indents with tabs.", "Said after a Makefile broke.", "type: user"):
        assert line in asked.detail
    assert memory.about == ("Makefile",)
    assert memory.source.endswith(": Remember that I like tabs.")
    assert result.startswith(f"Kept prefers-tabs for this workspace, in {memory.path}. ")


async def test_a_refusal_keeps_nothing(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, calling(WRITE)) as s:
        (result,) = await results(s)
        assert len(s.port.permissions) == 1
    assert "The user refused" in result
    assert files() == set()


@pytest.mark.parametrize(
    ("mode", "asked", "kept"),
    [("plan", 0, False), ("ask", 1, True), ("acceptEdits", 1, True), ("auto", 1, True)],
)
async def test_modes(tmp_path: Path, mode: str, asked: int, *, kept: bool) -> None:
    async with stage(tmp_path / "ws", FILES, calling(WRITE)) as s:
        await set_mode(s.app, SetModeRequest(Mode(mode)))
        s.port.permitted = [ONCE]
        (result,) = await results(s)
        assert len(s.port.permissions) == asked
        (own,) = s.app.acting.modes.known.values()
        assert own is Mode(mode)
    assert ("prefers-tabs.md" in files()) == kept
    assert ("Plan mode only reads" in result) == (mode == "plan")


async def test_what_the_editor_does_not_trust_is_remembered_by_nobody(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, calling(WRITE), trusted=False) as s:
        await results(s)
        assert s.port.permissions == []
    assert files() == set()


async def test_allowed_always_it_is_not_asked_again(tmp_path: Path) -> None:
    update = {"action": "update", "name": "prefers-tabs", "text": "Since 2026-11."}
    async with stage(tmp_path / "ws", FILES, calling(WRITE, update)) as s:
        s.port.permitted = [PermissionAnswer(Choice.ALWAYS)]
        await results(s)
        assert len(s.port.permissions) == 1
        assert s.app.memories.kept().memories[0].text == "Since 2026-11."


async def test_denied_by_a_rule_it_is_not_even_read(tmp_path: Path) -> None:
    by_hand(tmp_path / "ws", "a.md", "---\ntype: user\ndescription: A.\n---\nSecret sauce.\n")
    settings = {"permissions": {"deny": ["Memory"]}}
    read = {"action": "read", "name": "a"}
    async with stage(tmp_path / "ws", FILES, calling(read, WRITE), settings) as s:
        got = await results(s)
    assert all("permission rules do not allow this (denied: Memory)" in each for each in got)


async def test_reading_asks_nobody_and_shows_what_is_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        memory_tool, "_SYMBOL_SECONDS", SECONDS
    )  # the worker may have to start first
    text = "---\ntype: user\nupdated: 2020-01-01\ndescription: A.\nabout: [x.py, Nobody]\n---\nB.\n"
    by_hand(tmp_path / "ws", "a.md", text)
    async with stage(tmp_path / "ws", FILES, calling({"action": "read", "name": "a.md"})) as s:
        (result,) = await results(s, "Hello?")
        assert s.port.permissions == []
    assert (
        "years ago, from a file that somebody wrote; stale: x.py is gone; stale: Nobody" in result
    )
    assert "<material>\nA.\n\nB.\n</material>" in result


async def test_an_update_is_shown_as_a_diff_and_forgetting_as_the_file(tmp_path: Path) -> None:
    script = calling(
        WRITE,
        {"action": "update", "name": "prefers-tabs", "description": "Indents with spaces."},
        {"action": "forget", "name": "prefers-tabs"},
    )
    async with stage(tmp_path / "ws", FILES, script) as s:
        s.port.permitted = [ONCE, ONCE, ONCE]
        got = await results(s)
        update, forget = s.port.permissions[1:]
    assert "-description: Indents with tabs.\n+description: Indents with spaces." in update.detail
    assert forget.title == "Forget prefers-tabs?"
    assert "Said after a Makefile broke." in forget.detail
    assert got[2] == "Forgot prefers-tabs: Indents with spaces."
    assert "prefers-tabs.md" not in files()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"text": "The password is hunter2."}, "looks like a secret: a password (hu…). A"),
        ({"name": "../../x"}, "cannot be a memory's name"),
        ({"name": "memory"}, "cannot be a memory's name"),
        ({"name": "x" * 61}, "name: String should have at most 60 characters"),
        ({"description": None}, "needs type, description and text"),
        ({"everywhere": True}, "cannot be about places in one of them"),
        ({"text": "x" * 4_000}, "bytes too long: its file may have 4,000"),
        ({"name": "likes-tabs"}, "The memory known (this workspace) says nearly the same"),
        ({"name": "known"}, "There is already a memory known (this workspace).\nUpdate it"),
        ({"action": "update", "name": "none"}, "There is no memory none.\nThere are: known."),
        (
            {"action": "update", "name": "known", "description": None, "type": None, "text": None,
             "about": None},
            "There is nothing to change",
        ),
        (
            {"action": "update", "name": "known", "text": "token: 9f8e7d6c5b4a3210"},
            "looks like a secret: a token",
        ),
    ],
)  # fmt: skip
async def test_what_is_refused_says_why(tmp_path: Path, changes: dict[str, Any], says: str) -> None:
    head = "---\ntype: user\ndescription: Indents with tabs.\n---\nSaid after a Makefile broke.\n"
    by_hand(tmp_path / "ws", "known.md", head)
    arguments = {key: value for key, value in (WRITE | changes).items() if value is not None}
    async with stage(tmp_path / "ws", FILES, calling(arguments)) as s:
        s.port.permitted = [ONCE]
        (result,) = await results(s, "Go on.")
        (memory,) = s.app.memories.kept().memories
        assert s.port.permissions == []  # nobody is asked about what fails anyway
    assert says in result
    assert memory.name == "known"


async def test_a_secret_in_the_question_is_not_kept_as_the_source(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, calling(WRITE)) as s:
        s.port.permitted = [ONCE]
        await results(s, "My password is hunter2; and remember that I like tabs.")
        (memory,) = s.app.memories.kept().memories
    assert "hunter2" not in memory.path.read_text()
    assert memory.source.startswith("session ")


async def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    by_hand(tmp_path / "ws", "a.md", "---\ntype: user\ndescription: A.\n---\nB.\n")
    async with stage(tmp_path / "ws", FILES, calling(WRITE)) as s:
        s.port.permitted = [ONCE]
        lock = s.app.memories.place(everywhere=False) / "MEMORY.md.lock"
        lock.mkdir()
        (result,) = await results(s)
        listed = await list_memories(s.app, ListMemoriesRequest())
    assert "cannot be written (Is a directory). Check that folder.\nTell the user" in result
    assert [each.name for each in listed.memories] == ["a"]
    assert "cannot be written" in listed.problems[-1]


async def test_habits_of_models(tmp_path: Path) -> None:
    call = {
        "command": "create", "name": "likes-rg.md", "kind": "feedback", "content": "It is quick.",
        "description": "Searches with rg.",
    }  # fmt: skip
    async with stage(tmp_path / "ws", FILES, calling(call)) as s:
        s.port.permitted = [ONCE]
        await results(s)
        (memory,) = s.app.memories.kept().memories
    assert (memory.name, memory.type, memory.text) == ("likes-rg", "feedback", "It is quick.")


async def test_switched_off_there_is_no_such_tool(tmp_path: Path) -> None:
    by_hand(tmp_path / "ws", "a.md", "---\ntype: user\ndescription: Tabs, I like.\n---\nB.\n")
    settings = {"memory": {"enabled": False}}
    async with stage(tmp_path / "ws", FILES, [Turn(Text("Done."))], settings) as s:
        await s.ask("Do I like tabs?")
        assert "Memory" not in {each["name"] for each in s.sent(0)["tools"]}
        assert len(s.said(0)) == 1


@pytest.mark.parametrize("change", [{"action": "forget"}, {"action": "update", "text": "Newer."}])
async def test_what_the_user_was_not_shown_is_left(tmp_path: Path, change: dict[str, Any]) -> None:
    """Somebody edits the file while the user is asked."""
    by_hand(tmp_path / "ws", "tea.md", "---\ntype: user\ndescription: Tea.\n---\nOld.\n")
    async with stage(tmp_path / "ws", FILES, calling({"name": "tea", **change})) as s:
        (before,) = s.app.memories.kept().memories

        async def ask(_: PermissionRequest) -> PermissionAnswer:
            before.path.write_text(before.file().replace("Old.", "Precious."), "utf-8")
            return ONCE

        s.port.ask_permission = ask  # type: ignore[method-assign, assignment]
        (result,) = await results(s)
        assert "The memory tea changed meanwhile" in result
        assert "Precious." in before.path.read_text("utf-8")


async def test_what_is_off_is_not_read(tmp_path: Path) -> None:
    by_hand(tmp_path / "ws", "tea.md", "---\ntype: user\ndescription: Tea.\n---\nGreen.\n")
    off = SwitchContextRequest(ContextKind.MEMORY, "tea", on=False)
    async with stage(tmp_path / "ws", FILES, calling({"action": "read", "name": "tea"})) as s:
        await switch_context(s.app, off)
        (result,) = await results(s, "What do I drink?")
    assert "The user turned tea off in this workspace" in result
    assert "Green" not in result
