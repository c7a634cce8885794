"""What follows an answer: its sentences are judged, corrected and remembered."""

from __future__ import annotations

import asyncio
from functools import partial

from glossator.agent import RunOutcome, Stop
from glossator.application import (
    Application,
    CorrectedAnswer,
    Judging,
    correct,
    is_to_correct,
    known_lines,
    memorise,
)
from glossator.core.events import CitationChecked, Notice
from glossator.grounding import CheckedAnswer, Established, Sources, Verdict, faults
from glossator.llm import Meter
from glossator.planning import Signal
from glossator.sessions import Run, Session
from glossator.usecases.answering import Answering
from glossator.usecases.claims import contradiction


class Grounding:
    """Judges the words of one run by what its conversation was shown, with `judging`."""

    def __init__(
        self, app: Application, session: Session, run: Run, meter: Meter, answering: Answering
    ) -> None:
        self._app = app
        self._session = session
        self._run = run
        self._meter = meter
        self._flow = answering.flow
        self._established = Established(app.ledger.established, answering.citations_of)
        self.judging = Judging(app, meter, self._sources, show=run.show, tell=run.tell)

    async def faults(self, answer: str) -> str:
        """What the model reads about citations that failed; see `grounding.verify.faults`."""
        await self._app.anchors.settled()  # else a fact whose file was just touched would be stale
        mends = self._app.settings.grounding.correction == "rewrite"
        return await asyncio.to_thread(partial(faults, mends=mends), answer, self._sources())

    async def grounded(self, outcome: RunOutcome) -> CorrectedAnswer:
        """The answer, judged by the text as it is now, corrected, and what holds remembered."""
        app, run, text = self._app, self._run, outcome.text
        seconds_left = max(0.0, app.settings.limits.seconds - run.clock.seconds)
        answer = CorrectedAnswer(text, await self.judging.judged(text, seconds_left))
        is_whole = outcome.by_model and outcome.stop is Stop.ANSWERED
        if is_whole and is_to_correct(app, self._session, answer):
            answer = await self._corrected(answer)
        for citation in answer.checked.citations:
            run.emit(CitationChecked(citation))
        for claim in answer.checked.uncited:
            run.emit(claim)
        await app.cited.keep(self._session, run, answer.checked.citations)
        await self._remember(answer.checked)
        if outcome.by_model and (denied := contradiction(self._session, answer.text)):
            run.emit(Notice(denied))
        return answer

    async def _corrected(self, answer: CorrectedAnswer) -> CorrectedAnswer:
        number = len(answer.checked.fallen)
        self._flow.on(Signal.FELL, f"{number} sentence{'s' * (number > 1)} to correct")
        # What holds is kept, also if correcting the others is cancelled.
        await memorise(self._app, self._session, self._run, answer.checked.statements)
        answer = await correct(
            self._app, self._session, self._run, self._meter, self.judging, answer
        )
        self._flow.on(Signal.CORRECTED)
        return answer

    async def _remember(self, checked: CheckedAnswer) -> None:
        """Keep what holds as facts."""
        carried = any(each.verdict is Verdict.SUPPORTED for each in checked.statements)
        if remembers := carried and self._app.settings.facts.enabled:
            self._flow.on(Signal.CARRIED)
        await memorise(self._app, self._session, self._run, checked.statements)
        self._flow.on(Signal.REMEMBERED if remembers else Signal.CHECKED)

    def _sources(self) -> Sources:
        session, snapshot = self._session, self._app.host.snapshot()
        known = known_lines(session, self._app.ledger)
        return Sources(snapshot, known, session.runs.lines(), self._established)
