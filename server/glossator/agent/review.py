"""An answer is looked over before it is final: the model is told once what is wrong with it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from glossator.agent.agent import Outcome, Stop
from glossator.agent.guard import Guard
from glossator.agent.run import RunContext
from glossator.core.errors import ModelError
from glossator.core.events import DiscardReason, Notice, TextDelta, TextDiscarded
from glossator.llm import Conversation, user_message


async def reviewed(
    answer: Outcome,
    conversation: Conversation,
    run: RunContext,
    guard: Guard,
    again: Callable[[], Awaitable[Outcome]],
) -> Outcome:
    """The answer, or the one that `again` gives once the model has heard of its faults.

    The first one stands, and is shown again, where no whole one takes its place: when a limit is
    reached, the model fails, or the run is cancelled.
    """
    if run.review is None or answer.stop is not Stop.ANSWERED or not answer.by_model:
        return answer
    faults = await run.review(answer.text)
    if not faults or guard.exceeded(()):
        return answer
    conversation.append(user_message(faults))
    run.emit(TextDiscarded(DiscardReason.CITATIONS))
    better: Outcome | None = None
    try:
        better = await again()
    except ModelError as error:
        run.emit(
            Notice(f"The answer stands as it was before its citations were corrected. {error}")
        )
    finally:
        if stands := better is None or better.stop is not Stop.ANSWERED or not better.by_model:
            run.emit(TextDiscarded())
            run.emit(TextDelta(answer.text))
    if stands or better is None:
        return replace(answer, turns=guard.turns, spending=guard.meter.spending)
    return better
