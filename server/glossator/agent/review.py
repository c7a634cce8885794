"""What follows an answer: citations are corrected, and the user's hooks have the model go on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from glossator.agent.guard import Guard
from glossator.agent.run import RunContext, RunOutcome, Stop
from glossator.core.errors import ModelError
from glossator.core.events import DiscardReason, Notice, TextDelta, TextDiscarded
from glossator.llm import Conversation, user_message

MOST_TIMES = 3  # that hooks have the model go on


@dataclass(frozen=True, slots=True)
class Reviewing:
    """The answers of one run; `again` has the model go on with the conversation."""

    conversation: Conversation
    run: RunContext
    guard: Guard
    again: Callable[[], Awaitable[RunOutcome]]

    async def reviewed(self, answer: RunOutcome) -> RunOutcome:
        """The answer; if the review finds faults, the one that the model gives after hearing them.

        The first answer stands, and is shown again, if a limit, a failure or a cancellation
        prevents a second one.
        """
        if self.run.review is None or not _is_whole(answer):
            return answer
        faults = await self.run.review(answer.text)
        if not faults or self.guard.exceeded(()):
            return answer
        why = "before its citations were corrected"
        return (await self._another(answer, faults, DiscardReason.CITATIONS, why))[0]

    async def gone_on(self, answer: RunOutcome) -> RunOutcome:
        """The answer; if hooks have the model go on, the last that it gives, as in `reviewed`."""
        if self.run.go_on is None:
            return answer
        for time in range(MOST_TIMES):
            if not _is_whole(answer) or self.guard.exceeded(()):
                break
            told = await self.run.go_on(time)
            if not told:
                break
            why = "before a hook had the model go on"
            answer, is_new = await self._another(answer, told, DiscardReason.HOOK, why)
            if not is_new:
                break
            answer = await self.reviewed(answer)
        return answer

    async def _another(
        self, answer: RunOutcome, told: str, reason: DiscardReason, why: str
    ) -> tuple[RunOutcome, bool]:
        """The answer after the model was told something, and whether it is another one."""
        self.conversation.append(user_message(told))
        self.run.emit(TextDiscarded(reason))
        better: RunOutcome | None = None
        try:
            better = await self.again()
        except ModelError as error:
            self.run.emit(Notice(f"The answer stands as it was {why}. {error}"))
        finally:
            if stands := better is None or not _is_whole(better):
                self.run.emit(TextDiscarded())
                self.run.emit(TextDelta(answer.text))
        if stands or better is None:
            meter = self.guard.meter
            return replace(answer, turns=self.guard.turns, spending=meter.spending), False
        return better, True


def _is_whole(answer: RunOutcome) -> bool:
    return answer.stop is Stop.ANSWERED and answer.by_model
