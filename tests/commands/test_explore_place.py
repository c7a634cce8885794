"""Exploring one place leaves a gloss, and is an exploration again when it is asked again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from glossator.commands.answers.sessions import Explored
from glossator.commands.explore import ExploreRequest, explore
from glossator.commands.gloss import GlossRequest, OverviewRequest, explore_workspace, gloss
from glossator.commands.subjects import pointed_at
from glossator.commands.turns import RetryRequest, retry
from glossator.core.errors import UsageError
from glossator.core.events import Notice
from glossator.core.report import Thoroughness
from glossator.core.uri import to_uri
from glossator.turn.told.attachments import Attachment
from tests.commands.test_gloss import FILES, OFFLINE, TURNS
from tests.stage import Stage, stage
from tests.standin import Text, Turn
from tests.turn.delegating import FAST


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def fish(s: Stage, *lines: int) -> Attachment:
    return Attachment(to_uri(str(s.root / "zoo/fish.py")), *lines)


async def explored(s: Stage, task: str, **more: Any) -> Explored:
    return await explore(s.app, ExploreRequest(task, **more))


async def glossed_as(s: Stage, answer: Explored) -> str:
    """What the report was kept as."""
    for about in ({"name": "Fish.swim"}, {"uri": "zoo/fish.py"}, {"uri": "zoo"}):
        where = about.get("uri"), None, about.get("name")
        noted = s.app.glosses.of((await pointed_at(s.app, *where)).subject)
        if noted is not None:
            assert answer.document is not None
            assert noted.gloss.subject.key in answer.document
            assert noted.gloss.model == FAST
            return noted.gloss.subject.name or noted.gloss.subject.kind
    assert answer.document is None
    return ""


@pytest.mark.parametrize(
    ("task", "lines", "paths", "expected"),
    [
        ("How?", (8, 8), (), "Fish.swim"),
        ("How?", (), (), "file"),
        ("How?", None, ("zoo/fish.py",), "file"),
        ("How?", None, ("zoo",), "folder"),
        ("How does @Fish.swim work?", None, (), "Fish.swim"),
        ("How does @zoo/fish.py:7-9 work?", None, (), "Fish.swim"),
        ("What is in @zoo/?", None, (), "folder"),
        ("How does @whale swim?", None, (), ""),
        ("How?", None, (), ""),
        ("How?", (8, 8), ("zoo",), ""),
        ("How does @splash work?", (8, 8), (), ""),
    ],
)
async def test_one_place_leaves_a_gloss(
    tmp_path: Path,
    task: str,
    lines: tuple[int, ...] | None,
    paths: tuple[str, ...],
    expected: str,
) -> None:
    async with stage(tmp_path / "work", FILES, [*TURNS, TURNS[-1]]) as s:
        attachments = () if lines is None else (fish(s, *lines),)
        answer = await explored(s, task, attachments=attachments, paths=paths)
        assert await glossed_as(s, answer) == expected


async def test_what_is_mentioned_goes_with_the_task(tmp_path: Path) -> None:
    async with stage(tmp_path / "work", FILES, [*TURNS, TURNS[-1]]) as s:
        await explored(s, "How does @Fish.swim work?")
        assert "zoo/fish.py, lines 7-9" in str(s.sent(0)["messages"][0])


async def test_a_task_that_glossator_words_mentions_nothing(tmp_path: Path) -> None:
    files = {"@types/fish.py": FILES["zoo/fish.py"]}
    async with stage(tmp_path / "work", files, [Turn(Text("- It moves."))]) as s:
        await gloss(s.app, GlossRequest(name="Fish.swim"))
        assert s.port.of(Notice) == []


async def test_a_fresh_gloss_stays(tmp_path: Path) -> None:
    turns = [*TURNS, Turn(Text("- For fun. [cite: doc, zoo/fish.py, 8]"))] * 2
    async with stage(tmp_path / "work", FILES, turns) as s:
        first = await gloss(s.app, GlossRequest(name="Fish.swim"))
        answer = await explored(s, "Why?", attachments=(fish(s, 7, 9),))
        assert "For fun" in answer.text
        assert answer.document is None
        (s.root / "pond.py").write_text("")
        s.touched("pond.py")
        await s.app.glosses.settled()
        again = await explored(s, "Why?", attachments=(fish(s, 7, 9),))
        assert again.document == first.document


async def test_what_the_offline_model_quotes_is_no_gloss(tmp_path: Path) -> None:
    async with stage(tmp_path / "work", FILES, (), OFFLINE) as s:
        assert await glossed_as(s, await explored(s, "How does @Fish.swim work?")) == ""


async def test_asked_again_by_who_explores(tmp_path: Path) -> None:
    async with stage(tmp_path / "work", FILES, TURNS * 3) as s:
        asked = {"thoroughness": Thoroughness.VERY, "paths": ("zoo",)}
        first = await explored(s, "How?", attachments=(fish(s, 7, 9),), **asked)
        again = await retry(s.app, RetryRequest(first.session_id))
        assert s.sent(2) == s.sent(0)
        assert again.report == first.report
        assert [run.run_id for run in again.runs] == [first.run_id]
        assert s.sent(2)["model"] == FAST
        await retry(s.app, RetryRequest(first.session_id, question="Why?"))
        framing, _, task = s.sent(4)["messages"][0]["content"]
        assert "Look in zoo." in framing["text"]
        assert task["text"] == "Why?"


@pytest.mark.parametrize("restart", [False, True])
async def test_a_gloss_asked_again_is_kept_again(tmp_path: Path, restart: bool) -> None:
    root = tmp_path / "work"
    async with stage(root, FILES, [*TURNS, Turn(Text("- New. [cite: doc, zoo/fish.py, 7]"))]) as s:
        first = await gloss(s.app, GlossRequest(name="Fish.swim"))
        if not restart:
            again = await retry(s.app, RetryRequest(first.session_id))
            assert again.document == first.document
            noted = s.app.glosses.of((await pointed_at(s.app, None, None, "Fish.swim")).subject)
            assert noted is not None
            assert noted.gloss.report == again.report != first.report
    if restart:
        (root / "zoo/fish.py").write_text("x = 1\n" * 13)
        async with stage(root, {}, ()) as s:
            with pytest.raises(UsageError, match=r"Nothing named Fish\.swim"):
                await retry(s.app, RetryRequest(first.session_id))
            session = await s.app.sessions.open(first.session_id)
            assert [run.run_id for run in session.asked] == [first.run_id]


async def test_without_a_model_the_same_is_extracted_again(tmp_path: Path) -> None:
    async with stage(tmp_path / "work", FILES, (), OFFLINE) as s:
        for first in (
            await gloss(s.app, GlossRequest(name="Fish.swim")),
            await explore_workspace(s.app, OverviewRequest()),
        ):
            again = await retry(s.app, RetryRequest(first.session_id))
            assert (again.text, again.document) == (first.text, first.document)
