"""A conversation goes back to before a question: as it was then, for good, and files stay."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from glossator.commands.sessions import (
    CompactRequest,
    ExportFormat,
    ExportSessionRequest,
    ListSessionsRequest,
    ResumeSessionRequest,
    compact_session,
    export_session,
    list_sessions,
    resume_session,
)
from glossator.commands.turns import (
    ListTurnsRequest,
    RewindRequest,
    UndoRequest,
    list_turns,
    rewind,
    undo_turn,
)
from glossator.core.errors import UsageError
from glossator.core.events import Envelope, Notice, RunFinished, RunStarted, Todo, TodoState, Usage
from glossator.core.span import Span
from glossator.llm.conversation import user_message
from glossator.llm.meter import Meter
from glossator.llm.model import ReplyUsage
from glossator.llm.offline import OfflineModel
from glossator.sessions.compaction.kept import is_compaction
from glossator.sessions.session import Session
from glossator.sessions.sessions import Sessions
from glossator.settings.model import LimitSettings
from tests.sessions.compaction.compacting import MUSING, is_asked_for_a_summary, summary_turn
from tests.stage import Stage, stage
from tests.standin import Text, Thinking, ToolUse, Turn
from tests.turn.test_loop import without_cache_marks
from tests.undo.test_undo_told import reminders

FILES = {"app.py": "one\n", "lib.py": "two\n"}
_EDITS = {"permissions": {"mode": "acceptEdits"}}


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def player(body: dict[str, Any]) -> Turn:
    """Does what the question's first word says with the file of its second, then answers."""
    if is_asked_for_a_summary(body):
        return summary_turn()
    *_, (at, question) = (
        (number, block["text"])
        for number, message in enumerate(body["messages"])
        for block in message["content"][-1:]
        if message["role"] == "user" and block["type"] == "text"
    )
    answered = (len(body["messages"]) - at) // 2  # calls, one after the other
    verb, name, *rest = question.split()
    thought = Thinking(f"I {verb}.")
    match verb, answered:
        case (("read" | "append"), 0):
            return Turn(thought, ToolUse("Read", {"path": name}))
        case "append", 1:
            edit = {"path": name, "old_text": rest[0], "new_text": f"{rest[0]} more"}
            return Turn(thought, ToolUse("Edit", edit))
        case "plan", 0:
            return Turn(thought, ToolUse("Todo", {"steps": [{"text": name}]}))
        case "say", _:
            return Turn(MUSING, Text("Yes, `lib.py:1`."))
    return Turn(MUSING, Text("Done."))


async def asked(s: Stage, *questions: str, session_id: str | None = None) -> tuple[str, list[str]]:
    """The session, and the runs."""
    runs = []
    for question in questions:
        answer = await s.ask(question, session_id=session_id)
        session_id = answer.session_id
        runs.append(answer.run_id)
    assert session_id is not None
    return session_id, runs


def sent(s: Stage, number: int) -> list[Any]:
    messages: list[Any] = without_cache_marks(s.sent(number))["messages"]
    return messages


async def test_the_question_is_asked_again_after_the_very_bytes(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, player) as s:
        session_id, runs = await asked(s, "read app.py", "read lib.py", "say it")
        before = sent(s, 2)  # the first request of the second run
        gone = await rewind(s.app, RewindRequest(session_id, runs[1]))
        assert [(run.run_id, run.question) for run in gone.runs] == [
            (runs[1], "read lib.py"),
            (runs[2], "say it"),
        ]
        assert gone.changed == ()
        await asked(s, "read lib.py", session_id=session_id)
        assert json.dumps(sent(s, -2)) == json.dumps(before)
        taken = s.app.sessions.loaded()[0].account.last
        assert taken.cache_read_tokens > taken.cache_write_tokens


async def test_a_question_that_was_replaced_is_not_found(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, player) as s:
        session_id, runs = await asked(s, "read app.py", "read lib.py")
        await rewind(s.app, RewindRequest(session_id, runs[1]))
        await asked(s, "say it", session_id=session_id)
        for words, count in [("app.py", 1), ("lib.py", 0), ("say it", 1)]:
            assert len((await list_sessions(s.app, ListSessionsRequest(words))).sessions) == count


async def test_without_a_run_the_last_question_goes(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, player) as s:
        session_id, _ = await asked(s, "read app.py", "say it")
        for question in ("say it", "read app.py"):
            (gone,) = (await rewind(s.app, RewindRequest(session_id))).runs
            assert gone.question == question
        with pytest.raises(UsageError, match="Nothing was asked"):
            await rewind(s.app, RewindRequest(session_id))
        await asked(s, "say hi", session_id=session_id)
        assert len(sent(s, -1)) == 1


@pytest.mark.parametrize("restart", [False, True])
async def test_what_was_shown_only_then_was_not_shown(tmp_path: Path, restart: bool) -> None:
    async with stage(tmp_path / "ws", FILES, player) as s:
        session_id, _ = await asked(s, "read app.py", "plan first", "read lib.py", "plan second")
        for _ in range(3):
            await rewind(s.app, RewindRequest(session_id))
        if not restart:
            await _shown_anew(s, session_id)
    if restart:
        async with stage(tmp_path / "ws", {}, player) as s:
            await _shown_anew(s, session_id)


async def _shown_anew(s: Stage, session_id: str) -> None:
    assert (await s.app.sessions.open(session_id)).todo.steps == ()
    answer = await s.ask("say it", session_id=session_id)
    assert [citation.status for citation in answer.citations] == ["unsupported"]
    await asked(s, "read app.py", "read lib.py", session_id=session_id)
    (known,) = s.results(-3).values()
    (fresh,) = s.results(-1).values()
    assert "unchanged" in known["content"]
    assert "two" in fresh["content"]


async def test_lists_exports_and_clients_see_what_stands(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, player) as s:
        session_id, runs = await asked(s, "read app.py", "read lib.py")
        spent = (await s.app.sessions.open(session_id)).account.spending
        await rewind(s.app, RewindRequest(session_id))
        await asked(s, "say it", session_id=session_id)
    async with stage(tmp_path / "ws", {}, player) as s:
        (listed,) = (await list_sessions(s.app, ListSessionsRequest())).sessions
        assert listed.turns == 3
        shown = (await resume_session(s.app, ResumeSessionRequest(session_id))).events
        assert runs[0] in {envelope.run_id for envelope in shown}
        assert runs[1] not in {envelope.run_id for envelope in shown}
        markdown = await export_session(s.app, ExportSessionRequest(session_id))
        whole = await export_session(s.app, ExportSessionRequest(session_id, ExportFormat.JSON))
        for text in (markdown.text, whole.text):
            assert "read app.py" in text
            assert "say it" in text
            assert "read lib.py" not in text
        account = (await s.app.sessions.open(session_id)).account
        assert account.spending.usage.total > spent.usage.total, "what was spent is spent"
        assert json.loads(whole.text)["spending"]["replies"] == account.replies == 5


async def test_a_session_that_is_not_kept_goes_back_as_well(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, player, {"sessions": {"count": 0}}) as s:
        session_id, runs = await asked(s, "read app.py", "read lib.py")
        await rewind(s.app, RewindRequest(session_id, runs[1]))
        await asked(s, "read lib.py", session_id=session_id)
        (fresh,) = s.results(-1).values()
        assert "two" in fresh["content"]


async def test_a_run_on_its_way_is_in_the_way(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with stage(tmp_path / "ws", FILES, [Turn(Text("Hi."), gate=gate)]) as s:
        session = s.app.sessions.create()
        run = asyncio.create_task(s.ask("?", session_id=session.id))
        await s.api.wait_for_requests(1)
        with pytest.raises(UsageError, match="at work"):
            await rewind(s.app, RewindRequest(session.id))
        gate.set()
        await run


async def test_it_does_not_go_back_behind_a_compaction(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, player) as s:
        session_id, runs = await asked(s, *["read app.py"] * 8)
        await compact_session(s.app, CompactRequest(session_id))
        for run in runs:
            with pytest.raises(UsageError, match="compacted since"):
                await rewind(s.app, RewindRequest(session_id, run))
        with pytest.raises(UsageError, match="no run 'nonsense'"):
            await rewind(s.app, RewindRequest(session_id, "nonsense"))
        before = (await s.app.sessions.open(session_id)).conversation.messages
        _, (later,) = await asked(s, "say it", session_id=session_id)
        await rewind(s.app, RewindRequest(session_id, later))
        assert (await s.app.sessions.open(session_id)).conversation.messages == before


async def test_a_compaction_before_the_question_stays(tmp_path: Path) -> None:
    settings = {"context": {"compactAt": 0.000_001}}
    async with stage(tmp_path / "ws", FILES, player, settings) as s:
        session_id, runs = await asked(s, *["say it"] * 9)
        session = await s.app.sessions.open(session_id)
        while session.asked[-2].compacted is False or not is_compaction(
            session.conversation.messages[0]
        ):
            _, runs = await asked(s, "say it", session_id=session_id)
        await rewind(s.app, RewindRequest(session_id, runs[-1]))
        kept = session.conversation.messages
    async with stage(tmp_path / "ws", {}, player) as s:
        assert (await s.app.sessions.open(session_id)).conversation.messages == kept


async def test_files_stay_and_the_turns_that_changed_them_are_named(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    async with stage(root, FILES, player, _EDITS) as s:
        session_id, runs = await asked(s, "read app.py", "append app.py one", "append lib.py two")
        gone = await rewind(s.app, RewindRequest(session_id, runs[1]))
        assert [(turn.turn, turn.question, turn.paths) for turn in gone.changed] == [
            (runs[1], "append app.py one", ("app.py",)),
            (runs[2], "append lib.py two", ("lib.py",)),
        ]
        assert (root / "app.py").read_text() == "one more\n"
        assert len((await list_turns(s.app, ListTurnsRequest(session_id))).turns) == 2
        await undo_turn(s.app, UndoRequest(session_id, gone.changed[0].turn, since=True))
        assert (root / "app.py").read_text() == "one\n"
        await asked(s, "say it", session_id=session_id)
        assert reminders(s) == [], "it never saw what was taken back"


async def test_an_undo_told_only_then_is_told_again(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, player, _EDITS) as s:
        session_id, _ = await asked(s, "append app.py one")
        await undo_turn(s.app, UndoRequest(session_id))
        await asked(s, "say it", session_id=session_id)
        assert len(reminders(s)) == 1
        assert (await rewind(s.app, RewindRequest(session_id))).changed == ()
        await asked(s, "say more", session_id=session_id)
        assert len(reminders(s)) == 1
    async with stage(tmp_path / "ws", {}, player, _EDITS) as s:
        await asked(s, "say it", session_id=session_id)
        assert len(reminders(s)) == 1
        gone = await rewind(s.app, RewindRequest(session_id))
        assert gone.changed == (), "its change does not stand any more"


async def test_an_undo_of_what_is_forgotten_is_not_told(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, player, _EDITS) as s:
        session_id, _ = await asked(s, "read app.py", "append app.py one")
        await undo_turn(s.app, UndoRequest(session_id))
        assert (await rewind(s.app, RewindRequest(session_id))).changed == ()
        await asked(s, "say it", session_id=session_id)
        assert reminders(s) == []


async def test_an_edit_after_it_is_about_what_was_read_then(tmp_path: Path) -> None:
    """The file changed in a turn that was dropped; the model knows it only as it was before."""
    root = tmp_path / "ws"
    script = [
        Turn(ToolUse("Read", {"path": "app.py"})),
        Turn(Text("Read.")),
        Turn(ToolUse("Edit", {"path": "app.py", "old_text": "one", "new_text": "uno"})),
        Turn(Text("Done.")),
        Turn(ToolUse("Edit", {"path": "app.py", "old_text": "one", "new_text": "eins"})),
        Turn(Text("Done.")),
        Turn(ToolUse("Edit", {"path": "lib.py", "old_text": "two", "new_text": "zwei"})),
        Turn(Text("Done.")),
    ]
    async with stage(root, FILES, script, _EDITS) as s:
        session_id, _ = await asked(s, "Read it.", "Change it.")
        await rewind(s.app, RewindRequest(session_id))
        await asked(s, "Change it.", session_id=session_id)
        (refused,) = s.results(-1).values()
        assert refused["is_error"]
        assert (root / "app.py").read_text() == "uno\n"


class Histories:
    """Random lives of a session; what it was like before each question is remembered."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.random = random.Random(seed)
        self.folder = folder
        self.server = self._start()
        self.session = self.server.create("Random")
        self.before: dict[str, Any] = {}
        self.runs = 0
        self.killed = False
        self.calls = 0
        self.unasked = ""  # the last run, if it was cancelled before its question was said

    def _start(self) -> Sessions:
        return Sessions(lambda: ("/ws",), lambda _: None, folder=self.folder)

    async def restarted(self) -> None:
        self.session.close()
        self.server = self._start()
        self.session = await self.server.open(self.session.id)
        self.killed = False

    def run(self) -> None:
        self.runs += 1
        run_id = f"run-{self.runs}"
        meter = self.session.meter(LimitSettings(), OfflineModel(), run_id)
        self.session.note(Envelope(run_id, 0, RunStarted(self.session.id, run_id, "m", True)))
        if self.chance(0.1):
            self._compact()
            self.before[self.unasked] = looks(self.session)
        self.before[run_id] = looks(self.session)
        self.unasked = run_id
        if self.chance(0.1):
            return
        self.unasked = ""
        self._show()
        self.session.conversation.append(user_message(run_id))
        for _ in range(self.random.randrange(3)):
            self._turn(meter)
            if self.killed:
                return
        self.session.note(Envelope(run_id, 1, Notice("n")))
        if self.chance(0.8):
            self.session.note(Envelope(run_id, 2, RunFinished("answered")))

    def _turn(self, meter: Meter) -> None:
        meter.count(ReplyUsage(Usage(self.random.randrange(1, 99))))
        self.calls += 1
        id_ = f"c{self.calls}"
        call = {"type": "tool_use", "id": id_, "name": "Read", "input": {}}
        reply: Any = {"role": "assistant", "content": [call]}
        if self.chance(0.5):
            self.session.received(reply)
            if self.chance(0.2):
                self.killed = True  # the next server mends it
                return
        if self.chance(0.3):
            self.session.todo.changed = self.session.keep_todo
            self.session.todo.replace((Todo(str(self.random.random()), TodoState.ACTIVE),))
        if self.chance(0.3):
            self.session.keep("told", [str(self.random.random())])
        if self.chance(0.3):
            self.session.findings.remember("file:///a", {str(self.random.random()): 1})
        self._show()
        self.session.conversation.append(reply)
        content: Any = [{"type": "tool_result", "tool_use_id": id_, "content": "x"}]
        self.session.conversation.append({"role": "user", "content": content})
        if self.chance(0.05):
            self._compact()

    def _show(self) -> None:
        path = self.random.choice("abc")
        sha256 = str(self.random.random())
        self.session.reads.remember(path, (1, None), sha256)
        self.session.reads.show([Span(f"file:///{path}", sha256, 1, self.random.randrange(1, 9))])

    def _compact(self) -> None:
        self.session.restart([user_message(f"summary {self.random.random()}")])

    def rewind(self) -> bool:
        runs = self.session.asked
        chosen = [number for number, run in enumerate(runs) if not run.compacted]
        if not chosen:
            return False
        first = self.random.choice(chosen)
        self.session.rewind([run.run_id for run in runs[first:]])
        assert [run.run_id for run in self.session.asked] == [run.run_id for run in runs[:first]]
        assert looks(self.session) == self.before[runs[first].run_id]
        return True

    def chance(self, share: float) -> bool:
        return self.random.random() < share


def looks(session: Session) -> Any:
    """All that a conversation is, but for what it has cost."""
    reads: Any = session.reads
    return (
        session.conversation.messages,
        dict(reads._shown),
        {key: set(lines) for key, lines in reads._lines.items()},
        dict(session.findings._shown),
        session.todo.steps,
        session.kept("todo"),
        session.kept("told"),
        session.turns,
        session.account.last,
    )


@pytest.mark.parametrize("seed", range(30))
async def test_whatever_happened_it_is_as_it_was_then(tmp_path: Path, seed: int) -> None:
    """Live, resumed, and resumed after going back; the seed is the test's name."""
    history = Histories(seed, tmp_path / "sessions")
    steps: list[Callable[[], object]] = [history.run, history.run, history.rewind]
    went_back = 0
    for _ in range(40):
        step = history.random.choice(steps)
        went_back += step() is True
        if history.killed or history.chance(0.15):
            await history.restarted()
            known = looks(history.session), history.session.account.spending
            await history.restarted()
            assert (looks(history.session), history.session.account.spending) == known
    assert went_back
