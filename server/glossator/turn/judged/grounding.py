"""After an answer: its sentences are judged and corrected, and what holds is remembered.

An answer that speaks of a change which was not made is contradicted by a line under it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from glossator.application import Application
from glossator.core.errors import ModelError
from glossator.core.events import CitationChecked, DiscardReason, Notice, TextDelta, TextDiscarded
from glossator.core.run_events import Correction
from glossator.core.span import CitationStatus
from glossator.grounding import (
    CheckedAnswer,
    CheckedStatement,
    Established,
    Sources,
    Verdict,
    corrections,
    faults,
)
from glossator.llm import ContentBlock, Message, Meter, ask_for_json
from glossator.sessions import Run, Session, words_of_user
from glossator.turn.answering import Answering
from glossator.turn.judged.judge import Judging
from glossator.turn.judged.new_facts import memorise
from glossator.turn.orchestrator import Signal
from glossator.turn.run import RunOutcome, Stop
from glossator.turn.told.changes import changes_of, texts_before
from glossator.turn.told.facts import known_lines

SECONDS = 20.0  # for all of it
ROUNDS = 2  # in which sentences are rewritten

_FAILED = frozenset({CitationStatus.UNSUPPORTED, CitationStatus.CONTRADICTED})


@dataclass(frozen=True, slots=True)
class CorrectedAnswer:
    """An answer after its corrections, with the verdicts on its text as it is now."""

    text: str
    checked: CheckedAnswer
    corrections: tuple[Correction, ...] = ()


def is_to_correct(app: Application, session: Session, answer: CorrectedAnswer) -> bool:
    """Whether some sentences did not hold and the settings want them corrected.

    Without a model, and when something was said after the answer, it stays as it is.
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
    """Treat the sentences that did not hold as the settings say, and show the corrected answer.

    A sentence that cannot be rewritten within `SECONDS` stays.
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
        """The answer with as many sentences as possible rewritten to say what their lines say."""
        given_up: set[str] = set()
        unfit: dict[str, str] = {}  # what is wrong with the last reply, by the sentence
        for _ in range(ROUNDS):
            fallen = [
                each
                for each in answer.checked.fallen
                if corrections.can_be_rewritten(answer.text, each.statement)
                and each.statement.text not in given_up
            ][: corrections.MOST]
            if not fallen:
                break
            found = await self._ask(answer.text, fallen, unfit)
            if found is None:
                break
            unfit = {
                each.statement.text: rewrite.unfit
                for at, each in enumerate(fallen)
                if (rewrite := found.get(at)) and rewrite.unfit
            }
            edits = [
                corrections.rewritten(each, rewrite)
                for at, each in enumerate(fallen)
                if (rewrite := found.get(at)) and not rewrite.unfit and _can_stand(each, rewrite)
            ]
            changed = {edit.statement.text for edit in edits}
            given_up |= {each.statement.text for each in fallen} - changed - unfit.keys()
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
        self, answer: str, fallen: Sequence[CheckedStatement], unfit: Mapping[str, str]
    ) -> dict[int, corrections.Rewrite] | None:
        """Ask for new sentences, by the old one's place; None, after a notice, if none came."""
        every = await self.judging.cited(answer)
        by_place = {each.statement.start: each for each in every}
        cited = [by_place[each.statement.start] for each in fallen]
        lines = await self.judging.carrying(cited, every)
        prompt, blocks = corrections.prompt_of(fallen, cited, lines, unfit)
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
    """Whether a new sentence can stand: with lines that support it where the old one cited none."""
    return bool(rewrite.text) and (rewrite.place is not None or not fallen.is_misplaced)


_CHANGED_BY = {  # the argument that says what a call changes
    **dict.fromkeys(("Edit", "MultiEdit", "NotebookEdit", "Write", "Move"), "path"),
    "Rename": "name",
    "Bash": "command",
}
_EDIT_VERBS = (
    "add|appl(?:i)?|adjust|chang|clean|correct|creat|delet|edit|fix|implement|insert|mov|refactor"
    "|remov|renam|replac|rewr|sav|updat|wr"
)
_CLAIMS_CHANGE = re.compile(
    rf"\b(?:I|we)(?:'ve| have| also| now| just)* (?:{_EDIT_VERBS})(?:ed|ote|itten|ten|oved)?\b"
    r"|\b(?:(?:has|have)(?: now| also)* been|was|were|(?:is|are) now) "
    rf"(?:{_EDIT_VERBS})(?:ed|itten|d)\b"
    r"|^(?:Done|Fixed|Updated|Changed|Added|Removed|Renamed|Replaced|Created|Implemented)\b"
    r"|\b(?:Ich habe|wurden?|ist|sind) .{0,80}\b(?:ge(?:ändert|löscht|schrieben)|ersetzt"
    r"|hinzugefügt|angepasst|umbenannt|entfernt|erstellt|behoben)\b",
    re.IGNORECASE | re.MULTILINE,
)
_ADMITS_FAILURE = re.compile(
    r"\b(?:denied|declined|refused|rejected|not (?:been )?(?:made|applied|changed|done|saved"
    r"|allowed|permitted)|(?:could|can|was|were|did)(?: not|n't)|cannot|unable|failed|abgelehnt"
    r"|verweigert|konnte|nicht (?:ge|er|an|um|mög))",
    re.IGNORECASE,
)


class Grounding:
    """Judges the answers of one run, with `judging`, by what its conversation was shown."""

    def __init__(
        self, app: Application, session: Session, run: Run, meter: Meter, answering: Answering
    ) -> None:
        self._app = app
        self._session = session
        self._run = run
        self._meter = meter
        self._flow = answering.flow
        self._has_tasks = answering.has_tasks
        self._established = Established(app.ledger.established, answering.citations_of)
        self._changes = 0  # by which `_before` was read
        self._before: Mapping[str, tuple[str, ...]] = {}
        self.judging = Judging(app, meter, self._sources, show=run.show, tell=run.tell)

    async def faults(self, answer: str) -> str:
        """What the model reads about citations that failed; see `citations.faults`."""
        await self._app.anchors.settled()  # else a fact whose file was just touched would be stale
        mends = self._app.settings.grounding.correction == "rewrite"
        sources = await self._sources()
        return await asyncio.to_thread(partial(faults, mends=mends), answer, sources)

    async def grounded(self, outcome: RunOutcome) -> CorrectedAnswer:
        """Judge the answer by the current texts, correct it, and remember what holds."""
        app, run, text = self._app, self._run, outcome.text
        seconds_left = max(0.0, app.settings.limits.seconds - run.clock.seconds)
        checked = CheckedAnswer()  # of what no model said
        if outcome.by_model:
            checked = await self.judging.judged(text, seconds_left)
        answer = CorrectedAnswer(text, checked)
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
        if is_whole and outcome.turns == 1 and (known := await self._known(answer.checked)):
            facts = "1 fact was" if known == 1 else f"{known} facts were"
            run.emit(Notice(f"{facts} known: nothing was searched again."))
        return answer

    async def _known(self, checked: CheckedAnswer) -> int:
        """How many facts an answer cites that hold; 0 if tasks of a plan searched for it."""
        if self._has_tasks():
            return 0
        holding = (each for each in checked.citations if each.status not in _FAILED)
        ledger, said = self._app.ledger, (each.target.split() for each in holding)
        ids = {each[1] for each in said if each[0] == "fact" and len(each) == 2}
        await self._app.anchors.settled()  # else a fact whose file was just touched would be stale
        return sum(each.id in ids and ledger.is_fresh(each) for each in ledger.all())

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
        """Keep the statements that hold as facts."""
        carried = any(each.verdict is Verdict.SUPPORTED for each in checked.statements)
        if remembers := carried and self._app.settings.facts.enabled:
            self._flow.on(Signal.CARRIED)
        await memorise(self._app, self._session, self._run, checked.statements)
        self._flow.on(Signal.REMEMBERED if remembers else Signal.CHECKED)

    async def _sources(self) -> Sources:
        app, session, snapshot = self._app, self._session, self._app.host.snapshot()
        known = known_lines(session, app.ledger)
        if (changes := changes_of(app, session)) != self._changes:
            self._before = await texts_before(app, session, self._run)
            self._changes = changes
        return Sources(snapshot, known, session.runs.lines(), self._established, self._before)


def contradiction(session: Session, answer: str) -> str:
    """What an answer says falsely about changes that failed or were denied; "" if nothing."""
    unmade = unmade_edits(session.conversation.messages)
    if not unmade or not contradicts(answer):
        return ""
    return (
        f"The answer speaks of a change, but this was not done: {', '.join(unmade)}. It was denied"
        " or failed. Ask for it again if you want it."
    )


def contradicts(answer: str) -> bool:
    """Whether an answer claims a change, and does not say that nothing was changed."""
    return bool(_CLAIMS_CHANGE.search(answer)) and not _ADMITS_FAILURE.search(answer)


def unmade_edits(messages: Sequence[Message]) -> list[str]:
    """What was to change since the last question, and all tries were denied or failed.

    Of renames, and commands that the user refused, only where nothing else was done: edits may have
    done the same.
    """
    called: dict[str, tuple[str, str]] = {}  # what is to change, and the argument that says so
    made: dict[tuple[str, str], bool] = {}
    for message in messages[_last_question(messages) :]:
        for block in message["content"]:
            if block.get("type") == "tool_use" and block.get("name") in _CHANGED_BY:
                by = _CHANGED_BY[block["name"]]
                called[block["id"]] = str(block["input"].get(by) or "a file"), by
            elif block.get("type") == "tool_result" and block["tool_use_id"] in called:
                what = called[block["tool_use_id"]]
                made[what] = made.get(what, False) or not _is_undone(block, what[1])
    nothing = not any(made.values())
    return [
        what for (what, by), was_made in made.items() if not was_made and (by == "path" or nothing)
    ]


def _is_undone(result: ContentBlock, by: str) -> bool:
    """Whether a call that was to change something did not; commands may only have looked."""
    if not result.get("is_error", False):
        return False
    return by != "command" or "The user refused" in str(result.get("content"))


def _last_question(messages: Sequence[Message]) -> int:
    """The index of the last message that holds the user's words and no results."""
    for number in range(len(messages) - 1, -1, -1):
        results = any(b.get("type") == "tool_result" for b in messages[number]["content"])
        if not results and words_of_user([messages[number]]):
            return number
    return 0
