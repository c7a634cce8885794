"""What was read counts after a resume; what changed since is told once, and within a run, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from glossator.commands.sessions import CompactRequest, compact_session
from glossator.commands.turns import RewindRequest, UndoRequest, rewind, undo_turn
from glossator.workspace.files import cache
from tests.sandboxed import SANDBOXED
from tests.sessions.compaction.compacting import summary_turn
from tests.stage import Stage, stage
from tests.standin import Text, ToolUse, Turn
from tests.turn.test_loop import without_cache_marks

CODE = "".join(f"line {number}\n" for number in range(1, 31))
_FILES = {"calc.py": CODE, "other.py": "x = 1\n"}
_READ = ToolUse("Read", {"path": "calc.py"}, "read")
_GREP = ToolUse("Grep", {"pattern": "line 7", "output_mode": "content"}, "grep")
_HEAD = "Since you last saw these files, something other than your edits changed them"
_EDITS = {"permissions": {"mode": "auto"}}


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def edit(old: str, new: str, path: str = "calc.py", name: str = "edit") -> ToolUse:
    return ToolUse("Edit", {"path": path, "old_text": old, "new_text": new}, name)


def told(s: Stage, number: int = -1) -> list[str]:
    """What was said about changed files up to a request to the model, the newest by default."""
    messages: list[Any] = s.api.requests[number].body["messages"]
    texts = (part.get("text", "") for message in messages for part in message["content"])
    return [text.partition("\n")[2] for text in texts if text.startswith(_HEAD)]


def change(root: Path, old: str, new: str, path: str = "calc.py") -> None:
    text = (root / path).read_text()
    assert old in text
    (root / path).write_text(text.replace(old, new))


@pytest.mark.parametrize("shown", [_READ, _GREP], ids=["read", "grep"])
async def test_lines_of_the_conversation_count_after_a_resume(
    tmp_path: Path, shown: ToolUse
) -> None:
    root = tmp_path / "ws"
    async with stage(root, _FILES, [Turn(shown), Turn(Text("I see."))], _EDITS) as s:
        session_id = (await s.ask("Look.")).session_id
    script = [Turn(edit("line 7\n", "seven\n")), Turn(Text("Done."))]
    async with stage(root, {}, script, _EDITS) as s:
        await s.ask("Now change it.", session_id=session_id)
        assert s.results(1)["edit"]["content"].startswith("Changed calc.py in 1 place")
        assert told(s) == []
    assert (root / "calc.py").read_text() == CODE.replace("line 7\n", "seven\n")


async def test_a_text_is_known_after_a_resume_though_another_session_read_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "RACY_NS", 0)  # else a file that was just written is read again
    root = tmp_path / "ws"
    async with stage(root, _FILES, [Turn(_READ), Turn(Text("I see."))]) as s:
        resumed = (await s.ask("Look.")).session_id
    script = [Turn(_READ), Turn(Text("I see.")), Turn(Text("Yes."))]
    async with stage(root, {}, script) as s:
        await s.ask("Look, too.")
        await s.ask("Still there?", session_id=resumed)
        session = await s.app.sessions.open(resumed)
        known = session.reads.last(str(root / "calc.py"))
    assert known is not None
    assert known.text == CODE


async def test_what_changed_before_a_resume_is_told_and_the_edit_is_made(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    async with stage(root, _FILES, [Turn(_READ), Turn(Text("I see."))], _EDITS) as s:
        session_id = (await s.ask("Look.")).session_id
    change(root, "line 3\n", "three\nand more\n")
    script = [Turn(edit("line 7\n", "seven\n")), Turn(Text("Done.")), Turn(Text("Yes."))]
    async with stage(root, {}, script, _EDITS) as s:
        await s.ask("Now change it.", session_id=session_id)
        expect = ["- calc.py:\n2\tline 2\n3\tthree\n4\tand more\n5\tline 4"]
        assert told(s, 0) == expect
        assert s.sent(0)["messages"][-1]["content"][-1]["text"] == "Now change it."
        assert s.results(1)["edit"]["content"].startswith("Changed calc.py in 1 place")
        await s.ask("Well?", session_id=session_id)
        assert told(s) == expect  # once
    assert "three\nand more\nline 4\nline 5\nline 6\nseven\n" in (root / "calc.py").read_text()


async def test_a_text_that_was_not_kept_is_to_be_read_again(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    async with stage(root, _FILES, [Turn(_READ), Turn(Text("I see."))], _EDITS) as s:
        session_id = (await s.ask("Look.")).session_id
    change(root, "line 3\n", "three\n")
    for file in (tmp_path / "state").rglob("checkpoints.db*"):
        file.unlink()
    every = {"path": "calc.py", "old_text": "line 7\n", "new_text": "7\n", "replace_all": True}
    script = [
        Turn(ToolUse("Edit", every, "every"), edit("line 9\n", "nine\n")),
        Turn(Text("Done.")),
    ]
    async with stage(root, {}, script, _EDITS) as s:
        await s.ask("Now change it.", session_id=session_id)
        assert told(s, 0) == ["- calc.py (read it again)"]
        refused = s.results(1)["every"]
        assert refused["is_error"]
        assert "7\tline 7" in refused["content"]
        assert "9\tnine" in s.results(1)["edit"]["content"]  # which is there once


@SANDBOXED
async def test_what_changes_within_a_run_is_told_with_the_results(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    script = [
        Turn(_READ, ToolUse("Read", {"path": "other.py"}, "other")),
        Turn(ToolUse("Bash", {"command": "sed -i 's/line 30/last/' calc.py"}, "bash")),
        Turn(edit("line 7\n", "seven\n")),
        Turn(Text("Done.")),
    ]
    async with stage(root, _FILES, script, _EDITS) as s:
        await s.ask("Do it.")
        assert told(s, 1) == []
        assert told(s, 2) == ["- calc.py:\n29\tline 29\n30\tlast"]
        content = s.sent(2)["messages"][-1]["content"]
        assert [part["type"] for part in content] == ["tool_result", "text"]
        assert told(s, 3) == told(s, 2)
        for number in (1, 2, 3):
            before, after = (
                without_cache_marks(s.sent(n))["messages"] for n in (number - 1, number)
            )
            assert after[: len(before)] == before


async def test_gone_and_large_changes_are_named(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    read = Turn(_READ, ToolUse("Read", {"path": "other.py"}, "other"))
    async with stage(root, _FILES, [read, Turn(Text("I see.")), Turn(Text("Yes."))], _EDITS) as s:
        session_id = (await s.ask("Look.")).session_id
        (root / "other.py").unlink()
        (root / "calc.py").write_text(CODE.replace("line", "row"))
        await s.ask("And now?", session_id=session_id)
        assert told(s) == ["- calc.py: lines 1-30 (read it again)\n- other.py (not there now)"]


async def test_an_undo_is_told_as_an_undo_alone(tmp_path: Path) -> None:
    script = [Turn(_READ), Turn(edit("line 7", "7")), Turn(Text("Done.")), Turn(Text("I see."))]
    async with stage(tmp_path / "ws", _FILES, [*script, Turn(Text("Yes."))], _EDITS) as s:
        session_id = (await s.ask("Do it.")).session_id
        await undo_turn(s.app, UndoRequest(session_id))
        for _ in range(2):
            await s.ask("And now?", session_id=session_id)
            assert told(s) == []


async def test_after_a_rewind_only_what_stands_is_told(tmp_path: Path) -> None:
    script = [
        Turn(_READ), Turn(Text("I see.")),
        Turn(edit("line 7\n", "seven\n")), Turn(Text("Done.")),
        Turn(Text("Yes.")), Turn(Text("Still.")),
    ]  # fmt: skip
    async with stage(tmp_path / "ws", _FILES, script, _EDITS) as s:
        session_id = (await s.ask("Look.")).session_id
        await s.ask("Do it.", session_id=session_id)
        await rewind(s.app, RewindRequest(session_id))
        await s.ask("What stands on line 7?", session_id=session_id)
        assert told(s) == ["- calc.py:\n6\tline 6\n7\tseven\n8\tline 8"]
        await s.ask("Sure?", session_id=session_id)
        assert len(told(s)) == 1


async def test_a_compaction_tells_nothing(tmp_path: Path) -> None:
    talk = [Turn(Text("Fine. " * 200)) for _ in range(12)]
    script = [Turn(_READ), Turn(Text("I see.")), *talk, summary_turn()]
    script += [Turn(edit("line 7\n", "seven\n")), Turn(Text("Done."))]
    root = tmp_path / "ws"
    async with stage(root, _FILES, script, _EDITS) as s:
        session_id = (await s.ask("Look.")).session_id
        for _ in talk:
            await s.ask("Go on. " * 100, session_id=session_id)
        await compact_session(s.app, CompactRequest(session_id))
        await s.ask("Change it.", session_id=session_id)
        assert told(s) == []
    assert "seven" in (root / "calc.py").read_text()


async def test_a_folder_that_stands_above_is_not_listed_again(tmp_path: Path) -> None:
    files = {f"src/{name}.py": "x\n" for name in "abc"}
    script = [Turn(Text("I see.")) for _ in range(3)]
    async with stage(tmp_path / "ws", files, script) as s:
        session_id = (await s.ask("What is in @src/ ?")).session_id
        await s.ask("And in @src/ ?", session_id=session_id)
        first, again = (s.sent(n)["messages"][-1]["content"][-2]["text"] for n in (0, 1))
        assert "a.py" in first
        assert (
            again
            == "Attached by the user: the folder src/; its contents are shown above, unchanged."
        )
        (s.root / "src/d.py").write_text("x\n")
        s.touched("src/d.py")
        await s.ask("And in @src/ ?", session_id=session_id)
        assert "d.py" in s.sent(2)["messages"][-1]["content"][-2]["text"]
