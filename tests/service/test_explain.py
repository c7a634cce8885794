"""Explain without a model: the selected lines first, then who uses them."""

from __future__ import annotations

from pathlib import Path

from glossator.core.uri import to_uri
from glossator.service.explain import ExplainRequest, explain
from glossator.workspace.change import Opened
from tests.stage import stage

OFFLINE = {"models": {"offline": True}}
FILES = {
    "a/m.py": "def price(net):\n    return net * 2\n",
    "b/m.py": "def price(net):\n    return net\n",
    "use.py": "from a.m import price\n\nprint(price(3))\n",
}


async def test_the_selection_comes_first(tmp_path: Path) -> None:
    async with stage(tmp_path, FILES, (), OFFLINE) as s:
        answer = await explain(s.app, ExplainRequest(to_uri(str(tmp_path / "a/m.py")), 1, 2))
        assert answer.citations[0].target == "a/m.py"
        assert "use.py" in {citation.target for citation in answer.citations}
        assert {citation.status for citation in answer.citations} == {"verified"}


async def test_a_document_that_was_never_saved(tmp_path: Path) -> None:
    async with stage(tmp_path, {}, (), OFFLINE) as s:
        s.app.host.apply(Opened("untitled:Untitled-1", 1, "def swim(): ...\n"))
        answer = await explain(s.app, ExplainRequest("untitled:Untitled-1", 1, 1))
        assert "def swim(): ..." in answer.text
