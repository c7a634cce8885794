"""A plan of tasks that the user sees, and may change, before it is worked on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from glossator.core.grounded_events import PlannedTask
from glossator.core.question import Option, Question, QuestionAnswer
from glossator.core.shown import shown_prose
from glossator.planning import plan_text, read_plan_text

ASKED = "Work on this plan?"
GO_ON = "Go on"
DIRECTLY = "Answer directly"
_OPTIONS = (
    Option(GO_ON, "Run these tasks. To have the plan changed, type what should be different."),
    Option(DIRECTLY, "Without a plan."),
)

AskUser = Callable[[Question], Awaitable[QuestionAnswer]]


async def reviewed(
    ask: AskUser, tasks: Sequence[PlannedTask]
) -> tuple[str, tuple[PlannedTask, ...]]:
    """What the user said, `GO_ON`, `DIRECTLY` or words of their own, and the tasks to go on with.

    It is "" if they said nothing. If the plan cannot be used as they changed it, they are asked
    again and told why.
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
