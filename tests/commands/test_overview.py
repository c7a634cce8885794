"""Explore workspace: the architecture, by a sub-agent, or extracted."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.commands.extract import first_paragraph
from glossator.commands.gloss import OverviewRequest, explore_workspace, report_at
from glossator.core.span import CitationStatus
from tests.stage import stage
from tests.standin import Text, ToolUse, Turn

FILES = {
    "README.md": "# Shop\n\nSells things.\n",
    "pyproject.toml": "[project]\nname = 'shop'\n",
    "shop/web/views.py": "from shop.stock.items import price\n\n\ndef show(): price()\n",
    "shop/web/__main__.py": "import sys\n\nif __name__ == '__main__':\n    sys.exit()\n",
    "shop/stock/items.py": "def price(): return 2\n",
    "tests/test_items.py": "from shop.stock.items import price\n",
    "tool/main.go": "package main\n\nfunc main() {}\n",
}
SAID = """\
- It sells. [cite: doc, README.md, 3]
- Part `shop/web` shows, as nobody read. [cite: doc, shop/web/views.py, 1-2]

```mermaid
flowchart LR
    web["shop/web"] --> stock["shop/stock"]
```

The arrow is an import. [cite: doc, README.md, 1]
"""
TURNS = [Turn(ToolUse("Read", {"path": "README.md"})), Turn(Text(SAID))]


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


async def test_each_claim_is_checked(tmp_path: Path) -> None:
    async with stage(tmp_path / "work", FILES, [*TURNS, TURNS[-1]]) as s:
        answer = await explore_workspace(s.app, OverviewRequest())
        statuses = [each.status for each in answer.report.citations]
        read, unsupported = CitationStatus.READ, CitationStatus.UNSUPPORTED
        assert statuses == [read, unsupported, read]
        assert "Give an overview of the workspace `work`" in str(s.sent(0)["messages"])
        assert answer.document is not None
        text = await report_at(s.app, answer.document)
        assert text is not None
        assert '```mermaid\nflowchart LR\n    web["shop/web"] --> stock["shop/stock"]\n```' in text
        assert "#L1-L2) (not read)" in text


async def test_without_a_model_folders_ways_in_and_imports(tmp_path: Path) -> None:
    offline = {"models": {"offline": True}}
    async with stage(tmp_path / "work", FILES, (), offline) as s:
        answer = await explore_workspace(s.app, OverviewRequest())
        assert answer.offline
        assert {each.status for each in answer.report.citations} == {CitationStatus.READ}
        for line in (
            "Sells things. [cite: doc, README.md, 3-3] `work` holds 7 files.",
            "- Manifests: `pyproject.toml`.",
            "- Part `shop/web`: 2 files of code.",
            "- Entry point: a program begins in `tool/main.go`. [cite: doc, tool/main.go, 3-3]",
            '    p0["shop/stock"]',
            "    p1 -->|1| p0",
            "- `shop/web` imports from `shop/stock`. [cite: doc, shop/web/views.py, 1-1]",
        ):
            assert line in answer.text.splitlines(), line
        assert "`tests` imports" not in answer.text


@pytest.mark.parametrize(
    "above",
    [
        "# Shop\n",
        "Shop\n====\n",
        "> *Buy one thing, and buy it well.*\n",
        "*Buy one thing, and buy it well.*\n",
        "... so better buy it here\n",
        "[![Tests of shop](https://a/b.svg)](https://a/b) ![Version of shop](v.svg)\n",
        '<p align="center">\n  <img src="a.png" alt="The shop in all its glory">\n</p>\n',
        '<p>\n  <a href="https://a/b"><img\n    src="a.png"\n    alt="Shop"></a>\n</p>\n',
        ".. image:: https://a/b.svg\n   :target: https://a/b\n   :alt: State of the build\n",
        "[Install it now](#a) • [How to use](#b) • [Ask the shop](#c)\n",
        "[[The shop, in other words](https://a/b)]\n",
        "---\ntitle: Shop\n---\n",
    ],
)
@pytest.mark.parametrize(
    "said", ["Sells things.", "**Shop** is a [program](a.md) that sells\nthings to people."]
)
def test_a_readme_begins_where_it_says_something(above: str, said: str) -> None:
    lines = f"{above}\n{said}\n\nMore is said below.\n".split("\n")
    begun = first_paragraph(lines)
    assert [lines[number - 1] for number in begun] == said.split("\n")


async def test_what_is_left_out_of_a_large_workspace_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glossator.commands.extract_overview._READ_FILES", 30)
    files = {
        f"part{part:02}/inner/m{number}.py": f"from part{part + 1:02}.inner.m{number} import x\n"
        for part in range(30)
        for number in range(2)
    }
    offline = {"models": {"offline": True}}
    async with stage(
        tmp_path / "work", {**files, "a.py": "", "b.py": "", "c.py": ""}, (), offline
    ) as s:
        text = (await explore_workspace(s.app, OverviewRequest())).text
        for line in (
            "- At the top: 3 files of code.",
            "- 7 more parts, none of them larger.",
            "Only imports of 30 of 63 files of code beside tests were looked at.",
        ):
            assert line in text.splitlines(), line
        assert "with the number of imports, for the 24 of 29 with most:" in text
