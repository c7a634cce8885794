"""What a run asks its user: each time its state machine stands in the state for it."""

from __future__ import annotations

from glossator.core.events import Notice
from glossator.core.ports import EditorPort
from glossator.core.question import Question, QuestionAnswer
from glossator.core.run_events import PlannedTask
from glossator.core.shown import shown_prose
from glossator.sessions import Run
from glossator.turn.orchestrator import Orchestrator, Signal
from glossator.turn.plan.written_plan import ASKED, DIRECTLY, reviewed

_NOBODY = "The user was asked and gave no answer. Take the most cautious reading."
_REVIEWED_OUT = "The plan was changed several times, so the question is answered without one."


class RunQuestions:
    """For one run, whose state machine is `flow`."""

    def __init__(self, port: EditorPort, run: Run, flow: Orchestrator) -> None:
        self._port = port
        self._run = run
        self._flow = flow

    async def of_model(self, question: Question) -> QuestionAnswer:
        """Ask what the model that answers asks; a tool's result tells what was said."""
        return await self._ask(Signal.QUESTION, question)

    async def clarified(self, signal: Signal, question: Question) -> str:
        """Ask about an ambiguity or a conflict; what a model is told of the answer."""
        with self._run.clock.waiting():
            said = _in_words(await self._ask(signal, question))
        self._tell(question.text, said)
        asked = f"The user was asked: {question.text}"
        if said:
            return f"{asked}\nThe user answered: {shown_prose(said)}"
        return f"{asked} ({question.choices})\n{_NOBODY}"

    async def reviewed(self, tasks: tuple[PlannedTask, ...]) -> tuple[str, tuple[PlannedTask, ...]]:
        """What the user said of a plan, and the tasks to go on with; see `plan_review`.

        However often they are told that a change of theirs cannot be used, it is one review. After
        as many as there may be the question is answered directly.
        """
        if not self._flow.may(Signal.REVIEW):
            self._run.emit(Notice(_REVIEWED_OUT))
            return DIRECTLY, ()
        self._flow.on(Signal.REVIEW, ASKED)
        with self._run.clock.waiting():
            said, made = await reviewed(self._port.ask_user, tasks)
        self._flow.on(Signal.CLARIFIED, said)
        self._tell(ASKED, said)
        return said, made

    async def _ask(self, signal: Signal, question: Question) -> QuestionAnswer:
        """Ask in the state for it; more questions than the table knows have none."""
        if is_seen := self._flow.may(signal):
            self._flow.on(signal, _first_line(question.text))
        answer = await self._port.ask_user(question)
        if is_seen:
            self._flow.on(Signal.CLARIFIED, _in_words(answer))
        return answer

    def _tell(self, asked: str, said: str) -> None:
        self._run.emit(Notice(f"{_first_line(asked)} Your answer: {said or 'none'}"))


def _first_line(text: str) -> str:
    return text.partition("\n")[0]


def _in_words(answer: QuestionAnswer) -> str:
    return "; ".join(filter(None, (*answer.chosen, answer.words)))
