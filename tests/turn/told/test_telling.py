"""What is told with a question: nothing is lost, nothing fails it, and the user learns of cuts."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from glossator.core.errors import TooManyOpenFiles
from glossator.core.events import Notice
from glossator.turn.told import part as gathering
from glossator.turn.told.recall import Recall
from glossator.workspace.documents.snapshot import WorkspaceSnapshot
from tests.customizations.files import described
from tests.stage import Stage, stage
from tests.standin import Text, ToolUse, Turn

FILES = {"src/a.py": "def swim():\n    pass\n"}
HELLO = Turn(Text("Hello."))


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STATE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


def notices(s: Stage) -> list[str]:
    return [each.message for each in s.port.of(Notice)]


async def test_a_cancelled_question_takes_nothing_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was gathered for it is told with the next one."""
    began, never = asyncio.Event(), asyncio.Event()

    async def waiting(_: Recall) -> None:
        began.set()
        await never.wait()

    async with stage(tmp_path / "ws", FILES | {"AGENTS.md": "Old rule."}, [HELLO] * 2) as s:
        first = await s.ask("Hi")
        (s.root / "AGENTS.md").write_text("New rule.", "utf-8")
        s.touched("AGENTS.md")
        with monkeypatch.context() as patched:
            patched.setattr(Recall, "at_once", waiting)
            asking = asyncio.create_task(s.ask("Two", session_id=first.session_id))
            await began.wait()
            asking.cancel()
            await asyncio.wait({asking})
        await s.ask("Three", session_id=first.session_id)
        assert "New rule." in str(s.sent(1)["messages"][-1])


async def test_no_part_fails_the_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = WorkspaceSnapshot.read

    def fails(self: WorkspaceSnapshot, path: str) -> object:
        if path.endswith("AGENTS.md"):
            raise TooManyOpenFiles("There are too many open files.")
        return read(self, path)

    async with stage(tmp_path / "ws", FILES | {"AGENTS.md": "A rule."}, [HELLO] * 2) as s:
        with monkeypatch.context() as patched:
            patched.setattr(WorkspaceSnapshot, "read", fails)
            first = await s.ask("Hi")
        why = "Instruction files did not go with the question: There are too many open files."
        assert notices(s).count(why) == 1
        await s.ask("Again", session_id=first.session_id)
        assert "A rule." in str(s.sent(1)["messages"][-1])


async def test_a_mention_that_fails_is_a_notice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = WorkspaceSnapshot.read

    def fails(self: WorkspaceSnapshot, path: str) -> object:
        if path.endswith("a.py"):
            raise TooManyOpenFiles("There are too many open files.")
        return read(self, path)

    async with stage(tmp_path / "ws", FILES, [HELLO]) as s:
        with monkeypatch.context() as patched:
            patched.setattr(WorkspaceSnapshot, "read", fails)
            await s.ask("What is @src/a.py?")
        assert "Not attached: @src/a.py (There are too many open files)." in notices(s)


async def test_no_part_is_waited_for_beyond_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "SECONDS", 0.01)
    told: list[str] = []
    got = await gathering.in_time("Lists", asyncio.Event().wait, False, told.append)
    assert got is False
    assert told == ["Lists did not go with the question: they were not there within 0.01 s."]


async def test_parts_are_told_in_their_order_and_some_are_made_last() -> None:
    made: list[str] = []

    def part(what: str, text: str) -> gathering.ToldPart:
        async def make() -> gathering.Telling:
            await asyncio.sleep(0)  # the others begin meanwhile
            made.append(text)
            return gathering.Telling((text,))

        return gathering.ToldPart(what, make)

    parts = [part("Lists", "a"), part(gathering.AT_LAST, "b"), part("Memories", "c")]
    tellings = await gathering.gathered(parts, pytest.fail)
    assert [text for telling in tellings for text in telling.texts] == ["a", "b", "c"]
    assert made == ["a", "c", "b"]


async def test_cuts_and_refusals_below_are_told_once(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("PRIVATE", "utf-8")
    files = FILES | {
        "deep/AGENTS.md": f"Deep.\n@../../secret.md\n{'x' * 30_000}",
        "deep/a.py": "a = 1\n",
    }
    turns = [Turn(ToolUse("Read", {"path": "deep/a.py"})), HELLO, HELLO]
    async with stage(tmp_path / "ws", files, turns) as s:
        first = await s.ask("Hi")
        await s.ask("Again", session_id=first.session_id)
        (told,) = [each for each in notices(s) if each.startswith("Of the instruction files")]
        assert "secret.md, imported by deep/AGENTS.md, lies outside the workspace" in told
        assert "deep/AGENTS.md is cut by 6,0" in told


async def test_instructions_come_with_what_is_attached(tmp_path: Path) -> None:
    files = FILES | {"deep/AGENTS.md": "Deep rule.", "deep/a.py": "a = 1\n"}
    async with stage(tmp_path / "ws", files, [HELLO]) as s:
        await s.ask("Look at @deep/a.py")
        assert "Deep rule." in str(s.sent(0)["messages"])


async def test_a_file_that_is_gone_counts_no_more(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES | {"AGENTS.md": "A rule."}, [HELLO] * 3) as s:
        first = await s.ask("Hi")
        (s.root / "AGENTS.md").unlink()
        s.touched("AGENTS.md")
        for _ in range(2):
            await s.ask("Again", session_id=first.session_id)
        said = str(s.sent(2)["messages"])
        assert said.count("AGENTS.md, of the project:\\n[It is gone, and no longer applies") == 1


async def test_trust_that_comes_later(tmp_path: Path) -> None:
    files = FILES | {
        "AGENTS.md": "A rule.",
        ".claude/skills/pdf/SKILL.md": described("pdf", "Reads PDF."),
    }
    async with stage(tmp_path / "ws", files, [HELLO] * 3, trusted=None) as s:
        first = await s.ask("Hi")
        assert "A rule." not in str(s.sent(0))
        s.app.acting.trust.trust.remember(str(s.root))
        for _ in range(2):
            await s.ask("Again", session_id=first.session_id)
        assert "A rule." in str(s.sent(1)["messages"][-1])
        told = [each for each in notices(s) if "is trusted now" in each]
        assert len(told) == 1
        assert "The model gets its sub-agents and skills in a new conversation" in told[0]
