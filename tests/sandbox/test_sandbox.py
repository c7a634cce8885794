"""What a command in the sandbox can touch, tried with real commands."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from glossator.core.errors import UsageError
from glossator.sandbox.confinement import CommandLimits, Sandbox, SandboxPolicy, Unavailable
from glossator.sandbox.mounts import (
    PinnedMount,
    PlaceholderMount,
    ReadOnlyMount,
    is_placeholder,
    mounts_for,
    placeholder,
)
from glossator.sandbox.output import output_text
from glossator.sandbox.seatbelt import profile
from glossator.sandbox.shell import Shell, ShellCommand
from tests.patience import SECONDS
from tests.sandbox.conftest import KEY, MakeShell


async def said(shell: Shell, text: str, *, network: bool = False) -> str:
    finished = await shell.run(ShellCommand(text, network=network), SECONDS)
    assert not finished.timed_out
    return output_text(finished.output)


async def test_writes_below_the_root_only(
    shell: MakeShell, sandbox: Sandbox, root: Path, tmp_path: Path
) -> None:
    confined = shell(sandbox)
    await said(confined, f"echo in > a; mkdir b; echo out > {tmp_path}/a; touch /etc/a /a /usr/a")
    assert sorted(os.listdir(root)) == ["a", "b"]
    assert (root / "a").read_text() == "in\n"
    assert sorted(os.listdir(tmp_path)) == ["ws"]
    assert not _exists("/etc/a", "/a", "/usr/a")


async def test_links_lead_nowhere(
    shell: MakeShell, sandbox: Sandbox, root: Path, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    (root / "there").symlink_to(tmp_path / "other")
    await said(
        shell(sandbox), f"ln -s {tmp_path} up; touch up/x there/x; ln -s /etc d; touch d/glossator"
    )
    assert sorted(os.listdir(tmp_path)) == ["other", "ws"]
    assert os.listdir(tmp_path / "other") == []
    assert not _exists("/etc/glossator")


async def test_homes_and_temporary_folders_are_empty(
    shell: MakeShell, sandbox: Sandbox, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text(KEY)
    confined = shell(sandbox)
    assert KEY not in await said(confined, f"cat {tmp_path}/secret")
    assert await said(confined, "ls -A /run; ls /tmp") == Path(tmp_path).parts[2]
    await said(confined, "touch ~/glossator-was-here")
    assert not _exists("~/glossator-was-here")


async def test_no_key_is_anywhere(
    shell: MakeShell, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    text = await said(shell(sandbox), f"env; cat /proc/*/environ /proc/{os.getpid()}/environ")
    assert "TERM=dumb" in text
    assert KEY not in text
    assert "BASH_ENV" not in text


async def test_no_other_processes(shell: MakeShell, sandbox: Sandbox) -> None:
    text = await said(shell(sandbox), f"kill -0 {os.getpid()}; ls -d /proc/[0-9]* | wc -l")
    assert "No such process" in text
    assert int(text.split()[-1]) < 10


@pytest.mark.parametrize("network", [False, True])
async def test_network(shell: MakeShell, sandbox: Sandbox, *, network: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        text = await said(
            shell(sandbox), f"echo </dev/tcp/127.0.0.1/{port} && echo reached", network=network
        )
    assert ("reached" in text) is network


async def test_no_sockets_of_other_programs(
    shell: MakeShell, sandbox: Sandbox, tmp_path: Path
) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        path = Path("/tmp") / f"glossator-{os.getpid()}.sock"
        server.bind(str(path))
        try:
            assert "No such file" in await said(shell(sandbox), f"ls {path}")
        finally:
            path.unlink()


@pytest.mark.parametrize("network", [False, True])
async def test_sockets_that_can_be_seen(
    shell: MakeShell, sandbox: Sandbox, root: Path, tmp_path: Path, *, network: bool
) -> None:
    """Of the workspace those that are told of, elsewhere all that there are."""
    names = ("told", "lib/other")
    (root / "lib").mkdir()
    with contextlib.ExitStack() as stack:
        for name in names:
            server = stack.enter_context(socket.socket(socket.AF_UNIX))
            server.bind(str(root / name))
            server.listen()
        limits = CommandLimits(sockets=(str(root / "told"),))
        connect = "import socket; socket.socket(socket.AF_UNIX).connect('{}'); print('reached')"
        for name, reached in zip(names, (network, True), strict=True):
            command = ShellCommand(f'python3 -c "{connect.format(root / name)}"', network=network)
            text = output_text((await shell(sandbox).run(command, SECONDS, limits=limits)).output)
            assert ("reached" in text) is reached
        elsewhere = SandboxPolicy((str(root / "lib"),), readable=(str(root),))
        with sandbox.confine(("true",), str(root / "lib"), elsewhere) as confined:
            assert str(root / "told") in confined.words
            assert str(root / "lib/other") not in confined.words


async def test_settings_of_the_kernel_are_not_written(shell: MakeShell, sandbox: Sandbox) -> None:
    """Root could, without any capability. Nothing is written here: only asked whether one may."""
    folders = " ".join(f"/proc/{name}" for name in "sys irq bus acpi driver fs scsi".split())
    asked = f"find {folders} -writable -type f 2>/dev/null; test -w /proc/sysrq-trigger && echo w"
    assert await said(shell(sandbox), asked) == ""


async def test_what_is_hidden_stays_where_it_is(
    shell: MakeShell, sandbox: Sandbox, root: Path
) -> None:
    """Elsewhere no rule would know it again, and the next command could read it."""
    (root / "a/b").mkdir(parents=True)
    (root / "a/b/key").write_text(KEY)
    limits = CommandLimits(hidden=(str(root / "a/b/key"),))
    command = ShellCommand(
        "mv a moved; mv a/b moved; mv a/b/key moved; ln a/b/key hard; cat moved hard"
    )
    text = output_text((await shell(sandbox).run(command, SECONDS, limits=limits)).output)
    assert "cannot move 'a' to 'moved': Device or resource busy" in text
    assert KEY not in text
    kept = _tree(root)
    assert kept["a/b/key"] == KEY.encode()
    assert KEY.encode() not in [content for name, content in kept.items() if name != "a/b/key"]


async def test_no_way_out_of_the_namespaces(shell: MakeShell, sandbox: Sandbox) -> None:
    text = await said(
        shell(sandbox),
        "mount -o remount,rw / || echo kept; unshare -Ur true || echo kept;"
        " (cat /proc/sys/kernel/ostype > /proc/sys/kernel/hostname) || echo kept;"
        " grep CapEff /proc/self/status",
    )
    assert text.count("kept") == 3
    assert "CapEff:\t0000000000000000" in text


PROTECTED = (".mcp.json", ".vscode/", ".git/hooks/", ".git/config", "a/b/.envrc", "deep/x/y.json")


async def test_protected_paths_stay_as_they_are(
    shell: MakeShell, sandbox: Sandbox, root: Path
) -> None:
    (root / ".git" / "hooks").mkdir(parents=True)
    (root / ".git" / "config").write_text("[core]\n")
    (root / "a" / "b").mkdir(parents=True)
    before = _tree(root)
    text = await said(
        shell(sandbox, *PROTECTED),
        "echo x > .mcp.json; rm -f .mcp.json; mv .mcp.json m; ln -f /dev/null .mcp.json;"
        " mkdir .vscode; touch .vscode/settings.json; rmdir .vscode; mv .vscode v;"
        " echo x >> .git/config; rm .git/config; touch .git/hooks/pre-commit; mv .git g;"
        " mv a c; mv a/b a/c; rm -rf a; echo x > a/b/.envrc; mkdir deep; mkdir -p deep/x;"
        " touch deep/x/y.json; mv .git/hooks h; rm -rf .git/hooks; ln -s /tmp .vscode",
    )
    assert "Device or resource busy" in text
    assert "Read-only file system" in text
    after = _tree(root)
    assert after.items() >= before.items()
    # what `mv` copied before it failed is no harm
    assert not {".mcp.json", ".vscode", "deep", "a/b/.envrc", ".git/hooks/pre-commit"} & set(after)


async def test_what_is_not_protected_can_be_changed(
    shell: MakeShell, sandbox: Sandbox, root: Path
) -> None:
    (root / ".git" / "hooks").mkdir(parents=True)
    await said(shell(sandbox, *PROTECTED), "touch .git/index .mcp.jso; mkdir a; echo x > a/b")
    assert (root / ".git" / "index").exists()
    assert (root / ".mcp.jso").exists()
    assert (root / "a").is_dir() is False, "a/b/.envrc is protected, so a cannot be made"


async def test_git_sees_no_stand_ins(shell: MakeShell, sandbox: Sandbox, root: Path) -> None:
    _program("git", "init", "-q", str(root))
    protected = (".mcp.json", ".vscode/", ".envrc", ".git/hooks/", ".git/config")
    text = await said(shell(sandbox, *protected), "touch new; git add -A && git status --porcelain")
    assert text == "A  new"


async def test_commits_work_where_hooks_and_settings_are_protected(
    shell: MakeShell, sandbox: Sandbox, root: Path
) -> None:
    _program("git", "init", "-q", str(root))
    confined = shell(sandbox, ".git/hooks", ".git/config", ".mcp.json")
    text = await said(
        confined,
        "echo x > new && git add -A && git -c user.name=a -c user.email=a@b commit -qm one &&"
        " git log --format=%s --name-only; git config core.hooksPath x || echo refused",
    )
    assert text.splitlines()[:3] == ["one", "", "new"]
    assert text.endswith("refused")


async def test_a_repository_in_the_workspace_runs_nothing(
    shell: MakeShell, sandbox: Sandbox, root: Path
) -> None:
    """Neither one with a folder of its own for `.git`, nor a bare one."""
    for repository in (root / "whole" / ".git", root / "bare"):
        repository.parent.mkdir(exist_ok=True)
        _program("git", "init", "-q", "--bare", str(repository))
        hook = repository / "monitor"
        hook.write_text(f"#!/bin/sh\ntouch {root}/was-run\n")
        hook.chmod(0o755)
        (repository / "config").write_text(
            f"[core]\n\tbare = false\n\tfsmonitor = {hook}\n\tworktree = {repository.parent}\n"
        )
        await shell(sandbox).run(ShellCommand("git status", str(repository)), SECONDS)
        await shell(sandbox).run(ShellCommand("git status", str(repository.parent)), SECONDS)
    assert not (root / "was-run").exists()


async def test_a_repository_is_not_given_another_configuration(
    shell: MakeShell, sandbox: Sandbox, root: Path
) -> None:
    """By a file that says where it stands; git works with the stand-in for it."""
    _program("git", "init", "-q", str(root))
    confined = shell(sandbox, ".git/hooks", ".git/config", ".git/commondir")
    text = await said(
        confined,
        "echo ../evil > .git/commondir || echo kept; rm -f .git/commondir || echo kept;"
        " mv .git/commondir .git/x || echo kept; echo x > new && git add -A &&"
        " git -c user.name=a -c user.email=a@b commit -qm one && git branch two &&"
        " git worktree list | wc -l && git fsck && git log --format=%s --name-only",
    )
    assert text.count("kept") == 3
    assert text.splitlines()[-4:] == ["1", "one", "", "new"]
    assert not (root / ".git/commondir").exists()
    assert not [name for name in os.listdir(root / ".git") if name.startswith(".glossator")]


async def test_a_worktree_is_not_given_a_configuration(
    shell: MakeShell, sandbox: Sandbox, root: Path
) -> None:
    """Where the repository has one for each worktree, one that is missing could be made."""
    _program("git", "init", "-q", str(root))
    _program("git", "-C", str(root), "config", "extensions.worktreeConfig", "true")
    confined = shell(sandbox, ".git/hooks", ".git/config", ".git/config.worktree")
    text = await said(
        confined,
        "git config --worktree core.fsmonitor evil || echo kept; git config --worktree a.b c;"
        " echo x > .git/config.worktree || echo kept; rm -f .git/config.worktree || echo kept;"
        " echo x > new && git add -A && git status --porcelain",
    )
    assert text.count("kept") == 3
    assert text.splitlines()[-1] == "A  new"
    assert not (root / ".git/config.worktree").exists()


async def test_a_protected_link_is_refused(shell: MakeShell, sandbox: Sandbox, root: Path) -> None:
    (root / "target").mkdir()
    (root / ".vscode").symlink_to("target")
    with pytest.raises(UsageError, match="is protected and a link"):
        await shell(sandbox, ".vscode/").run(ShellCommand("ls"), SECONDS)
    with pytest.raises(UsageError, match="is protected and a link"):
        await shell(sandbox, ".vscode/settings.json").run(ShellCommand("ls"), SECONDS)


def test_the_whole_disk_is_no_workspace(sandbox: Sandbox) -> None:
    with (
        pytest.raises(UsageError, match="whole disk"),
        sandbox.confine(("ls",), "/", SandboxPolicy(("/",))),
    ):
        pass


def test_protection(root: Path) -> None:
    (root / "a" / "b").mkdir(parents=True)
    (root / "f").write_text("")
    found = mounts_for(
        SandboxPolicy(
            (str(root),),
            tuple(f"{root}/{each}" for each in ("a/b/c", "f", "n", "m/", "o/p", "a/b/c/d", "f/x")),
        )
    )
    assert found == (
        PinnedMount(f"{root}/a"),
        ReadOnlyMount(f"{root}/f"),
        PlaceholderMount(f"{root}/m"),
        PlaceholderMount(f"{root}/n"),
        PlaceholderMount(f"{root}/o"),
        PinnedMount(f"{root}/a/b"),
        PlaceholderMount(f"{root}/a/b/c"),
    )
    assert mounts_for(SandboxPolicy((str(root),), ("/etc/x", f"{root}-evil/x"))) == ()
    assert mounts_for(SandboxPolicy((str(root),), (str(root), f"{root}/a/b"))) == (
        ReadOnlyMount(str(root)),
    )


def test_guards_are_shared_and_removed_by_the_last(tmp_path: Path) -> None:
    path = tmp_path / "g"
    with placeholder(str(path)) as first:
        with placeholder(str(path)) as second:
            assert first
            assert second
            assert is_placeholder(str(path))
        assert path.exists()
    assert not path.exists()


def test_a_guard_that_is_a_file(tmp_path: Path) -> None:
    path = tmp_path / "commondir"
    with placeholder(str(path)) as first, placeholder(str(path)) as second:
        assert first
        assert second
        assert is_placeholder(str(path))
        assert path.read_text() == ".\n"
    assert os.listdir(tmp_path) == []
    path.write_text(".\n")
    assert not is_placeholder(str(path))
    with placeholder(str(path)):
        path.write_text("elsewhere")
    assert path.read_text() == "elsewhere"


def test_a_guard_that_the_user_put_something_into_is_kept(tmp_path: Path) -> None:
    with placeholder(str(tmp_path / "g")):
        (tmp_path / "g" / "x").write_text("")
    assert (tmp_path / "g" / "x").exists()


def test_a_guard_that_the_user_replaced_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "g"
    with placeholder(str(path)):
        path.rmdir()
        path.write_text("{}")
    assert path.read_text() == "{}"


def test_a_guard_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with placeholder(str(tmp_path / "file" / "g")) as made:
        assert not made
    with placeholder(str(tmp_path / "file")) as made:
        assert not made


async def test_guards_left_by_a_crash_are_cleared(
    shell: MakeShell, sandbox: Sandbox, root: Path
) -> None:
    code = (
        "import os,signal,sys\nfrom glossator.sandbox.mounts import placeholder\n"
        f"one = placeholder({str(root / '.mcp.json')!r})\n"
        f"two = placeholder({str(root / '.vscode')!r})\n"
        "one.__enter__(), two.__enter__()\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    child = _program(sys.executable, "-c", code)
    assert child.returncode == -signal.SIGKILL
    assert sorted(os.listdir(root)) == [".mcp.json", ".vscode"]
    await said(shell(sandbox, ".mcp.json", ".vscode/"), "true")
    assert os.listdir(root) == []


def _exists(*paths: str) -> bool:
    return any(os.path.exists(os.path.expanduser(path)) for path in paths)


def _program(*command: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(command, check=False)


def _tree(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): b"" if path.is_dir() else path.read_bytes()
        for path in root.rglob("*")
    }


@pytest.mark.parametrize("cwd", ["/", "..", "../ws-evil", "/etc", "up", "sub/../.."])
async def test_a_folder_outside_is_refused(
    shell: MakeShell, sandbox: Sandbox, root: Path, tmp_path: Path, cwd: str
) -> None:
    (tmp_path / "ws-evil").mkdir()
    (root / "up").symlink_to(tmp_path)
    with pytest.raises(UsageError, match="outside the workspace"):
        await shell(sandbox).run(ShellCommand("pwd", cwd), SECONDS)


async def test_folders_to_run_in(shell: MakeShell, sandbox: Sandbox, root: Path) -> None:
    (root / "sub").mkdir()
    (root / "link").symlink_to("sub")
    confined = shell(sandbox)
    for cwd in ("sub", f"{root}/sub", "link"):
        finished = await confined.run(ShellCommand("pwd", cwd), SECONDS)
        assert output_text(finished.output) == f"{root}/sub"
    with pytest.raises(UsageError, match="is no folder"):
        await confined.run(ShellCommand("pwd", "nowhere"), SECONDS)


async def test_without_a_sandbox_nothing_runs_unasked(root: Path) -> None:
    none = Shell(Unavailable("There is none."), SandboxPolicy((str(root),)), os.environ)
    with pytest.raises(UsageError, match=r"cannot be run\. There is none"):
        await none.run(ShellCommand("true"), SECONDS)
    assert none.unconfined == "There is none."


def test_profile_of_seatbelt(root: Path) -> None:
    policy = SandboxPolicy((str(root),), (f"{root}/.vscode/settings.json", f'{root}/a"b'))
    text = profile(policy)
    assert text.startswith("(version 1)\n(allow default)\n(deny signal)\n")
    assert "\n(deny network*)\n(deny file-write*)\n(allow file-write* " in text
    assert "(deny job-creation)\n(deny lsopen)\n(deny appleevent-send)\n" in text
    assert text.index("(deny process-info*)") < text.index("(allow process-info* (target same-")
    assert f'(subpath "{root}")' in text
    assert f'(deny file-write* (subpath "{root}/.vscode/settings.json") ' in text
    assert f'(subpath "{root}/a\\"b")' in text
    assert f'(deny file-write-unlink (literal "{root}") (literal "{root}/.vscode"))' in text
    assert "network" not in profile(SandboxPolicy((str(root),), network=True))


def test_profile_of_seatbelt_for_what_is_hidden(root: Path) -> None:
    """Reading is not all: a file that may be renamed or linked can be read by its new name."""
    text = profile(SandboxPolicy((str(root),), hidden=(f"{root}/a/b/key",)))
    *_, hidden, pinned = text.splitlines()
    assert hidden == f'(deny file* (subpath "{root}/a/b/key"))'
    folders = " ".join(f'(literal "{folder}")' for folder in (root, root / "a", root / "a/b"))
    assert pinned == f"(deny file-write-unlink {folders})"
