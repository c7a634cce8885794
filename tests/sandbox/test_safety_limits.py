"""What of a workspace a command is kept from: of now, not of when the shell was made."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from glossator.permissions.matching import HiddenFiles
from glossator.sandbox import command_limits
from glossator.sandbox.command_limits import LimitFinder
from glossator.sandbox.confinement import CommandLimits, Unavailable
from glossator.sandbox.workspace_shell import find_sandbox
from tests.permissions.asking import policy
from tests.stage import stage
from tests.standin import Text, ToolUse, Turn
from tests.workspaces import MakeWorkspace, Workspace


def hidden(ws: Workspace, *deny: str) -> HiddenFiles | None:
    return HiddenFiles.of(policy(deny=deny, root=ws.root))


def relative(ws: Workspace, paths: tuple[str, ...]) -> set[str]:
    return {os.path.relpath(path, ws.root) for path in paths}


async def test_what_comes_later_is_kept_and_what_goes_is_not(workspace: MakeWorkspace) -> None:
    ws = await workspace({"src/a.py": "", "src/.idea/x.xml": "", "src/.git/config": ""})
    limits = LimitFinder()

    def kept() -> set[str]:
        return relative(ws, limits.of(ws.snapshot, None).protected)

    before = kept()
    assert {"src/.idea", "src/.git/config", "src/.git/hooks", ".vscode"} <= before
    assert "src" not in before
    ws.write("src/.vscode/settings.json", "{}")
    (ws.root / "src/.idea/x.xml").unlink()
    (ws.root / "src/.idea").rmdir()
    ws.touched("src/.idea/x.xml")
    assert kept() == before - {"src/.idea"} | {"src/.vscode"}


async def test_what_git_obeys_in_a_repository(workspace: MakeWorkspace) -> None:
    ws = await workspace(
        {
            ".git/config": "",
            ".git/HEAD": "",
            ".git/worktrees/w/commondir": "../..",
            ".git/worktrees/w/index": "",
            ".git/modules/libs/one/HEAD": "",
            ".git/modules/libs/one/objects/x": "",
            ".git/modules/libs/one/modules/two/HEAD": "",
        }
    )
    one = ".git/modules/libs/one"
    kept = relative(ws, LimitFinder().of(ws.snapshot, None).protected)
    names = ("config", "hooks", "commondir", "config.worktree")
    assert {path for path in kept if path.startswith(".git/")} == {
        *(".git/worktrees/w/commondir", ".git/worktrees/w/config.worktree"),
        *(f".git/{name}" for name in names),
        *(f"{one}/{name}" for name in names),
        *(f"{one}/modules/two/{name}" for name in names),
    }


async def test_what_a_link_leads_to_is_not_kept_in_its_place(workspace: MakeWorkspace) -> None:
    ws = await workspace({"real/workflows/x.yml": ""})
    (ws.root / ".github").symlink_to("real")
    kept = relative(ws, LimitFinder().of(ws.snapshot, None).protected)
    assert ".github/workflows" not in kept
    assert ".vscode" in kept


@pytest.mark.parametrize(
    ("deny", "covered"),
    [
        ("Read(.env)", {".env", "build/.env"}),
        ("Read(secret/**)", {"secret/a", "secret/b"}),
        ("Read(secret/)", {"secret"}),
        ("Read(build/**)", {"build/.env", "build/x"}),
        ("Read(link)", {"src/a.py"}),
        ("Read(out)", set()),
        ("Edit(secret/**)", set()),
        ("Bash(cat:*)", set()),
    ],
)
async def test_what_is_covered(workspace: MakeWorkspace, deny: str, covered: set[str]) -> None:
    ws = await workspace(
        {
            ".gitignore": "build/\n.env\n",
            ".env": "",
            "build/.env": "",
            "build/x/y": "",
            "secret/a": "",
            "secret/b/c": "",
            "src/a.py": "",
        }
    )
    (ws.root / "link").symlink_to("src/a.py")
    (ws.root / "out").symlink_to("/etc/passwd")
    ws.touched("link")
    ws.touched("out")
    limits = LimitFinder().of(ws.snapshot, hidden(ws, deny))
    assert relative(ws, limits.hidden) == covered
    assert limits.doubt is None


@pytest.mark.parametrize(
    ("bound", "doubt"),
    [
        ("_MAX_HIDDEN", "Rules hide more than"),
        ("_MAX_ENTRIES", "too many files to be looked through for those that rules hide"),
    ],
)
async def test_what_is_too_much_is_said(
    workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch, bound: str, doubt: str
) -> None:
    files = {".gitignore": "build/\n", "build/a": "", "build/b": "", "a.pem": "", "b.pem": ""}
    ws = await workspace(files)
    monkeypatch.setattr(command_limits, bound, 1)
    limits = LimitFinder().of(ws.snapshot, hidden(ws, "Read(*.pem)"))
    assert limits.doubt is not None
    assert doubt in limits.doubt


@pytest.mark.skipif(isinstance(find_sandbox(), Unavailable), reason="needs a sandbox")
@pytest.mark.parametrize(("bound", "asked"), [(1, 1), (1_000, 0)])
async def test_a_command_that_might_change_more_asks_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: int, asked: int
) -> None:
    monkeypatch.setattr(command_limits, "_MAX_ENTRIES", bound)
    script = [Turn(ToolUse("Bash", {"command": "ls"})), Turn(Text("Well."))]
    settings = {"permissions": {"mode": "auto", "allow": ["Bash"]}}
    files = {".gitignore": "out/\n", "out/a": "", "out/b": ""}
    async with stage(tmp_path, files, script, settings) as s:
        await s.ask("List.")
        assert len(s.port.permissions) == asked
        for request in s.port.permissions:
            (reason,) = request.reasons
            assert "too many files to be looked through for those that are protected" in reason


async def test_nothing_is_looked_for_that_no_rule_hides(tmp_path: Path) -> None:
    for deny in ("Edit(x)", "Bash(rm:*)", "Grep"):
        assert HiddenFiles.of(policy(deny=[deny], root=tmp_path)) is None
    for deny in ("*", "Read", "Read(x)"):
        assert HiddenFiles.of(policy(deny=[deny], root=tmp_path)) is not None
    assert CommandLimits().doubt is None
