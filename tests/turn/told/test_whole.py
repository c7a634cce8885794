"""A small workspace goes into the cached prompt whole, and its lines count as shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from glossator.commands.sessions import CompactRequest, compact_session
from glossator.commands.turns import RewindRequest, rewind
from glossator.commands.window import ShowContextRequest, show_context
from glossator.core.events import Notice
from glossator.core.span import CitationStatus
from tests.sessions.compaction.compacting import summary_turn
from tests.stage import Stage, stage
from tests.standin import Text, ToolUse, Turn

FILES = {
    "zebra.py": "def stripes():\n    return 7\n",
    "app/main.py": "from zebra import stripes\n\nprint(stripes())\n",
    "empty.py": "",
    "secret.env": "KEY=1\n",
    "logo.png": "not shown\n",
    "lib.min.js": "var a=1\n",
    "long.txt": "x" * 3_000 + "\n",
    ".gitignore": "ignored.py\n",
    "ignored.py": "ignored = True\n",
}
ON: dict[str, Any] = {
    "retrieval": {"wholeTokens": 20_000},
    "permissions": {"mode": "auto", "deny": ["Read(secret.env)"]},
}
CITED = "It is seven [cite: doc, zebra.py, L1-L2]."


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def system(s: Stage, number: int = 0) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = s.sent(number)["system"]
    return blocks


async def test_the_prompt_holds_every_text_file_in_order(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, [Turn(Text(CITED))], ON) as s:
        answer = await s.ask("What does stripes return?")
        *_, block = system(s)
        text = block["text"]
    shown = [
        "File .gitignore, 1 line:\n<material>\n1\tignored.py\n</material>",
        "File app/main.py, 3 lines:\n<material>\n1\tfrom zebra import stripes\n2\t\n3\tprint",
        "File empty.py, empty:\n\nFile zebra.py",
        "File zebra.py, 2 lines:\n<material>\n1\tdef stripes():\n2\t    return 7\n</material>",
    ]
    places = [text.index(each) for each in shown]
    assert places == sorted(places)
    assert "- lib.min.js (generated)" in text
    assert "- logo.png (an image)" in text
    assert "- long.txt (generated)" in text
    assert "- 1 that permission rules hide" in text
    assert not any(word in text for word in ("KEY=1", "secret", "ignored = True", "xxxx"))
    assert [each.status for each in answer.citations] == [CitationStatus.READ]


async def test_the_last_system_block_bears_the_mark(tmp_path: Path) -> None:
    script = [Turn(ToolUse("Read", {"path": "zebra.py"}, "read")), Turn(Text(CITED))]
    async with stage(tmp_path / "ws", FILES, script, ON) as s:
        await s.ask("What does stripes return?")
        marked = ["cache_control" in block for block in system(s)]
        assert marked == [True, False, True]
        assert system(s, 0) == system(s, 1)
        assert "unchanged:" in s.results(1)["read"]["content"]


async def test_two_sessions_share_the_prompt(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, [Turn(Text("a")), Turn(Text("b"))], ON) as s:
        await s.ask("One?")
        await s.ask("Two?")
        assert system(s, 0) == system(s, 1)


async def test_a_changed_file_is_told_and_the_prompt_stays(tmp_path: Path) -> None:
    cited = "Eight [cite: doc, zebra.py, L2-L2]."
    async with stage(tmp_path / "ws", FILES, [Turn(Text(CITED)), Turn(Text(cited))], ON) as s:
        session_id = (await s.ask("What does stripes return?")).session_id
        (s.root / "zebra.py").write_text("def stripes():\n    return 8\n")
        s.touched("zebra.py")
        answer = await s.ask("And now?", session_id=session_id)
        assert system(s, 0) == system(s, 1)
        assert "2\t    return 8" in s.said(1)[0]["text"]
        assert [each.status for each in answer.citations] == [CitationStatus.READ]


async def test_shown_lines_can_be_edited_and_survive_a_resume(tmp_path: Path) -> None:
    change = {"path": "zebra.py", "old_text": "return 7", "new_text": "return 9"}
    root = tmp_path / "ws"
    async with stage(root, FILES, [Turn(Text(CITED))], ON) as s:
        session_id = (await s.ask("What does stripes return?")).session_id
        before = system(s)
    script = [Turn(ToolUse("Edit", change, "edit")), Turn(Text("Done."))]
    async with stage(root, {}, script, ON) as s:
        await s.ask("Make it nine.", session_id=session_id)
        assert s.results(1)["edit"]["content"].startswith("Changed zebra.py in 1 place")
        assert system(s) == before
    assert "return 9" in (root / "zebra.py").read_text()


async def test_after_going_back_to_the_start_lines_count_as_shown(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, [Turn(Text("a")), Turn(Text(CITED))], ON) as s:
        first = await s.ask("One?")
        await rewind(s.app, RewindRequest(first.session_id, first.run_id))
        answer = await s.ask("Two?", session_id=first.session_id)
        assert [each.status for each in answer.citations] == [CitationStatus.READ]


async def test_a_compaction_says_what_the_prompt_shows_no_more(tmp_path: Path) -> None:
    turns = [Turn(Text(f"{number} " + "word " * 3_000)) for number in range(4)]
    script = [*turns, summary_turn(), Turn(Text(CITED))]
    async with stage(tmp_path / "ws", FILES, script, ON) as s:
        session_id = (await s.ask("One?")).session_id
        (s.root / "app/main.py").write_text("print(1)\n")
        s.touched("app/main.py")
        for question in ("Two?", "Three?", "Four?"):
            await s.ask(question, session_id=session_id)
        await compact_session(s.app, CompactRequest(session_id))
        await s.ask("Again?", session_id=session_id)
        first = str(s.sent(-1)["messages"][0]["content"])
        assert "app/main.py: no longer as in the system prompt, read it again" in first
        assert "zebra.py" not in first
        assert system(s, -1) == system(s, 0)


@pytest.mark.parametrize(
    ("settings", "notice"),
    [({}, ""), ({"retrieval": {"wholeTokens": 100}}, "so it is searched instead")],
)
async def test_other_workspaces_are_searched(
    tmp_path: Path, settings: dict[str, Any], notice: str
) -> None:
    async with stage(tmp_path / "ws", FILES, [Turn(Text("Seven."))], settings) as s:
        await s.ask("What does stripes return?")
        assert len(system(s)) == 2
        told = [each.message for each in s.port.of(Notice) if "whole" in each.message]
        assert len(told) == bool(notice)
        assert all(notice in each for each in told)


async def test_the_context_shows_it(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, [], ON) as s:
        found = await show_context(s.app, ShowContextRequest())
        assert "the whole workspace" in str(found.layers)
