"""In Emacs with Eglot, at a terminal: an edit while one types, and who has the keyboard after."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.terminal import at_terminal
from tests.lsp.support.desk import told
from tests.lsp.test_editing import CALC, FIX
from tests.standin import StandIn

SCRIPT = Path(__file__).parent / "emacs" / "typing.el"


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
        arguments = ["-nw", "-q", "-f", "package-initialize", "-l", str(SCRIPT)]
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


def emacs() -> str:
    """The program; the test is skipped where there is none that has Eglot."""
    found = shutil.which("emacs")
    if found is None:
        pytest.skip("Emacs is not installed (Debian: emacs-nox elpa-eglot)")
    asked = [found, "--batch", "-q", "-f", "package-initialize", "--eval", "(require 'eglot)"]
    if subprocess.run(asked, capture_output=True, check=False).returncode:
        pytest.skip("Emacs has no Eglot (Debian: elpa-eglot)")
    return found
