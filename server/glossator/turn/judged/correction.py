"""Corrects an answer whose lines do not carry it, before the conversation goes on.

The fast model rewrites the sentences that fell, from the lines that they cite, at most so many
times as `ROUNDS` says; what still falls is marked. Offline answers quote, so they stay.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from glossator.application import Application
from glossator.core.errors import ModelError
from glossator.core.events import DiscardReason, TextDelta, TextDiscarded
from glossator.core.run_events import Correction
from glossator.grounding import CheckedAnswer, CheckedStatement, corrections
from glossator.llm import Meter, ask_for_json
from glossator.sessions import Run, Session
from glossator.turn.judged.judge import Judging

SECONDS = 20.0  # for all of it
ROUNDS = 2  # in which sentences are rewritten


@dataclass(frozen=True, slots=True)
class CorrectedAnswer:
    """An answer after its corrections, with the verdicts on its text as it is now."""

    text: str
    checked: CheckedAnswer
    corrections: tuple[Correction, ...] = ()


def is_to_correct(app: Application, session: Session, answer: CorrectedAnswer) -> bool:
    """Whether sentences fell and the settings want them corrected.

    An answer stays as it is without a model, and if something was said after it.
    """
    is_left = app.settings.grounding.correction == "off" or app.model.offline
    return not is_left and bool(answer.checked.fallen) and session.ends_with(answer.text)


async def correct(
    app: Application,
    session: Session,
    run: Run,
    meter: Meter,
    judging: Judging,
    answer: CorrectedAnswer,
) -> CorrectedAnswer:
    """Do with the sentences that fell what the settings say, and show the answer as it is then.

    What cannot be rewritten in `SECONDS` is not.
    """
    how = app.settings.grounding.correction
    corrector = _Corrector(app, run, meter, judging, asyncio.get_running_loop().time() + SECONDS)
    if how == "rewrite":
        answer = await corrector.rewritten(answer)
    edits = [
        corrections.dropped(each) if how == "drop" else corrections.marked(answer.text, each)
        for each in answer.checked.fallen
    ]
    answer = await corrector.edited(answer, edits)
    judging.discard()
    run.emit(TextDiscarded(DiscardReason.CITATIONS))
    run.emit(TextDelta(answer.text))
    session.revise(answer.text)
    for each in answer.corrections:
        run.emit(each)
    return answer


@dataclass(frozen=True, slots=True)
class _Corrector:
    app: Application
    run: Run
    meter: Meter
    judging: Judging
    end: float  # of the time for it, by the loop's clock

    async def rewritten(self, answer: CorrectedAnswer) -> CorrectedAnswer:
        """The answer with as many sentences as can be rewritten so that their lines carry them."""
        given_up: set[str] = set()
        for _ in range(ROUNDS):
            fallen = [
                each
                for each in answer.checked.fallen
                if corrections.can_be_rewritten(answer.text, each.statement)
                and each.statement.text not in given_up
            ][: corrections.MOST]
            if not fallen:
                break
            found = await self._ask(answer.text, fallen)
            if found is None:
                break
            edits = [
                corrections.rewritten(each, rewrite)
                for at, each in enumerate(fallen)
                if (rewrite := found.get(at)) and _can_stand(each, rewrite)
            ]
            changed = {edit.statement.text for edit in edits}
            given_up |= {each.statement.text for each in fallen} - changed
            answer = await self.edited(answer, edits)
        return answer

    async def edited(
        self, answer: CorrectedAnswer, edits: Sequence[corrections.Edit]
    ) -> CorrectedAnswer:
        """The answer with the edits made, judged again."""
        if not edits:
            return answer
        text = corrections.edited(answer.text, edits)
        made = corrections.chained(answer.corrections, answer.text, edits)
        seconds = max(0.0, self.end - asyncio.get_running_loop().time())
        return CorrectedAnswer(text, await self.judging.judged(text, seconds), tuple(made))

    async def _ask(
        self, answer: str, fallen: Sequence[CheckedStatement]
    ) -> dict[int, corrections.Rewrite] | None:
        """The new sentences by the place of the old one; None, after a notice, if there is none."""
        every = {each.statement.start: each for each in await self.judging.cited(answer)}
        cited = [every[each.statement.start] for each in fallen]
        prompt, blocks = corrections.prompt_of(fallen, cited, await self.judging.near(cited))
        tokens, schema = corrections.TOKENS * (len(fallen) + 1), corrections.SCHEMA
        try:
            async with asyncio.timeout_at(self.end):
                reply = await ask_for_json(
                    self.app.models.fast, self.meter, "correct", prompt, tokens, schema
                )
        except TimeoutError:
            why = f"that took more than {SECONDS:g} s."
        except ModelError as error:
            why = str(error)
        else:
            return corrections.texts_in(reply, fallen, blocks)
        self.run.tell(
            "Some sentences are not supported by their lines and could not be rewritten, so they"
            f" are marked: {why}"
        )
        return None


def _can_stand(fallen: CheckedStatement, rewrite: corrections.Rewrite) -> bool:
    """Whether there is a sentence, with lines that carry it where the old one cited none."""
    return bool(rewrite.text) and (rewrite.place is not None or not fallen.is_misplaced)
