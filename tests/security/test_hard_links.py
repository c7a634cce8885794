"""Files with other names, outside the workspace or protected ones, are not changed by commands."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from glossator.core.permission import Choice, PermissionAnswer
from glossator.service.hard_links import enclosing, shared_files
from tests.sandboxed import SANDBOXED
from tests.security.repositories import git, repository
from tests.stage import stage
from tests.standin import Text, ToolUse, Turn

_AUTO = {"permissions": {"mode": "auto"}}
_DONE = Turn(Text("Done."))
_WRITES = (
    "echo evil > {0}; echo evil >> {0}; truncate -s 0 {0}; sed -i s/text/evil/ {0}; rm {0};"
    " cp a.txt {0}; mv {0} moved; echo evil > moved; chmod 777 {0}; dd if=a.txt of={0} conv=notrunc"
    "; ln {0} again; echo evil > again; mv lib other; echo evil > other/linked.js"
)


def bash(command: str, name: str = "bash") -> Turn:
    return Turn(ToolUse("Bash", {"command": f"sh -c '{command}'"}, name))


@SANDBOXED
async def test_what_lies_outside_is_not_changed(tmp_path: Path) -> None:
    root, outside = tmp_path / "ws", tmp_path / "outside.js"
    (root / "lib").mkdir(parents=True)
    outside.write_text("text\n")
    os.link(outside, root / "lib/linked.js")
    script = [bash(_WRITES.format("lib/linked.js")), bash("echo x > a.txt", "other"), _DONE]
    async with stage(root, {"a.txt": "a\n"}, script, _AUTO) as s:
        await s.ask("Go.")
        told = s.results(1)["bash"]["content"]
        assert s.port.permissions == []
    assert outside.read_text() == "text\n"
    assert outside.stat().st_mode & 0o777 != 0o777
    assert "[Read-only here, for other files share it by hard links: linked.js]" in told
    assert (root / "a.txt").read_text() == "x\n"


@SANDBOXED
async def test_a_protected_file_is_not_changed_by_another_name(tmp_path: Path) -> None:
    """In an ignored folder, too; one whose names are all harmless may be written."""
    (tmp_path / ".vscode").mkdir()
    (tmp_path / "build").mkdir()
    (tmp_path / ".vscode/settings.json").write_text("{}\n")
    (tmp_path / "one").write_text("text\n")
    os.link(tmp_path / ".vscode/settings.json", tmp_path / "build/plain")
    os.link(tmp_path / "one", tmp_path / "two")
    script = [bash("echo evil > build/plain; echo new > one"), _DONE]
    async with stage(tmp_path, {".gitignore": "build\n"}, script, _AUTO) as s:
        await s.ask("Go.")
    assert (tmp_path / ".vscode/settings.json").read_text() == "{}\n"
    assert (tmp_path / "two").read_text() == "new\n"


@SANDBOXED
async def test_a_local_clone_leaves_the_other_repository_alone(tmp_path: Path) -> None:
    """It can be worked in: what git adds is new."""
    root, other = tmp_path / "ws", tmp_path / "other"
    repository(other, {"a.txt": "a\n"})
    git(tmp_path, "clone", "-q", "--local", str(other), str(root))
    (object_file,) = list((other / ".git/objects").glob("??/*"))[:1]
    before = object_file.read_bytes()
    name = object_file.relative_to(other)
    commit = "git -c user.name=a -c user.email=a@b commit -qm two && git log --oneline | wc -l"
    script = [
        bash(f"chmod 777 {name}; echo evil > {name}; rm -f {name}"),
        bash(f"echo b > b.txt && git add -A && {commit}", "commit"),
        _DONE,
    ]
    async with stage(root, {}, script, _AUTO) as s:
        await s.ask("Go.")
        assert s.results(2)["commit"]["content"].startswith("2\n")
    assert object_file.read_bytes() == before


@pytest.mark.parametrize(("tool", "more"), [("Write", {"content": "evil\n"}), ("Edit", {})])
async def test_edits_are_asked_about(tmp_path: Path, tool: str, more: dict[str, str]) -> None:
    """Editors write into the file, so that all its names show the new text."""
    root, outside = tmp_path / "ws", tmp_path / "outside"
    root.mkdir()
    outside.write_text("text\n")
    os.link(outside, root / "linked")
    more = more or {"old_text": "text", "new_text": "evil"}
    script = [
        Turn(ToolUse("Read", {"path": "linked"}, "read")),
        Turn(ToolUse(tool, {"path": "linked", **more}, "edit")),
        _DONE,
    ]
    async with stage(root, {}, script, _AUTO) as s:
        s.port.permitted = [PermissionAnswer(Choice.DENY)]
        await s.ask("Go.")
        (request,) = s.port.permissions
    (reason,) = request.reasons
    assert reason.endswith("it has other names (hard links), perhaps outside the workspace.")
    assert outside.read_text() == "text\n"


async def test_a_command_that_the_user_allowed_may_replace_them(tmp_path: Path) -> None:
    """As package managers do; the question says so."""
    root, outside = tmp_path / "ws", tmp_path / "outside"
    root.mkdir()
    outside.write_text("text\n")
    os.link(outside, root / "linked")
    script = [bash("rm linked && echo new > linked"), _DONE]
    async with stage(root, {}, script, {"permissions": {"mode": "ask"}}) as s:
        s.port.permitted = [PermissionAnswer(Choice.ONCE)]
        await s.ask("Go.")
        (request,) = s.port.permissions
    assert request.reasons[-1].startswith("linked may go by other names elsewhere (hard links)")
    assert (root / "linked").read_text() == "new\n"
    assert outside.read_text() == "text\n"


def test_few_mounts_for_many_files(tmp_path: Path) -> None:
    outside, root = tmp_path / "outside", tmp_path / "ws"
    outside.mkdir()
    for folder in range(30):
        (root / f"lib/p{folder}").mkdir(parents=True)
        for number in range(10):
            (outside / f"{folder}-{number}").write_text("")
            os.link(outside / f"{folder}-{number}", root / f"lib/p{folder}/{number}")
    os.link(outside / "0-0", root / "top")
    found = shared_files([str(root)], ())
    assert len(found) <= 100
    assert str(root / "top") in found
    assert str(root / "lib") not in found
    for folder in range(30):
        for number in range(10):
            file = root / f"lib/p{folder}/{number}"
            assert {str(file), str(file.parent)} & set(found)


def test_enclosing() -> None:
    assert enclosing(["/w/a/1", "/w/a/2", "/w/b"], 3) == {"/w/a/1", "/w/a/2", "/w/b"}
    assert enclosing(["/w/a/1", "/w/a/2", "/w/b"], 2) == {"/w/a", "/w/b"}
    assert enclosing(["/w/a/x/1", "/w/b/y/1", "/w/c"], 1) == {"/w"}
