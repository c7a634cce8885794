"""How a run ends: by a limit, by the provider, or with an answer after all."""

import asyncio
from pathlib import Path
from typing import Any, ClassVar

import pytest

from glossator.core.errors import ModelError
from glossator.core.events import Notice, TextDelta, TextDiscarded, ToolFinished, ToolStarted
from glossator.core.permission import Access
from glossator.core.tool_result import ToolResult
from glossator.tools.base import ToolArgs, ToolContext
from tests.passing import let_pass
from tests.patience import until
from tests.stage import stage
from tests.standin import (
    HttpError,
    Refused,
    SlowHeaders,
    StreamError,
    Text,
    Thinking,
    ToolUse,
    Turn,
    rate_limited,
)
from tests.turn.test_loop import FILES

LIMITED = {"limits": {"seconds": 60}}
ACTING, LAST_WORD = 45, 15  # what the seconds are for

DONE = Turn(Text("Done."))


@pytest.mark.parametrize(
    ("limits", "stop", "said"),
    [
        ({"turns": 2}, "turns", "limit of 2 turns"),
        ({"tokens": 10}, "tokens", "limit of 10 tokens"),
        ({"repeats": 2}, "repetition", "same call was made 2 times"),
    ],
)
async def test_a_limit_ends_the_run_with_an_answer(
    tmp_path: Path, limits: dict[str, int], stop: str, said: str
) -> None:
    def script(body: dict[str, Any]) -> Turn:
        last = body["messages"][-1]["content"][-1]
        if last["type"] == "text" and "This run is ending" in last["text"]:
            return Turn(Text("This is what I know."))
        return Turn(ToolUse("Grep", {"pattern": "greet"}))

    async with stage(tmp_path, FILES, script, {"limits": limits}) as s:
        answer = await s.ask("?")
        assert answer.stop == stop
        assert answer.text == "This is what I know."
        assert any(said in notice.message for notice in s.port.of(Notice))
        result, reminder = s.api.requests[-1].body["messages"][-1]["content"]
        assert said in reminder["text"]
        if stop == "turns":  # what only reads was run
            assert "is_error" not in result
        else:
            assert result["is_error"] is True
            assert said in result["content"]


async def test_what_the_last_turn_reads_can_be_told(tmp_path: Path) -> None:
    look = ToolUse("Read", {"path": "app.py"})
    final = Turn(Text("It greets [cite: doc, app.py, L1-L1]."))
    async with stage(tmp_path, FILES, [Turn(look), final], {"limits": {"turns": 1}}) as s:
        answer = await s.ask("?")
        assert answer.stop == "turns"
        assert [each.status for each in answer.citations] == ["read"]
        assert len(s.api.requests) == 2


async def test_the_last_turn_changes_nothing(tmp_path: Path) -> None:
    calls = ToolUse("Read", {"path": "app.py"}), ToolUse("Bash", {"command": "touch new"})
    script = [Turn(*calls), Turn(Text("I did nothing."))]
    settings = {"limits": {"turns": 1}, "permissions": {"mode": "auto"}}
    async with stage(tmp_path, FILES, script, settings) as s:
        assert (await s.ask("?")).text == "I did nothing."
        *results, reminder = s.api.requests[-1].body["messages"][-1]["content"]
        assert all("Not run" in each["content"] for each in results)
        assert "limit of 1 turns" in reminder["text"]
        assert not (tmp_path / "new").exists()


async def test_a_model_that_never_stops_is_stopped(tmp_path: Path) -> None:
    script = [Turn(ToolUse("Grep", {"pattern": f"p{n}"})) for n in range(3)]
    async with stage(tmp_path, FILES, script, {"limits": {"turns": 2}}) as s:
        answer = await s.ask("?")
        assert answer.stop == "turns"
        assert "No answer was reached" in answer.text
        assert len(s.api.requests) == 3


class Endless:
    """A tool that never ends by itself."""

    name: ClassVar[str] = "Endless"
    access: ClassVar[Access] = Access.READ
    args: ClassVar[type[ToolArgs]] = ToolArgs
    description = "Waits."

    async def run(self, _args: ToolArgs, _context: ToolContext) -> ToolResult:
        await asyncio.Event().wait()
        raise AssertionError


async def test_time_runs_out_inside_a_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = ToolUse("Endless", id="endless"), ToolUse("Glob", {"pattern": "*"}, id="glob")
    script = [Turn(*calls), Turn(Text("So far."))]
    async with stage(tmp_path, FILES, script, LIMITED) as s:
        s.app.tools = {**s.app.tools, "Endless": Endless()}
        run = asyncio.create_task(s.ask("?"))
        await until(lambda: bool(s.port.of(ToolFinished)))
        let_pass(monkeypatch, ACTING)
        answer = await run
        results = s.results(1)
        assert (
            results["endless"]["content"]
            == "Not finished: the limit of 60 seconds leaves time only to answer."
        )
        assert "app.py" in results["glob"]["content"]
        assert [event.call_id for event in s.port.of(ToolFinished)] == ["glob"]
        assert (answer.stop, answer.text) == ("time", "So far.")


@pytest.mark.parametrize(
    "turn",
    [
        pytest.param(Turn(Text("x"), fault=SlowHeaders(asyncio.Event())), id="no headers"),
        pytest.param(Turn(Text("x" * 40), gate=asyncio.Event()), id="a stream that stands still"),
        pytest.param(Turn(Text("x"), fault=rate_limited(60)), id="a long wait before a retry"),
    ],
)
async def test_time_runs_out_while_the_model_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, turn: Turn
) -> None:
    """What it was saying is dropped, and there is time for a last word."""
    script = [Turn(ToolUse("Glob", {"pattern": "*"})), turn, Turn(Text("So far."))]
    async with stage(tmp_path, FILES, [*script, Turn(Text("Again."))], LIMITED) as s:
        run = asyncio.create_task(s.ask("?"))
        await s.api.wait_for_requests(2)
        await until(lambda: turn.gate is None or bool(s.port.of(TextDelta)))
        let_pass(monkeypatch, ACTING)
        answer = await run
        assert (answer.stop, answer.text, answer.turns) == ("time", "So far.", 2)
        assert "limit of 60 seconds" in s.sent(2)["messages"][-1]["content"][-1]["text"]
        assert len(s.port.of(TextDiscarded)) == (turn.gate is not None)
        again = await s.ask("and now?", session_id=answer.session_id)
        assert again.text == "Again."


async def test_an_answer_that_was_cut_off_stands_if_there_is_no_last_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    never = Turn(Text("x"), fault=SlowHeaders(asyncio.Event()))
    script = [Turn(Text("It greets."), gate=asyncio.Event()), never, Turn(Text("Again."))]
    async with stage(tmp_path, FILES, script, LIMITED) as s:
        run = asyncio.create_task(s.ask("?"))
        await until(lambda: bool(s.port.of(TextDelta)))
        let_pass(monkeypatch, ACTING)
        await s.api.wait_for_requests(2)
        let_pass(monkeypatch, LAST_WORD)
        answer = await run
        assert answer.stop == "time"
        assert answer.text
        assert "It greets.".startswith(answer.text)
        kinds = [
            type(event) for event in s.port.events if isinstance(event, TextDelta | TextDiscarded)
        ]
        assert kinds[-2:] == [TextDiscarded, TextDelta]
        assert (await s.ask("Why?", session_id=answer.session_id)).text == "Again."
        said, asked = s.sent(2)["messages"][-2:]
        assert (said["role"], said["content"][0]["text"]) == ("assistant", answer.text)
        assert [part["text"] for part in asked["content"]] == ["Why?"]


async def test_a_last_word_that_does_not_come_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It must come within the limit of seconds, too."""
    never = [Turn(Text("x"), fault=SlowHeaders(asyncio.Event())) for _ in range(2)]
    async with stage(tmp_path, FILES, [*never, DONE], LIMITED) as s:
        run = asyncio.create_task(s.ask("?"))
        await s.api.wait_for_requests(1)
        let_pass(monkeypatch, ACTING)
        await s.api.wait_for_requests(2)
        assert not (await asyncio.wait({run}, timeout=0.01))[0]
        let_pass(monkeypatch, LAST_WORD)
        answer = await run
        assert answer.stop == "time"
        assert "No answer was reached" in answer.text
        assert (await s.ask("and now?", session_id=answer.session_id)).text == "Done."


async def test_a_refusal_is_told_and_leaves_the_session_usable(tmp_path: Path) -> None:
    script = [Turn(Text("no"), fault=Refused()), Turn(Text("Yes."))]
    async with stage(tmp_path, FILES, script) as s:
        refused = await s.ask("bad?")
        assert refused.stop == "refused"
        assert "declined" in refused.text
        good = await s.ask("good?", session_id=refused.session_id)
        assert good.text == "Yes."


async def test_a_call_in_a_refused_reply_is_neither_run_nor_sent_back(tmp_path: Path) -> None:
    refused = Turn(Text("no"), ToolUse("Glob", {"pattern": "*"}), fault=Refused())
    async with stage(tmp_path, FILES, [refused, Turn(Text("Yes."))]) as s:
        answer = await s.ask("bad?")
        assert answer.stop == "refused"
        assert s.port.of(ToolStarted) == []
        await s.ask("good?", session_id=answer.session_id)
        assert {message["role"] for message in s.sent(1)["messages"]} == {"user"}


async def test_a_full_context_ends_the_run_and_leaves_the_session_valid(tmp_path: Path) -> None:
    full = Turn(
        Text("So far."),
        ToolUse("Glob", {"pattern": "*"}),
        stop_reason="model_context_window_exceeded",
    )
    async with stage(tmp_path, FILES, [full, Turn(Text("Yes."))]) as s:
        answer = await s.ask("?")
        assert (answer.stop, answer.text) == ("context full", "So far.")
        assert s.port.of(ToolStarted) == []
        assert (await s.ask("more?", session_id=answer.session_id)).text == "Yes."


async def test_pauses_end_at_the_limit(tmp_path: Path) -> None:
    script = [Turn(Text(f"part {n}"), stop_reason="pause_turn") for n in range(3)]
    async with stage(tmp_path, FILES, [*script, DONE], {"limits": {"turns": 3}}) as s:
        answer = await s.ask("?")
        assert (answer.stop, answer.text, answer.turns) == ("turns", "Done.", 4)
        assert "limit of 3 turns" in s.sent(3)["messages"][-1]["content"][-1]["text"]


async def test_a_reply_that_is_cut_off_in_its_thinking_has_a_last_word(tmp_path: Path) -> None:
    thinking = Turn(Thinking("Hm."), stop_reason="max_tokens")
    async with stage(tmp_path, FILES, [thinking, DONE, thinking, thinking, DONE]) as s:
        answer = await s.ask("?")
        assert (answer.stop, answer.text) == ("cut off", "Done.")
        assert "reached its length" in s.sent(1)["messages"][-1]["content"][-1]["text"]
        again = await s.ask("?", session_id=answer.session_id)
        assert (again.stop, len(s.api.requests)) == ("cut off", 4)
        assert "ended without an answer" in again.text
        assert (await s.ask("?", session_id=answer.session_id)).text == "Done."


async def test_a_reply_of_thinking_alone_is_no_empty_answer(tmp_path: Path) -> None:
    async with stage(tmp_path, FILES, [Turn(Thinking("Hm."))]) as s:
        assert "without an answer" in (await s.ask("?")).text


async def test_what_no_model_said_is_not_judged(tmp_path: Path) -> None:
    read = Turn(ToolUse("Read", {"path": next(iter(FILES))}))
    async with stage(tmp_path, FILES, [read, Turn(Thinking("Hm."))]) as s:
        answer = await s.ask("?")
        assert "without an answer" in answer.text
        assert answer.uncited == ()


async def test_what_was_shown_of_a_void_reply_is_discarded(tmp_path: Path) -> None:
    fault = StreamError("overloaded_error", "Overloaded", after=20)
    script = [Turn(Text("void " * 100), fault=fault), Turn(Text("Whole."))]
    async with stage(tmp_path, FILES, script, {"models": {"maxRetryWait": 0.001}}) as s:
        answer = await s.ask("?")
        events = s.port.events
        discarded = next(n for n, event in enumerate(events) if isinstance(event, TextDiscarded))
        after = [event.text for event in events[discarded:] if isinstance(event, TextDelta)]
        assert "".join(after) == answer.text == "Whole."
        assert "less than 1 s" in s.port.of(Notice)[0].message


async def test_an_abandoned_question_is_marked(tmp_path: Path) -> None:
    failed = Turn(Text("x"), fault=HttpError(401, "authentication_error", "bad key"))
    async with stage(tmp_path, FILES, [failed, Turn(Text("Two.")), Turn(Text("Three."))]) as s:
        session = s.app.sessions.create()
        with pytest.raises(ModelError):
            await s.ask("one?", session_id=session.id)
        await s.ask("two?", session_id=session.id)
        await s.ask("three?", session_id=session.id)
        texts = [[part["text"] for part in message["content"]] for message in s.sent(2)["messages"]]
        assert [len(text) for text in texts] == [2, 2, 1, 1]  # the first tells the mode
        assert "was not fully answered" in texts[1][0]
