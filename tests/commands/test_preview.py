"""What would go with a question, before it is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.commands.answers.context import Going
from glossator.commands.preview import PreviewRequest, preview
from glossator.core.attached import EditorState
from glossator.core.uri import to_uri
from glossator.turn import Attachment
from tests.commands.test_facts import add
from tests.memory.remembering import by_hand
from tests.stage import stage
from tests.standin import Text, Turn

OURS = "---\ntype: project\ndescription: How prices are made.\n---\nThe price doubles.\n"
FILES = {
    "AGENTS.md": "Use tabs.\n",
    "shop.py": "def price(net):\n    return net * 2\n",
    "pool.py": "def swim():\n    pass\n",
}


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def named(parts: tuple[Going, ...]) -> list[tuple[str, str]]:
    return [(each.kind.value, each.name) for each in parts]


async def test_all_that_goes_with_a_first_question(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    by_hand(root, "prices.md", OURS)
    async with stage(root, FILES, []) as s:
        s.app.editor_state = EditorState(active=to_uri(str(root / "pool.py")))
        lines = Attachment(to_uri(str(root / "shop.py")), 1, 1)
        question = "How are prices made in @shop.py, @gone.py and @terminal?"
        answer = await preview(s.app, PreviewRequest(question, None, (lines,)))
        assert named(answer.parts) == [
            ("attached", "shop.py:1"),
            ("mentioned", "shop.py:1-2"),
            ("mentioned", "@terminal"),
            ("mentioned", "@gone.py"),
            ("instructions", "AGENTS.md"),
            ("memory", "Memories"),
            ("memory", "prices"),
            ("editor", "What the editor shows"),
        ]
        by_name = {each.name: each for each in answer.parts}
        assert by_name["shop.py:1"].first_line == 1
        assert by_name["@terminal"].tokens is None
        assert by_name["@gone.py"].why.startswith("left out: ")
        assert by_name["prices"].why == "How prices are made."
        assert answer.tokens == sum(each.tokens or 0 for each in answer.parts)
        assert answer.problems == ()
        assert list(s.app.sessions.loaded()) == []


async def test_nothing_goes_twice(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    async with stage(root, FILES, [Turn(Text("Doubled."))], {"memory": {"enabled": False}}) as s:
        await add(s, "`price` doubles the net.", "shop.py")
        question = "What does `price` double?"
        first = await preview(s.app, PreviewRequest(question))
        (fact,) = (each for each in first.parts if each.kind == "fact")
        assert (fact.name, fact.why, fact.first_line) == (
            "`price` doubles the net.",
            "shop.py:1",
            1,
        )
        session_id = (await s.ask(question)).session_id
        again = await preview(s.app, PreviewRequest(question, session_id))
        assert again.parts == ()


async def test_what_cannot_be_attached_is_told(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    async with stage(root, FILES, []) as s:
        gone = Attachment(to_uri(str(root / "gone.py")))
        answer = await preview(s.app, PreviewRequest("What is it?", None, (gone,)))
        assert "gone.py" in answer.problems[0]
