"""In Emacs with Eglot, at a terminal: an edit while one types, and who has the keyboard after."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.cli.terminal import at_terminal
from tests.lsp.support.desk import told
from tests.lsp.test_editing import CALC, FIX
from tests.patience import SECONDS
from tests.standin import StandIn

SCRIPT = Path(__file__).parent / "emacs" / "typing.el"
ROOT = Path(__file__).parents[2]
# Else Emacs compiles what it loads to machine code, for each test's home again.
QUIET = "(setq native-comp-deferred-compilation nil native-comp-jit-compilation nil)"
OPTIONS = ["-q", "--eval", QUIET, "-f", "package-initialize"]
ELISP = re.compile(r"```elisp\n(.*?)```", re.DOTALL)


async def test_an_edit_waits_for_what_is_typed(tmp_path: Path) -> None:
    """Eglot refuses an edit of a text that it has not sent, and sends it half a second later."""
    root, result = tmp_path / "work", tmp_path / "seen.json"
    root.mkdir()
    (root / "calc.py").write_text(CALC)
    async with StandIn(FIX) as api:
        variables = {
            "ANTHROPIC_API_KEY": "k",
            "ANTHROPIC_BASE_URL": api.base_url,
            "HOME": str(tmp_path),
            "PYTHON": sys.executable,
            "RESULT": str(result),
            "XDG_STATE_HOME": str(tmp_path / "state"),
        }
        arguments = ["-nw", *OPTIONS, "-l", str(SCRIPT)]
        async with at_terminal(arguments, root, variables, emacs()) as terminal:
            await terminal.until("all is seen")
        seen = json.loads(result.read_text())
        assert seen["text"] == "# mine\n" + CALC.replace("a - b", "a + c")
        assert told(api, "edit").startswith("Changed calc.py in ")
    assert (seen["answer"], seen["edits"]) == ("Fixed.", 2)
    assert seen["current"] == "calc.py"
    (report,) = (tmp_path / "state" / "glossator" / "reports").iterdir()
    assert "Fixed." in report.read_text()
    if seen["shows"]:  # beside
        assert str(report) in seen["shown"]
    else:
        files = [each for each in seen["shown"] if each]  # Emacs may show *Warnings* of its own
        assert files == [str(root / "calc.py")]
        assert f"Answer: ~/{report.relative_to(tmp_path)}" in seen["messages"].replace("\n", "")


def test_a_search_is_shown_in_a_report(tmp_path: Path) -> None:
    """With the snippet of `docs/editors.md`."""
    root, result, snippet = tmp_path / "work", tmp_path / "seen.json", tmp_path / "snippet.el"
    root.mkdir()
    (root / "calc.py").write_text(CALC)
    page = (ROOT / "docs/editors.md").read_text()
    (found,) = (each for each in ELISP.findall(page) if "glossator-search" in each)
    snippet.write_text(found)
    variables = {
        "FILE": "calc.py",
        "HOME": str(tmp_path),
        "PYTHON": sys.executable,
        "QUERY": "how does add work?",
        "RESULT": str(result),
        "SNIPPET": str(snippet),
        "XDG_STATE_HOME": str(tmp_path / "state"),
    }
    script = str(SCRIPT.with_name("searching.el"))
    ended = subprocess.run(
        [emacs(), "--batch", *OPTIONS, "-l", script],
        cwd=root,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert result.exists(), ended.stderr
    seen = json.loads(result.read_text())
    (report,) = (tmp_path / "state" / "glossator" / "reports").iterdir()
    assert seen["shown"] in {str(report), f"~/{report.relative_to(tmp_path)}"}, seen
    text = report.read_text()
    assert text.startswith("# Search: how does add work?\n\n1. [`calc.py:")
    assert "def add(a, b):" in text


@cache
def emacs() -> str:
    """The program; the test is skipped where there is none that has Eglot."""
    found = shutil.which("emacs")
    if found is None:
        pytest.skip("Emacs is not installed (Debian: emacs-nox elpa-eglot)")
    asked = [found, "--batch", *OPTIONS, "--eval", "(require 'eglot)"]
    if subprocess.run(asked, capture_output=True, check=False).returncode:
        pytest.skip("Emacs has no Eglot (Debian: elpa-eglot)")
    return found
