"""Protected paths in odd spellings, and the entries of a folder that are protected."""

from __future__ import annotations

import os

import pytest

from glossator.permissions.protected import protected_entry, protected_in, why_protected


@pytest.mark.parametrize(
    "path",
    [
        ".git./config",
        ".vscode /settings.json",
        ".git::$INDEX_ALLOCATION/config",
        ".Bashrc. .",
        ".mcp.json:x",
    ],
)
def test_a_name_that_windows_takes_for_a_protected_one_is_protected(path: str) -> None:
    assert why_protected(f"/ws/{path}") is not None


@pytest.mark.parametrize(
    ("path", "entry"),
    [
        (".git/hooks/pre-push", ".git"),
        ("a/.vscode/x/y", "a/.vscode"),
        (".github/workflows/x.yml", ".github/workflows"),
        ("a/.mcp.json", "a/.mcp.json"),
        (".github/CODEOWNERS", None),
        ("a/b.txt", None),
    ],
)
def test_the_outermost_protected_path(path: str, entry: str | None) -> None:
    expected = None if entry is None else f"/ws/{entry}"
    assert protected_entry(f"/ws/{path}", "/ws") == expected
    folder, name = os.path.split(f"/ws/{path}")
    found = protected_in(folder, ["other", name], "/ws")
    assert found == (() if expected is None else (expected,))


def test_entries_that_are_protected_for_the_folder_they_are_in() -> None:
    names = ["CODEOWNERS", "workflows", "actions"]
    found = protected_in("/ws/a/.github", names, "/ws")
    assert found == ("/ws/a/.github/workflows", "/ws/a/.github/actions")
    assert protected_in("/ws/a", names, "/ws") == ()
