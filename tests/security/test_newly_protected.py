"""What a command makes by a protected name is gone afterwards, unless the user lets it stay."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
import time
from pathlib import Path

import pytest

from glossator.core.permission import Choice, PermissionAnswer
from glossator.core.shown import shown
from glossator.sandbox import quarantine
from glossator.sandbox.quarantine import Quarantine, Quarantined
from tests.patience import until
from tests.sandboxed import SANDBOXED
from tests.security.repositories import repository
from tests.stage import Stage, stage
from tests.standin import Text, ToolUse, Turn

pytestmark = SANDBOXED
_AUTO = {"permissions": {"mode": "auto"}}
_DONE = Turn(Text("Done."))
_YES = PermissionAnswer(Choice.ONCE)
_NAMES = (
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    "CLAUDE.local.md",
    "Agents.MD",
    "x.code-workspace",
    ".lintstagedrc.js",
    "mise.local.toml",
    ".lefthook.yml",
    ".aider.conf.yml",
    "\N{FULLWIDTH LATIN CAPITAL LETTER A}GENTS.md",
)
_PLACES = ("", "sub/", "node_modules/lib/")
_FILES = {"a.txt": "text\n", "sub/b.txt": "text\n", ".gitignore": "node_modules\n"}


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state/glossator/set-aside"


def bash(command: str, name: str = "bash", **more: object) -> Turn:
    """A command that auto mode does not ask about: only the shell that it starts reads the text."""
    return Turn(ToolUse("Bash", {"command": f"sh -c {shlex.quote(command)}", **more}, name))


def protected(root: Path) -> list[str]:
    names = {name.casefold() for name in (*_NAMES, ".git", ".vscode", ".envrc")}
    return sorted(
        str(path.relative_to(root)) for path in root.rglob("*") if path.name.casefold() in names
    )


def kept(state: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in state.rglob("*") if path.is_file()}


def moved(state: Path, names: tuple[str, ...]) -> int:
    return len([path for path in state.rglob("*") if path.name in names])


def result(s: Stage, number: int = 1, name: str = "bash") -> str:
    text: str = s.results(number)[name]["content"]
    return text


@pytest.mark.parametrize("how", ["echo evil > {}", "cp a.txt t; mv t {}", "ln -s a.txt {}"])
async def test_names(tmp_path: Path, state: Path, how: str) -> None:
    """Each at the top and below, in folders that are ignored as well; asked about at once."""
    root = tmp_path / "ws"
    paths = [f"{place}{name}" for place in _PLACES for name in _NAMES]
    (root / "node_modules/lib").mkdir(parents=True)
    command = "; ".join(how.format(f"'{path}'") for path in paths)
    async with stage(root, _FILES, [bash(command), _DONE], _AUTO) as s:
        await s.ask("Go.")
        told = result(s)
        (request,) = s.port.permissions
    assert protected(root) == []
    assert request.title == f"A command made {len(paths)} protected files. May that stay?"
    for path in paths:
        assert shown(path) in request.detail
    assert "agents follow it in every later session" in " ".join(request.reasons)
    assert "the user did not let that stay, so it was moved to" in told
    assert moved(state, _NAMES) == len(paths)
    assert (root / "a.txt").read_text() == "text\n"


async def test_the_user_lets_it_stay(tmp_path: Path, state: Path) -> None:
    root = tmp_path / "ws"
    command = "echo '# Rules' > sub/AGENTS.md; ln -s AGENTS.md sub/CLAUDE.md; chmod a-w sub"
    script = [bash(command), bash("cat sub/AGENTS.md; echo x > c.txt", "cat"), _DONE]
    async with stage(root, _FILES, script, _AUTO) as s:
        s.port.permitted = [_YES]
        session = (await s.ask("Go.")).session_id
        (request,) = s.port.permissions
        assert "sub/AGENTS.md: 8 bytes\n    # Rules\n" in request.detail
        assert "sub/CLAUDE.md: a link to AGENTS.md" in request.detail
        assert "which are protected; the user lets that stay]" in result(s)
        assert "# Rules" in result(s, 2, "cat")
        assert (root / "sub/CLAUDE.md").read_text() == "# Rules\n"
        (root / "sub").chmod(0o755)
        checkpoints = s.app.acting.of(await s.app.sessions.open(session)).checkpoints
        await checkpoints.undo_turn()
        assert not (root / "sub/AGENTS.md").exists(), "undo knows of it"
    assert kept(state) == {}


async def test_nobody_can_be_asked(tmp_path: Path, state: Path) -> None:
    root = tmp_path / "ws"
    async with stage(root, _FILES, [bash("echo evil > AGENTS.md"), _DONE], _AUTO) as s:
        s.port.permitted = [PermissionAnswer(Choice.DENY, "No terminal.", asked=False)]
        await s.ask("Go.")
        told = result(s)
    assert "[A command made AGENTS.md, which is protected; nobody could be asked" in told
    assert str(state) in told
    assert kept(state) == {"AGENTS.md": "evil\n"}


async def test_a_link_that_is_there_is_not_led_elsewhere(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    (root / "AGENTS.md").symlink_to("a.txt")
    async with stage(root, _FILES, [bash("ln -sf sub/b.txt AGENTS.md"), _DONE], _AUTO) as s:
        await s.ask("Go.")
        assert "AGENTS.md, which is protected" in result(s)
    assert os.readlink(root / "AGENTS.md") == "a.txt"


async def test_a_nested_repository_is_one_thing(tmp_path: Path, state: Path) -> None:
    root, other = tmp_path / "ws", tmp_path / "ws/other"
    repository(other, {"AGENTS.md": "rules\n"})
    script = [bash("git init -q new; git clone -q other cloned; ls cloned"), _DONE]
    async with stage(root, _FILES, script, _AUTO) as s:
        await s.ask("Go.")
        (request,) = s.port.permissions
        told = result(s)
    assert "new/.git: a folder\n" in request.detail
    assert "hooks/" in request.detail
    assert "cloned/.git, new/.git" in told.replace("cloned/AGENTS.md, ", "")
    assert "git may run it" in " ".join(request.reasons)
    assert protected(root) == ["other/.git", "other/AGENTS.md"]
    assert moved(state, (".git",)) == 2


async def test_a_job_that_ends_later(tmp_path: Path, state: Path) -> None:
    """The question is put at its end, and answered before its result is told."""
    root = tmp_path / "ws"
    command = "echo evil > AGENTS.md; until [ -e go ]; do sleep 0.01; done; echo x > sub/CLAUDE.md"
    look = Turn(ToolUse("Bash", {"job": "1", "timeout_seconds": 60}, "look"))
    script = [
        bash(command, background=True),
        Turn(ToolUse("Bash", {"command": "touch go"}, "go"), ToolUse("Bash", {"job": "1"}, "x")),
        look,
        _DONE,
    ]
    async with stage(root, _FILES, script, _AUTO) as s:
        await s.ask("Go.")
        assert s.port.permissions
    assert protected(root) == []
    assert sorted(kept(state)) == ["AGENTS.md", "CLAUDE.md"]


async def test_a_job_that_outlives_its_run(tmp_path: Path, state: Path) -> None:
    """And one that outlives the server, which asks nobody any more."""
    root = tmp_path / "ws"
    command = "until [ -e go ]; do sleep 0.01; done; echo evil > AGENTS.md"
    script = [bash(command, background=True), _DONE]
    async with stage(root, _FILES, script, _AUTO) as s:
        await s.ask("Go.")
        assert s.port.permissions == []
        (root / "go").touch()
        await until(lambda: bool(s.port.permissions) and not (root / "AGENTS.md").exists())
    script = [bash("echo evil > CLAUDE.md; echo > up; exec sleep 1000", background=True), _DONE]
    async with stage(root, _FILES, script, _AUTO) as s:
        await s.ask("Go.")
        await until((root / "up").exists)
    assert s.port.permissions == []
    assert any("nobody could be asked, so it was moved to" in told for told in s.port.told)
    assert protected(root) == []
    assert sorted(kept(state)) == ["AGENTS.md", "CLAUDE.md"]


async def test_a_run_that_is_cancelled(tmp_path: Path, state: Path) -> None:
    root = tmp_path / "ws"
    command = "echo evil > AGENTS.md; echo > up; exec sleep 1000"
    async with stage(root, _FILES, [bash(command)], _AUTO) as s:
        asking = asyncio.create_task(s.ask("Go."))
        await until((root / "up").exists)
        s.app.runs.cancel()
        await asyncio.wait({asking})
    assert protected(root) == []
    assert kept(state) == {"AGENTS.md": "evil\n"}


async def test_what_is_edited_meanwhile_is_no_command_s(tmp_path: Path) -> None:
    """The user was asked about the edit; the job that runs has not made the file."""
    root = tmp_path / "ws"
    script = [
        bash("exec sleep 1000", background=True),
        Turn(ToolUse("Write", {"path": "AGENTS.md", "content": "rules\n"}, "write")),
        bash("echo x > c.txt", "other"),
        Turn(ToolUse("Bash", {"job": "1", "stop": True}, "stop")),
        _DONE,
    ]
    async with stage(root, _FILES, script, _AUTO) as s:
        s.port.permitted = [_YES]
        await s.ask("Go.")
        assert len(s.port.permissions) == 1
    assert (root / "AGENTS.md").read_text() == "rules\n"


async def test_a_job_that_goes_on_writing_to_what_was_allowed(tmp_path: Path) -> None:
    """By another name that does not reach it; by its own it is asked about again."""
    root = tmp_path / "ws"
    command = (
        "echo safe > t; ln t sub/AGENTS.md; ln t sub/CLAUDE.md; touch up;"
        " until [ -e go ]; do sleep 0.01; done; echo EVIL > t; echo EVIL > sub/AGENTS.md"
    )
    script = [
        bash(command, background=True),
        bash("until [ -e up ]; do sleep 0.01; done", "other"),
        Turn(ToolUse("Bash", {"command": "touch go"}, "go")),
        Turn(ToolUse("Bash", {"job": "1", "timeout_seconds": 60}, "look")),
        _DONE,
    ]
    async with stage(root, _FILES, script, _AUTO) as s:
        s.port.permitted = [_YES]
        await s.ask("Go.")
        first, *others = s.port.permissions
    assert "sub/AGENTS.md: 5 bytes\n    safe\nsub/CLAUDE.md: 5 bytes\n    safe" in first.detail
    assert [each.detail for each in others] == ["sub/AGENTS.md: 5 bytes\n    EVIL"]
    assert protected(root) == ["sub/CLAUDE.md"]
    assert (root / "sub/CLAUDE.md").read_text() == "safe\n"


@pytest.mark.parametrize("choice", [Choice.ONCE, Choice.DENY])
async def test_too_large_to_be_set_aside(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch, choice: Choice
) -> None:
    """It stays in its place while the user is asked, and is removed if they do not let it stay."""
    monkeypatch.setattr(quarantine, "_MAX_BYTES", 10)
    root = tmp_path / "ws"
    async with stage(root, _FILES, [bash("echo 0123456789 > AGENTS.md"), _DONE], _AUTO) as s:
        s.port.permitted = [PermissionAnswer(choice)]
        await s.ask("Go.")
        told = result(s)
        (request,) = s.port.permissions
    assert request.detail == "AGENTS.md: 11 bytes\n    0123456789"
    (reason,) = request.reasons[1:]
    assert reason == (
        "Still in its place, and removed for good if you deny: AGENTS.md (it could not be moved"
        " (it is too large))."
    )
    if choice is Choice.ONCE:
        assert "AGENTS.md, which is protected; the user lets that stay]" in told
        assert protected(root) == ["AGENTS.md"]
    else:
        assert (
            "[A command made AGENTS.md, which is protected; the user did not let that stay;"
            " AGENTS.md: it could not be moved (it is too large), so it was removed]"
        ) in told
        assert protected(root) == []
    assert kept(state) == {}


def test_moves_follow_no_link(tmp_path: Path) -> None:
    """A folder that a job swaps for a link leads nobody to the files of another project."""
    (tmp_path / "other").mkdir()
    (tmp_path / "other/AGENTS.md").write_text("theirs\n")
    (tmp_path / "swapped").symlink_to("other")
    (taken,) = Quarantine().take([str(tmp_path / "swapped/AGENTS.md")])
    assert "could not be moved" in taken.failure
    assert (tmp_path / "other/AGENTS.md").read_text() == "theirs\n"


def test_moves_to_another_file_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is renamed; a FIFO in a folder is left out of the copy."""

    def rename(*_: object, **__: object) -> None:
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(os, "rename", rename)
    folder = tmp_path / ".vscode"
    (folder / "closed").mkdir(parents=True)
    (folder / "closed/settings.json").write_text("{}")
    (folder / "link").symlink_to("/etc/passwd")
    os.mkfifo(folder / "fifo")
    aside = Quarantine()
    (taken,) = aside.take([str(folder)])
    assert not folder.exists()
    assert aside.put_back([taken]) == (Quarantined(str(folder), taken.at),)
    assert sorted(os.listdir(folder)) == ["closed", "link"]
    assert os.readlink(folder / "link") == "/etc/passwd"


async def test_a_start_removes_stand_ins_that_a_crash_left(tmp_path: Path) -> None:
    """Empty folders in place of files make git fail; those of the user stay."""
    root = tmp_path / "ws"
    repository(root, {"a.txt": "a\n"})
    code = (
        "import os, signal, sys\nfrom glossator.sandbox.mounts import placeholder\n"
        "held = [placeholder(path) for path in sys.argv[1:]]\n"
        "[each.__enter__() for each in held]\nos.kill(os.getpid(), signal.SIGKILL)"
    )
    left = [str(root / name) for name in (".mcp.json", ".vscode", "agents.md", ".git/commondir")]
    crashed = await asyncio.create_subprocess_exec(sys.executable, "-c", code, *left)
    assert await crashed.wait()
    assert all(map(os.path.exists, left))
    (root / ".idea").mkdir()
    async with stage(root, {}, []) as s:
        await s.app.ready()
        assert not any(map(os.path.exists, left))
        assert (root / ".idea").is_dir()


def test_what_was_set_aside_long_ago_is_removed(tmp_path: Path, state: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("x")
    Quarantine().take([str(tmp_path / "AGENTS.md")])
    old = state / f"{int(time.time()) - 31 * 86_400}-0a0b0c0d"
    old.mkdir()
    quarantine.sweep()
    assert not old.exists()
    assert len(os.listdir(state)) == 1
