"""Glosses: made by a sub-agent or by extraction, kept, shared, and stale with the lines they cite."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path
from typing import Any

import pytest

from glossator.core.errors import UsageError
from glossator.core.ports import CallPlace, CallsTold
from glossator.core.text import Position
from glossator.core.uri import to_uri
from glossator.service.explore import Explored
from glossator.service.gloss import GlossRequest, gloss
from glossator.service.margin import Noted
from glossator.service.subjects import pointed_at
from glossator.workspace.change import Closed, Edited, Opened, TextEdit
from tests.stage import Stage, stage
from tests.standin import Text, ToolUse, Turn

OFFLINE = {"models": {"offline": True}}
FILES = {
    "zoo/fish.py": '''\
"""Fish."""


class Fish:
    """An animal in the water."""

    def swim(self, far):
        """Swims so far."""
        return splash(far)


def splash(far):
    return far * 2
''',
    "pond.py": "from zoo.fish import Fish\n\n\ndef evening():\n    Fish().swim(3)\n",
    "tests/test_fish.py": "from zoo.fish import Fish\n\n\ndef test_swim():\n    Fish().swim(1)\n",
}
SAID = (
    "- `swim` moves a fish. [cite: doc, zoo/fish.py, 7-9]\n- It splashes. [cite: doc, pond.py, 5]"
)
TURNS = [Turn(ToolUse("Read", {"path": "pond.py"})), Turn(Text(SAID))]


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    path = tmp_path / "work"
    path.mkdir()
    return path


async def glossed(s: Stage, **about: Any) -> Explored:
    return await gloss(s.app, GlossRequest(**about))


async def noted(s: Stage, name: str) -> Noted | None:
    return s.app.margin.of((await pointed_at(s.app, None, None, name)).subject)


async def changed_lines(s: Stage, name: str) -> int | None:
    """How many cited lines changed, once it is known; None without a gloss."""
    async with asyncio.timeout(1):
        await s.app.margin.settled()
    found = await noted(s, name)
    return found.standing.changed if found and found.standing else None


async def test_a_sub_agent_explores_and_the_report_is_kept(root: Path) -> None:
    async with stage(root, FILES, TURNS) as s:
        answer = await glossed(s, name="Fish.swim")
        assert [each.status for each in answer.citations] == ["verified"] * 2
        lines, task = s.sent(0)["messages"][-1]["content"][1:]
        assert "zoo/fish.py, lines 7-9" in lines["text"]
        assert task["text"].startswith("Gloss method `Fish.swim` (zoo/fish.py:7-9).")
        assert "Callers: `evening` (pond.py:5), `test_swim` (tests/test_fish.py:5)" in task["text"]
        assert "It calls: `splash` (zoo/fish.py:9)" in task["text"]
        found = await noted(s, "Fish.swim")
        assert found is not None
        assert (found.gloss.model, found.gloss.report) == ("claude-haiku-5-5", answer.report)
        assert found.standing is not None
        assert found.standing.is_fresh
    async with stage(root, {}, ()) as again:  # the server was started anew
        await again.app.margin.look()
        assert await changed_lines(again, "Fish.swim") == 0


async def test_extracts_without_a_model(root: Path) -> None:
    async with stage(root, FILES, (), OFFLINE) as s:
        answer = await glossed(s, uri=to_uri(str(root / "zoo/fish.py")), line=8)
        assert answer.offline
        assert answer.text.splitlines() == [
            "Method of `Fish`: `def swim(self, far)`. Swims so far. [cite: doc, zoo/fish.py, 7-9]",
            "",
            "- Called by `evening`. [cite: doc, pond.py, 5-5]",
            "- Called by `test_swim`. [cite: doc, tests/test_fish.py, 5-5]",
            "- It calls `splash`. [cite: doc, zoo/fish.py, 9-9]",
            "- Mentioned in the tests of `tests/test_fish.py`. [cite: doc, tests/test_fish.py, 5-5]",
        ]
        assert {each.status for each in answer.citations} == {"verified"}
        found = await noted(s, "Fish.swim")
        assert found is not None
        assert found.gloss.model == ""


async def test_extracts_of_files_and_folders(root: Path) -> None:
    readme = {"zoo/README.md": "# Zoo\n\nAnimals, *all* of them\nand more.\n\nSecond.\n"}
    async with stage(root, FILES | readme, (), OFFLINE) as s:
        file = await glossed(s, uri="zoo/fish.py")
        assert "`zoo/fish.py` has 13 lines and defines 1 of kind class" in file.text
        assert "- Class `Fish`: An animal in the water. [cite: doc, zoo/fish.py, 4-4]" in file.text
        folder = await glossed(s, uri=to_uri(str(root)))
        assert "holds 4 files in 2 folders." in folder.text
        inner = await glossed(s, uri="zoo")
        assert "Animals, *all* of them and more. [cite: doc, zoo/README.md, 3-4]" in inner.text
        kinds = {"file": "zoo/fish.py", "folder": "zoo"}
        for kind, path in kinds.items():
            pointed = await pointed_at(s.app, path, None, None)
            assert pointed.subject.kind == kind
            assert s.app.margin.of(pointed.subject) is not None


async def test_the_last_commit_only_of_a_trusted_workspace(root: Path) -> None:
    def git(*arguments: str) -> None:
        who = ("-c", "user.name=Ada", "-c", "user.email=a@b.c")
        subprocess.run(["git", *who, *arguments], cwd=root, check=True, capture_output=True)

    async with stage(root, FILES, (), OFFLINE) as s:
        git("init", "-q")
        git("add", ".")
        git("commit", "-qm", "Fish swim")
        (root / "zoo/fish.py").write_text(FILES["zoo/fish.py"].replace("* 2", "* 3"))
        git("commit", "-qam", "Splash more")
        s.touched("zoo/fish.py")
        swim = await glossed(s, name="swim")
        assert "by Ada: Fish swim" in swim.text
        assert "by Ada: Splash more" in (await glossed(s, name="splash")).text
        assert "by Ada: Splash more" in (await glossed(s, uri="zoo/fish.py")).text
    async with stage(root, {}, (), OFFLINE, trusted=False) as s:
        assert "commit" not in (await glossed(s, name="swim")).text


async def test_calls_are_what_the_editors_servers_know(root: Path) -> None:
    async with stage(root, FILES, (), OFFLINE) as s:
        uri = to_uri(str(root / "pond.py"))
        outside = to_uri("/etc/hostname")
        s.port.calling = CallsTold(
            (CallPlace("evening", uri, 4), CallPlace("away", outside, 1)), ()
        )
        answer = await glossed(s, name="swim")
        assert "- Called by `evening`. [cite: doc, pond.py, 4-4]" in answer.text
        assert "test_swim`" not in answer.text
        assert "It calls" not in answer.text


async def test_one_cited_line_makes_stale_exactly_what_cites_it(root: Path) -> None:
    """Typed, not saved; and what lies elsewhere in the file moves the lines, no more."""
    async with stage(root, FILES, (), OFFLINE) as s:
        for name in ("swim", "splash", "evening"):
            await glossed(s, name=name)
        told: list[str] = []
        s.app.margin.subscribe(lambda subjects: told.extend(each.name for each in subjects))
        uri = to_uri(str(root / "zoo/fish.py"))
        s.app.host.apply(Opened(uri, 1, FILES["zoo/fish.py"]))
        assert [await changed_lines(s, name) for name in ("swim", "splash", "evening")] == [0] * 3
        at = Position(12, 0), Position(12, 18)  # in splash
        s.app.host.apply(Edited(uri, 2, (TextEdit(at, "    return far * 3"),)))
        assert [await changed_lines(s, name) for name in ("swim", "splash", "evening")] == [0, 1, 0]
        assert told == ["splash"]
        top = Position(0, 0), Position(0, 0)
        s.app.host.apply(Edited(uri, 3, (TextEdit(top, "# new\n# lines\n"),)))
        assert await changed_lines(s, "swim") == 0
        found = await noted(s, "swim")
        assert found is not None
        assert found.standing is not None
        places = [each for each in found.standing.places if each]
        assert (places[0].first_line, places[0].last_line) == (9, 11)
        s.app.host.apply(Closed(uri))
        assert await changed_lines(s, "splash") == 0
        (root / "pond.py").unlink()
        s.touched("pond.py")
        assert [await changed_lines(s, name) for name in ("swim", "splash")] == [1, 0]


async def test_a_new_gloss_takes_the_old_ones_place(root: Path) -> None:
    async with stage(root, FILES, (), OFFLINE) as s:
        await glossed(s, name="splash")
        (root / "zoo/fish.py").write_text(FILES["zoo/fish.py"].replace("* 2", "* 3"))
        s.touched("zoo/fish.py")
        assert await changed_lines(s, "splash") == 1
        await glossed(s, name="splash")
        assert await changed_lines(s, "splash") == 0


async def test_two_servers_share_glosses(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("glossator.service.margin._AGAIN", 0.0)
    async with stage(root, FILES, (), OFFLINE) as one, stage(root, {}, (), OFFLINE) as other:
        await other.app.margin.look()
        assert await noted(other, "swim") is None
        await glossed(one, name="swim")
        await other.app.margin.look()
        assert await changed_lines(other, "swim") == 0


async def test_an_empty_or_partial_report_replaces_nothing(root: Path) -> None:
    settings = {"agents": {"quick": {"turns": 1, "tokens": 100_000, "seconds": 60}}}
    nothing = [Turn(ToolUse("Read", {"path": "pond.py"}))]
    async with stage(root, FILES, nothing, settings) as s:
        with pytest.raises(UsageError, match="Nothing named whale"):
            await glossed(s, name="whale")
        with pytest.raises(UsageError, match="Nothing is pointed at"):
            await glossed(s)


async def test_what_rules_hide_is_not_glossed(root: Path) -> None:
    settings = OFFLINE | {"permissions": {"deny": ["Read(pond.py)"]}}
    async with stage(root, FILES, (), settings) as s:
        with pytest.raises(UsageError, match="permission rule"):
            await glossed(s, uri="pond.py")
        assert "pond.py" not in (await glossed(s, name="swim")).text
