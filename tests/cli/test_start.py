"""The server is started before anything slow is imported; and the real one answers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.patience import SECONDS

SLOW = ("typer", "rich", "pydantic", "pygls", "lsprotocol", "markdown_it", "pygments")


def python(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "GLOSSATOR_OFFLINE": "1"}
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        cwd=cwd,
        env=environment,
    )


def imported_by(module: str) -> set[str]:
    code = f"import sys, {module}; print(*sys.modules)"
    return {name.split(".")[0] for name in python("-c", code).stdout.split()}


def test_nothing_slow_is_imported_before_the_server_is_started() -> None:
    assert not imported_by("glossator.cli.launch").intersection(SLOW)


def test_the_commands_import_nothing_that_draws_or_serves() -> None:
    assert not imported_by("glossator.cli.app").intersection(set(SLOW) - {"typer"})


def test_the_real_server_answers(tmp_path: Path) -> None:
    (tmp_path / "door.py").write_text("def open_door():\n    return 'open'\n", "utf-8")
    arguments = json.dumps({"pattern": "open_door"})
    grep = python("-m", "glossator", "tool", "Grep", arguments, cwd=tmp_path)
    assert (grep.returncode, "door.py" in grep.stdout) == (0, True), grep
    ask = python("-m", "glossator", "ask", "What does open_door return?", cwd=tmp_path)
    assert (ask.returncode, "door.py:1-2 read" in ask.stdout) == (0, True), ask
    unknown = python("-m", "glossator", "tool", "Nope", cwd=tmp_path)
    assert unknown.returncode == 1
    assert unknown.stderr.startswith("error: There is no tool 'Nope'"), unknown


def test_serve_accepts_what_editors_pass() -> None:
    served = python("-m", "glossator", "serve", "--stdio", "--tcp", "nowhere")
    assert served.returncode == 2
    assert "'nowhere' is not HOST:PORT" in served.stderr
