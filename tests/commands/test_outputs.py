"""What people see of a run's work: outputs of calls, background jobs, files that a turn changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.commands.outputs import (
    FileBeforeRequest,
    JobRequest,
    ListJobsRequest,
    ToolOutputRequest,
    file_before,
    list_jobs,
    stop_job,
    tool_output,
)
from glossator.commands.turns import ListTurnsRequest, UndoRequest, list_turns, undo_turn
from glossator.core.errors import UsageError
from glossator.core.events import RunFinished, ToolFinished
from glossator.core.run_events import FileChange, FilesChanged, ToolOutput
from tests.patience import until
from tests.stage import Stage, stage
from tests.standin import Text, ToolUse, Turn

FILES = {"pond.py": "def swim():\n    return 1\n", "old.txt": "gone soon\n"}
AUTO = {"permissions": {"mode": "auto"}}
DONE = Turn(Text("Done."))


async def test_the_output_of_a_call_is_told_and_kept(tmp_path: Path) -> None:
    script = [Turn(ToolUse("Read", {"path": "pond.py"}, "c1")), DONE]
    async with stage(tmp_path, FILES, script) as s:
        answer = await s.ask("?")
        [told] = s.port.of(ToolOutput)
        assert (told.call_id, told.live) == ("c1", False)
        assert told.text == "1\tdef swim():\n2\t    return 1"
        kept = await tool_output(s.app, ToolOutputRequest(answer.session_id, "c1"))
        assert (kept.text, kept.images) == (told.text, 0)
        with pytest.raises(UsageError, match="No output of the call 'c2' is kept"):
            await tool_output(s.app, ToolOutputRequest(answer.session_id, "c2"))


@pytest.mark.parametrize("kept", [500, 0], ids=["on disk", "in memory"])
async def test_without_an_id_the_newest_output_is_told(tmp_path: Path, kept: int) -> None:
    calls = (ToolUse("Read", {"path": "pond.py"}, "c1"), ToolUse("Glob", {"pattern": "*"}, "c2"))
    script = [Turn(Text("Hi.")), Turn(*calls), DONE]
    async with stage(tmp_path, FILES, script, {"sessions": {"count": kept}}) as s:
        session_id = (await s.ask("?")).session_id
        with pytest.raises(UsageError, match="No output of a call is kept in this session yet"):
            await tool_output(s.app, ToolOutputRequest(session_id))
        await s.ask("And?", session_id=session_id)
        newest = await tool_output(s.app, ToolOutputRequest(session_id))
        assert (newest.call_id, newest.tool) == ("c2", "Glob")
        assert newest == await tool_output(s.app, ToolOutputRequest(session_id, "c2"))


async def test_the_output_of_a_call_is_told_where_no_sessions_are_kept(tmp_path: Path) -> None:
    script = [Turn(ToolUse("Read", {"path": "pond.py"}, "c1")), DONE]
    async with stage(tmp_path, FILES, script, {"sessions": {"count": 0}}) as s:
        answer = await s.ask("?")
        kept = await tool_output(s.app, ToolOutputRequest(answer.session_id, "c1"))
        assert kept.text == "1\tdef swim():\n2\t    return 1"


async def test_a_command_shows_its_output_while_it_runs(tmp_path: Path) -> None:
    command = "echo first; until [ -e go ]; do sleep 0.05; done; echo last; exit 3"
    script = [Turn(ToolUse("Bash", {"command": command}, "c1")), DONE]
    async with stage(tmp_path, FILES, script, AUTO) as s:
        applied = s.port.emit

        def emit(envelope: object) -> None:
            applied(envelope)  # type: ignore[arg-type]
            if any(event.live for event in s.port.of(ToolOutput)):
                (tmp_path / "go").touch()

        s.port.emit = emit  # type: ignore[method-assign]
        await s.ask("?")
        outputs = s.port.of(ToolOutput)
        assert (outputs[0].text, outputs[0].live) == ("first", True)
        assert outputs[-1].text.startswith("first\nlast\n[run 1] [exit code 3]")
        [finished] = s.port.of(ToolFinished)
        assert (finished.summary, finished.unsuccessful) == ("exit code 3", True)


async def test_summaries_are_in_words_of_people(tmp_path: Path) -> None:
    calls = [
        ToolUse("Grep", {"pattern": "swim|gone", "output_mode": "content"}),
        ToolUse("Glob", {"pattern": "*"}),
        ToolUse("Read", {"path": "pond.py"}),
        ToolUse("Symbols", {"mode": "outline", "path": "pond.py"}),
        ToolUse("Bash", {"command": "echo one; echo two"}),
    ]
    async with stage(tmp_path, FILES, [Turn(*calls), DONE], AUTO) as s:
        await s.ask("?")
        told = {event.tool: event.summary for event in s.port.of(ToolFinished)}
        assert told == {
            "Grep": "2 matches in 2 files",
            "Glob": "2 files",
            "Read": "2 lines",
            "Symbols": "1 symbol",
            "Bash": "2 lines of output",
        }


async def test_a_job_is_listed_shown_and_stopped(tmp_path: Path) -> None:
    start = ToolUse("Bash", {"command": "echo up; sleep 60", "background": True})
    async with stage(tmp_path, FILES, [Turn(start), DONE], AUTO) as s:
        await s.ask("?")
        [job] = (await list_jobs(s.app, ListJobsRequest())).jobs
        assert (job.job, job.command, job.outcome) == ("1", "echo up; sleep 60", "")
        assert s.port.jobs == (job,)
        await until(lambda: s.app.acting.shell.jobs.look("1")[1] == "up")
        stopped = await stop_job(s.app, JobRequest("1"))
        assert (stopped.text, stopped.job.failed) == ("up", True)
        assert "SIGTERM" in stopped.job.outcome or "SIGKILL" in stopped.job.outcome
        assert [each.outcome for each in s.port.jobs] == [stopped.job.outcome]
        with pytest.raises(UsageError, match="There is no job '7'"):
            await stop_job(s.app, JobRequest("7"))


CHANGES = ToolUse(
    "Bash", {"command": "printf 'a\\nb\\n' > new.txt; rm old.txt; echo '# end' >> pond.py"}
)


async def _changed(s: Stage) -> tuple[str, FilesChanged]:
    answer = await s.ask("?")
    [changed] = s.port.of(FilesChanged)
    assert isinstance(s.port.events[-1], RunFinished)
    return answer.session_id, changed


async def test_changed_files_are_told_with_their_sizes(tmp_path: Path) -> None:
    async with stage(tmp_path, FILES, [Turn(CHANGES), DONE], AUTO) as s:
        session, changed = await _changed(s)
        told = {file.path: (file.change, file.added, file.removed) for file in changed.files}
        assert told == {
            "new.txt": (FileChange.CREATED, 2, 0),
            "old.txt": (FileChange.DELETED, 0, 1),
            "pond.py": (FileChange.CHANGED, 1, 0),
        }
        run = s.port.envelopes[-1].run_id
        found = await file_before(s.app, FileBeforeRequest(session, run, "pond.py"))
        assert found.before == FILES["pond.py"]
        absolute = str(tmp_path / "pond.py")
        assert await file_before(s.app, FileBeforeRequest(session, run, absolute)) == found
        with pytest.raises(UsageError, match=r"This turn did not change else\.py"):
            await file_before(s.app, FileBeforeRequest(session, run, "else.py"))


async def test_ignored_and_compiled_files_do_not_count(tmp_path: Path) -> None:
    command = (
        "mkdir -p build __pycache__; touch __pycache__/m.cpython.pyc main.o new.py"
        " build/{1..30}; echo kept >> build/old"
    )
    files = {".gitignore": "build/\n", "build/old": "1\n"}
    script = [Turn(ToolUse("Bash", {"command": command})), DONE]
    async with stage(tmp_path, files, script, AUTO) as s:
        _, changed = await _changed(s)
        assert ([file.path for file in changed.files], changed.more) == (["new.py"], 0)


async def test_where_only_ignored_files_changed_nothing_is_told(tmp_path: Path) -> None:
    script = [Turn(ToolUse("Bash", {"command": "touch a.log"})), DONE]
    async with stage(tmp_path, {".gitignore": "*.log\n"}, script, AUTO) as s:
        await s.ask("?")
        assert s.port.of(FilesChanged) == []


async def test_one_file_is_taken_back_alone_then_the_rest(tmp_path: Path) -> None:
    async with stage(tmp_path, FILES, [Turn(CHANGES), DONE, DONE], AUTO) as s:
        session, _ = await _changed(s)
        run = s.port.envelopes[-1].run_id
        one = await undo_turn(s.app, UndoRequest(session, run, paths=("old.txt",)))
        assert (one.restored, one.removed, one.undone) == (("old.txt",), (), ())
        assert (tmp_path / "new.txt").exists()
        await s.ask("And now?", session_id=session)
        assert any("old.txt" in block.get("text", "") for block in s.said(-1))
        rest = await undo_turn(s.app, UndoRequest(session, run))
        assert (rest.restored, rest.removed) == (("pond.py",), ("new.txt",))
        assert [each.turn for each in rest.undone] == [run]
        assert (tmp_path / "pond.py").read_text() == FILES["pond.py"]


async def test_an_undone_file_comes_back_by_undoing_that(tmp_path: Path) -> None:
    async with stage(tmp_path, FILES, [Turn(CHANGES), DONE], AUTO) as s:
        session, _ = await _changed(s)
        run = s.port.envelopes[-1].run_id
        one = await undo_turn(s.app, UndoRequest(session, run, paths=("pond.py",)))
        await undo_turn(s.app, UndoRequest(session, one.turn))
        assert (tmp_path / "pond.py").read_text().endswith("# end\n")
        turns = (await list_turns(s.app, ListTurnsRequest(session))).turns
        assert turns[0].undone_by is None
        with pytest.raises(UsageError, match=r"This turn did not change else\.py"):
            await undo_turn(s.app, UndoRequest(session, run, paths=("else.py",)))
