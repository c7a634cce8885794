"""The plan in Markdown that an answer in plan mode ends with; the user is asked to start it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from glossator.core.citations import fences, rewrite_citations
from glossator.core.events import Todo, TodoState
from glossator.core.markdown import plain
from glossator.core.permission import Mode
from glossator.core.question import Option, Question
from glossator.core.words import MODES, Act

PLANNED = "planned"  # why a run ended: with a plan
_PLAN_HEADING = re.compile(  # a heading, or bold words that head what follows
    r"^ {0,3}(?:(?P<level>#{1,6})\s+|\*\*)(?:[\d.)]+\s+)?"
    r"(?:(?!(?:why|how|what|no|without)\b)[\w-]+ ){0,3}"
    r"plan[ \t]*(?:$|\*\*(?::|[ \t]*$)|[:#.,(\u2013\u2014-]|(?:for|of|to)\b)",
    re.IGNORECASE | re.MULTILINE,
)
_ANY_HEADING = re.compile(r"^ {0,3}(?P<level>#{1,6})\s", re.MULTILINE)
_HEADING_LEVELS = 6
_PLAN_STEP = re.compile(
    r"^ ?(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(?P<text>\S.*)$", re.MULTILINE
)
_PLACE_IN_STEP = re.compile(r"[ \t]*\(`[^`\n]*`\)")  # as `plan_of` writes it
_MIN_STEPS = 2  # steps that are worth a list
_MAX_STEPS = 50  # as many as the tool Todo takes
_STEP_CHARACTERS = 200

_START_OPTIONS: Mapping[Mode, Option] = {
    mode: Option(f"{Act.START} {label}", f"{detail}.")
    for mode, (label, detail) in MODES.items()
    if mode is not Mode.PLAN
}
_NO_OPTION = Option(Act.LEAVE, "Nothing is done. Words of your own change the plan.")


def offer_plan(plan: str) -> Question:
    """The question whether to start a plan; the user may change the plan."""
    return Question(
        "Start this plan?",
        (*_START_OPTIONS.values(), _NO_OPTION),
        draft=plan,
        refusal=_NO_OPTION.label,
    )


def answered_offer(
    session_id: str, chosen: Sequence[str], words: str, draft: str
) -> tuple[str, dict[str, str]] | None:
    """The command for the user's answer to `offer_plan`, and its argument."""
    if mode := next(
        (each for each, option in _START_OPTIONS.items() if option.label in chosen), None
    ):
        return "glossator.startPlan", {"sessionId": session_id, "mode": mode, "plan": draft}
    if words:
        question = "\n\n".join(filter(None, (words, draft)))
        return "glossator.ask", {"sessionId": session_id, "question": question}
    return None


def plan_of(answer: str) -> str:
    """The section with the plan, its citations made readable; "" if there is none."""
    quoted = fences(answer)
    found = next(
        (each for each in _PLAN_HEADING.finditer(answer) if not _is_within(each, quoted)), None
    )
    if found is None:
        return ""
    ends = (
        each.start()
        for each in _ANY_HEADING.finditer(answer, found.end())
        if len(each["level"]) <= (len(found["level"] or "") or _HEADING_LEVELS)
        and not _is_within(each, quoted)
    )
    plan = answer[found.start() : next(ends, len(answer))].strip()
    return rewrite_citations(plan, lambda mark: f"(`{mark.place}`)")


def steps_of(plan: str) -> tuple[Todo, ...]:
    """The list items of a plan; nested items are left out."""
    quoted = fences(plan)
    found = (each for each in _PLAN_STEP.finditer(plan) if not _is_within(each, quoted))
    texts = (" ".join(plain(_PLACE_IN_STEP.sub("", each["text"])).split()) for each in found)
    steps = {
        text: Todo(text, TodoState.PENDING) for each in texts if (text := each[:_STEP_CHARACTERS])
    }
    return tuple(steps.values())[:_MAX_STEPS] if len(steps) >= _MIN_STEPS else ()


def _is_within(found: re.Match[str], spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= found.start() < end for start, end in spans)
