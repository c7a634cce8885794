"""A program that is forked behaves as one that is started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.cli.support import start
from tests.forks import true_starts
from tests.patience import SECONDS


def _ended(folder: Path, *arguments: str) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "glossator", *arguments]
    ended = subprocess.run(
        command, capture_output=True, check=False, cwd=folder, text=True, timeout=SECONDS
    )
    return ended.returncode, ended.stdout, ended.stderr


@pytest.mark.parametrize(
    "words", [("--version",), ("tool", "Nope"), ("--nope",), ("tool", "Glob", '{"pattern": "*"}')]
)
def test_it_says_and_ends_the_same(tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "a.py").touch()
    with true_starts():
        truly = _ended(tmp_path, *words)
    assert _ended(tmp_path, *words) == truly


def test_it_is_a_child_and_gets_signals() -> None:
    with start("ask_stay", "ask", "?") as process:
        assert psutil.Process(process.pid).ppid() == os.getpid()
        process.kill()
        assert process.wait(SECONDS) == -signal.SIGKILL
