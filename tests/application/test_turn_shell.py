"""Commands and jobs of a run: what undo covers of them, and folders that come and go."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path

import pytest

from glossator.application import turn_shell
from glossator.core.errors import StoreUnavailable
from glossator.core.permission import Choice, PermissionAnswer
from glossator.core.question import QuestionAnswer
from glossator.sandbox import workspace_shell
from glossator.sandbox.confinement import Sandbox, Unavailable
from glossator.sandbox.idle import IdleTimes
from glossator.sandbox.shell import ShellCommand
from glossator.undo.checkpoint_log import CheckpointStore
from glossator.undo.checkpoints import Checkpoints
from glossator.undo.file_states import DiskFiles
from glossator.undo.taking_back import Undone
from glossator.workspace.documents.overlays import RootsChanged
from tests.patience import until
from tests.stage import Stage, stage
from tests.standin import Script, Text, ToolUse, Turn
from tests.undo.test_checkpoints import tree

_AUTO = {"permissions": {"mode": "auto"}}
_FILES = {"a.txt": "a\n", "b.txt": "b\n"}
_DONE = Turn(Text("Done."))
_UNTIL = ToolUse("Bash", {"command": "until [ -e made.txt ]; do sleep 0.01; done"}, "until")


def job(command: str) -> Turn:
    return Turn(ToolUse("Bash", {"command": command, "background": True}, "job"))


def look(number: str = "1") -> Turn:
    return Turn(ToolUse("Bash", {"job": number, "timeout_seconds": 60}, "look"))


def files(s: Stage) -> dict[str, str]:
    return {path.name: path.read_text() for path in s.root.iterdir() if path.is_file()}


async def checkpoints(s: Stage, session_id: str) -> Checkpoints:
    return s.app.acting.of(await s.app.sessions.open(session_id)).checkpoints


async def run(s: Stage) -> tuple[Checkpoints, Undone]:
    """One turn, and its undo."""
    s.port.permitted = [PermissionAnswer(Choice.ONCE)] * 9
    kept = await checkpoints(s, (await s.ask("Go.")).session_id)
    return kept, await kept.undo_turn()


def bash(command: str) -> Turn:
    return Turn(ToolUse("Bash", {"command": command}, "bash"))


@pytest.mark.parametrize("path", ["{outside}/there.txt", "../outside/there.txt"])
async def test_of_what_lies_outside_nobody_says_whether_it_is_there(
    tmp_path: Path, path: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "there.txt").write_text("x")
    path = path.format(outside=outside)
    script = [bash(f"cat {path}"), bash(f"touch b.txt; cat {outside}/missing.txt"), _DONE]
    async with stage(tmp_path / "ws", _FILES, script, _AUTO) as s:
        await s.ask("Go.")
        (there,), (missing,) = (s.results(number).values() for number in (1, 2))
    for result, name in ((there, "there"), (missing, "missing")):
        assert "No such file" in result["content"]
        assert f"so these may exist: {outside}/{name}.txt]" in result["content"]


async def test_files_that_rules_hide_are_said_to_be_hidden(tmp_path: Path) -> None:
    settings = {"permissions": {"mode": "auto", "deny": ["Read(.env)"]}}
    script = [bash("python3 -c 'open(\".env\")'; true"), _DONE]
    async with stage(tmp_path / "ws", {".env": "KEY=1\n"}, script, settings) as s:
        await s.ask("Go.")
        (result,) = s.results(1).values()
    assert "[Hidden by the sandbox, as the user's rules say: .env]" in result["content"]


async def test_folders_that_stand_for_missing_ones_are_told_apart(tmp_path: Path) -> None:
    script = [bash("touch c.txt; ls -la"), bash("ls -la"), bash("touch d.txt; echo .idea"), _DONE]
    async with stage(tmp_path / "ws", _FILES | {".vscode/a.json": "{}"}, script, _AUTO) as s:
        await s.ask("Go.")
        (changing,), (reading,), (saying,) = (s.results(number).values() for number in (1, 2, 3))
    note = changing["content"].partition("[Not in the workspace, only empty")[2]
    assert ".idea" in note
    assert ".vscode" not in note
    for result in (reading, saying):
        assert "[Not in the workspace" not in result["content"]
    assert ".idea" not in reading["content"]


async def test_a_job_that_ends_in_its_turn_is_undone(tmp_path: Path) -> None:
    script = [job("rm a.txt; echo c > b.txt; echo > made.txt"), look(), _DONE]
    async with stage(tmp_path, _FILES, script, _AUTO) as s:
        _, undone = await run(s)
        assert "[exit code 0]" in s.results(2)["look"]["content"]
        assert (undone.incomplete, undone.jobs, undone.conflicts) == (False, (), ())
        assert files(s) == _FILES


async def test_a_job_that_outlives_its_turn_is_told(tmp_path: Path) -> None:
    command = "echo c > b.txt; echo > made.txt; exec sleep 1000"
    script = [job(command), Turn(_UNTIL), _DONE]
    async with stage(tmp_path, _FILES, script, _AUTO) as s:
        _, undone = await run(s)
        assert (undone.incomplete, undone.jobs, undone.conflicts) == (True, (command,), ())
        assert files(s) == _FILES


async def test_what_a_job_does_after_its_turn_stays_unknown(tmp_path: Path) -> None:
    """Also when it has ended by then, and to the next server."""
    command = "exec sleep 1000"
    script = [job(command), _DONE, Turn(ToolUse("Bash", {"job": "1", "stop": True}, "stop")), _DONE]
    async with stage(tmp_path, _FILES, script, _AUTO) as s:
        s.port.permitted = [PermissionAnswer(Choice.ONCE)] * 9
        first = await s.ask("Start it.")
        await s.ask("Stop it.", session_id=first.session_id)
        assert "ended by" in s.results(3)["stop"]["content"]
        disk = DiskFiles(lambda: [str(tmp_path)])
        store = CheckpointStore(tmp_path / "objects.db")
        session = await s.app.sessions.open(first.session_id)
        undone = await Checkpoints(store, session, disk, disk, print).undo_turn()
        await store.close()
        assert (undone.incomplete, undone.jobs) == (True, (command,))


async def test_a_job_is_none_of_the_next_turn(tmp_path: Path) -> None:
    """What was edited before a command is what its undo brings back."""
    edit = ToolUse("Edit", {"path": "a.txt", "old_text": "a", "new_text": "edited"}, "edit")
    script: Script = [
        job("exec sleep 1000"),
        Turn(ToolUse("Read", {"path": "a.txt"}, "read")),
        Turn(edit),
        _DONE,
        Turn(ToolUse("Bash", {"command": "echo x > a.txt"}, "echo")),
        _DONE,
    ]
    async with stage(tmp_path, _FILES, script, _AUTO) as s:
        s.port.permitted = [PermissionAnswer(Choice.ONCE)] * 9
        session_id = (await s.ask("Start.")).session_id
        await s.ask("Go on.", session_id=session_id)
        kept = await checkpoints(s, session_id)
        undone = await kept.undo_turn()
        assert (undone.incomplete, files(s)["a.txt"]) == (False, "edited\n")
        undone = await kept.undo_turn()
        assert (undone.incomplete, files(s)["a.txt"]) == (True, "a\n")


async def test_a_job_that_cannot_be_started_leaves_nothing_behind(tmp_path: Path) -> None:
    bad = ToolUse("Bash", {"command": "true", "cwd": "none", "background": True}, "bad")
    script = [Turn(bad), Turn(ToolUse("Bash", {"command": "echo x > a.txt"}, "echo")), _DONE]
    async with stage(tmp_path, _FILES, script, _AUTO) as s:
        _, undone = await run(s)
        assert s.results(1)["bad"]["is_error"]
        assert (undone.incomplete, files(s)) == (False, _FILES)


async def test_a_job_that_cannot_be_noted_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise StoreUnavailable("The disk is full.")

    monkeypatch.setattr(Checkpoints, "job_began", full)
    async with stage(tmp_path, _FILES, [job("exec sleep 1000"), look(), _DONE], _AUTO) as s:
        s.port.permitted = [PermissionAnswer(Choice.ONCE)] * 9
        await s.ask("Go.")
        assert "The disk is full." in s.results(1)["job"]["content"]
        assert "There is no job '1'" in s.results(2)["look"]["content"]


async def test_jobs_and_undo_when_folders_come(tmp_path: Path) -> None:
    root, more = tmp_path / "ws", tmp_path / "more"
    root.mkdir()
    more.mkdir()
    (more / "m.txt").write_text("m\n")
    script: Script = [
        job("exec sleep 1000"),
        _DONE,
        Turn(ToolUse("Bash", {"command": "echo x > m.txt", "cwd": str(more)}, "echo")),
        Turn(ToolUse("Bash", {"job": "1", "stop": True}, "stop")),
        _DONE,
    ]
    async with stage(root, _FILES, script, _AUTO) as s:
        s.port.permitted = [PermissionAnswer(Choice.ONCE)] * 9
        s.port.answers = [QuestionAnswer(("Trust it this time",))]
        session_id = (await s.ask("Start.")).session_id
        s.app.host.apply(RootsChanged((str(more),), ()))
        await s.ask("Go on.", session_id=session_id)
        assert (more / "m.txt").read_text() == "x\n"
        assert "ended by" in s.results(4)["stop"]["content"]
        undone = await (await checkpoints(s, session_id)).undo_turn()
        assert (undone.failed, (more / "m.txt").read_text()) == ((), "m\n")


async def test_looking_for_a_sandbox_does_not_hold_up_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looking: list[threading.Thread] = []

    def find() -> Sandbox | Unavailable:
        looking.append(threading.current_thread())
        return Unavailable("None here.")

    monkeypatch.setattr(workspace_shell, "find_sandbox", find)
    async with stage(tmp_path, _FILES, []) as s:
        await s.app.ready()
        session = s.app.sessions.create()
        async with s.app.runs.open(session.id, None) as turn:
            shell = s.app.acting.of(session).shell_of(turn, None)
            with pytest.raises(Exception, match="no job"):
                await shell.poll("1", 0)
            await shell.run(ShellCommand("true"), 10)
            assert shell.unconfined == "None here."
    assert looking
    assert threading.main_thread() not in looking


@pytest.mark.parametrize(
    "command",
    [
        "ln -s nowhere new; ln -s /etc/hosts out; ln -s sub folder",
        "rm dangling outside within",
        "ln -sfn elsewhere dangling; ln -sfn /etc/passwd outside; ln -sfn . within",
        "rm within; mkdir within; echo x > within/x; rm dangling; echo x > dangling",
        "rm -r sub; ln -s /tmp sub; rm a.txt; ln -s nowhere a.txt; mv outside b.txt",
    ],
)
async def test_links_that_lead_to_no_file_are_undone_and_redone(
    tmp_path: Path, command: str
) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    for name, target in [("dangling", "nowhere"), ("outside", "/etc/hostname"), ("within", "sub")]:
        (root / name).symlink_to(target)
    script = [Turn(ToolUse("Bash", {"command": command})), _DONE]
    async with stage(root, {**_FILES, "sub/s.txt": "s\n"}, script, _AUTO) as s:
        before = tree(root)
        kept, undone = await run(s)
        assert (undone.conflicts, undone.failed, undone.incomplete) == ((), (), False)
        assert tree(root) == before
        assert len(kept.turns[0].paths) == len(undone.restored) + len(undone.removed)
        redone = await kept.redo_turn()
        assert (redone.conflicts, redone.failed) == ((), ())
        assert tree(root) != before


def _idle_times(monkeypatch: pytest.MonkeyPatch) -> list[IdleTimes]:
    """What is known of the commands that will run, one for each."""
    made: list[IdleTimes] = []

    def make() -> IdleTimes:
        made.append(IdleTimes())
        return made[-1]

    monkeypatch.setattr(turn_shell, "IdleTimes", make)
    return made


async def test_what_a_plain_editor_writes_while_a_command_waits_is_not_undone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody notes that it writes."""
    made = _idle_times(monkeypatch)
    waits = "echo > began.txt; tail -n 0 -F go.txt 2> /dev/null | head -n 1; echo c > a.txt"
    script = [Turn(ToolUse("Bash", {"command": waits})), _DONE]
    async with stage(tmp_path, _FILES, script, _AUTO) as s:
        running = asyncio.create_task(run(s))
        await until((s.root / "began.txt").exists)

        theirs = s.root / "b.txt"

        def is_known() -> bool:
            changed = theirs.stat().st_ctime_ns
            if made[0].covers("b.txt", changed):
                return True
            if time.time_ns() - changed > 300_000_000:  # the command did something just then
                theirs.write_text("mine\n")
            return False

        theirs.write_text("mine\n")
        await until(is_known)
        (s.root / "go.txt").write_text("go\n")
        _, undone = await running
        assert undone.conflicts == ()
        assert files(s) == {**_FILES, "b.txt": "mine\n", "go.txt": "go\n"}


async def test_what_a_plain_program_deletes_while_a_command_waits_is_a_conflict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody notes it, and what it renames is told apart."""
    made = _idle_times(monkeypatch)
    waits = "echo > sub/began.txt; tail -n 0 -F sub/go.txt 2> /dev/null | head -n 1; echo c > a.txt"
    script = [Turn(ToolUse("Bash", {"command": waits})), _DONE]
    files_ = {**_FILES, "c.txt": "c\n", "sub/s.txt": "s\n"}
    async with stage(tmp_path, files_, script, _AUTO) as s:
        running = asyncio.create_task(run(s))
        await until((s.root / "sub" / "began.txt").exists)
        theirs = s.root / "new.txt"

        def is_known() -> bool:
            """Renamed until the command rests for long enough."""
            changed = theirs.stat().st_ctime_ns
            if made[0].covers("new.txt", changed):
                return True
            if time.time_ns() - changed > 300_000_000:
                theirs.rename(s.root / "other.txt").rename(theirs)
            return False

        (s.root / "c.txt").rename(theirs)
        (s.root / "b.txt").unlink()
        await until(is_known)
        (s.root / "sub" / "go.txt").write_text("go\n")
        _, undone = await running
        assert [Path(each.path).name for each in undone.conflicts] == ["b.txt"]
        assert files(s) == {"a.txt": "c\n", "new.txt": "c\n"}
