"""A resumed session knows what the user allowed in it and what the model was told."""

from __future__ import annotations

import gc
import json
import weakref
from pathlib import Path
from typing import Any

import pytest

from glossator.commands.sessions import (
    CompactRequest,
    DeleteSessionRequest,
    compact_session,
    delete_session,
)
from glossator.core.attached import Diagnostic, FileDiagnostics, Severity
from glossator.core.errors import StoreUnavailable
from glossator.core.events import Notice
from glossator.core.permission import Choice, PermissionAnswer
from glossator.sessions.sessions import sessions_folder
from glossator.store.log import framed, parse
from glossator.workspace.documents.overlays import RootsChanged
from tests.sessions.compaction.compacting import MUSING, is_asked_for_a_summary, summary_turn
from tests.stage import Stage, stage
from tests.standin import Text, ToolUse, Turn

FILES = {"app.py": "one\ntwo\n", "src/a.py": "three\n"}
READ = ToolUse("Read", {"path": "src/a.py"})
WRITE = ToolUse("Edit", {"path": "src/a.py", "old_text": "three", "new_text": "four"})
BACK = ToolUse("Edit", {"path": "src/a.py", "old_text": "four", "new_text": "three"})
FOR_SESSION, ALWAYS = PermissionAnswer(Choice.SESSION), PermissionAnswer(Choice.ALWAYS)
DONE = Turn(Text("Done."))
EDITING = [Turn(READ), Turn(WRITE), DONE]
AGAIN = [Turn(READ), Turn(BACK), DONE]


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


async def begun(root: Path, answer: PermissionAnswer) -> str:
    """A session in which an edit was allowed by `answer`."""
    async with stage(root, FILES, EDITING) as s:
        s.port.permitted = [answer]
        session_id = (await s.ask("Edit it.")).session_id
        assert (root / "src/a.py").read_text() == "four\n"
    return session_id


async def edited_again(s: Stage, session_id: str) -> bool:
    """Whether an edit of the same file is allowed without a question; if not, it is denied."""
    before = len(s.port.permissions)
    await s.ask("Take it back.", session_id=session_id)
    return len(s.port.permissions) == before


@pytest.mark.parametrize(
    ("answer", "asked"), [(FOR_SESSION, False), (PermissionAnswer(Choice.ONCE), True)]
)
async def test_what_was_allowed_for_the_session_is(
    tmp_path: Path, answer: PermissionAnswer, asked: bool
) -> None:
    root = tmp_path / "ws"
    session_id = await begun(root, answer)
    async with stage(root, {}, [*AGAIN, *EDITING]) as s:
        assert await edited_again(s, session_id) is not asked
        assert not s.port.told
        granted = s.app.acting.of(await s.app.sessions.open(session_id)).granted
        assert granted == (() if asked else ("Edit(/src/**)",))
        assert not await edited_again(s, s.app.sessions.create().id), "of that session alone"


async def test_always_holds_as_long_as_its_file_says_so(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    session_id = await begun(root, ALWAYS)
    (tmp_path / "config" / "glossator" / "grants.json").unlink()
    async with stage(root, {}, AGAIN) as s:
        assert not await edited_again(s, session_id)


async def test_always_that_cannot_be_kept_holds_for_the_session(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    (tmp_path / "config").write_text("a file where the folder should be")
    session_id = await begun(root, ALWAYS)
    async with stage(root, {}, AGAIN) as s:
        assert await edited_again(s, session_id)


async def test_it_holds_for_the_same_folders_alone(tmp_path: Path) -> None:
    root, other = tmp_path / "ws", tmp_path / "other"
    other.mkdir()
    session_id = await begun(root, FOR_SESSION)
    async with stage(root, {}, [*AGAIN, Turn(BACK), DONE]) as s:
        s.app.host.apply(RootsChanged((str(other),), ()))
        assert not await edited_again(s, session_id), "a folder was added"
        s.app.host.apply(RootsChanged((), (str(other),)))
        assert await edited_again(s, session_id)


def tampered(path: Path, change: Any) -> None:
    """Let `change` alter each record of a log that was kept under the name grants."""
    records = [json.loads(record) for record in parse(path.read_bytes()).records]
    for record in records:
        if record.get("name") == "grants":
            change(record["value"])
    path.write_bytes(framed([json.dumps(record).encode() for record in records]))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda value: value.update(rules="*"), "is damaged and is not used"),
        (lambda value: value.update(rules=[1]), "is damaged and is not used"),
        (lambda value: value.clear(), "is damaged and is not used"),
        (lambda value: value.update(rules=["Bash(rm", "Edit(../**)"]), "Bash(rm cannot be used"),
    ],
)
async def test_what_is_damaged_is_told_and_allows_nothing(
    tmp_path: Path, change: Any, said: str
) -> None:
    root = tmp_path / "ws"
    session_id = await begun(root, FOR_SESSION)
    tampered(sessions_folder() / f"{session_id}.log", change)
    async with stage(root, {}, AGAIN) as s:
        assert not await edited_again(s, session_id)
        assert said in s.port.told[0]


async def test_a_log_that_others_may_write_is_not_gone_on_with(tmp_path: Path) -> None:
    session_id = await begun(tmp_path / "ws", FOR_SESSION)
    path = sessions_folder() / f"{session_id}.log"
    path.chmod(0o620)
    async with stage(tmp_path / "ws", {}, AGAIN) as s:
        with pytest.raises(StoreUnavailable, match="other users may write it"):
            await s.ask("?", session_id=session_id)
        path.chmod(0o600)
        assert await edited_again(s, session_id)


async def test_what_lets_a_deleted_session_act_is_dropped(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    async with stage(root, FILES, EDITING) as s:
        s.port.permitted = [FOR_SESSION]
        session_id = (await s.ask("Edit it.")).session_id
        held = weakref.ref(s.app.acting.of(await s.app.sessions.open(session_id)))
        assert held() is not None
        await delete_session(s.app, DeleteSessionRequest(session_id))
        gc.collect()
        assert held() is None


class Diagnosing:
    """Looks at the editor's findings, then answers."""

    def __call__(self, body: dict[str, Any]) -> Turn:
        if is_asked_for_a_summary(body):
            return summary_turn()
        last = body["messages"][-1]["content"]
        if any(block["type"] == "tool_result" for block in last):
            return Turn(Text("I see."))
        if "chat" in last[-1].get("text", ""):
            return Turn(MUSING, Text("So do I."))
        return Turn(READ, ToolUse("Diagnostics"))


class WithFindings:
    """A stage whose editor has findings."""

    def __init__(self, s: Stage, root: Path) -> None:
        self.s = s
        uri = (root / "app.py").as_uri()
        typo = Diagnostic(1, Severity.ERROR, "undefined name", "linter")
        s.port.diagnosed = [FileDiagnostics(uri, (typo, typo))]

    async def told(self, session_id: str | None = None) -> tuple[str, str, str]:
        """What Read and Diagnostics say, and the session's id."""
        answer = await self.s.ask("What is wrong?", session_id=session_id)
        read, found = self.s.results(-1).values()
        return read["content"], found["content"], answer.session_id


@pytest.fixture(autouse=True)
def _tells_diagnostics(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.stage.Recorder.tells_diagnostics", True)


async def test_findings_are_told_once_in_a_session(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    async with stage(root, FILES, Diagnosing()) as s:
        _, found, session_id = await WithFindings(s, root).told()
        assert found.startswith("app.py: 2 new, 0 fixed, 0 unchanged\n")
    async with stage(root, {}, Diagnosing()) as s:
        read, found, _ = await WithFindings(s, root).told(session_id)
        assert found.startswith("app.py: 0 new, 0 fixed, 2 unchanged\n[of the 1 file checked")
        assert "unchanged" in read


@pytest.mark.parametrize("restart", [False, True])
async def test_what_a_compaction_took_away_is_told_again(tmp_path: Path, restart: bool) -> None:
    root = tmp_path / "ws"
    async with stage(root, FILES, Diagnosing()) as s:
        editor = WithFindings(s, root)
        _, _, session_id = await editor.told()
        for _ in range(6):
            await s.ask("Let us chat.", session_id=session_id)
        await compact_session(s.app, CompactRequest(session_id))
        shown = None if restart else await editor.told(session_id)
    if shown is None:
        async with stage(root, {}, Diagnosing()) as s:
            shown = await WithFindings(s, root).told(session_id)
    read, found, _ = shown
    assert found.startswith("app.py: 2 new, 0 fixed, 0 unchanged\n")
    assert "three" in read


async def test_what_a_server_refused_stays_out_of_a_resumed_session(tmp_path: Path) -> None:
    """It is refused once, and told once; going back behind it brings it back."""
    whole = tmp_path / "ws" / "cut.png"
    whole.parent.mkdir()
    whole.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\2\0\0\0\2" + b"A" * 400)
    look = Turn(ToolUse("Read", {"path": "cut.png"}))
    refusals: list[tuple[int, str]] = []
    async with stage(tmp_path / "ws", FILES, [look, DONE]) as s:
        session_id = (await s.ask("What is on it?")).session_id
        (notice,) = s.port.of(Notice)
        assert "Could not process image" in notice.message
        assert "Left out: an image (the result of Read" in notice.message
        refusals[:], s.api.refusals[:] = s.api.refusals, []
    assert refusals == [(400, "Could not process image")]
    async with stage(tmp_path / "ws", FILES, [DONE, DONE]) as s:
        await s.ask("And now?", session_id=session_id)
        assert s.port.of(Notice) == []
        assert "What is on it?" in str(s.sent(0)["messages"])
        assert "Removed: an image (the result of Read" in str(s.sent(0)["messages"])
