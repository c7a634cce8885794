"""Which ripgrep is run: never one that the workspace brings along."""

from __future__ import annotations

import math
import os
import time
from pathlib import Path

import pytest

from glossator.workspace.files.roots import Roots
from glossator.workspace.search import ripgrep
from glossator.workspace.search.ripgrep import NoRipgrep, find_ripgrep
from tests.workspace.search.searching import RIPGREP


@pytest.fixture(autouse=True)
def _nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ripgrep, "_found", {})


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
    assert find_ripgrep("auto", roots) == good, "what was found is remembered"
    ripgrep._found.clear()
    assert find_ripgrep("auto", roots) == bundled


@pytest.mark.parametrize("setting", ["off", "rg", "bin/rg", "/nowhere/rg", "/bin/ls", "/etc"])
def test_settings_that_turn_it_off(setting: str) -> None:
    absent = find_ripgrep(setting, Roots(("/ws",)))
    assert isinstance(absent, NoRipgrep)
    assert "workspace.ripgrep" in absent.reason


def test_a_path_is_taken_as_it_is() -> None:
    assert find_ripgrep(RIPGREP, Roots(("/",))) == RIPGREP


def test_what_was_not_found_is_looked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, roots = str(tmp_path / "bin" / "rg"), Roots(("/ws",))
    assert isinstance(find_ripgrep(program, roots), NoRipgrep)
    place(tmp_path / "bin")
    assert isinstance(find_ripgrep(program, roots), NoRipgrep), "not so soon"
    monkeypatch.setattr(ripgrep, "monotonic", lambda: math.inf)
    assert find_ripgrep(program, roots) == program


def test_a_program_that_hangs_holds_up_no_cancelled_search(tmp_path: Path) -> None:
    program, roots = place(tmp_path / "bin"), Roots(("/ws",))
    os.mkfifo(tmp_path / "never")
    Path(program).write_text(f"#!/bin/sh\nread line < {tmp_path}/never\n")
    looks = iter([False, False, True])
    started = time.monotonic()
    assert isinstance(find_ripgrep(program, roots, lambda: next(looks, True)), NoRipgrep)
    assert time.monotonic() - started < ripgrep._VERSION_SECONDS
    Path(program).write_text("#!/bin/sh\necho ripgrep 14.1.0\n")
    assert find_ripgrep(program, roots) == program, "a cancelled look is not remembered"
