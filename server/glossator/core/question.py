"""Questions that only the user answers, the session that asks them, and the plan offered by one.

A run names its session once (`asking_for`), also for its tasks; an edge reads it (`asker`) when it
asks the user. Outside a run no session asks. An answer in plan mode ends with a plan, and the user
is asked whether to start it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol

from glossator.core.citations import fences, rewrite_citations
from glossator.core.events import Todo, TodoState
from glossator.core.markdown import plain
from glossator.core.shown import shown

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


@dataclass(frozen=True, slots=True)
class Option:
    """One of the answers on offer; `detail` says what choosing it means."""

    label: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked; `several` of the options may be chosen, and words of one's own be given.

    `draft` is a text in Markdown, such as a plan, that the user may change before they choose.
    `refusal` is the label of the option that allows nothing, where each other one allows something.
    """

    text: str
    options: tuple[Option, ...]
    several: bool = False
    draft: str = ""
    refusal: str = ""

    @property
    def choices(self) -> str:
        """The options in a row: `one | other`."""
        return " | ".join(option.label for option in self.options)


@dataclass(frozen=True, slots=True)
class QuestionAnswer:
    """The labels of the options chosen, and the user's own words; both may be empty.

    `draft` is the question's draft as the user changed it; empty if they did not.
    """

    chosen: tuple[str, ...] = ()
    words: str = ""
    draft: str = ""

    def __bool__(self) -> bool:
        return bool(self.chosen or self.words)


class Named(Protocol):
    """A session that asks; its title may change while it runs."""

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class Asker:
    """The session that asks, as people see it; both fields are empty if none does."""

    session_id: str = ""
    session_title: str = ""


_session: ContextVar[Named | None] = ContextVar("session that asks", default=None)


@contextmanager
def asking_for(session: Named) -> Iterator[None]:
    """Name the session that asks the user within the block."""
    token = _session.set(session)
    try:
        yield
    finally:
        _session.reset(token)


def asker() -> Asker:
    """The session that asks at this point of the program."""
    session = _session.get()
    return Asker() if session is None else Asker(session.id, shown(session.title))


_START_OPTIONS: Mapping[str, Option] = {  # by mode
    "ask": Option("Start in ask", "Asks before each change and command."),
    "acceptEdits": Option("Start in acceptEdits", "Edits files; asks before commands."),
    "auto": Option("Start in auto", "Edits files, runs commands in the sandbox."),
}
_NO_OPTION = Option("No", "Nothing is done. Words of your own change the plan.")


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
