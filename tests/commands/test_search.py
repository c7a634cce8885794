"""Search with a model that reranks: what it is sent, what it changes, what it costs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from glossator.commands.search import SearchRequest, SearchStage, ToolRequest, search, tool
from glossator.core.attached import FileDiagnostics
from glossator.core.uri import to_uri
from tests.stage import Stage, stage
from tests.standin import Refused, Text, Turn

FILES = {
    "src/herd.py": "def graze(zebra):\n    return zebra.eat()\n",
    "src/stripes.py": "def count_stripes(zebra):\n    return len(zebra.stripes)\n",
    "secret.py": "ZEBRA_PASSWORD = 'savanna'\n",
}
SETTINGS = {
    "retrieval": {"reranker": "model"},
    "permissions": {"deny": ["Read(secret.py)"]},
}


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def second_first(_body: dict[str, Any]) -> Turn:
    return Turn(Text("2, 1"))


async def found(s: Stage, *without: SearchStage) -> list[str]:
    answer = await search(s.app, SearchRequest("zebra", without=without))
    return [hit.path for hit in answer.hits]


async def test_a_model_orders_the_hits(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, second_first, settings=SETTINGS) as s:
        plain = await found(s, SearchStage.RERANK)
        assert s.api.requests == []
        shown = [path for path in plain if path != "secret.py"]
        answer = await search(s.app, SearchRequest("zebra"))
        order = [hit.path for hit in answer.hits if hit.path != "secret.py"]
        assert sorted(order) == sorted(shown)
        (request,) = s.api.requests
        assert "savanna" not in str(request.body)
        assert "Reranking cost" in answer.searched
        assert any("haiku" in place.stage for place in answer.hits[0].stages)


async def test_a_model_that_fails_leaves_the_order_and_says_so(tmp_path: Path) -> None:
    def refuse(_body: dict[str, Any]) -> Turn:
        return Turn(Text("no"), fault=Refused())

    async with stage(tmp_path / "ws", FILES, refuse, settings=SETTINGS) as s:
        answer = await search(s.app, SearchRequest("zebra"))
        assert {hit.path for hit in answer.hits} == set(FILES)
        assert "refused to rerank" in answer.searched


async def test_what_a_tool_left_pending_cannot_be_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.stage.Recorder.tells_diagnostics", True)
    async with stage(tmp_path / "ws", FILES, second_first) as s:
        uri = to_uri(str(tmp_path / "ws" / "secret.py"))
        for pending, end in ((True, "in a chat they go on."), (False, "0 unchanged")):
            s.port.diagnosed = [FileDiagnostics(uri, (), pending=pending)]
            answer = await tool(s.app, ToolRequest("Diagnostics", {"path": "secret.py"}))
            assert answer.text.endswith(end)
