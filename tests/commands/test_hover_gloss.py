"""Hover: the gloss of a symbol, with its state, from memory."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from glossator.commands.gloss import GlossRequest, gloss
from glossator.commands.hover import HoverRequest, hover_at
from glossator.core.text import Position
from glossator.core.uri import to_uri
from glossator.workspace.documents.overlays import Edited, Opened, TextEdit
from tests.commands.test_gloss import FILES
from tests.stage import Stage, stage
from tests.standin import Text, ToolUse, Turn

SAID = """\
- `swim` moves ![a](https://tracker/x) fish. [cite: doc, zoo/fish.py, 7-9] [cite: doc, zoo/no.py, 1]
  [go](command:workbench.action.quit)
- It splashes. [cite: doc, pond.py, 5]
"""
TURNS = [Turn(ToolUse("Read", {"path": "pond.py"})), *[Turn(Text(SAID))] * 2]  # corrects nothing


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("glossator.commands.hover._HOVER_SECONDS", 20.0)  # on a busy machine


async def shown(s: Stage, uri: str, line: int, character: int, *, links: bool = False) -> str:
    """What a hover says of the gloss."""
    answer = await hover_at(s.app, HoverRequest(uri, Position(line, character), links))
    assert answer is not None
    return answer.markdown.partition("*method in Fish · zoo/fish.py:")[2].partition("\n\n")[2]


async def test_the_gloss_and_its_state(tmp_path: Path) -> None:
    async with stage(tmp_path / "work", FILES, TURNS) as s:
        uri = to_uri(str(s.root / "zoo/fish.py"))
        pond = to_uri(str(s.root / "pond.py"))
        s.app.host.apply(Opened(uri, 1, FILES["zoo/fish.py"]))
        s.app.host.apply(Opened(pond, 1, FILES["pond.py"]))
        assert "No gloss yet" in await shown(s, uri, 6, 9)
        link = await shown(s, uri, 6, 9, links=True)
        assert "[explore](command:glossator.gloss?%5B%7B%22uri%22%3A%20%22file" in link
        await gloss(s.app, GlossRequest(name="Fish.swim"))
        said = await shown(s, uri, 6, 9)
        fish = f"[`zoo/fish.py:7-9`]({uri}#L7-L9)"
        assert f"`swim` moves !\\[a](https://tracker/x) fish. {fish} `zoo/no.py:1` (not" in said
        assert "command:" not in said
        assert "*Gloss, fresh* · claude-haiku-5-5, 2" in said
        assert "splashes" not in said
        elsewhere = await shown(s, pond, 4, 12)  # where it is called
        assert elsewhere == said
        assert "[Whole gloss](command:glossator.showGloss?" in await shown(s, uri, 6, 9, links=True)
        top = Position(0, 0), Position(0, 0)
        s.app.host.apply(Edited(uri, 2, (TextEdit(top, "\n\n"),)))
        await s.app.glosses.settled()
        assert f"[`zoo/fish.py:9-11`]({uri}#L9-L11)" in await shown(s, uri, 8, 9)
        at = Position(4, 20), Position(4, 21)  # the second passage
        s.app.host.apply(Edited(pond, 2, (TextEdit(at, "x"),)))
        await s.app.glosses.settled()
        assert "*Gloss, stale: 1 cited line changed*" in await shown(s, uri, 8, 9)


async def test_no_worker_is_asked_for_what_is_at_hand(tmp_path: Path) -> None:
    async with stage(tmp_path / "work", FILES, ()) as s:
        await s.app.ready()
        pond = to_uri(str(s.root / "pond.py"))
        s.app.host.apply(Opened(pond, 1, FILES["pond.py"]))
        document = s.app.host.snapshot().open_document(pond)
        assert document is not None
        async with asyncio.timeout(20):
            while s.app.hover_cache.outline(document) is None:
                await hover_at(s.app, HoverRequest(pond, Position(3, 6)))
        places = [(4, 12), (3, 6), (4, 5)]  # swim, evening, Fish
        first = [await hover_at(s.app, HoverRequest(pond, Position(*at))) for at in places]
        await s.app.worker.close()
        again = [await hover_at(s.app, HoverRequest(pond, Position(*at))) for at in places]
        assert None not in first
        assert again == first
