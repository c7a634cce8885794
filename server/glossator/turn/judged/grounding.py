"""What follows an answer: its sentences are judged, corrected and remembered.

An answer that speaks of a change which was not made is contradicted by a line under it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from functools import partial

from glossator.application import Application
from glossator.core.events import CitationChecked, Notice
from glossator.grounding import CheckedAnswer, Established, Sources, Verdict, faults
from glossator.llm import Message, Meter
from glossator.sessions import Run, Session, words_of_user
from glossator.turn.answering import Answering
from glossator.turn.judged.correction import CorrectedAnswer, correct, is_to_correct
from glossator.turn.judged.judge import Judging
from glossator.turn.judged.new_facts import memorise
from glossator.turn.orchestrator import Signal
from glossator.turn.run import RunOutcome, Stop
from glossator.turn.told.facts import known_lines

_EDITS = frozenset({"Edit", "MultiEdit", "Write", "Move"})
_DONE = (
    "add|appl(?:i)?|adjust|chang|clean|correct|creat|delet|edit|fix|implement|insert|mov|refactor"
    "|remov|renam|replac|rewr|sav|updat|wr"
)
_CLAIM = re.compile(
    rf"\b(?:I|we)(?:'ve| have| also| now| just)* (?:{_DONE})(?:ed|ote|itten|ten|oved)?\b"
    rf"|\b(?:(?:has|have)(?: now| also)* been|was|were|(?:is|are) now) (?:{_DONE})(?:ed|itten|d)\b"
    r"|^(?:Done|Fixed|Updated|Changed|Added|Removed|Renamed|Replaced|Created|Implemented)\b"
    r"|\b(?:Ich habe|wurden?|ist|sind) .{0,80}\b(?:ge(?:ändert|löscht|schrieben)|ersetzt"
    r"|hinzugefügt|angepasst|umbenannt|entfernt|erstellt|behoben)\b",
    re.IGNORECASE | re.MULTILINE,
)
_ADMITTED = re.compile(
    r"\b(?:denied|declined|refused|rejected|not (?:been )?(?:made|applied|changed|done|saved"
    r"|allowed|permitted)|(?:could|can|was|were|did)(?: not|n't)|cannot|unable|failed|abgelehnt"
    r"|verweigert|konnte|nicht (?:ge|er|an|um|mög))",
    re.IGNORECASE,
)


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
        """What the model reads about citations that failed; see `faults`."""
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


def contradiction(session: Session, answer: str) -> str:
    """What an answer says falsely of edits of its run that were denied or failed; "" if nothing."""
    unmade = unmade_edits(session.conversation.messages)
    if not unmade or not contradicts(answer):
        return ""
    return (
        f"The answer speaks of a change, but this was not changed: {', '.join(unmade)}. The edit"
        " was denied or failed. Ask for it again if you want it."
    )


def contradicts(answer: str) -> bool:
    """Whether an answer says that something was changed, and not that it was not."""
    return bool(_CLAIM.search(answer)) and not _ADMITTED.search(answer)


def unmade_edits(messages: Sequence[Message]) -> list[str]:
    """The files, since the last question, whose edits all failed or were denied."""
    paths: dict[str, str] = {}  # by call
    made: dict[str, bool] = {}
    for message in messages[_last_question(messages) :]:
        for block in message["content"]:
            if block.get("type") == "tool_use" and block.get("name") in _EDITS:
                paths[block["id"]] = str(block["input"].get("path") or "a file")
            elif block.get("type") == "tool_result" and block["tool_use_id"] in paths:
                path = paths[block["tool_use_id"]]
                made[path] = made.get(path, False) or not block.get("is_error", False)
    return [path for path, was_made in made.items() if not was_made]


def _last_question(messages: Sequence[Message]) -> int:
    """The number of the last message with words of the user's and no results."""
    for number in range(len(messages) - 1, -1, -1):
        results = any(b.get("type") == "tool_result" for b in messages[number]["content"])
        if not results and words_of_user([messages[number]]):
            return number
    return 0
