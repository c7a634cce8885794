"""What a question mentions by `@`."""

from __future__ import annotations

import pytest

from glossator.context.mentions import look_up, mentions
from tests.workspaces import MakeWorkspace

FILES = {
    "src/app.py": "import os\n\n\nclass App:\n    def run(self):\n        return 1\n",
    "src/other.py": "def run():\n    pass\n",
    "Makefile": "all:\n",
}


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What does @run do?", ["run"]),
        ("@src/app.py, @src/app.py: and @src/app.py.", ["src/app.py"]),
        ("See (@App.run) or @zoo::Fish::swim!", ["App.run", "zoo::Fish::swim"]),
        ("Lines @a.py:3-5?", ["a.py:3-5"]),
        ("me@example.org, @@x, node/@types/x, a.@b, @ x", []),
    ],
)
def test_mentions(question: str, found: list[str]) -> None:
    assert list(mentions(question)) == found


@pytest.mark.parametrize(
    ("question", "places"),
    [
        ("@src/app.py", [("src/app.py", 1, 6)]),
        ("@src/app.py:4-5 and @Makefile", [("src/app.py", 4, 5), ("Makefile", 1, 1)]),
        ("@src/app.py:5", [("src/app.py", 5, 5)]),
        ("@App", [("src/app.py", 4, 6)]),
        ("@run", [("src/app.py", 5, 6), ("src/other.py", 1, 2)]),
        ("@App.run", [("src/app.py", 5, 6)]),
        ("@src/app.py:70, @property, @/etc/passwd, @../x.py, @src", []),
    ],
)
async def test_look_up(
    workspace: MakeWorkspace, question: str, places: list[tuple[str, int, int]]
) -> None:
    ws = await workspace(FILES)
    found = await look_up(question, ws.snapshot, ws.symbols)
    assert [
        (item.path, item.span.first_line, item.span.last_line) for item in found.attached
    ] == places
    assert found.problem == ""


async def test_what_could_not_be_looked_up_is_said(
    workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    ws = await workspace(FILES)
    monkeypatch.setattr("glossator.context.mentions._SECONDS", 0.0)
    found = await look_up("@src/app.py @run", ws.snapshot, ws.symbols)
    assert [item.path for item in found.attached] == ["src/app.py"]
    assert "Not all @ mentions were looked up" in found.problem
