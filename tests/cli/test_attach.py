"""`ask --attach`: what the server is told of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from glossator.core.uri import to_uri
from tests.cli.support import glossator
from tests.cli.test_session_commands import commands


@pytest.mark.parametrize(
    ("path", "lines"),
    [
        ("fish.py", {}),
        ("deep/../fish.py:3", {"firstLine": 3, "lastLine": 3}),
        ("fish.py:3-5", {"firstLine": 3, "lastLine": 5}),
        ("deep", {}),
        ("shot.png", {}),
        ("a:7", {}),
        ("a:7:2-3", {"firstLine": 2, "lastLine": 3}),
    ],
)
def test_what_is_attached(tmp_path: Path, path: str, lines: dict[str, Any]) -> None:
    (tmp_path / "deep").mkdir()
    for name in ("fish.py", "shot.png", "a:7"):
        (tmp_path / name).write_text("x\n", "utf-8")
    ended = glossator(
        "ask", "ask", "hi", "--attach", path, "--attach", str(tmp_path / "deep"), "-v", cwd=tmp_path
    )
    file = {"a:7:2-3": "a:7", "deep/../fish.py:3": "fish.py", "fish.py:3-5": "fish.py"}
    attachments = [
        {"uri": to_uri(str(tmp_path / file.get(path, path))), **lines},
        {"uri": to_uri(str(tmp_path / "deep"))},
    ]
    assert commands(ended) == [("ask", {"question": "hi", "attachments": attachments})]


def test_what_is_not_there(tmp_path: Path) -> None:
    ended = glossator("ask", "ask", "hi", "--attach", "nowhere.py:3", cwd=tmp_path)
    assert ended.code == 2
    assert "There is no file nowhere.py:3, neither here nor in the workspace." in ended.err
