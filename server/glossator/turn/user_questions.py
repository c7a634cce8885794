"""The questions that a run asks its user, each in the state of the machine that is made for it.

The plan of a hard question is asked about as a text that the user may change.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence

from glossator.core.events import Notice
from glossator.core.ports import EditorPort
from glossator.core.question import Option, Question, QuestionAnswer
from glossator.core.run_events import PlannedTask
from glossator.core.shown import shown_prose
from glossator.sessions import Run
from glossator.turn.orchestrator import Orchestrator, Signal
from glossator.turn.plan.planner import read_plan

ASKED = "Work on this plan?"
GO_ON = "Go on"
DIRECTLY = "Answer directly"

_TASK = re.compile(r"^ ?(?:(?P<id>\d{1,3})[.)]|[-*+])[ \t]+(?P<text>.*)$")
_NEEDS = re.compile(r"[ \t]*\(after (?P<ids>[^()]*)\)[ \t.]*$", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")
_OPTIONS = (
    Option(GO_ON, "Run these tasks. To have the plan changed, type what should be different."),
    Option(DIRECTLY, "Without a plan."),
)

AskUser = Callable[[Question], Awaitable[QuestionAnswer]]


def plan_text(tasks: Sequence[PlannedTask]) -> str:
    """The plan as text, a line for each task, such as `3. Compare both. (after 1, 2)`."""
    lines = []
    for task in tasks:
        needs = f" (after {', '.join(task.dependencies)})" if task.dependencies else ""
        lines.append(f"{task.id}. {task.description}{needs}")
    return "\n".join(lines)


def read_plan_text(text: str) -> tuple[tuple[PlannedTask, ...], tuple[str, ...]]:
    """Read a plan that the user changed: its tasks and what is wrong with them, as in `read_plan`.

    The numbers are names, whatever the order; a new task may begin with `-`. A line that begins
    with neither, or is indented, goes on with the task above it; titles and empty lines count for
    nothing.
    """
    items: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if found := _TASK.match(line):
            items.append((found["id"] or "", [found["text"]]))
        elif line.strip() and not line.startswith("#"):
            if not items:
                return (), (f"“{line.strip()}” is no task; begin it with a number or `-`.",)
            items[-1][1].append(line)
    taken = {id_ for id_, _ in items}
    free = (str(number) for number in range(1, 1000) if str(number) not in taken)
    return read_plan([_item(id_ or next(free), lines) for id_, lines in items])


def _item(id_: str, lines: Sequence[str]) -> dict[str, object]:
    said = " ".join(line.strip() for line in lines)
    needs = _NEEDS.search(said)
    return {
        "id": id_,
        "description": said[: needs.start()] if needs else said,
        "dependencies": _NUMBER.findall(needs["ids"]) if needs else [],
    }


async def reviewed(
    ask: AskUser, tasks: Sequence[PlannedTask]
) -> tuple[str, tuple[PlannedTask, ...]]:
    """The user's word on a plan (`GO_ON`, `DIRECTLY` or their own), and the tasks to go on with.

    The word is "" if they said nothing. If their changed plan cannot be used, they are told why and
    asked again.
    """
    plan, fault = plan_text(tasks), ""
    while True:
        text = "\n".join(filter(None, (ASKED, fault, plan)))
        answer = await ask(Question(text, _OPTIONS, draft=plan))
        said = answer.words or "".join(answer.chosen)
        changed = shown_prose(answer.draft).strip() or plan
        if changed == plan_text(tasks):
            return said, tuple(tasks)
        made, wrong = read_plan_text(changed)
        if not wrong:
            return said, made
        if said != GO_ON:
            return said, tuple(tasks)
        plan, fault = changed, f"The changed plan cannot be used. {' '.join(wrong)}"


_NOBODY = "The user was asked and gave no answer. Take the most cautious reading."
_REVIEWED_OUT = "The plan was changed several times, so the question is answered without one."


class RunQuestions:
    """The questions of one run, whose state machine is `flow`."""

    def __init__(self, port: EditorPort, run: Run, flow: Orchestrator) -> None:
        self._port = port
        self._run = run
        self._flow = flow

    async def of_model(self, question: Question) -> QuestionAnswer:
        """Ask the user what the model asks; the tool's result says what they answered."""
        return await self._ask(Signal.QUESTION, question)

    async def clarified(self, signal: Signal, question: Question) -> str:
        """Ask about an ambiguity or a conflict; returns what a model is told of the answer."""
        with self._run.clock.waiting():
            said = _in_words(await self._ask(signal, question))
        self._tell(question.text, said)
        asked = f"The user was asked: {question.text}"
        if said:
            return f"{asked}\nThe user answered: {shown_prose(said)}"
        return f"{asked} ({question.choices})\n{_NOBODY}"

    async def reviewed(self, tasks: tuple[PlannedTask, ...]) -> tuple[str, tuple[PlannedTask, ...]]:
        """What the user said about a plan, and the tasks to go on with; see `plan_review`.

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
        """Ask in the state made for it; a question that the table does not allow gets no answer."""
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
