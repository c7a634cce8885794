"""Runs the real program against a scripted server."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from tests.patience import SECONDS

HERE = Path(__file__).parent
RECORDINGS = HERE / "recordings"
ROOT = HERE.parent.parent
PYTHONPATH = f"{ROOT}{os.pathsep}{ROOT / 'server'}"  # this tree, whichever is installed
BUFFERED = {"PYTHONUNBUFFERED": ""}  # as users run it: output may fail at the very end, too


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended and what it said."""

    code: int
    out: str
    err: str

    @property
    def received(self) -> list[dict[str, Any]]:
        """What the scripted server was sent; needs --verbose."""
        return [json.loads(line) for line in self.err.splitlines() if line.startswith("{")]

    @property
    def methods(self) -> list[str]:
        """The methods of the messages the scripted server was sent."""
        return [message["method"] for message in self.received if "method" in message]


def glossator(recording: str, *arguments: str, stdin: str = "", cwd: Path = ROOT) -> Ended:
    """Run the program to its end."""
    with start(recording, *arguments, cwd=cwd) as process:
        out, err = process.communicate(stdin, SECONDS)
    return Ended(process.returncode, out, err)


@contextmanager
def start(recording: str, *arguments: str, cwd: Path = ROOT) -> Iterator[subprocess.Popen[str]]:
    """The running program; it is ended with the block."""
    command = [sys.executable, "-m", "tests.cli.program", str(RECORDINGS / f"{recording}.json")]
    environment = {**os.environ, **BUFFERED, "PYTHONPATH": PYTHONPATH, "COLUMNS": "100"}
    with subprocess.Popen(
        [*command, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        env=environment,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def server_is_gone(err: str) -> bool:
    """Whether the scripted server that logged its pid to `err` has ended and was reaped."""
    found = re.search(r"^pid (\d+)$", err, re.MULTILINE)
    assert found is not None
    return not psutil.pid_exists(int(found[1]))
