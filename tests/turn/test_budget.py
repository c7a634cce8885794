"""A run that has cost enough ends politely; one whose price is not known says so."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from glossator.application.toolbox import reading_tools
from glossator.core.events import Notice
from glossator.core.tokens import Price
from glossator.llm.conversation import Conversation, user_message
from glossator.llm.request import ModelOptions
from glossator.settings.model import LimitSettings
from glossator.turn.loop import run_agent
from glossator.turn.run import Agent, RunOutcome
from tests.llm.asking import asker
from tests.stage import Stage, stage
from tests.standin import Text, ToolUse, Turn
from tests.turn.running import LoneRun
from tests.turn.test_loop import FILES


def script(body: dict[str, Any]) -> Turn:
    last = body["messages"][-1]["content"][-1]
    if last["type"] == "text" and "This run is ending" in last["text"]:
        return Turn(Text("This is what I know."))
    return Turn(ToolUse("Grep", {"pattern": f"greet{len(body['messages'])}"}))


async def run(s: Stage, dollars: float, prices: dict[str, Price]) -> tuple[RunOutcome, list[str]]:
    notices: list[str] = []

    def emit(event: object) -> None:
        notices.extend([event.message] if isinstance(event, Notice) else [])

    session = s.app.sessions.create()
    limits = LimitSettings(turns=6, dollars=dollars)
    agent = Agent("main", ("System.",), reading_tools(), limits)
    conversation = Conversation((user_message("?"),))
    async with asker(script, options=ModelOptions(prices=prices)) as ask:
        if not prices:
            ask.model._known.facts = replace(ask.model.facts, price=None)
        context = LoneRun(ask.model, show=emit, context=lambda: s.reading(session))
        outcome = await run_agent(agent, conversation, context)
        assert ask.api.refusals == []
    return outcome, notices


async def test_the_model_has_its_last_word_when_the_money_is_spent(tmp_path: Path) -> None:
    async with stage(tmp_path, FILES, []) as s:
        prices = {"claude-sonnet-5-5": Price(1000, 1000)}
        outcome, notices = await run(s, 1.5, prices)
    assert (outcome.stop, outcome.text) == ("money", "This is what I know.")
    assert outcome.spending.dollars == pytest.approx(outcome.spending.known_dollars)
    assert outcome.spending.known_dollars >= 1.5
    assert notices == ["The run is ending: the limit of $1.50 is reached."]


async def test_an_unknown_price_is_told_once(tmp_path: Path) -> None:
    async with stage(tmp_path, FILES, []) as s:
        outcome, notices = await run(s, 1.5, {})
    assert (outcome.stop, outcome.spending.dollars) == ("turns", None)
    assert [
        notice for notice in notices if "price of claude-sonnet-5-5 is not known" in notice
    ] == [notices[0]]
