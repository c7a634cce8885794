"""Which ripgrep is run: never one that the workspace brings along."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from glossator.workspace.roots import Roots
from glossator.workspace.text.ripgrep_program import Absent, find_ripgrep
from tests.workspace_text.searching import RIPGREP


def place(folder: Path, version: str = "ripgrep 14.1.0") -> str:
    folder.mkdir(parents=True)
    program = folder / "rg"
    program.write_text(f"#!/bin/sh\necho {version}\n")
    program.chmod(0o755)
    return str(program)


def test_the_path_without_the_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    roots = Roots.of((str(tmp_path / "ws"),))
    place(tmp_path / "ws" / "bin")
    place(tmp_path / "old", "ripgrep 13.0.0")
    place(tmp_path / "other", "ls 14.0")
    good = place(tmp_path / "good")
    (tmp_path / "linked").symlink_to(tmp_path / "ws" / "bin")
    monkeypatch.chdir(tmp_path / "ws" / "bin")
    folders = [".", "", "bin", *(tmp_path / name for name in ("ws/bin", "linked", "old", "other"))]
    monkeypatch.setenv("PATH", os.pathsep.join(map(str, [*folders, tmp_path / "good"])))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert find_ripgrep("auto", roots) == good
    in_editor = "home/.vscode-server/bin/abc/node_modules/@vscode/ripgrep/bin"
    bundled = place(tmp_path / in_editor, "ripgrep 15.0.1")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", os.pathsep.join(map(str, folders)))
    find_ripgrep.cache_clear()
    assert find_ripgrep("auto", roots) == bundled
    find_ripgrep.cache_clear()


@pytest.mark.parametrize("setting", ["off", "rg", "bin/rg", "/nowhere/rg", "/bin/ls", "/etc"])
def test_settings_that_turn_it_off(setting: str) -> None:
    absent = find_ripgrep(setting, Roots(("/ws",)))
    assert isinstance(absent, Absent)
    assert "workspace.ripgrep" in absent.reason


def test_a_path_is_taken_as_it_is() -> None:
    assert find_ripgrep(RIPGREP, Roots(("/",))) == RIPGREP
