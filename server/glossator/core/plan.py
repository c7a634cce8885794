"""The plan that an answer in plan mode ends with, and the offer to start it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from glossator.core.citations import fences, rewrite_citations
from glossator.core.events import Todo, TodoState
from glossator.core.markdown import plain
from glossator.core.question import Option, Question

PLANNED = "planned"  # why a run ended: with a plan

_START: Mapping[str, Option] = {  # by mode
    "ask": Option("Start in ask", "Asks before each change and command."),
    "acceptEdits": Option("Start in acceptEdits", "Edits files; asks before commands."),
    "auto": Option("Start in auto", "Edits files, runs commands in the sandbox."),
}
_HEADING = re.compile(  # a heading, or bold words that head what follows
    r"^ {0,3}(?:(?P<level>#{1,6})\s+|\*\*)(?:[\d.)]+\s+)?"
    r"(?:(?!(?:why|how|what|no|without)\b)[\w-]+ ){0,3}"
    r"plan[ \t]*(?:$|\*\*(?::|[ \t]*$)|[:#.,(\u2013\u2014-]|(?:for|of|to)\b)",
    re.IGNORECASE | re.MULTILINE,
)
_ANY_HEADING = re.compile(r"^ {0,3}(?P<level>#{1,6})\s", re.MULTILINE)
_LEVELS = 6
_STEP = re.compile(
    r"^ ?(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(?P<text>\S.*)$", re.MULTILINE
)
_PLACE = re.compile(r"[ \t]*\(`[^`\n]*`\)")  # as `plan_of` writes it
_FEWEST = 2  # steps that are worth a list
_MOST = 50  # as many as the tool Todo takes
_CHARACTERS = 200
_NO = Option("No", "Nothing is done. Words of your own change the plan.")


def offer(plan: str) -> Question:
    """The question whether to start a plan, which the user may change."""
    return Question("Start this plan?", (*_START.values(), _NO), draft=plan, refusal=_NO.label)


def wanted(
    session_id: str, chosen: Sequence[str], words: str, draft: str
) -> tuple[str, dict[str, str]] | None:
    """The command that does what the user answered to `offer`, and its argument."""
    if mode := next((each for each, option in _START.items() if option.label in chosen), None):
        return "glossator.startPlan", {"sessionId": session_id, "mode": mode, "plan": draft}
    if words:
        question = "\n\n".join(filter(None, (words, draft)))
        return "glossator.ask", {"sessionId": session_id, "question": question}
    return None


def plan_of(answer: str) -> str:
    """The section with the plan, its places as people read them; "" if there is none."""
    quoted = fences(answer)
    found = next((each for each in _HEADING.finditer(answer) if not _within(each, quoted)), None)
    if found is None:
        return ""
    ends = (
        each.start()
        for each in _ANY_HEADING.finditer(answer, found.end())
        if len(each["level"]) <= (len(found["level"] or "") or _LEVELS)
        and not _within(each, quoted)
    )
    plan = answer[found.start() : next(ends, len(answer))].strip()
    return rewrite_citations(plan, lambda mark: f"(`{mark.place}`)")


def steps_of(plan: str) -> tuple[Todo, ...]:
    """The items of the lists of a plan, those below other items left out."""
    quoted = fences(plan)
    found = (each for each in _STEP.finditer(plan) if not _within(each, quoted))
    texts = (" ".join(plain(_PLACE.sub("", each["text"])).split()) for each in found)
    steps = {text: Todo(text, TodoState.PENDING) for each in texts if (text := each[:_CHARACTERS])}
    return tuple(steps.values())[:_MOST] if len(steps) >= _FEWEST else ()


def _within(found: re.Match[str], spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= found.start() < end for start, end in spans)
