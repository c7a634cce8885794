"""What becomes of a run when a reply goes wrong on its way, and what the user is told."""

import re
from pathlib import Path

import pytest

from glossator.core.errors import ModelError, ModelRefused, ModelUnavailable, StreamCut
from glossator.core.events import Notice, RunFailed, TextDelta, ToolFinished
from tests.stage import stage
from tests.standin import (
    EndBeforeStop,
    Fault,
    HttpError,
    MaxTokensMidTool,
    NoEventNames,
    NoToolInput,
    NoUsage,
    Refused,
    ResetConnection,
    ServerToolUse,
    StreamError,
    Text,
    Thinking,
    ToolUse,
    TruncateAt,
    Turn,
    UnknownBlock,
    UnknownDelta,
    UnknownEvent,
    rate_limited,
    spend_capped,
)
from tests.turn.test_loop import FILES

QUICK = {"models": {"maxRetryWait": 0.001, "maxRetries": 2}}
GLOB = ToolUse("Glob", {"pattern": "*.py"})
BLOCKS = Thinking("Hm."), Text("I look."), GLOB, ToolUse("Glob", {"pattern": "app*"})

ASKED_AGAIN: list[tuple[Fault, str]] = [
    (TruncateAt(100), "broke off"),
    (TruncateAt(2_000), "broke off"),
    (TruncateAt(2_600, in_good_order=True), "closed before the reply was whole"),
    (EndBeforeStop(), "closed before the reply was whole"),
    (ResetConnection(), "cannot be reached"),
    (NoEventNames(), "closed before the reply was whole"),
    *((StreamError(after=deltas), "is overloaded (Overloaded)") for deltas in range(9)),
    (StreamError("api_error", "Oops"), "failed inside (Oops)"),
    (HttpError(529, message="Overloaded"), "is overloaded (Overloaded)"),
    (rate_limited(), "limits the rate of requests"),
    (rate_limited(0.0005), "limits the rate of requests"),
]


@pytest.mark.parametrize(("fault", "said"), ASKED_AGAIN, ids=repr)
async def test_a_void_reply_is_asked_for_again(tmp_path: Path, fault: Fault, said: str) -> None:
    script = [Turn(*BLOCKS, fault=fault), Turn(*BLOCKS), Turn(Text("Done."))]
    async with stage(tmp_path, FILES, script, QUICK) as s:
        answer = await s.ask("?")
        (notice,) = s.port.of(Notice)
        assert said in notice.message
        assert notice.message.endswith("Asking again in less than 1 s (try 2).")
        assert (answer.stop, answer.text, answer.turns) == ("answered", "Done.", 2)
        assert s.sent(0)["messages"] == s.sent(1)["messages"]
        assert len(s.port.of(ToolFinished)) == 2


ENDED: list[tuple[Fault, type[ModelError], str, int]] = [
    (TruncateAt(100), StreamCut, "nothing of it was used. Ask again", 3),
    (StreamError(), ModelUnavailable, "is overloaded", 3),
    (rate_limited(), ModelUnavailable, "limits the rate of requests", 3),
    (rate_limited(3600), ModelUnavailable, r"asks to wait 3600 s.*models\.maxRetryWait", 1),
    (spend_capped(), ModelRefused, "spend limit.*Waiting does not help", 1),
    (StreamError("permission_error", "No."), ModelRefused, "does not allow this", 1),
    (HttpError(413), ModelRefused, "Attach less at once. The conversation is kept", 1),
]


@pytest.mark.parametrize(("fault", "kind", "said", "asked"), ENDED, ids=repr)
async def test_what_does_not_pass_fails_the_run(
    tmp_path: Path, fault: Fault, kind: type[ModelError], said: str, asked: int
) -> None:
    again = Turn(Text("Here again."))
    async with stage(tmp_path, FILES, [*[Turn(*BLOCKS, fault=fault)] * asked, again], QUICK) as s:
        session = s.app.sessions.create()
        with pytest.raises(kind, match=said):
            await s.ask("?", session_id=session.id)
        assert isinstance(s.port.events[-1], RunFailed)
        assert len(s.api.requests) == asked
        assert s.port.of(ToolFinished) == []
        assert (await s.ask("?", session_id=session.id)).text == "Here again."


@pytest.mark.parametrize(
    "fault", [UnknownEvent(), UnknownBlock(), UnknownDelta(), NoToolInput(), NoUsage()], ids=repr
)
async def test_what_nobody_knows_disturbs_nothing(tmp_path: Path, fault: Fault) -> None:
    """An unknown block is sent back; where that is refused, the conversation goes on without."""
    script = [Turn(*BLOCKS, fault=fault), Turn(Text("Done."))]
    async with stage(tmp_path, FILES, script, QUICK) as s:
        assert (await s.ask("?")).text == "Done."
        if isinstance(fault, UnknownBlock):
            assert s.sent(1)["messages"][1]["content"][-1]["type"] == "future_block"
            (notice,) = s.port.of(Notice)
            assert "Left out: a part (future_block)" in notice.message
            s.api.refusals.clear()
        else:
            assert s.port.of(Notice) == []
        assert len(s.port.of(ToolFinished)) == 2


async def test_a_refusal_without_a_reason_is_met_with_another_try(tmp_path: Path) -> None:
    fault = StreamError("invalid_request_error", "No.")
    async with stage(tmp_path, FILES, [Turn(*BLOCKS, fault=fault), Turn(Text("Yes."))], QUICK) as s:
        assert (await s.ask("?")).text == "Yes."
        assert s.sent(0)["messages"] == s.sent(1)["messages"]
        (notice,) = s.port.of(Notice)
        assert "refused the request (No)" in notice.message


STOPPED: list[tuple[Turn, str, str]] = [
    (Turn(Text("No"), fault=Refused("cyber", "It harms.")), "refused", "declined.*It harms"),
    (Turn(*BLOCKS, fault=Refused()), "refused", "declined to answer"),
    (Turn(Text("So far"), stop_reason="max_tokens"), "cut off", "So far"),
    (Turn(Text("So"), stop_reason="model_context_window_exceeded"), "context full", "So"),
]


@pytest.mark.parametrize(("turn", "stop", "said"), STOPPED, ids=range(len(STOPPED)))
async def test_replies_that_end_otherwise(tmp_path: Path, turn: Turn, stop: str, said: str) -> None:
    async with stage(tmp_path, FILES, [turn, Turn(Text("And on."))], QUICK) as s:
        answer = await s.ask("?")
        assert answer.stop == stop
        assert re.search(said, answer.text)
        assert s.port.of(ToolFinished) == []
        assert (await s.ask("?", session_id=answer.session_id)).text == "And on."


async def test_a_pause_goes_on_where_it_was(tmp_path: Path) -> None:
    paused = Turn(
        Thinking("Long."), Text("Half. "), ServerToolUse("web_search"), stop_reason="pause_turn"
    )
    async with stage(tmp_path, FILES, [paused, Turn(Text("Whole."))], QUICK) as s:
        assert (await s.ask("?")).text == "Whole."
        first, resent = s.sent(0)["messages"], s.sent(1)["messages"]
        assert [message["role"] for message in resent] == ["user", "assistant"]
        assert resent[0]["content"][0]["text"] == first[0]["content"][0]["text"]
        assert "".join(delta.text for delta in s.port.of(TextDelta)) == "Half. Whole."


async def test_a_call_cut_by_the_length_limit_is_told_so(tmp_path: Path) -> None:
    script = [Turn(*BLOCKS, fault=MaxTokensMidTool()), Turn(Text("Done."))]
    async with stage(tmp_path, FILES, script, QUICK) as s:
        assert (await s.ask("?")).text == "Done."
        results = list(s.results(1).values())
        assert [result["is_error"] for result in results] == [True, True]
        assert all("reached its length limit" in result["content"] for result in results)
        assert s.port.of(ToolFinished) == []
