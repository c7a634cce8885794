"""A session and its log: what is written adds up to the same session in another process."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from glossator.core.errors import StoreUnavailable
from glossator.core.events import (
    AgentProgress,
    Envelope,
    Event,
    Notice,
    TextDelta,
    TextDiscarded,
    ThinkingDelta,
    Usage,
)
from glossator.core.span import Span
from glossator.core.tool_result import ToolResult
from glossator.llm.conversation import tool_answers, user_message
from glossator.llm.model import Message, ToolCall, ToolSpec
from glossator.sessions.records import Said, decode, encode, happened
from glossator.sessions.session import Session
from glossator.sessions.sessions import Sessions
from glossator.store.log import NotOpened
from glossator.store.logs import Logs, Retention

ROOTS = ("/ws",)
SPAN = Span("file:///ws/a.py", "00", 3, 5)
CALL: Message = {
    "role": "assistant",
    "content": [
        {"type": "thinking", "thinking": "", "signature": "s", "z": 1, "a": [1.0, 1e-7, None]},
        {
            "type": "tool_use",
            "id": "t",
            "name": "Bash",
            "input": {"command": "make", "b": "\ud800"},
        },
    ],
}


class Desk:
    """Servers of one workspace, one after the other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.told: list[str] = []
        self._server = self._start()

    def _start(self) -> Sessions:
        return Sessions(lambda: ROOTS, self.told.append, folder=self.folder)

    def begin(self) -> Session:
        return self._server.create()

    async def again(self, session: Session) -> Session:
        """The session as the next server resumes it, when this one is killed now."""
        session.close()
        self._server = self._start()
        return await self._server.open(session.id)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "sessions")


def sent(session: Session) -> str:
    return json.dumps(session.conversation.messages)


async def test_everything_comes_back_in_its_order(desk: Desk) -> None:
    session = desk.begin()
    tools = (ToolSpec("Bash", "runs", {"type": "object", "properties": {"z": {}, "a": {}}}),)
    session.freeze(("shared", "mine äß"), tools)
    session.rename("Title")
    session.conversation.append(user_message("q\n\u2028"))
    session.keep("todo", [{"b": 1, "a": 2}])
    session.keep("todo", [])
    again = await desk.again(session)
    assert (again.system, again.tools, again.title) == (session.system, tools, "Title")
    assert json.dumps(again.tools[0].input_schema) == json.dumps(tools[0].input_schema)
    assert sent(again) == sent(session)
    assert again.kept("todo") == [[{"b": 1, "a": 2}], []]
    assert again.kept("grants") == []
    assert (again.created_at, again.roots) == (session.created_at, ROOTS)


@pytest.mark.parametrize(
    "event",
    [
        TextDelta("a"),
        ThinkingDelta("a"),
        TextDiscarded(),
        AgentProgress("a", "", "", 1, 1),
        Usage(1),
    ],
)
def test_what_other_records_say_as_well_is_not_kept_twice(event: Event) -> None:
    now = datetime.now(UTC)
    assert happened(Envelope("run", 0, event), now) is None
    assert happened(Envelope("run", 0, Notice("Kept.")), now) is not None


def test_lines_that_a_report_told_of_come_back() -> None:
    assert decode(encode(Said(None, citable=(SPAN,)))) == Said(None, citable=(SPAN,))


@pytest.mark.parametrize("appended", [False, True])
async def test_calls_of_a_killed_run_are_answered(desk: Desk, appended: bool) -> None:
    session = desk.begin()
    session.conversation.append(user_message("q"))
    session.received(CALL)
    if appended:
        session.conversation.append(CALL)
    again = await desk.again(session)
    _question, reply, answer = again.conversation.messages
    assert json.dumps(reply) == json.dumps(CALL)
    (result,) = answer["content"]
    assert (result["tool_use_id"], result["is_error"]) == ("t", True)
    assert "interrupted" in result["content"]
    assert again.turns == 1
    once_more = await desk.again(again)  # and only once
    assert sent(once_more) == sent(again)


async def test_a_reply_is_written_once(desk: Desk) -> None:
    session = desk.begin()
    session.conversation.append(user_message("Make it."))
    session.received(CALL)
    session.conversation.append(CALL)
    call = ToolCall("t", "Bash", {})
    session.conversation.append(tool_answers([(call, ToolResult("made"))]))
    assert (desk.folder / f"{session.id}.log").read_bytes().count(b'"signature"') == 1
    again = await desk.again(session)
    assert sent(again) == sent(session)


async def test_what_no_message_told_was_not_shown(desk: Desk) -> None:
    session = desk.begin()
    session.reads.remember("a.py", (1, None), "00")
    session.reads.show([SPAN])
    session.conversation.append(CALL)  # killed before the answers
    again = await desk.again(session)
    assert not again.reads.unchanged("a.py", (1, None), "00")
    assert not again.reads.covers(SPAN)


async def test_what_a_message_told_was_shown(desk: Desk) -> None:
    session = desk.begin()
    session.reads.remember("a.py", (1, None), "00")
    session.reads.show([SPAN, SPAN])
    session.conversation.append(user_message("here it is"))
    again = await desk.again(session)
    assert again.reads.unchanged("a.py", (1, None), "00")
    assert again.reads.covers(SPAN)
    assert not again.reads.covers(Span(SPAN.uri, SPAN.sha256, 2, 5))


async def test_a_compacted_conversation_goes_on_from_there(desk: Desk) -> None:
    session = desk.begin()
    session.conversation.append(user_message("early"))
    session.conversation.append({"role": "assistant", "content": [{"type": "text", "text": "a"}]})
    session.freeze(("new",), ())
    session.restart([user_message("summary")])
    session.conversation.append(user_message("later"))
    again = await desk.again(session)
    assert sent(again) == json.dumps([user_message("summary"), user_message("later")])
    assert (again.system, again.turns) == (("new",), 1)


async def test_records_of_a_later_version_stay_and_are_passed_over(desk: Desk) -> None:
    session = desk.begin()
    session.conversation.append(user_message("q"))
    session.close()
    opened = Logs(str(desk.folder)).open(session.id)
    assert not isinstance(opened, NotOpened)
    with opened[0] as log:
        log.append([b'{"kind":"hologram","shape":[1,2]}'])
    again = await desk.again(session)
    again.conversation.append(user_message("more"))
    assert b"hologram" in (desk.folder / f"{session.id}.log").read_bytes()
    assert sent(await desk.again(again)) == sent(again)


@pytest.mark.parametrize(
    "line", [b"", b"[]", b"{}", b'{"kind":"said"}', b'{"kind":"begun","id":1}']
)
def test_a_record_that_is_none(line: bytes) -> None:
    with pytest.raises(StoreUnavailable, match="another version"):
        decode(line)


async def test_an_append_costs_the_same_after_ten_thousand(desk: Desk) -> None:
    session = desk.begin()
    log = desk.folder / f"{session.id}.log"
    sizes = []
    for number in range(10_000):
        session.conversation.append(user_message(f"{number:05}" + "x" * 50))
        if number in (0, 1, 9_998, 9_999):
            sizes.append(log.stat().st_size)
    assert sizes[1] - sizes[0] == sizes[3] - sizes[2]
    again = await desk.again(session)
    assert sent(again) == sent(session)


async def test_where_nothing_is_to_be_kept(tmp_path: Path) -> None:
    sessions = Sessions(lambda: ROOTS, print, Retention(90, 0, 0), tmp_path / "sessions")
    session = sessions.create("title")
    session.conversation.append(user_message("q"))
    assert [item.head.title for item in await sessions.all()] == ["title"]
    assert not (tmp_path / "sessions").exists()
    await sessions.delete(session.id)
    assert await sessions.all() == []
