"""What is allowed because it only reads changes nothing, whatever a repository configures.

The witness is a program that the repository names for git. It says so if it is run, and tries to
write.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from glossator.core.permission import Mode
from glossator.sandbox.confinement import SandboxPolicy
from glossator.sandbox.seatbelt import profile
from tests.sandboxed import SANDBOXED
from tests.security.repositories import git, repository
from tests.stage import stage
from tests.standin import Text, ToolUse, Turn

pytestmark = SANDBOXED
_RAN = "THE-WITNESS-WAS-RUN"
_DONE = Turn(Text("Done."))
_SETTINGS = """
[core]
    fsmonitor = {w}
    hooksPath = {hooks}
    pager = {w}
    sshCommand = {w}
[diff]
    external = {w}
    submodule = diff
[diff "text"]
    textconv = {w}
[diff "Own.Driver"]
    command = {w}
[filter "clean"]
    clean = {w}
    smudge = {w}
    required = true
[filter "process"]
    process = {w}
    required = true
[gpg]
    program = {w}
[gpg "ssh"]
    program = {w}
[log]
    showSignature = true
[pager]
    log = {w}
    diff = {w}
[alias]
    status = !{w}
"""
_ATTRIBUTES = "*.txt diff=text\n*.c diff=Own.Driver\n*.f filter=clean\n*.p filter=process\n"
_FILES = ("a.txt", "a.c", "a.f", "a.p")
_COMMANDS = (
    "git diff",
    "git diff --submodule=diff --ignore-submodules=none",
    "git status",
    "git show",
    "git log -p",
    "git log -1 --stat",
    "git blame a.txt",
    "git blame a.f",
    "git show HEAD:a.txt",
    "git ls-files -m",
    "git cat-file -p HEAD:a.txt",
    "git grep -n a",
    "cd sub && git diff",
    "cd sub; git log -p; git status",
)


def _configure(repository: Path, work: Path, witness: Path) -> None:
    hooks = witness.parent / "hooks"
    hooks.mkdir(exist_ok=True)
    (hooks / "post-index-change").write_bytes(witness.read_bytes())
    (hooks / "post-index-change").chmod(0o755)
    (repository / "more").write_text(_SETTINGS.format(w=witness, hooks=hooks))
    with (repository / "config").open("a") as file:
        file.write("[include]\n\tpath = more\n")
    for name in _FILES:
        (work / name).write_text("b\n")


def _workspace(root: Path) -> None:
    """A repository with a submodule, and configured programs in both."""
    root.mkdir()
    files = {".gitattributes": _ATTRIBUTES, **dict.fromkeys(_FILES, "a\n")}
    repository(root.parent / "other", files)
    repository(root, files)
    git(root, "submodule", "--quiet", "add", str(root.parent / "other"), "sub")
    git(root, "commit", "-qm", "two")
    witness = root / "witness.sh"
    witness.write_text(f"#!/bin/sh\necho {_RAN} >&2\necho {_RAN}\ntouch {root}/made\n")
    witness.chmod(0o755)
    _configure(root / ".git", root, witness)
    _configure(root / ".git/modules/sub", root / "sub", witness)


@pytest.mark.parametrize("mode", [Mode.PLAN, Mode.ASK])
async def test_a_repository_has_nothing_run(tmp_path: Path, mode: Mode) -> None:
    """In plan mode and where reading is not asked about; the output is still git's."""
    root = tmp_path / "ws"
    _workspace(root)
    calls = [ToolUse("Bash", {"command": each}, f"c{at}") for at, each in enumerate(_COMMANDS)]
    script = [*map(Turn, calls), _DONE]
    async with stage(root, {}, script, {"permissions": {"mode": mode}}) as s:
        await s.ask("Go.")
        assert s.port.permissions == []
        told = {each: s.results(at + 1)[f"c{at}"] for at, each in enumerate(_COMMANDS)}
    for command, result in told.items():
        assert _RAN not in result["content"], command
        assert "[exit code 0]" in result["content"], (command, result["content"])
    assert not (root / "made").exists()
    assert "+b" in told["git diff"]["content"]
    assert "+a" in told["git log -p"]["content"]
    assert "+b" in told["cd sub && git diff"]["content"]


_EVIL = '[diff]\n\texternal = {w}\n[core]\n\tfsmonitor = {w}\n[filter "clean"]\n\tclean = {w}\n'


def _git_folder_at(root: Path, place: str, settings: str) -> None:
    """Put the repository's folder at `evil.git` with these settings, and name it by a path."""
    (root / ".git").rename(root / "evil.git")
    with (root / "evil.git/config").open("a") as file:
        file.write(settings)
    (root / ".git").write_text(f"gitdir: {place}/evil.git\n")


def _common_folder_at(root: Path, place: str, settings: str) -> None:
    (root / "evil").mkdir()
    for each in ("objects", "refs", "config"):
        (root / ".git" / each).rename(root / "evil" / each)
    with (root / "evil/config").open("a") as file:
        file.write(settings)
    (root / ".git/commondir").write_text(f"{place}/evil\n")


def _include(root: Path, place: str, settings: str) -> None:
    (root / "evil.cfg").write_text(settings)
    git(root, "config", "include.path", f"{place}/evil.cfg")


def _include_if(root: Path, place: str, settings: str) -> None:
    (root / "evil.cfg").write_text(settings)
    git(root, "config", f"includeIf.gitdir:{place}/.path", f"{place}/evil.cfg")


def _include_by_links(root: Path, place: str, settings: str) -> None:
    (root / "evil.cfg").write_text(settings)
    (root / "a").symlink_to(place)
    (root / "b").symlink_to("a/")
    git(root, "config", "include.path", "../b/evil.cfg")


def _include_input(root: Path, _place: str, settings: str) -> None:
    (root / "evil.cfg").write_text(settings)
    git(root, "config", "include.path", "/dev/stdin")


def _broken(root: Path, _place: str, settings: str) -> None:
    (root / "evil.cfg").write_text(settings)
    git(root, "config", "include.path", "evil.cfg")
    with (root / ".git/config").open("a") as file:
        file.write("[include\n")


_ELSEWHERE = {
    "include": _include,
    "include if": _include_if,
    "include by links": _include_by_links,
    "input": _include_input,
    "git folder": _git_folder_at,
    "common folder": _common_folder_at,
    "broken": _broken,
}


@pytest.mark.parametrize("inner", [False, True], ids=["itself", "a submodule"])
@pytest.mark.parametrize("how", _ELSEWHERE)
async def test_settings_are_those_that_git_finds_in_the_sandbox(
    tmp_path: Path, how: str, *, inner: bool
) -> None:
    """`/proc/1/cwd` is the folder of the command there, and somewhere else for the server."""
    root = tmp_path / "ws"
    root.mkdir()
    files = {".gitattributes": "*.txt filter=clean\n", "a.txt": "a\n"}
    evil = root / "sub" if inner else root
    if inner:
        repository(root, {"top.txt": "a\n"})
        evil.mkdir()
    repository(evil, files)
    if inner:
        git(root, "add", "sub")
        git(root, "commit", "-qm", "two")
    witness = root / "witness.sh"
    witness.write_text(f"#!/bin/sh\necho {_RAN} >&2\necho {_RAN}\n")
    witness.chmod(0o755)
    place = "/proc/1/cwd/sub" if inner else "/proc/1/cwd"
    _ELSEWHERE[how](evil, place, _EVIL.format(w=witness))
    (evil / "a.txt").write_text("b\n")
    commands = (
        "git diff --submodule=diff",
        "git status",
        f"cat {evil}/evil.cfg | git diff --submodule=diff",
    )
    calls = [ToolUse("Bash", {"command": each}, f"c{at}") for at, each in enumerate(commands)]
    async with stage(root, {}, [*map(Turn, calls), _DONE], {"permissions": {"mode": "plan"}}) as s:
        await s.ask("Go.")
        told = [s.results(at + 1)[f"c{at}"]["content"] for at in range(len(commands))]
    assert not [text for text in told if _RAN in text.replace(f"echo {_RAN}", "")], told


@pytest.mark.parametrize("worktree", ["/other", ""], ids=["elsewhere", "above"])
async def test_the_submodules_are_those_of_the_worktree(tmp_path: Path, worktree: str) -> None:
    """Which a repository sets, and which need not be the folder that it is in."""
    root = tmp_path / "ws"
    for folder in ("own", "other"):
        (root / folder).mkdir(parents=True)
    witness = root / "witness.sh"
    witness.write_text(f"#!/bin/sh\necho {_RAN} >&2\necho {_RAN}\n")
    witness.chmod(0o755)
    repository(root / "other/sub", {"a.txt": "a\n"})
    git(root / "other/sub", "config", "diff.external", str(witness))
    repository(root / "own", {"a.txt": "a\n"})
    git(root / "own", "config", "core.worktree", f"{root}{worktree}")
    git(root / "own", "add", str(root / "other/sub"))
    git(root / "own", "commit", "-qm", "two")
    (root / "other/sub/a.txt").write_text("b\n")
    call = ToolUse("Bash", {"command": "git diff --submodule=diff", "cwd": "own"}, "c")
    async with stage(root, {}, [Turn(call), _DONE], {"permissions": {"mode": "plan"}}) as s:
        await s.ask("Go.")
        told = s.results(1)["c"]["content"]
    assert _RAN not in told
    assert "+Subproject commit" in told


async def test_git_is_looked_at_where_a_folder_is_by_name_and_by_links(tmp_path: Path) -> None:
    """A shell reads the `..` of `a/l/../x` by name: `a/x`, wherever the link `l` leads."""
    root = tmp_path / "ws"
    for folder in ("start", "b/c"):
        (root / folder).mkdir(parents=True)
    witness = root / "witness.sh"
    witness.write_text(f"#!/bin/sh\necho {_RAN} >&2\necho {_RAN}\n")
    witness.chmod(0o755)
    for each in ("a/x", "b/x"):
        repository(root / each, {"a.txt": "a\n"})
        (root / each / "a.txt").write_text("b\n")
    git(root / "a/x", "config", "diff.external", str(witness))
    (root / "a/l").symlink_to("../b/c")
    commands = (
        "cd ../a/l/../x && git diff",
        "cd -P ../a/l/../x && git diff",
        "cd ../b/x; git diff",
    )
    calls = [
        ToolUse("Bash", {"command": each, "cwd": "start"}, f"c{at}")
        for at, each in enumerate(commands)
    ]
    async with stage(root, {}, [*map(Turn, calls), _DONE], {"permissions": {"mode": "plan"}}) as s:
        await s.ask("Go.")
        told = [s.results(at + 1)[f"c{at}"]["content"] for at in range(len(commands))]
    assert not [text for text in told if _RAN in text]
    assert "+b" in told[0]
    assert told[1].startswith("Plan mode only reads")


async def test_the_witness_would_be_run(tmp_path: Path) -> None:
    """By a command that does more than read: else the test above would show nothing."""
    root = tmp_path / "ws"
    _workspace(root)
    command = "git diff; echo x > written"
    script = [Turn(ToolUse("Bash", {"command": command}, "c")), _DONE]
    async with stage(root, {}, script, {"permissions": {"mode": "auto"}}) as s:
        await s.ask("Go.")
        assert _RAN in s.results(1)["c"]["content"]
    assert (root / "written").exists()


async def test_the_workspace_is_mounted_read_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if the judge is wrong about a program."""
    monkeypatch.setattr(
        "glossator.application.permission_checker.read_only_commands",
        lambda commands, _place: frozenset(commands),
    )
    commands = ("touch made", "mkdir made", "rm a.txt", "sed -i s/a/b/ a.txt", "ln a.txt made")
    calls = [ToolUse("Bash", {"command": each}, f"c{at}") for at, each in enumerate(commands)]
    async with stage(tmp_path, {"a.txt": "a\n"}, [*map(Turn, calls), _DONE]) as s:
        await s.ask("Go.")
        for at in range(len(commands)):
            assert "Read-only file system" in s.results(at + 1)[f"c{at}"]["content"]
        assert s.port.permissions == []
    assert os.listdir(tmp_path) == ["a.txt"]
    assert (tmp_path / "a.txt").read_text() == "a\n"


def test_profile_of_seatbelt_for_reading() -> None:
    """Without a rule that lets the workspace be written."""
    for writable in (True, False):
        text = profile(SandboxPolicy(("/ws",), writable=writable))
        (allowed,) = (line for line in text.splitlines() if line.startswith("(allow file-write*"))
        assert ('(subpath "/ws")' in allowed) is writable
