"""A lock beside a file keeps others out until its block ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from glossator.core.atomic import alone

WRITER = """
import sys, time
from pathlib import Path
from glossator.core.atomic import alone
path = Path(sys.argv[1])
for _ in range(50):
    with alone(path):
        number = int(path.read_text())
        time.sleep(0.0005)
        path.write_text(str(number + 1))
"""


def test_nobody_else_is_in_the_block(tmp_path: Path) -> None:
    path = tmp_path / "number"
    path.write_text("0")
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path)]) for _ in range(3)]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    assert path.read_text() == "150"
    assert (tmp_path / "number.lock").stat().st_mode & 0o077 == 0


def test_a_place_where_nothing_can_be_locked(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), alone(tmp_path / "nowhere" / "file"):
        pass
