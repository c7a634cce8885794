"""What the model is told about paths that the sandbox kept a command from."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from glossator.sandbox.output import BlockedPaths, Output, blocked_notes

OUTER = "[Commands see nothing outside the workspace but the system's folders, so these may exist: "
HIDDEN = "[Hidden by the sandbox, as the user's rules say: "
BLOCKED = BlockedPaths(
    hidden=("/ws/secrets/env", "/ws/.env", "/ws/private"), cwd="/ws/app", readable=("/tools",)
)


def notes(said: str) -> list[str]:
    output = Output(said.encode())
    return list(blocked_notes(output, BLOCKED, ("/ws",), lambda path: os.path.relpath(path, "/ws")))


@pytest.mark.parametrize(
    ("said", "expect"),
    [
        ("cat: /home/me/a.txt: No such file or directory", [f"{OUTER}/home/me/a.txt]"]),
        ("cat: ../../b/a.txt: No such file or directory", [f"{OUTER}/b/a.txt]"]),
        (
            "".join(f"cat: /{name}: No such file or directory\n" for name in "abcde"),
            [f"{OUTER}/a, /b, /c and 2 more]"],
        ),
        ("cat: /home/a\u202eb: No such file or directory", [f"{OUTER}/home/a\\u202eb]"]),
        ("cat: /ws/a.txt: No such file or directory", []),
        ("cat: ../a.txt: No such file or directory", []),
        ("cat: /tools/a.txt: No such file or directory", []),
        ("cat: /usr/a.txt: No such file or directory", []),
        ("GET /home/me 404 not found", []),
        ("/home/me/a.txt", []),
        # what rules hide: whole components, on the line that says so
        ("cat: ../secrets/env: Permission denied", [f"{HIDDEN}secrets/env]"]),
        ("[Errno 13] Permission denied: '/ws/secrets/env'", [f"{HIDDEN}secrets/env]"]),
        ("cat: .env: Permission denied", [f"{HIDDEN}.env]"]),
        ("cat: ../private/key: Permission denied", [f"{HIDDEN}private]"]),
        ("cat: other/env: Permission denied", []),
        ("the environment: Permission denied", []),
        ("secrets/env\ncat: b: Permission denied", []),
    ],
)
def test_what_the_sandbox_hides_is_said(said: str, expect: list[str]) -> None:
    assert notes(said) == expect


@pytest.mark.parametrize(
    ("target", "expect"),
    [("/home/me/python", [f"{OUTER}/home/me/python]"]), ("/usr/bin/none", []), ("b", [])],
)
@pytest.mark.parametrize("path", ["bin/python", "venv/bin/python"])
def test_a_link_that_leads_out_is_said(
    tmp_path: Path, target: str, expect: list[str], path: str
) -> None:
    """Such as the Python of a virtual environment."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python").symlink_to("python3")
    (tmp_path / "bin/python3").symlink_to(target)
    (tmp_path / "venv").symlink_to(".")
    root = str(tmp_path)
    said = Output(f"bash: line 1: {path}: No such file or directory".encode())
    assert [*blocked_notes(said, BlockedPaths(cwd=root), (root,), str)] == expect


@pytest.mark.parametrize(
    ("name", "expect"),
    [
        ("key", [f"{OUTER}/home/me/key]"]),
        ("a\0key", [f"{OUTER}/home/me/key]"]),  # no file is called so
        ("hidden/key", []),
        ("a/../hidden/key", []),
        ("loop", []),
    ],
)
def test_a_link_is_read_with_care(tmp_path: Path, name: str, expect: list[str]) -> None:
    (tmp_path / "hidden").mkdir()
    for link in ("key", "hidden/key"):
        (tmp_path / link).symlink_to("/home/me/key")
    (tmp_path / "loop").symlink_to("loop")
    root = str(tmp_path)
    blocked = BlockedPaths(cwd=root, hidden=(f"{root}/hidden",))
    said = Output(f"cat: {name}: No such file or directory".encode())
    assert [*blocked_notes(said, blocked, (root,), str)] == expect


def test_nobody_looks_outside_the_workspace(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []

    def looks(path: str) -> bool:
        looked.append(path)
        return True

    def reads(path: str) -> str:
        looked.append(path)
        raise OSError

    monkeypatch.setattr(os, "readlink", reads)
    for name in ("lexists", "exists", "isfile", "isdir", "islink"):
        monkeypatch.setattr(os.path, name, looks)
    notes("cat: /home/me/a.txt: No such file or directory")
    assert not [path for path in looked if not path.startswith("/ws/")]
