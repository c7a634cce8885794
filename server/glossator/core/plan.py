"""The plan that an answer in plan mode ends with, and the offer to start it."""

from __future__ import annotations

import re
from collections.abc import Mapping

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
    r"^ {0,3}(?:#{1,6}\s+|\*\*)(?:[\d.)]+\s+)?(?:(?!(?:why|how|what|no|without)\b)[\w-]+ ){0,3}"
    r"plan[ \t]*(?:$|\*\*(?::|[ \t]*$)|[:#.,(\u2013\u2014-]|(?:for|of|to)\b)",
    re.IGNORECASE | re.MULTILINE,
)
_STEP = re.compile(r"^ ?(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(?P<text>\S.*)$")
_FEWEST = 2  # steps that are worth a list
_MOST = 50  # as many as the tool Todo takes
_CHARACTERS = 200
_NO = Option("No", "Nothing is done. Words of your own change the plan.")


def offer(plan: str) -> Question:
    """The question whether to start a plan, which the user may change."""
    return Question("Start this plan?", (*_START.values(), _NO), draft=plan)


def chosen_mode(label: str) -> str | None:
    """The mode that an option of `offer` starts the plan in; None for any other."""
    return next((mode for mode, option in _START.items() if option.label == label), None)


def plan_of(answer: str) -> str:
    """The section with the plan, to the end of the answer; "" if there is none."""
    quoted = fences(answer)
    for found in _HEADING.finditer(answer):
        if not any(start <= found.start() < end for start, end in quoted):
            return answer[found.start() :].strip()
    return ""


def steps_of(plan: str) -> tuple[Todo, ...]:
    """The items of the lists of a plan, those below other items left out."""
    quoted = fences(plan)
    steps: dict[str, Todo] = {}
    at = 0
    for line in plan.splitlines(keepends=True):
        found = _STEP.match(line.rstrip())
        if found and not any(start <= at < end for start, end in quoted):
            words = plain(rewrite_citations(found["text"], lambda _: "")).split()
            if text := " ".join(words).replace(" .", ".")[:_CHARACTERS]:
                steps[text] = Todo(text, TodoState.PENDING)
        at += len(line)
    return tuple(steps.values())[:_MOST] if len(steps) >= _FEWEST else ()
