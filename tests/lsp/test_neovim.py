"""In Neovim, headless: glosses as they are seen, and edits made while one types."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from glossator.core.uri import to_path
from tests.cli.terminal import at_terminal
from tests.commands.test_gloss import FILES
from tests.lsp.support.desk import told
from tests.lsp.test_editing import CALC, FIX, READ
from tests.patience import SECONDS
from tests.standin import StandIn, Text, ToolUse, Turn

SCRIPTS = Path(__file__).parent / "neovim"
ROOT = Path(__file__).parents[2]
LUA = re.compile(r"```lua\n(.*?)```", re.DOTALL)


def test_glosses_are_seen(tmp_path: Path) -> None:
    root = tmp_path / "work"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    seen = run("glosses", root, FILE="zoo/fish.py")
    assert "def splash(far)" in seen["before"]
    assert "- Called by `Fish.swim`. [cite: doc, zoo/fish.py, 9-9]" in seen["answer"]
    link = f"[`zoo/fish.py:12-13`]({(root / 'zoo/fish.py').as_uri()}#L12)"
    assert link in seen["report"]
    assert "## Searched\n\n- splash (" in seen["report"]
    assert "offline, no model" in seen["report"]
    assert "Function: `def splash(far)`." in seen["after"]
    assert "extracted without a model" in seen["stale"]


@pytest.mark.parametrize("before", [{}, {"TYPED_BEFORE": "1"}], ids=["opened", "typed"])
async def test_what_is_typed_is_not_edited_at_old_places(
    tmp_path: Path, before: dict[str, str]
) -> None:
    """Neovim tells late, checks no version below 1, and says it applied what it left out."""
    root = tmp_path / "work"
    root.mkdir()
    (root / "calc.py").write_text(CALC)
    async with StandIn(FIX) as api:
        keys = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": api.base_url}
        seen = await asyncio.to_thread(run, "typing", root, **keys, **before)
    lines = ["# mine", *CALC.replace("a - b", "a + c").splitlines()]
    assert seen["lines"] == lines + ["# before"] * len(before)
    assert told(api, "edit").startswith("Changed calc.py in ")
    assert "wrong place" not in told(api, "edit")
    assert seen["answer"] == "Fixed."
    assert seen["current"] == "calc.py"
    assert ("report" in seen) == seen["shows"]  # a window beside


async def test_a_closed_file_is_on_disk_and_the_answer_names_the_buffer_that_is_not(
    tmp_path: Path,
) -> None:
    """Neovim itself would edit a hidden buffer, and save neither."""
    root = tmp_path / "work"
    root.mkdir()
    for name in ("calc.py", "closed.py"):
        (root / name).write_text(CALC)
    edit = {"old_text": "a - b", "new_text": "a + c"}
    files = [{"path": name} for name in ("calc.py", "closed.py")]
    reads = Turn(*(ToolUse("Read", each) for each in files))
    edits = Turn(*(ToolUse("Edit", each | edit) for each in files))
    async with StandIn([reads, edits, Turn(Text("Fixed."))]) as api:
        keys = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": api.base_url}
        seen = await asyncio.to_thread(run, "saving", root, **keys)
    fixed = CALC.replace("a - b", "a + c").splitlines()
    assert (seen["closed"], seen["open"]) == (fixed, CALC.splitlines())
    assert seen["modified"] == seen["unsaved"] == ["calc.py"]
    assert seen["saved"] == fixed
    (report,) = (tmp_path / "state/glossator/reports").iterdir()
    assert "**Not saved in the editor: calc.py. Save what you want to keep.**" in report.read_text()


async def test_an_answer_leaves_the_keyboard_where_it_is(tmp_path: Path) -> None:
    """It is shown beside, or its path is, as a line of a terminal of usual size has room for it."""
    root, result = tmp_path / "work", tmp_path / "seen.json"
    reports = tmp_path / ".local/state/glossator/reports"
    reports.mkdir(parents=True)
    for number in range(1, 200):
        (reports / f"{number}.md").touch()
    root.mkdir()
    (root / "calc.py").write_text(CALC)
    async with StandIn([Turn(Text("It adds."))]) as api:
        keys = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": api.base_url}
        arguments = ["-u", "NONE", "-n", "-S", str(SCRIPTS / "answering.lua")]
        home = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / ".local/state")}
        variables = surroundings(result) | keys | home
        async with at_terminal(arguments, root, variables, neovim(), (24, 80)) as terminal:
            await terminal.until("INSERT")
            terminal.type("# on ")
            shown = await terminal.until("all is there")
            terminal.type("and on.")
            assert await terminal.ended() == 0
    seen = json.loads(result.read_text())
    assert seen["lines"] == ["# on and on.def add(a, b):"]
    assert (seen["current"], seen["mode"]) == ("calc.py", "i")
    assert "It adds." in (reports / "200.md").read_text()
    if seen["shows"]:
        assert sorted(seen["windows"]) == ["200.md", "calc.py"]
    else:
        assert seen["windows"] == ["calc.py"]
        assert "Answer: ~/.local/state/glossator/reports/200.md" in shown


def test_a_search_fills_the_quickfix_list_and_opens_a_report(tmp_path: Path) -> None:
    """With the snippet of `docs/editors.md`; without it, as any editor runs the command."""
    root, snippet = tmp_path / "work", tmp_path / "snippet.lua"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    page = (ROOT / "docs/editors.md").read_text()
    (found,) = (each for each in LUA.findall(page) if "GlossatorSearch" in each)
    snippet.write_text(found)
    more = {"FILE": "zoo/fish.py", "SNIPPET": str(snippet), "QUERY": "how far does a fish swim?"}
    seen = run("searching", root, **more)
    assert seen["title"] == "Glossator: how far does a fish swim?"
    assert seen["told"] == 0
    items = [(item["file"], item["line"]) for item in seen["items"]]
    assert items[0][0] == "zoo/fish.py"
    assert {file for file, _ in items} == set(FILES)
    first = seen["items"][0]
    assert first["text"] == FILES["zoo/fish.py"].splitlines()[first["line"] - 1]
    places = [(to_path(at["uri"]), at["range"]["start"]["line"]) for at in seen["locations"]]
    assert places == [(str(root / file), line - 1) for file, line in items]
    assert seen["beside"] == seen["shows"]
    assert seen["report"].startswith("# Search: how far does a fish swim?\n\n1. [`zoo/fish.py:")
    numbered = f"{first['line']}  {first['text']}"
    assert numbered in seen["report"]
    followed, line = seen["followed"]
    assert followed == "zoo/fish.py"
    assert f"`zoo/fish.py:{line}" in seen["report"]


async def test_a_plan_is_changed_in_a_buffer_and_started(tmp_path: Path) -> None:
    """With the snippet of `docs/editors.md`."""
    root, snippet = tmp_path / "work", tmp_path / "snippet.lua"
    root.mkdir()
    (root / "calc.py").write_text(CALC)
    page = (ROOT / "docs/editors.md").read_text()
    (found,) = (each for each in LUA.findall(page) if "GlossatorPlan" in each)
    snippet.write_text(found)
    planned = Turn(Text("## Plan\n\n1. Add in `calc.py`.\n2. Test it."))
    edit = ToolUse("Edit", {"path": "calc.py", "old_text": "a - b", "new_text": "a + c"})
    async with StandIn([Turn(READ), planned, Turn(edit), Turn(Text("Fixed."))]) as api:
        keys = {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": api.base_url}
        seen = await asyncio.to_thread(run, "planning", root, SNIPPET=str(snippet), **keys)
        question = api.requests[2].body["messages"][-1]["content"][-1]["text"]
    assert seen["plan"] == ["## Plan", "", "1. Add in `calc.py`.", "2. Test it."]
    assert "1. Add in `calc.py`.\n2. Read it again." in question
    assert seen["lines"] == CALC.replace("a - b", "a + c").splitlines()
    assert seen["windows"] == 0


def run(script: str, root: Path, **variables: str) -> dict[str, Any]:
    """What a script has seen."""
    result = root.parent / "seen.json"
    ended = subprocess.run(
        [neovim(), "--headless", "-u", "NONE", "-n", "-S", str(SCRIPTS / f"{script}.lua")],
        cwd=root,
        env=os.environ | surroundings(result) | variables,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert result.exists(), ended.stderr
    seen: dict[str, Any] = json.loads(result.read_text())
    assert ended.returncode == 0, (seen, ended.stderr)
    return seen


def surroundings(result: Path) -> dict[str, str]:
    """Variables for a script that writes to `result`."""
    return {
        "XDG_STATE_HOME": str(result.parent / "state"),
        "XDG_DATA_HOME": str(result.parent / "data"),
        "PYTHON": sys.executable,
        "RESULT": str(result),
    }


def neovim() -> str:
    """The program."""
    found = shutil.which("nvim")
    assert found, "Neovim is not installed: run `make system`."
    return found
