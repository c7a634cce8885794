"""An editor that leaves edits unsaved: what commands see then, what is told, and undo."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from glossator.commands.answers.sessions import UndoAnswer
from glossator.commands.models import SetModeRequest, set_mode
from glossator.commands.turns import UndoRequest, undo_turn
from glossator.core.document import Document
from glossator.core.edit import EditPlan, FileDeletion, FileEdit
from glossator.core.events import EditSettled, Envelope, Notice
from glossator.core.permission import Choice, Mode, PermissionAnswer
from glossator.core.uri import to_uri
from glossator.workspace.documents.host import WorkspaceHost
from glossator.workspace.documents.overlays import (
    Closed,
    DiskChanged,
    Edited,
    Opened,
    Saved,
    TextEdit,
)
from glossator.workspace.documents.snapshot import WorkspaceSnapshot
from tests.sandboxed import SANDBOXED
from tests.stage import Stage, stage
from tests.standin import Script, Text, ToolUse, Turn

_CALC = "def add(a, b):\n    return a - b\n"
_FIXED = _CALC.replace("a - b", "a + b")
_FILES = {"calc.py": _CALC, "test.sh": "grep -q 'a + b' calc.py\n", "notes.md": "mine\n"}
_READ = ToolUse("Read", {"path": "calc.py"}, "read")
_EDIT = ToolUse("Edit", {"path": "calc.py", "old_text": "a - b", "new_text": "a + b"}, "edit")
_TEST = ToolUse("Bash", {"command": "sh test.sh"}, "test")
_RUNNABLE = "chmod 755 calc.py"
_AGAIN = ToolUse("Bash", {"command": "sh test.sh"}, "again")
_FIX = [Turn(_READ), Turn(_EDIT), Turn(_TEST), Turn(_AGAIN), Turn(Text("Done."))]
_DONE = Turn(Text("Done."))


@dataclass
class Buffers:
    """An editor's documents: what is edited is opened, and saved only when it is asked to be."""

    s: Stage
    texts: dict[str, str] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    formats: Callable[[str], str] = lambda text: text
    before_saving: Callable[[], object] = lambda: None

    def open(self, name: str) -> None:
        self.texts[name], self.versions[name] = self.saved(name), 1
        self.s.app.host.apply(Opened(self._uri(name), 1, self.texts[name]))

    def type(self, name: str, text: str) -> None:
        self.texts[name] = text
        self.versions[name] += 1
        self.s.app.host.apply(Edited(self._uri(name), self.versions[name], (TextEdit(None, text),)))

    def saved(self, name: str) -> str:
        """What is on disk."""
        return (self.s.root / name).read_text()

    def apply(self, plan: EditPlan) -> str | None:
        for change in plan.files:
            match change:
                case FileEdit():
                    name = str(Path(change.path).relative_to(self.s.root))
                    if change.base is None:
                        Path(change.path).touch(exist_ok=False)
                    if name not in self.texts:
                        self.open(name)
                    self.type(name, change.result)
                case FileDeletion():
                    name = str(Path(change.base.path).relative_to(self.s.root))
                    (self.s.root / name).unlink()
                    del self.texts[name]
                    self.s.app.host.apply(Closed(self._uri(name)))
                case _:
                    return "files cannot be renamed"
        return None

    def save(self, document: Document) -> bool:
        self.before_saving()
        name = str(Path(document.path).relative_to(self.s.root))
        if document.version != self.versions[name]:
            return False
        if (formatted := self.formats(self.texts[name])) != self.texts[name]:
            self.type(name, formatted)
        (self.s.root / name).write_text(formatted)
        self.s.app.host.apply(Saved(self._uri(name)))
        return True

    def close(self, name: str) -> None:
        """Without saving."""
        del self.texts[name]
        self.s.app.host.apply(Closed(self._uri(name)))

    def reload(self, name: str) -> None:
        """What editors do with a document that has no unsaved text."""
        self.type(name, self.saved(name))
        self.s.app.host.apply(DiskChanged(frozenset({str(self.s.root / name)})))

    def _uri(self, name: str) -> str:
        return to_uri(str(self.s.root / name))


@asynccontextmanager
async def buffers(
    root: Path,
    script: Script,
    files: Mapping[str, str] = _FILES,
    *,
    saves: bool,
    when: str = "clean",
    **rules: Any,
) -> AsyncIterator[tuple[Stage, Buffers]]:
    permissions = {"mode": "acceptEdits", "allow": ["Bash"], **rules}
    settings = {"permissions": permissions, "edits": {"save": when}}
    async with stage(root, files, script, settings) as s:
        editor = Buffers(s)
        s.port.applying = editor.apply
        s.port.saving = editor.save if saves else None
        s.port.permitted = [PermissionAnswer(Choice.ONCE)] * 9
        yield s, editor


def told(s: Stage, call: str) -> str:
    """What the model was told of its call."""
    for number in range(len(s.api.requests)):
        content = s.sent(number)["messages"][-1]["content"]
        for part in content if isinstance(content, list) else ():
            if part.get("tool_use_id") == call:
                return str(part["content"])
    raise AssertionError(f"no result of {call}")


def notices(s: Stage) -> list[str]:
    return [notice.message for notice in s.port.of(Notice)]


async def undo(s: Stage, session_id: str, **how: Any) -> UndoAnswer:
    return await undo_turn(s.app, UndoRequest(session_id, **how))


@SANDBOXED
async def test_a_command_sees_the_edits_that_the_editor_saves(tmp_path: Path) -> None:
    async with buffers(tmp_path, _FIX, saves=True) as (s, editor):
        editor.open("calc.py")
        answer = await s.ask("Fix it.")
        assert told(s, "test") == "[no output]\n[run 1] [exit code 0]"
        assert told(s, "again") == "[no output]\n[run 2] [exit code 0]"
        assert editor.saved("calc.py") == _FIXED
        assert notices(s) == []
        undone = await undo(s, answer.session_id)
        assert (undone.restored, undone.conflicts) == (("calc.py",), ())
        assert editor.texts["calc.py"] == editor.saved("calc.py") == _CALC
        await undo(s, answer.session_id, turn=undone.turn)
        assert editor.texts["calc.py"] == editor.saved("calc.py") == _FIXED


@SANDBOXED
async def test_a_command_that_does_not_see_the_edits_says_so(tmp_path: Path) -> None:
    async with buffers(tmp_path, _FIX, saves=False) as (s, editor):
        editor.open("calc.py")
        answer = await s.ask("Fix it.")
        assert told(s, "test").replace("run 1", "run 2") == told(s, "again")
        assert told(s, "test") == (
            "[no output]\n[run 1] [exit code 1]\n"
            "[Not saved in the editor: calc.py. The command saw what is on disk instead.]"
        )
        (notice,) = notices(s)
        assert notice == (
            "Commands see the files on disk, and the editor holds other text, not saved, for"
            " calc.py. Where that matters, save it and have the command run again."
        )
        undone = await undo(s, answer.session_id)
        assert (undone.restored, undone.conflicts) == (("calc.py",), ())
        assert editor.texts["calc.py"] == editor.saved("calc.py") == _CALC


@pytest.mark.parametrize("saves", [True, False])
async def test_the_user_saves_and_undoes(tmp_path: Path, saves: bool) -> None:
    async with buffers(tmp_path, _FIX, saves=saves) as (s, editor):
        editor.open("calc.py")
        answer = await s.ask("Fix it.")
        (tmp_path / "calc.py").write_text(_FIXED)
        undone = await undo(s, answer.session_id)
        assert (undone.restored, undone.conflicts) == (("calc.py",), ())
        assert editor.texts["calc.py"] == _CALC


@pytest.mark.parametrize("saves", [True, False])
async def test_the_users_own_text_is_named_and_not_saved(tmp_path: Path, saves: bool) -> None:
    async with buffers(tmp_path, _FIX, saves=saves) as (s, editor):
        editor.open("notes.md")
        editor.type("notes.md", "mine, and not ready\n")
        await s.ask("Fix it.")
        assert editor.saved("notes.md") == "mine\n"
        names = "notes.md" if saves else "calc.py, notes.md"
        assert f"[Not saved in the editor: {names}. The" in told(s, "test")
        assert len(notices(s)) == 1


@pytest.mark.parametrize("saves", [True, False])
async def test_an_edit_of_text_that_the_user_has_not_saved(tmp_path: Path, saves: bool) -> None:
    async with buffers(tmp_path, _FIX, saves=saves) as (s, editor):
        editor.open("calc.py")
        editor.type("calc.py", "# mine\n" + _CALC)
        answer = await s.ask("Fix it.")
        assert editor.texts["calc.py"] == "# mine\n" + _FIXED
        assert editor.saved("calc.py") == _CALC
        assert "[Not saved in the editor: calc.py. The" in told(s, "test")
        undone = await undo(s, answer.session_id)
        assert (undone.restored, undone.conflicts) == (("calc.py",), ())
        assert editor.texts["calc.py"] == "# mine\n" + _CALC
        assert editor.saved("calc.py") == _CALC


async def test_the_user_types_while_it_is_saved(tmp_path: Path) -> None:
    async with buffers(tmp_path, _FIX, saves=True) as (s, editor):
        editor.before_saving = lambda: editor.type("calc.py", "# mine\n" + _FIXED)
        await s.ask("Fix it.")
        assert editor.saved("calc.py") == _CALC
        assert "[Not saved in the editor: calc.py. The" in told(s, "test")
        assert "[Not saved in the editor: calc.py. The" in told(s, "again")


async def test_what_the_user_types_after_it_was_saved_is_left_alone(tmp_path: Path) -> None:
    script = [*_FIX, Turn(ToolUse("Bash", {"command": "cat calc.py"}, "cat")), _DONE]
    async with buffers(tmp_path, script, saves=True) as (s, editor):
        answer = await s.ask("Fix it.")
        editor.type("calc.py", _FIXED + "# mine\n")
        await s.ask("Show it.", session_id=answer.session_id)
        assert editor.saved("calc.py") == _FIXED
        assert "[Not saved in the editor: calc.py. The" in told(s, "cat")
        assert len((await undo(s, answer.session_id)).conflicts) == 1


_MORE = ToolUse("Edit", {"path": "calc.py", "old_text": "a + b", "new_text": "b + a"}, "more")


@pytest.mark.parametrize("between", ["edits", "turns"])
async def test_what_the_user_types_between_two_edits_is_not_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, between: str
) -> None:
    pause = [] if between == "edits" else [_DONE]
    script = [Turn(_READ), Turn(_EDIT), *pause, Turn(_MORE), Turn(_TEST), _DONE]
    async with buffers(tmp_path, script, saves=True) as (s, editor):
        show = s.port.emit

        def type_on(envelope: Envelope) -> None:
            show(envelope)
            if isinstance(envelope.event, EditSettled) and len(s.port.of(EditSettled)) == 1:
                editor.type("calc.py", "# mine\n" + editor.texts["calc.py"])

        monkeypatch.setattr(s.port, "emit", type_on)
        answer = await s.ask("Fix it.")
        if pause:
            await s.ask("Go on.", session_id=answer.session_id)
        assert editor.texts["calc.py"] == "# mine\n" + _FIXED.replace("a + b", "b + a")
        assert editor.saved("calc.py") == _FIXED
        assert "[Not saved in the editor: calc.py. The" in told(s, "test")


@SANDBOXED
async def test_edits_and_commands_take_turns(tmp_path: Path) -> None:
    cat = ToolUse("Bash", {"command": "cat calc.py"}, "cat")
    script = [Turn(_READ), Turn(_EDIT, _TEST), Turn(_MORE, cat), _DONE]
    async with buffers(tmp_path, script, saves=True) as (s, editor):
        answer = await s.ask("Fix it.")
        assert told(s, "test") == "[no output]\n[run 1] [exit code 0]"
        assert "return b + a" in told(s, "cat")
        assert (await undo(s, answer.session_id)).conflicts == ()
        assert editor.texts["calc.py"] == editor.saved("calc.py") == _CALC


@SANDBOXED
async def test_what_an_earlier_turn_left_unsaved_is_saved(tmp_path: Path) -> None:
    """And the turn that only ran a command is not the one that is undone."""
    script = [Turn(_READ), Turn(_EDIT), _DONE, Turn(_TEST), _DONE]
    async with buffers(tmp_path, script, saves=False) as (s, editor):
        answer = await s.ask("Fix it.")
        assert editor.saved("calc.py") == _CALC
        s.port.saving = editor.save
        await s.ask("Test it.", session_id=answer.session_id)
        assert told(s, "test") == "[no output]\n[run 1] [exit code 0]"
        undone = await undo(s, answer.session_id)
        assert (undone.restored, undone.conflicts) == (("calc.py",), ())
        assert editor.texts["calc.py"] == editor.saved("calc.py") == _CALC


async def test_a_run_that_only_reads_has_nothing_saved(tmp_path: Path) -> None:
    look = ToolUse("Bash", {"command": "ls"}, "ls")
    script = [Turn(_READ), Turn(_EDIT), _DONE, Turn(look), _DONE]
    async with buffers(tmp_path, script, saves=False) as (s, editor):
        answer = await s.ask("Fix it.")
        s.port.saving = editor.save
        await set_mode(s.app, SetModeRequest(Mode.PLAN, answer.session_id))
        await s.ask("What would you do?", session_id=answer.session_id)
        assert "[Not saved in the editor: calc.py. The" in told(s, "ls")
        assert editor.saved("calc.py") == _CALC


async def test_an_undo_saves_only_what_had_been_saved(tmp_path: Path) -> None:
    more = ToolUse("Edit", {"path": "calc.py", "old_text": "def", "new_text": "async def"}, "more")
    note = ToolUse("Write", {"path": "new.md", "content": "new\n"}, "note")
    script = [Turn(_READ), Turn(_EDIT), _DONE, Turn(note), _DONE, Turn(more), _DONE]
    async with buffers(tmp_path, script, saves=False) as (s, editor):
        answer = await s.ask("Fix it.")
        await s.ask("Note it.", session_id=answer.session_id)
        await s.ask("More.", session_id=answer.session_id)
        s.port.saving = editor.save
        assert (await undo(s, answer.session_id)).restored == ("calc.py",)
        assert (await undo(s, answer.session_id)).removed == ("new.md",)
        assert (editor.texts["calc.py"], editor.saved("calc.py")) == (_FIXED, _CALC)


@pytest.mark.parametrize("saves", [True, False])
async def test_the_mode_of_a_document_that_was_edited_comes_back(
    tmp_path: Path, saves: bool
) -> None:
    script = [Turn(_READ), Turn(_EDIT), Turn(ToolUse("Bash", {"command": _RUNNABLE}, "sh")), _DONE]
    async with buffers(tmp_path, script, saves=saves) as (s, editor):
        (tmp_path / "calc.py").chmod(0o640)
        editor.open("calc.py")
        answer = await s.ask("Fix it.")
        undone = await undo(s, answer.session_id, overwrite=not saves)  # there are two texts then
        assert (undone.restored, undone.failed) == (("calc.py",), ())
        assert editor.texts["calc.py"] == editor.saved("calc.py") == _CALC
        assert (tmp_path / "calc.py").stat().st_mode & 0o777 == 0o640
        assert undone.turn is not None
        redone = await undo(s, answer.session_id, turn=undone.turn)
        assert redone.restored == ("calc.py",)
        assert editor.texts["calc.py"] == _FIXED
        assert (tmp_path / "calc.py").stat().st_mode & 0o777 == 0o755


async def test_another_session_leaves_it_unsaved(tmp_path: Path) -> None:
    script = [Turn(_READ), Turn(_EDIT), _DONE, Turn(_TEST), _DONE]
    async with buffers(tmp_path, script, saves=False) as (s, editor):
        await s.ask("Fix it.")
        s.port.saving = editor.save
        await s.ask("Test it.")
        assert "[Not saved in the editor: calc.py. The" in told(s, "test")
        assert editor.saved("calc.py") == _CALC


@SANDBOXED
async def test_an_editor_that_formats_what_it_saves(tmp_path: Path) -> None:
    async with buffers(tmp_path, _FIX, saves=True) as (s, editor):
        editor.formats = lambda text: text.replace("return a + b", "return  a + b")
        answer = await s.ask("Fix it.")
        assert "return  a + b" in editor.saved("calc.py")
        assert told(s, "again") == "[no output]\n[run 2] [exit code 0]"
        undone = await undo(s, answer.session_id)
        assert (undone.restored, undone.conflicts) == (("calc.py",), ())
        assert editor.texts["calc.py"] == editor.saved("calc.py") == _CALC


@pytest.mark.parametrize("saves", [True, False])
async def test_a_new_file_that_the_editor_opens(tmp_path: Path, saves: bool) -> None:
    write = ToolUse("Write", {"path": "new.txt", "content": "new\n"}, "write")
    cat = ToolUse("Bash", {"command": "cat new.txt"}, "cat")
    async with buffers(tmp_path, [Turn(write, cat), _DONE], saves=saves) as (s, editor):
        answer = await s.ask("Make it.")
        assert told(s, "cat").startswith("new\n" if saves else "[no output]")
        assert ("[Not saved in the editor: new.txt. The" in told(s, "cat")) is not saves
        undone = await undo(s, answer.session_id)
        assert (undone.removed, undone.conflicts) == (("new.txt",), ())
        assert not (tmp_path / "new.txt").exists()
        assert editor.texts == {}


async def test_a_command_changes_what_was_edited(tmp_path: Path) -> None:
    sed = ToolUse("Bash", {"command": "sed -i s/add/sum/ calc.py"}, "sed")
    script = [Turn(_READ), Turn(_EDIT, sed), _DONE]
    async with buffers(tmp_path, script, saves=True) as (s, editor):
        answer = await s.ask("Fix it.")
        assert editor.saved("calc.py") == _FIXED.replace("add", "sum")
        editor.reload("calc.py")
        assert (await undo(s, answer.session_id)).conflicts == ()
        assert editor.texts["calc.py"] == editor.saved("calc.py") == _CALC


async def test_a_command_changes_the_file_below_unsaved_text(tmp_path: Path) -> None:
    """Two texts of one file: undo does not choose."""
    sed = ToolUse("Bash", {"command": "sed -i s/add/sum/ calc.py"}, "sed")
    script = [Turn(_READ), Turn(_EDIT, sed), _DONE]
    async with buffers(tmp_path, script, saves=False) as (s, editor):
        answer = await s.ask("Fix it.")
        assert editor.texts["calc.py"] == _FIXED
        assert editor.saved("calc.py") == _CALC.replace("add", "sum")
        assert [each.path for each in (await undo(s, answer.session_id)).conflicts] == ["calc.py"]


@pytest.mark.parametrize("saves", [True, False])
@pytest.mark.parametrize(
    "command", ["sed -i s/add/sum/ calc.py", "rm calc.py", "chmod 755 calc.py"]
)
async def test_an_editor_that_does_not_read_again(
    tmp_path: Path, saves: bool, command: str
) -> None:
    """It shows what undo brings back, and the disk does not hold it."""
    script = [Turn(ToolUse("Bash", {"command": command}, "sh")), _DONE]
    async with buffers(tmp_path, script, saves=saves) as (s, editor):
        (tmp_path / "calc.py").chmod(0o640)
        editor.open("calc.py")
        answer = await s.ask("Do it.")
        undone = await undo(s, answer.session_id)
        assert (undone.restored, undone.conflicts) == (("calc.py",), ())
        assert editor.texts["calc.py"] == editor.saved("calc.py") == _CALC
        assert (tmp_path / "calc.py").stat().st_mode & 0o777 == 0o640
        session = await s.app.sessions.open(answer.session_id)
        assert list(s.app.acting.of(session).checkpoints.unseen_undos.left) == [
            str(tmp_path / "calc.py")
        ]


async def test_an_editor_that_does_not_read_again_and_a_file_of_somebody_else(
    tmp_path: Path,
) -> None:
    script = [Turn(ToolUse("Bash", {"command": "sed -i s/add/sum/ calc.py"}, "sed")), _DONE]
    async with buffers(tmp_path, script, saves=True) as (s, editor):
        editor.open("calc.py")
        answer = await s.ask("Do it.")
        (tmp_path / "calc.py").write_text("mine\n")
        assert (await undo(s, answer.session_id)).restored == ()
        assert editor.saved("calc.py") == "mine\n"


async def test_a_job_changes_what_was_saved_for_a_command(tmp_path: Path) -> None:
    """What the editor saves because it was asked to is not the user's."""
    watch = "until grep -q 'a + b' calc.py; do sleep 0.01; done; sed -i s/add/sum/ calc.py; > done"
    job = ToolUse("Bash", {"command": watch, "background": True}, "job")
    wait = ToolUse("Bash", {"command": "until [ -e done ]; do sleep 0.01; done"}, "wait")
    script = [Turn(job), Turn(_READ), Turn(_EDIT, wait), _DONE]
    async with buffers(tmp_path, script, saves=True) as (s, editor):
        answer = await s.ask("Fix it.")
        editor.reload("calc.py")
        assert editor.saved("calc.py") == _FIXED.replace("add", "sum")
        assert (await undo(s, answer.session_id)).conflicts == ()
        assert editor.texts["calc.py"] == editor.saved("calc.py") == _CALC
        assert not (tmp_path / "done").exists()


async def test_the_workspace_is_asked_on_the_event_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = set()
    snapshot = WorkspaceHost.snapshot

    def noted(host: WorkspaceHost) -> WorkspaceSnapshot:
        threads.add(threading.current_thread())
        return snapshot(host)

    monkeypatch.setattr(WorkspaceHost, "snapshot", noted)
    async with buffers(tmp_path, _FIX, saves=True) as (s, editor):
        editor.open("calc.py")
        answer = await s.ask("Fix it.")
        assert (await undo(s, answer.session_id)).restored == ("calc.py",)
    assert threads == {threading.main_thread()}


async def test_few_names_and_none_that_is_hidden(tmp_path: Path) -> None:
    files = {f"{name}.txt": "old\n" for name in "abcdefg"} | {"secret.txt": "old\n"}
    script = [Turn(ToolUse("Bash", {"command": "ls"}, "ls")), _DONE]
    deny: dict[str, Any] = {"deny": ["Read(secret.txt)"]}
    async with buffers(tmp_path, script, files, saves=False, **deny) as (s, editor):
        for name in files:
            editor.open(name)
            editor.type(name, "new\n")
        await s.ask("List.")
        names = "a.txt, b.txt, c.txt, d.txt, e.txt and 2 more"
        assert f"[Not saved in the editor: {names}. The" in told(s, "ls")
