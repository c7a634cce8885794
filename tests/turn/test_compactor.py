"""A run whose window fills up goes on in a compacted conversation."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from glossator.application.toolbox import reading_tools
from glossator.core.errors import RequestTooLong
from glossator.core.events import Event, Notice, TextDiscarded
from glossator.core.tool_result import ToolResult
from glossator.hooks.execution import HookAnswer
from glossator.llm.conversation import Conversation, user_message
from glossator.sessions.compaction.compaction import CarriedState, Compacted, Compactor
from glossator.sessions.compaction.kept import KeptTools
from glossator.sessions.compaction.summary import PromptPrefix
from glossator.settings.model import LimitSettings
from glossator.tools.base import ToolArgs
from glossator.turn.loop import run_agent
from glossator.turn.model_request import tool_specs
from glossator.turn.run import Agent, RunOutcome, ToolHooks
from tests.llm.asking import asker
from tests.passing import let_pass
from tests.sessions.compaction.compacting import MUSING, is_asked_for_a_summary, summary_turn
from tests.stage import stage
from tests.standin import HttpError, SlowHeaders, Text, Thinking, ToolUse, Turn
from tests.turn.running import LoneRun
from tests.turn.test_loop import FILES

SYSTEM = ("System.",)


async def run(
    root: Path,
    script: Callable[[dict[str, Any]], Turn],
    share: float | None,
    turns: int = 40,
    hooks: ToolHooks | None = None,
) -> tuple[RunOutcome, list[Compacted], list[Event], list[dict[str, Any]]]:
    """One question, answered in a window of a million tokens."""
    told: list[Compacted] = []
    events: list[Event] = []
    tools = reading_tools()
    conversation = Conversation((user_message("What does greet do?"),))
    async with stage(root, FILES, []) as s, asker(script, max_retries=0) as ask:
        session = s.app.sessions.create()

        def compacted(change: Compacted) -> None:
            told.append(change)
            session.reads.forget_ranges()

        frame = PromptPrefix(SYSTEM, tool_specs(tools))
        compactor = Compactor(
            conversation,
            ask.model,
            frame,
            KeptTools(),
            CarriedState,
            compacted,
            share,
            events.append,
        )
        context = LoneRun(
            ask.model,
            show=events.append,
            context=lambda: s.reading(session),
            compactor=compactor,
            hooks=hooks,
        )
        agent = Agent(
            "main",
            SYSTEM,
            tools,
            LimitSettings(repeats=4, seconds=300, tokens=10**9, turns=turns),
        )
        outcome = await run_agent(agent, conversation, context)
        assert ask.api.refusals == []
        return outcome, told, events, [request.body for request in ask.api.requests]


class Player:
    """Reads the same file again and again; the fourth reply fills the window."""

    def __init__(self, full: Turn, summary: Turn | None = None, after: str = "main.py") -> None:
        self.full, self.after = full, after
        self.summary = summary or summary_turn()
        self.turns = 0

    def __call__(self, body: dict[str, Any]) -> Turn:
        if is_asked_for_a_summary(body):
            return self.summary
        self.turns += 1
        if self.turns == 4:
            return self.full
        if self.turns > 6:
            return Turn(Text("It greets."))
        path = "app.py" if self.turns < 4 else self.after
        return Turn(MUSING, Thinking(f"Look {self.turns}."), ToolUse("Read", {"path": path}))


FILLING = Turn(
    Thinking("Big."),
    ToolUse("Read", {"path": "main.py"}),
    usage={"cache_read_input_tokens": 850_000},
)
TOO_LONG = (
    Turn(fault=HttpError(400, message="prompt is too long: 1000001 tokens > 1000000 maximum")),
    Turn(fault=HttpError(413)),
)
OVERFLOWING = Turn(Text("I was about to"), stop_reason="model_context_window_exceeded")


async def test_at_its_share_of_the_window_it_is_compacted(tmp_path: Path) -> None:
    outcome, told, events, bodies = await run(tmp_path, Player(FILLING), 0.8)
    assert (outcome.stop, outcome.text) == ("answered", "It greets.")
    (change,) = told
    assert change.by_model
    assert not [event for event in events if isinstance(event, TextDiscarded | Notice)]
    lengths = [len(body["messages"]) for body in bodies]
    assert lengths[3:6] == [7, 10, lengths[5]]
    assert lengths[5] < 10
    assert bodies[5]["diagnostics"] == {"previous_message_id": None}


class EndingHooks:
    """Ends the run after so many calls; implements `ToolHooks`."""

    def __init__(self, calls: int) -> None:
        self._left = calls

    @property
    def halted(self) -> bool:
        return self._left <= 0

    def concern(self, tool: str) -> bool:
        return True

    async def before(self, tool: str, args: ToolArgs, call_id: str) -> HookAnswer:
        return HookAnswer()

    async def after(self, tool: str, args: ToolArgs, result: ToolResult, call_id: str) -> None:
        self._left -= 1


async def test_after_a_hook_ended_the_run_nothing_is_compacted(tmp_path: Path) -> None:
    """Also if that was in the last turn, before whose last word there would be room to make."""
    outcome, told, _, bodies = await run(
        tmp_path, Player(FILLING), 0.8, turns=4, hooks=EndingHooks(4)
    )
    assert (outcome.stop, told) == ("hook", [])
    assert not any(map(is_asked_for_a_summary, bodies))


async def test_a_reply_that_does_not_fit_is_asked_for_again(tmp_path: Path) -> None:
    outcome, told, events, bodies = await run(tmp_path, Player(OVERFLOWING), None)
    assert (outcome.stop, outcome.text, len(told)) == ("answered", "It greets.", 1)
    assert len([event for event in events if isinstance(event, TextDiscarded)]) == 1
    assert "I was about to" not in str(bodies[5:])


async def test_in_the_last_turn_no_room_is_made(tmp_path: Path) -> None:
    """There is no turn left to use it."""
    outcome, told, _, bodies = await run(tmp_path, Player(OVERFLOWING), 0.8, turns=4)
    assert (outcome.stop, told, len(bodies)) == ("context full", [], 4)


async def test_a_reply_that_was_paused_and_does_not_fit_begins_again(tmp_path: Path) -> None:
    turns = 0

    def play(body: dict[str, Any]) -> Turn:
        nonlocal turns
        if is_asked_for_a_summary(body):
            return summary_turn()
        turns += 1
        if turns == 4:
            return Turn(Text("Half a reply."), stop_reason="pause_turn")
        if turns == 5:
            assert "Half a reply." in str(body["messages"])
            return OVERFLOWING
        if turns > 5:
            return Turn(Text("It greets."))
        return Turn(MUSING, ToolUse("Read", {"path": "app.py"}))

    outcome, told, events, bodies = await run(tmp_path, play, None)
    assert (outcome.stop, outcome.text, len(told)) == ("answered", "It greets.", 1)
    assert "Half a reply." not in str(bodies[-1])
    assert len([event for event in events if isinstance(event, TextDiscarded)]) == 1


@pytest.mark.parametrize("full", [FILLING, OVERFLOWING], ids=["ahead", "when it is full"])
async def test_after_a_compaction_a_call_is_no_repetition(tmp_path: Path, full: Turn) -> None:
    """What the same call gave before may be gone."""
    outcome, told, _, bodies = await run(tmp_path, Player(full, after="app.py"), 0.8)
    assert (outcome.stop, len(told)) == ("answered", 1)
    assert "Not run" not in str(bodies)


@pytest.mark.parametrize("refusal", TOO_LONG, ids=lambda turn: turn.fault.status)
async def test_a_request_that_does_not_fit_is_sent_shorter(tmp_path: Path, refusal: Turn) -> None:
    """The provider counts what is sent, and refuses it before any reply begins."""
    outcome, told, _, bodies = await run(tmp_path, Player(refusal), 0.8)
    assert (outcome.stop, outcome.text, len(told)) == ("answered", "It greets.", 1)
    assert is_asked_for_a_summary(bodies[4])
    assert len(bodies[5]["messages"]) < len(bodies[3]["messages"])


@pytest.mark.parametrize("refusal", TOO_LONG, ids=lambda turn: turn.fault.status)
async def test_a_request_that_cannot_be_made_to_fit_fails(tmp_path: Path, refusal: Turn) -> None:
    with pytest.raises(RequestTooLong, match="The conversation is kept"):
        await run(tmp_path, lambda _body: refusal, 0.8)


async def test_switched_off_it_is_left_as_it_is(tmp_path: Path) -> None:
    outcome, told, _, bodies = await run(tmp_path, Player(FILLING), None)
    assert (outcome.stop, told) == ("answered", [])
    assert len(bodies) == 7


async def test_where_nothing_can_go_the_run_ends(tmp_path: Path) -> None:
    outcome, told, _, _ = await run(tmp_path, lambda _body: OVERFLOWING, 0.8)
    assert (outcome.stop, told) == ("context full", [])


@pytest.mark.parametrize("status", [529, 500])
async def test_without_a_summary_now_the_run_goes_on(tmp_path: Path, status: int) -> None:
    player = Player(FILLING, Turn(fault=HttpError(status)))
    outcome, told, events, _ = await run(tmp_path, player, 0.8)
    assert (outcome.text, told) == ("It greets.", [])
    (notice,) = [event for event in events if isinstance(event, Notice)]
    assert "could not be compacted now" in notice.message


async def test_what_gains_nothing_is_told_once_and_tried_when_there_is_more(tmp_path: Path) -> None:
    """Every turn is over the share, and every summary is longer than what it stands for."""
    asked: list[int] = []
    turns = 0

    def play(body: dict[str, Any]) -> Turn:
        nonlocal turns
        if is_asked_for_a_summary(body):
            asked.append(turns)
            return summary_turn(decisions=["So much to say."] * 20_000)
        turns += 1
        if turns == 16:
            return Turn(Text("It greets."))
        usage = {"cache_read_input_tokens": 800_000 + 10_000 * turns}
        return Turn(MUSING, ToolUse("Glob", {"pattern": f"*{turns}"}), usage=usage)

    outcome, told, events, _ = await run(tmp_path, play, 0.8)
    assert (outcome.text, told) == ("It greets.", [])
    assert asked == [1, 9]  # at the first turn, and 80,000 tokens on
    (notice,) = [event for event in events if isinstance(event, Notice)]
    assert "was not compacted" in notice.message


async def test_a_window_that_stays_full_ends_the_run(tmp_path: Path) -> None:
    """Each compaction gains less than the one before, until there is nothing to gain."""
    calls = 0

    def play(body: dict[str, Any]) -> Turn:
        nonlocal calls
        if is_asked_for_a_summary(body):
            return summary_turn()
        calls += 1
        glob = ToolUse("Glob", {"pattern": f"*{calls}"})
        return Turn(MUSING, glob) if calls < 10 else OVERFLOWING

    outcome, told, _, _ = await run(tmp_path, play, None)
    assert outcome.stop == "context full"
    assert told
    assert all(change.after < change.before for change in told)


async def test_the_run_ends_in_time_while_a_summary_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = Turn(Text("{"), fault=SlowHeaders(asyncio.Event()))
    player = Player(FILLING, slow)

    def play(body: dict[str, Any]) -> Turn:
        if is_asked_for_a_summary(body):
            let_pass(monkeypatch, 280)
        return player(body)

    outcome, told, _, _ = await run(tmp_path, play, 0.8)
    assert (outcome.stop, told) == ("time", [])
