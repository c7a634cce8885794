import asyncio
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from glossator.core.errors import ModelError, UsageError
from glossator.core.events import (
    Notice,
    RunCancelled,
    RunFailed,
    RunFinished,
    TextDelta,
    ToolFinished,
    ToolStarted,
)
from tests.stage import stage
from tests.standin import (
    HttpError,
    MaxTokensMidTool,
    Text,
    Thinking,
    ToolUse,
    TruncateAt,
    Turn,
)

FILES = {
    "app.py": "def greet(name):\n    return f'hello {name}'\n",
    "main.py": "from app import greet\n\nprint(greet('you'))\n",
}


def without_cache_marks(value: Any) -> Any:
    """The request as the prefix rules see it: cache breakpoints may move."""
    if isinstance(value, dict):
        return {
            key: without_cache_marks(item) for key, item in value.items() if key != "cache_control"
        }
    if isinstance(value, list):
        return [without_cache_marks(item) for item in value]
    return value


async def test_a_run_of_several_turns(tmp_path: Path) -> None:
    """Parallel Grep and Glob, Read, the same Read again, and the answer."""
    script = [
        Turn(
            Thinking("I look for it."),
            ToolUse("Grep", {"pattern": "greet", "output_mode": "content"}),
            ToolUse("Glob", {"pattern": "*.py"}),
        ),
        Turn(ToolUse("Read", {"path": "app.py"})),
        Turn(ToolUse("Read", {"path": "app.py"})),
        Turn(Text("It greets. [cite: doc, app.py, 1-2]")),
    ]
    async with stage(tmp_path, FILES, script) as s:
        answer = await s.ask("What does greet do?")

        first, second = s.results(1).values()
        assert "app.py\n1:def greet(name):" in first["content"]
        assert sorted(second["content"].splitlines()) == ["app.py", "main.py"]
        assert next(iter(s.results(2).values()))["content"] == (
            "1\tdef greet(name):\n2\t    return f'hello {name}'"
        )
        assert "unchanged" in next(iter(s.results(3).values()))["content"]

        bodies = [without_cache_marks(request.body) for request in s.api.requests]
        for earlier, later in pairwise(bodies):
            assert json.dumps(earlier["system"]) == json.dumps(later["system"])
            assert json.dumps(earlier["tools"]) == json.dumps(later["tools"])
            kept = later["messages"][: len(earlier["messages"])]
            assert json.dumps(earlier["messages"]) == json.dumps(kept)

        assert answer.stop == "answered"
        assert answer.turns == 4
        assert [(c.target, c.status, c.first_line) for c in answer.citations] == [
            ("app.py", "read", 1)
        ]
        assert [envelope.seq for envelope in s.port.envelopes] == list(range(len(s.port.envelopes)))
        started = [event.tool for event in s.port.of(ToolStarted)]
        assert started == ["Grep", "Glob", "Read", "Read"]
        assert "".join(e.text for e in s.port.of(TextDelta)) == answer.text
        assert isinstance(s.port.events[-1], RunFinished)


async def test_both_calls_of_a_reply_start_before_one_ends(tmp_path: Path) -> None:
    script = [
        Turn(ToolUse("Grep", {"pattern": "a"}), ToolUse("Grep", {"pattern": "b"})),
        Turn(Text("done")),
    ]
    async with stage(tmp_path, FILES, script) as s:
        await s.ask("?")
        order = [type(e) for e in s.port.events if isinstance(e, ToolStarted | ToolFinished)]
        assert order[:2] == [ToolStarted, ToolStarted]


async def test_failures_are_results_the_model_can_act_on(tmp_path: Path) -> None:
    script = [
        Turn(
            ToolUse("Nonsense", {}, id="a"),
            ToolUse("Read", {}, id="b"),
            ToolUse("Read", {"path": "gone.py"}, id="c"),
            ToolUse("Grep", {"pattern": "("}, id="d"),
            ToolUse("Read", {"path": "app.py"}, id="e"),
        ),
        Turn(Text("done")),
    ]
    async with stage(tmp_path, FILES, script) as s:
        await s.ask("?")
        results = s.results(1)
        assert [results[key].get("is_error", False) for key in "abcde"] == [True] * 4 + [False]
        assert (
            "The tools are AskUser, Bash, Edit, Explore, Fork, Glob, Grep"
            in results["a"]["content"]
        )
        assert "path: Field required" in results["b"]["content"]
        assert "Glob" in results["c"]["content"]


async def test_a_call_cut_by_max_tokens_is_never_run(tmp_path: Path) -> None:
    script = [
        Turn(ToolUse("Read", {"path": "app.py"}), fault=MaxTokensMidTool()),
        Turn(Text("I answer without it.")),
    ]
    async with stage(tmp_path, FILES, script) as s:
        answer = await s.ask("?")
        assert answer.text == "I answer without it."
        assert s.port.of(ToolStarted) == []
        (result,) = s.results(1).values()
        assert result["is_error"] is True
        assert "length limit" in result["content"]


async def test_a_cut_stream_is_asked_again_and_nothing_of_it_is_used(tmp_path: Path) -> None:
    script = [
        Turn(ToolUse("Read", {"path": "app.py"}), fault=TruncateAt(700)),
        Turn(Text("Whole.")),
    ]
    settings = {"models": {"maxRetryWait": 0.001}}
    async with stage(tmp_path, FILES, script, settings) as s:
        answer = await s.ask("?")
        assert answer.text == "Whole."
        assert s.port.of(ToolStarted) == []
        assert len(s.port.of(Notice)) == 1
        assert s.sent(0)["messages"] == s.sent(1)["messages"]


async def test_a_failing_provider_fails_the_run_and_leaves_the_session_usable(
    tmp_path: Path,
) -> None:
    script = [
        Turn(Text("x"), fault=HttpError(401, "authentication_error", "bad key")),
        Turn(Text("Now it works.")),
    ]
    async with stage(tmp_path, FILES, script) as s:
        session = s.app.sessions.create()
        with pytest.raises(ModelError, match="ANTHROPIC_API_KEY"):
            await s.ask("?", session_id=session.id)
        assert isinstance(s.port.events[-1], RunFailed)
        answer = await s.ask("again?", session_id=session.id)
        assert answer.text == "Now it works."


async def test_cancel_closes_the_stream_and_asks_nothing_more(tmp_path: Path) -> None:
    script = [Turn(Text("a long answer " * 20), gate=asyncio.Event())]
    async with stage(tmp_path, FILES, script) as s:
        asked = asyncio.create_task(s.ask("?", run_id="r1"))
        await s.api.wait_for_requests(1)
        cancelled_at = asyncio.get_running_loop().time()
        assert s.app.runs.cancel("r1") == ("r1",)
        with pytest.raises(asyncio.CancelledError):
            await asked
        left = await s.api.wait_for_disconnect()
        assert left.disconnected_at is not None
        assert left.disconnected_at - cancelled_at < 0.2  # seconds; a requirement, not a timing
        assert isinstance(s.port.events[-1], RunCancelled)
        assert s.app.runs.active() == ()
        assert len(s.api.requests) == 1


async def test_a_session_cancelled_inside_a_tool_can_go_on(tmp_path: Path) -> None:
    script = [Turn(ToolUse("Grep", {"pattern": "greet"}, id="g")), Turn(Text("Later."))]
    async with stage(tmp_path, FILES, script) as s:
        session = s.app.sessions.create()

        def cancel_when_a_tool_starts(envelope: Any) -> None:
            s.port.envelopes.append(envelope)
            if isinstance(envelope.event, ToolStarted):
                s.app.runs.cancel()

        s.port.emit = cancel_when_a_tool_starts  # type: ignore[method-assign] # the test's lever
        with pytest.raises(asyncio.CancelledError):
            await s.ask("?", session_id=session.id)
        answer = await s.ask("again?", session_id=session.id)
        assert answer.text == "Later."
        content = [part for message in s.sent(1)["messages"] for part in message["content"]]
        (result,) = [part for part in content if part["type"] == "tool_result"]
        assert (result["tool_use_id"], result["is_error"]) == ("g", True)


async def test_what_was_finished_before_a_cancel_is_kept(tmp_path: Path) -> None:
    """Else the next Read would say "unchanged" of lines that the model was never shown."""
    script = [
        Turn(
            ToolUse("Read", {"path": "app.py"}, id="r"), ToolUse("Search", {"query": "x"}, id="s")
        ),
        Turn(Text("Later.")),
    ]
    async with stage(tmp_path, FILES, script) as s:
        session = s.app.sessions.create()

        def cancel_when_a_tool_ends(envelope: Any) -> None:
            s.port.envelopes.append(envelope)
            if isinstance(envelope.event, ToolFinished):
                s.app.runs.cancel()

        s.port.emit = cancel_when_a_tool_ends  # type: ignore[method-assign] # the test's lever
        with pytest.raises(asyncio.CancelledError):
            await s.ask("?", session_id=session.id)
        finished = {event.call_id for event in s.port.of(ToolFinished)}
        await s.ask("again?", session_id=session.id)
        content = [part for message in s.sent(1)["messages"] for part in message["content"]]
        results = [part for part in content if part["type"] == "tool_result"]
        kept = {part["tool_use_id"] for part in results if not part.get("is_error")}
        assert kept == finished
        assert finished


async def test_a_session_answers_one_question_at_a_time(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with stage(tmp_path, FILES, [Turn(Text("one"), gate=gate)]) as s:
        session = s.app.sessions.create()
        first = asyncio.create_task(s.ask("1", session_id=session.id))
        await s.api.wait_for_requests(1)
        with pytest.raises(UsageError, match="answering already"):
            await s.ask("2", session_id=session.id)
        gate.set()
        assert (await first).text == "one"


async def test_a_question_waits_for_an_undo_and_for_the_end_of_a_run_that_is_over(
    tmp_path: Path,
) -> None:
    async with stage(tmp_path, FILES, [Turn(Text("one")), Turn(Text("two"))]) as s:
        session = s.app.sessions.create()
        async with s.app.runs.claim(session.id, briefly=True):
            first = asyncio.create_task(s.ask("1", session_id=session.id))
            await asyncio.sleep(0)
        assert (await first).text == "one"
        async with s.app.runs.open(session.id, None) as run:
            run.emit(RunFinished("answered"))
            second = asyncio.create_task(s.ask("2", session_id=session.id))
            await asyncio.sleep(0)
        assert (await second).text == "two"


async def test_a_line_alone_is_summed_up_by_itself(tmp_path: Path) -> None:
    read = ToolUse("Read", {"path": "main.py", "offset": 3})
    async with stage(tmp_path, FILES, [Turn(read), Turn(Text("Done."))]) as s:
        await s.ask("?")
        assert [e.summary for e in s.port.of(ToolFinished)] == ["line 3 of 3"]


async def test_an_unread_citation_is_marked(tmp_path: Path) -> None:
    script = [Turn(Text("It is so. [cite: doc, app.py, 1-2] [cite: doc, gone.py, 3]"))] * 2
    async with stage(tmp_path, FILES, script) as s:
        answer = await s.ask("?")
        assert [(c.status, c.reason) for c in answer.citations] == [
            ("unsupported", "Lines 1-2 were not read."),
            ("unsupported", "gone.py does not exist."),
        ]
