"""The dispatcher: decides whether a question is answered directly or by a plan of tasks.

The fast model decides. If there is none, or it does not answer in time, the words of the question
decide: the word lists are tuned on one half of `tests/turn/plan/questions.toml` and measured on the
other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from glossator.core.errors import ModelError
from glossator.core.prompts import load_prompt
from glossator.core.shown import in_tags, shown_prose
from glossator.core.tool_result import shorten
from glossator.llm import Meter, Model, ask_for_json

_QUESTION = 4_000  # characters of it that the model reads
_OUTPUT_TOKENS = 60
_MARKS = 2  # of a hard question that make it one

_TO_ACT = re.compile(
    r"(?:please\s+|now\s+|can you\s+|could you\s+)?(?:add|change|clean|convert|create|delete|drop"
    r"|extract|fix|generate|implement|insert|install|make|merge|migrate|move|port|refactor|remove"
    r"|rename|replace|rewrite|run|set|shorten|simplify|split|update|upgrade|use|wrap|write)\b",
    re.IGNORECASE,
)
_COMPARES = re.compile(
    r"\b(?:compar\w+|differences?|differ|inconsisten\w+|diverge\w*)\b", re.IGNORECASE
)
_WEIGHS = re.compile(
    r"\b(?:assess|summari[sz]e|overview|architecture|what would have to|risks?|work together)\b",
    re.IGNORECASE,
)
_EACH = re.compile(
    r"\b(?:each|every|all (?:the )?places|which of|which \w+ could)\b", re.IGNORECASE
)
_LIST = re.compile(r"\w,\s(?:[^,.?;]{1,60},\s)*[^,.?;]{1,60}\b(?:and|or)\s")
_MORE = re.compile(
    r",? and (?:how|what|where|why|which|when|is|are|do|does|under)\b", re.IGNORECASE
)
_CHAIN = re.compile(r"\bfrom\b.{3,60}\bto\b", re.IGNORECASE)
_SIMPLE_BELOW_WORDS = 7  # words; a question of fewer is simple


class PlanChoice(StrEnum):
    """Whether a question is answered by a plan; auto: what the dispatcher says."""

    AUTO = "auto"
    PLAN = "plan"
    DIRECT = "direct"


@dataclass(frozen=True, slots=True)
class PlanQuestion:
    """A question that may be answered by a plan of tasks.

    No plan is made if `plan` is None, whatever the settings say. `attached` are the names of what
    the conversation holds beside the question.
    """

    question: str
    plan: PlanChoice | None
    attached: tuple[str, ...] = ()


class TaskType(StrEnum):
    """How hard a question is."""

    SIMPLE = "SIMPLE"
    COMPLEX = "COMPLEX"


_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"task_type": {"type": "string", "enum": list(TaskType)}},
    "required": ["task_type"],
    "additionalProperties": False,
}


def by_words(question: str) -> TaskType:
    """The type of a question by its words; a request to do something is SIMPLE."""
    text = question.strip()
    if len(text.split()) < _SIMPLE_BELOW_WORDS or _TO_ACT.match(text):
        return TaskType.SIMPLE
    marks = 2 * bool(_COMPARES.search(text)) + 2 * bool(_WEIGHS.search(text))
    marks += sum(bool(each.search(text)) for each in (_EACH, _LIST, _MORE, _CHAIN))
    return TaskType.COMPLEX if marks >= _MARKS else TaskType.SIMPLE


async def dispatch(model: Model, meter: Meter, question: str, summary: str) -> TaskType:
    """The model's decision, from the question and the session's summary. Raises `ModelError`."""
    prompt = load_prompt("grounding/dispatcher").render(
        summary=in_tags(shown_prose(summary) or "This is the first question."),
        question=in_tags(shown_prose(shorten(question, _QUESTION))),
    )
    said = await ask_for_json(model, meter, "dispatch", prompt, _OUTPUT_TOKENS, _SCHEMA)
    try:
        return TaskType(str(said.get("task_type", "")).upper())
    except ValueError as error:
        raise ModelError("The model's reply names no type of task.") from error
