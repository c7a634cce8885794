"""Sessions outlive their server: byte for byte, killed or not, one server at a time."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from glossator.application.session_titles import title_of
from glossator.commands.sessions import (
    DeleteSessionRequest,
    ExportFormat,
    ExportSessionRequest,
    ListSessionsRequest,
    NewSessionRequest,
    RenameSessionRequest,
    ResumeSessionRequest,
    delete_session,
    export_session,
    list_sessions,
    new_session,
    rename_session,
    resume_session,
)
from glossator.core.errors import SessionInUse, StoreUnavailable, UnknownSession, UsageError
from glossator.core.events import (
    CitationChecked,
    RunFailed,
    RunFinished,
    RunStarted,
    TextDelta,
    ToolFinished,
)
from glossator.core.run_events import StateChanged
from glossator.sessions.sessions import sessions_folder
from glossator.store.log import Log, framed, parse
from tests.patience import until
from tests.stage import Stage, stage
from tests.standin import Script, SlowHeaders, StandIn, Text, Thinking, ToolUse, Turn
from tests.turn.test_loop import without_cache_marks

FILES = {"app.py": "def greet(name):\n    return f'hello {name} 🎉'\n"}
READING: Script = [
    Turn(Thinking("I look."), Text("I read it."), ToolUse("Read", {"path": "app.py"}, id="r")),
    Turn(Text("It greets. [cite: doc, app.py, 1-2]")),
]


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def body(s: Stage, number: int) -> dict[str, Any]:
    cleaned: dict[str, Any] = without_cache_marks(s.sent(number))
    return cleaned


async def titles(s: Stage) -> list[str]:
    return [info.title for info in (await list_sessions(s.app, ListSessionsRequest())).sessions]


async def test_another_server_goes_on_with_the_very_bytes(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    async with stage(root, FILES, READING) as s:
        answer = await s.ask("What does greet do?")
        before = body(s, 1)
    script = [Turn(ToolUse("Read", {"path": "app.py"})), Turn(Text("As I said."))]
    async with stage(root, {}, script) as s:
        again = await s.ask("Really?", session_id=answer.session_id)
        first = body(s, 0)
        for part in ("system", "tools"):
            assert json.dumps(first[part]) == json.dumps(before[part])
        kept = first["messages"][: len(before["messages"])]
        assert json.dumps(kept) == json.dumps(before["messages"])
        assert [message["role"] for message in first["messages"][-2:]] == ["assistant", "user"]
        (result,) = s.results(1).values()
        assert "unchanged" in result["content"]  # what was shown is still known
        assert again.turns == 2
        assert s.app.sessions.loaded()[0].turns == 4


async def test_citations_of_lines_shown_before_are_read(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, READING) as s:
        answer = await s.ask("What does greet do?")
    script = [Turn(Text("It greets. [cite: doc, app.py, 1-2]"))]
    async with stage(tmp_path / "ws", {}, script) as s:
        again = await s.ask("Say it again.", session_id=answer.session_id)
        assert [citation.status for citation in again.citations] == ["read"]


async def test_a_citation_that_an_older_version_kept_is_shown_again(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, READING) as s:
        answer = await s.ask("What does greet do?")
    path = sessions_folder() / f"{answer.session_id}.log"
    old = path.read_bytes().replace(b'"status":"read"', b'"status":"verified"')
    path.write_bytes(framed([line[len("checksum ") :] for line in old.splitlines()]))
    async with stage(tmp_path / "ws", {}, []) as s:
        found = await resume_session(s.app, ResumeSessionRequest(answer.session_id))
        checked = [each.event for each in found.events if isinstance(each.event, CitationChecked)]
        assert b"verified" in old
        assert [each.citation.status for each in checked] == ["read"]


async def test_lists_show_this_workspace_last_changed_first(tmp_path: Path) -> None:
    script = [Turn(Text("a")), Turn(Text("b"))]
    async with stage(tmp_path / "ws", FILES, script) as s:
        one = await s.ask("one?")
        two = await s.ask("two?")
        log = sessions_folder() / f"{two.session_id}.log"
        os.utime(log, (1, log.stat().st_mtime - 3_600))
        assert await titles(s) == ["one?", "two?"]
    async with stage(tmp_path / "elsewhere", FILES, []) as s:
        assert await titles(s) == []
        with pytest.raises(UnknownSession, match="another workspace"):
            await s.ask("?", session_id=one.session_id)
    async with stage(tmp_path / "ws", FILES, []) as s:
        assert await titles(s) == ["one?", "two?"]
        listed = await list_sessions(s.app, ListSessionsRequest())
        assert [(info.turns, info.running) for info in listed.sessions] == [(1, False)] * 2


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("  Is `gross` right?  \nIt looks wrong.", "Is gross right?"),
        ("```\ndef f():\n```\nWhat is it?", "What is it?"),
        ("```\ndef f():\n```", "def f():"),
        ("`", ""),
        ("Hi there,\n\nplease could you fix the parser?", "Fix the parser?"),
        ("Can you please explain `swim`?", "Explain swim?"),
        ("I'd like you to rename x. Thanks!", "Rename x. Thanks!"),
        ("Help me to understand this", "Understand this"),
        ("okapi is what?", "okapi is what?"),
        ("Hi!", "Hi!"),
        ("Please", "Please"),
        ("Kannst du bitte?", "Kannst du bitte?"),
        (
            f"Why {'is the parser slow ' * 4}",
            "Why is the parser slow is the parser slow is the parser…",
        ),
        ("x" * 70, "x" * 59 + "…"),
    ],
)
def test_a_title_is_the_core_of_a_question_in_plain_words(question: str, title: str) -> None:
    assert title_of(question) == title


async def test_renaming_deleting_and_what_is_not_there(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, READING) as s:
        answer = await s.ask("What does greet do?")
        await rename_session(s.app, RenameSessionRequest(answer.session_id, " The\ngreeting "))
        with pytest.raises(UsageError, match="title"):
            await rename_session(s.app, RenameSessionRequest(answer.session_id, " \n"))
    async with stage(tmp_path / "ws", FILES, []) as s:
        assert await titles(s) == ["The greeting"]
        await delete_session(s.app, DeleteSessionRequest(answer.session_id))
        assert await titles(s) == []
        assert [path.name for path in sessions_folder().iterdir()] == [".gitignore"]
        for unknown in (answer.session_id, "nonsense", "../x"):
            with pytest.raises(UnknownSession, match="list the sessions"):
                await delete_session(s.app, DeleteSessionRequest(unknown))


async def test_one_that_cannot_be_read_can_be_deleted(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, [Turn(Text("Hi."))]) as s:
        kept = (await s.ask("?")).session_id
    (log,) = sessions_folder().glob("*.log")
    records = parse(log.read_bytes()).records
    log.write_bytes(framed([*records, b'{"kind":"titled","of":"another version"}']))
    async with stage(tmp_path / "ws", {}, []) as s:
        with pytest.raises(StoreUnavailable, match="or delete the session"):
            await s.app.sessions.open(kept)
        await delete_session(s.app, DeleteSessionRequest(kept))
        with pytest.raises(UnknownSession):
            await s.app.sessions.open(kept)
    assert not list(sessions_folder().glob(f"{kept}*"))


async def test_a_run_that_goes_on_is_shown_without_an_end(tmp_path: Path) -> None:
    gate = asyncio.Event()
    held = Turn(Text("Hi."), fault=SlowHeaders(gate))
    async with stage(tmp_path / "ws", FILES, [held]) as s:
        session = s.app.sessions.create("Long")
        run = asyncio.create_task(s.ask("?", session_id=session.id))
        await s.api.wait_for_requests(1)
        shown = (await resume_session(s.app, ResumeSessionRequest(session.id))).events
        assert [type(each.event) for each in shown] == [RunStarted, StateChanged, StateChanged]
        gate.set()
        await run


async def test_an_empty_session_is_not_kept(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, []) as s:
        info = await new_session(s.app, NewSessionRequest())
        assert await titles(s) == ["New session"]
        resumed = await resume_session(s.app, ResumeSessionRequest(info.id))
        assert (resumed.session.id, resumed.events) == (info.id, ())
    async with stage(tmp_path / "ws", FILES, []) as s:
        assert await titles(s) == []


async def test_one_server_at_a_time(tmp_path: Path) -> None:
    script = [Turn(Text("Later."))]
    async with stage(tmp_path / "ws", FILES, READING) as first:
        answer = await first.ask("What does greet do?")
        async with stage(tmp_path / "ws", {}, script) as second:
            assert await titles(second) == ["What does greet do?"]
            with pytest.raises(SessionInUse, match="open in Stage"):
                await second.ask("?", session_id=answer.session_id)
            with pytest.raises(SessionInUse):
                await delete_session(second.app, DeleteSessionRequest(answer.session_id))
            exported = await export_session(second.app, ExportSessionRequest(answer.session_id))
            assert "It greets." in exported.text
            await first.app.sessions.close()
            assert (await second.ask("?", session_id=answer.session_id)).text == "Later."


async def test_sessions_that_nobody_uses_are_closed(tmp_path: Path) -> None:
    asks_to_read = Turn(ToolUse("Read", {"path": "app.py"}))
    texts = ["I read it.", *map(str, range(40)), "On."]
    script = [asks_to_read, *[Turn(Text(text)) for text in texts]]
    no_index = {"workspace": {"index": False}}  # its process has pipes, and starts in between
    async with stage(tmp_path / "ws", FILES, script, no_index) as s:
        first = await s.ask("What does greet do?")
        told = body(s, 1)["messages"]
        for _ in range(20):
            await s.ask("?")
        await until(lambda: len(s.app.sessions.loaded()) == 8)
        open_files = psutil.Process().num_fds()
        for _ in range(20):
            await s.ask("?")
        await until(lambda: len(s.app.sessions.loaded()) == 8)
        assert psutil.Process().num_fds() <= open_files + 1  # a connection may be new
        assert (await s.ask("Go on.", session_id=first.session_id)).text == "On."
        assert body(s, -1)["messages"][: len(told)] == told


async def test_a_session_at_work_stays_open(tmp_path: Path) -> None:
    gate = asyncio.Event()
    script = [Turn(Text("Late."), gate=gate), *[Turn(Text("Hi."))] * 12]
    async with stage(tmp_path / "ws", FILES, script) as s:
        session = s.app.sessions.create("Long")
        run = asyncio.create_task(s.ask("?", session_id=session.id))
        await s.api.wait_for_requests(1)
        for _ in range(12):
            await s.ask("?")
        await until(lambda: len(s.app.sessions.loaded()) <= 9)
        assert session in s.app.sessions.loaded()
        gate.set()
        assert (await run).text == "Late."
    assert b"Late." in (sessions_folder() / f"{session.id}.log").read_bytes()


async def test_the_end_of_a_run_closes_no_session_that_the_servers_end_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync, gate = Log.sync, asyncio.Event()

    def slowly(log: Log) -> None:
        time.sleep(0.1)
        sync(log)

    script = [Turn(Text("Late."), gate=gate), *[Turn(Text("Hi."))] * 12]
    async with stage(tmp_path / "ws", FILES, script) as s:
        run = asyncio.create_task(s.ask("?", session_id=s.app.sessions.create("Long").id))
        await s.api.wait_for_requests(1)
        for _ in range(12):
            await s.ask("?")
        await until(lambda: len(s.app.sessions.loaded()) <= 9)
        monkeypatch.setattr(Log, "sync", slowly)
        gate.set()
        assert (await run).text == "Late."


async def test_resuming_shows_the_runs_again(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, READING) as s:
        answer = await s.ask("What does greet do?")
        live = s.port.envelopes
    async with stage(tmp_path / "ws", FILES, []) as s:
        resumed = await resume_session(s.app, ResumeSessionRequest(answer.session_id))
        events = [envelope.event for envelope in resumed.events]
        assert [envelope.seq for envelope in resumed.events] == list(range(len(events)))
        assert {envelope.run_id for envelope in resumed.events} == {answer.run_id}
        for kind in (RunStarted, ToolFinished, RunFinished):
            assert [e for e in events if isinstance(e, kind)] == [
                envelope.event for envelope in live if isinstance(envelope.event, kind)
            ]
        texts = [event.text for event in events if isinstance(event, TextDelta)]
        assert texts == ["I read it.", answer.text]


async def test_sessions_are_found_by_words_of_titles_and_questions(tmp_path: Path) -> None:
    script = [Turn(Text("Yes."))] * 4
    async with stage(tmp_path / "ws", FILES, script) as s:
        one = await s.ask("How are Prices rounded?")
        await s.ask("And where is the *tax*\nadded?", session_id=one.session_id)
        two = await s.ask("Who greets?")
        await s.ask("What of prices?", session_id=two.session_id)
    async with stage(tmp_path / "ws", FILES, []) as s:

        async def found(words: str) -> list[tuple[str, str]]:
            listed = await list_sessions(s.app, ListSessionsRequest(words))
            return sorted((each.title, each.found) for each in listed.sessions)

        first, second = "How are Prices rounded?", "Who greets?"
        assert await found("prices") == [(first, ""), (second, "What of prices?")]
        assert await found("TAX added") == [(first, "And where is the *tax* added?")]
        assert await found("tax prices") == []  # each word in the same question
        assert await found(" ") == [(first, ""), (second, "")]


async def test_exports(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, READING) as s:
        answer = await s.ask("What does greet do?")
        markdown = await export_session(s.app, ExportSessionRequest(answer.session_id))
        assert markdown.file_name == "What-does-greet-do.md"
        for part in (
            "# What does greet do?\n",
            "## User\n\nWhat does greet do?",
            '**Read**\n\n````\n{"path": "app.py"}\n````',
            "1\tdef greet(name):",
            "## Glossator\n\nIt greets. [cite: doc, app.py, 1-2]",
            "*1 citation not judged*\n",
        ):
            assert part in markdown.text
        request = ExportSessionRequest(answer.session_id, ExportFormat.JSON)
        exported = await export_session(s.app, request)
        document = json.loads(exported.text)
        assert (document["id"], document["title"]) == (answer.session_id, "What does greet do?")
        told = (r for r in document["records"] if r["kind"] in {"said", "received"})
        messages = [r["message"] for r in told if r["message"] is not None]
        assert messages[: len(body(s, 1)["messages"])] == body(s, 1)["messages"]


async def test_a_session_of_a_full_disk_goes_on_unkept(tmp_path: Path) -> None:
    (tmp_path / "state" / "glossator").mkdir(parents=True)
    (tmp_path / "state" / "glossator" / "sessions").write_text("in the way")
    async with stage(tmp_path / "ws", FILES, READING) as s:
        answer = await s.ask("What does greet do?")
        assert answer.stop == "answered"
        (told,) = s.port.told
        assert "from now on is not kept" in told


async def test_a_damaged_session_goes_on_from_what_is_whole(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, READING) as s:
        answer = await s.ask("What does greet do?")
    path = sessions_folder() / f"{answer.session_id}.log"
    raw = path.read_bytes()
    place = raw.index(b"It greets.")
    path.write_bytes(raw[:place] + b"X" + raw[place + 1 :])
    async with stage(tmp_path / "ws", FILES, [Turn(Text("On."))]) as s:
        assert (await s.ask("?", session_id=answer.session_id)).text == "On."
        (told,) = s.port.told
        assert "was damaged on disk" in told
        assert len(body(s, 0)["messages"]) == 4  # question, reply, result, question


async def test_nothing_but_the_owner_may_read(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, READING) as s:
        await s.ask("What does greet do?")
    assert sessions_folder().stat().st_mode & 0o077 == 0
    for path in sessions_folder().glob("[!.]*"):
        assert path.stat().st_mode & 0o077 == 0
        assert b"test-key" not in path.read_bytes()


SERVER = """
import asyncio, os, sys
from pathlib import Path
from glossator.application.application import Application
from glossator.commands.ask import AskRequest, ask
from glossator.settings.load import load_settings
from tests.quiet import quietly
from tests.stage import Recorder

class Telling(Recorder):
    def emit(self, envelope):
        super().emit(envelope)
        print(envelope.event.kind, flush=True)

async def main():
    root = sys.argv[1]
    environment = dict(os.environ)
    settings = load_settings(quietly(None), environment, file=Path(root, "none.toml"))
    app = Application((root,), settings, Telling(), "utf-16", environment)
    await app.start()
    await ask(app, AskRequest("What does greet do?"))

asyncio.run(main())
"""


@pytest.mark.parametrize(
    "kind", ["run.started", "tool.started", "tool.finished", "usage", "text.delta", "run.finished"]
)
async def test_a_killed_run_can_be_gone_on_with(tmp_path: Path, kind: str) -> None:
    root = tmp_path / "ws"
    root.mkdir()
    (root / "app.py").write_text(FILES["app.py"], "utf-8")
    async with StandIn(READING) as api:
        environment = {
            **os.environ,
            "ANTHROPIC_API_KEY": "test-key",
            "ANTHROPIC_BASE_URL": api.base_url,
        }
        server = await asyncio.create_subprocess_exec(
            sys.executable, "-c", SERVER, str(root), env=environment, stdout=-1
        )
        assert server.stdout is not None
        acknowledged = 0
        while (line := await server.stdout.readline()) != f"{kind}\n".encode():
            assert line, "it ended too early"
            acknowledged += line == b"usage\n"
        server.send_signal(signal.SIGKILL)
        await server.stdout.read()
        await server.wait()
        sent = len(api.requests)
        last = without_cache_marks(api.requests[-1].body) if sent else None
    async with stage(root, {}, [Turn(Text("On."))]) as s:
        (info,) = (await list_sessions(s.app, ListSessionsRequest())).sessions
        kept = await s.app.sessions.open(info.id)
        assert kept.account.replies >= acknowledged + (kind == "usage")
        shown = (await resume_session(s.app, ResumeSessionRequest(info.id))).events
        assert isinstance(shown[-1].event, RunFinished if kind == "run.finished" else RunFailed)
        assert (await s.ask("Go on.", session_id=info.id)).text == "On."
        if last is not None:  # nothing that was sent is lost
            messages = body(s, 0)["messages"][: len(last["messages"])]
            assert json.dumps(messages[:-1]) == json.dumps(last["messages"][:-1])
            assert messages[-1]["content"][0] == last["messages"][-1]["content"][0]
