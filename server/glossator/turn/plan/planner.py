"""The decomposer: turns a hard question into a plan of tasks, or asks the user first.

The dispatcher says whether. It asks the fast model, except about a plain request for a change,
which is simple. Where there is no such model, or it does not answer in time, the words of the
question say so: they are tuned on one part of `tests/turn/plan/questions.toml` and measured on the
others.

The decomposer makes the plan of a hard question, or says what has to be asked first. It asks the
main model: one small request, on which all others depend. A plan with faults is repaired by asking
once more with that plan and its faults.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from graphlib import CycleError, TopologicalSorter
from typing import Any

from glossator.core.errors import ModelError
from glossator.core.fact import Fact
from glossator.core.file_kinds import CODE, language_of
from glossator.core.prompts import load_prompt
from glossator.core.question import Option, Question
from glossator.core.run_events import PlannedTask
from glossator.core.shown import in_tags, shown_prose
from glossator.core.tool_result import shorten
from glossator.llm import Meter, Model, ask_for_json
from glossator.turn.plan.task_result import facts_zone
from glossator.workspace import WorkspaceSnapshot

_QUESTION = 4_000  # characters of it that the model reads
_CHOICE_TOKENS = 60
_MARKS = 2  # that make a question hard; one of them says that it is about many things

_TO_ACT = re.compile(
    r"(?:please\s+|now\s+|can you\s+|could you\s+)?(?:add|change|clean|convert|create|delete|drop"
    r"|extract|fix|generate|implement|insert|install|make|merge|migrate|move|port|refactor|remove"
    r"|rename|replace|rewrite|run|set|shorten|simplify|split|update|upgrade|use|wrap|write)\b",
    re.IGNORECASE,
)
_CHANGE = re.compile(  # what is to be done comes first: "Rename …", "Bitte lösche …"
    r"(?:please |now |then |also |bitte |jetzt |nun )*(?:add|bump|change|correct|delete|drop"
    r"|extract|fix|give (?!me\b|us\b|an?\b)|inline|insert|move|remove|rename|replace|set|shorten"
    r"|sort|split|swap|wrap|ändere|behebe|benenne|entferne|ergänze|ersetze|füge|korrigiere|kürze|lösche"
    r"|repariere|setze|sortiere|tausche|teile (?!mir\b|uns\b)|verschiebe)\b(?!.*\?)",
    re.IGNORECASE | re.DOTALL,
)
_LOOKS = re.compile(  # beside the change much is to be looked at, or something to be told
    r"\b(?:analy[sz]\w+|architecture|assess\w*|audit\w*|compar\w+|consisten\w+|differences?|each"
    r"|every|everything|explain\w*|find (?:all|out)|go through|inconsisten\w+|investigat\w+"
    r"|list (?:all|of)|overview|places|report|review\w*|risks?|summar\w+|tell|vulnerabilit\w+"
    r"|whatever|wherever"
    r"|alles|bericht|bewert\w+|erklär\w*|jede[mnrs]?|liste|prüf\w*|risik\w+|stellen|such\w*|überall"
    r"|übersicht|unterschiede?|untersuch\w*|vergleich\w*|zusammenfassung)\b",
    re.IGNORECASE,
)
_LONGEST = 60  # words of a plain request for a change
_COMPARES = re.compile(
    r"\b(?:compar\w+|differences?|differ|inconsisten\w+|diverge\w*)\b", re.IGNORECASE
)
_TWO = re.compile(r"\bbetween\b[^,]+\band\b|\b(?:both|the two|versus|vs)\b", re.IGNORECASE)
_SURVEYS = re.compile(
    r"\b(?:assess|summari[sz]e|overview|architecture|what would have to|risks?)\b", re.IGNORECASE
)
_EACH = re.compile(
    r"\b(?:each|every|all (?:the )?places|which of|which \w+ could)\b", re.IGNORECASE
)
_COUNTED = re.compile(r"\b(?:three|four|five|six|seven|eight|nine|ten|\d+)\s", re.IGNORECASE)
_LIST = re.compile(r"\w,\s(?:[^,.?;]{1,60},\s)*[^,.?;]{1,60}\b(?:and|or)\s")
_MORE = re.compile(
    r",? and (?:how|what|where|why|which|when|is|are|do|does|under)\b", re.IGNORECASE
)
_SHORT = 7  # words; a question of fewer is simple


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


_CHOICE_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"task_type": {"type": "string", "enum": list(TaskType)}},
    "required": ["task_type"],
    "additionalProperties": False,
}


def by_words(question: str) -> TaskType:
    """The type of a question by its words.

    A request to do something is SIMPLE, and so is what is asked of two things and no others.
    """
    text = question.strip()
    if len(text.split()) < _SHORT or _TO_ACT.match(text):
        return TaskType.SIMPLE
    is_wide = any(each.search(text) for each in (_SURVEYS, _EACH, _COUNTED))
    if _TWO.search(text) and not is_wide:
        return TaskType.SIMPLE
    many = sum(bool(each.search(text)) for each in (_EACH, _COUNTED, _LIST))
    more = any(each.search(text) for each in (_COMPARES, _MORE))
    is_hard = _SURVEYS.search(text) or (many and many + more >= _MARKS)
    return TaskType.COMPLEX if is_hard else TaskType.SIMPLE


def asks_for_change(question: str) -> bool:
    """Whether a question plainly asks for a change in some words, so that no model need say so."""
    text = question.strip()
    is_short = len(text.split()) <= _LONGEST
    return is_short and bool(_CHANGE.match(text)) and not _LOOKS.search(text)


async def dispatch(model: Model, meter: Meter, question: str, summary: str) -> TaskType:
    """The model's decision, from the question and the session's summary. Raises `ModelError`."""
    prompt = load_prompt("grounding/dispatcher").render(
        summary=in_tags(shown_prose(summary) or "This is the first question."),
        question=in_tags(shown_prose(shorten(question, _QUESTION))),
    )
    said = await ask_for_json(model, meter, "dispatch", prompt, _CHOICE_TOKENS, _CHOICE_SCHEMA)
    try:
        return TaskType(str(said.get("task_type", "")).upper())
    except ValueError as error:
        raise ModelError("The model's reply names no type of task.") from error


LEAST, MOST = 2, 8  # tasks of a plan

_DESCRIPTION = 1_000  # characters
_OPTIONS = 4
_MAX_NAMED = 8  # languages of a workspace, and folders
_OUTPUT_TOKENS = 1_500


_TEXTS: Mapping[str, Any] = {"type": "array", "items": {"type": "string"}}
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "sub_tasks": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": {"type": "integer"},
                    "description": {"type": "string"},
                    "dependencies": {"type": "array", "items": {"type": "integer"}},
                },
                "required": ["id", "description", "dependencies"],
                "additionalProperties": False,
            },
        },
        "ambiguity": {
            "anyOf": [
                {
                    "type": "object",
                    "properties": {"question": {"type": "string"}, "options": _TEXTS},
                    "required": ["question", "options"],
                    "additionalProperties": False,
                },
                {"type": "null"},
            ]
        },
    },
    "required": ["sub_tasks", "ambiguity"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class NoPlan:
    """There is no plan that could be carried out; `reason` is a sentence."""

    reason: str


async def decompose(
    model: Model, meter: Meter, question: str, facts: Sequence[Fact], remarks: Sequence[str] = ()
) -> tuple[PlannedTask, ...] | Question | NoPlan:
    """A plan whose ids count from 1, or what to ask the user, or why there is neither.

    `remarks` are what else matters for it: the workspace, what the user said about the question or
    an earlier plan. Raises `ModelError`.
    """
    said = list(remarks)
    reason = ""
    for _ in range(2):
        prompt = load_prompt("grounding/decomposer").render(
            question=in_tags(shown_prose(question)),
            facts=in_tags(facts_zone(facts)),
            remarks="\n\n".join(filter(None, said)),
            least=str(LEAST),
            most=str(MOST),
        )
        made = await ask_for_json(model, meter, "plan", prompt, _OUTPUT_TOKENS, _SCHEMA)
        if asked := _question(made.get("ambiguity")):
            return asked
        tasks, faults = read_plan(made.get("sub_tasks"))
        if not faults:
            return tasks
        reason = " ".join(faults)
        last = in_tags(shown_prose(json.dumps(made.get("sub_tasks"), ensure_ascii=False)))
        said.append(f"Your last plan:\n\n{last}\n\nIt cannot be used. {reason} Make another one.")
    return NoPlan(f"The plan that the model made cannot be used: {reason}")


def workspace_line(snapshot: WorkspaceSnapshot, hides: Callable[[str], bool] | None) -> str:
    """The languages and top folders of a workspace, those with the most files first; blocking.

    With this line the model plans for what is there. "" for a workspace without code.
    """
    languages: Counter[str] = Counter()
    folders: Counter[str] = Counter()
    for entry in snapshot.files():
        language = language_of(entry.path)
        if language not in CODE or (hides and hides(entry.path)):
            continue
        languages[language] += 1
        folder, inner, _ = snapshot.relative(entry.path).partition("/")
        folders[f"{folder}/" if inner else "."] += 1
    if not languages:
        return ""
    written, held = (
        ", ".join(f"{shown_prose(name)} ({n:,})" for name, n in each.most_common(_MAX_NAMED))
        for each in (languages, folders)
    )
    return f"The workspace by its files of code:\n{in_tags(f'{written}; top folders: {held}')}"


def read_plan(made: object) -> tuple[tuple[PlannedTask, ...], tuple[str, ...]]:
    """The tasks, with ids counted from 1, and what is wrong with them, a sentence each."""
    if not isinstance(made, list) or not all(isinstance(each, dict) for each in made):
        return (), ("`sub_tasks` must be a list of objects.",)
    if not LEAST <= len(made) <= MOST:
        return (), (f"It has {len(made)} tasks; {LEAST} to {MOST} are wanted.",)
    tasks = [_task(each) for each in made]
    faults = list(_faults(tasks))
    if faults:
        return (), tuple(faults)
    numbers = {task.id: str(number) for number, task in enumerate(tasks, 1)}
    return (
        tuple(
            replace(
                task,
                id=numbers[task.id],
                dependencies=tuple(numbers[each] for each in task.dependencies),
            )
            for task in tasks
        ),
        (),
    )


def _task(made: dict[str, Any]) -> PlannedTask:
    needs = made.get("dependencies")
    description = made.get("description")
    return PlannedTask(
        str(made.get("id", "")).strip(),
        shorten(_line(description), _DESCRIPTION),
        tuple(dict.fromkeys(str(each) for each in needs)) if isinstance(needs, list) else (),
    )


def _faults(tasks: Sequence[PlannedTask]) -> list[str]:
    ids = [task.id for task in tasks]
    faults = [f"The id {each!r} stands twice." for each in set(ids) if ids.count(each) > 1]
    said = [task.description.lower() for task in tasks if task.description]
    faults += (f"Two tasks say {each!r}." for each in dict.fromkeys(said) if said.count(each) > 1)
    if "" in ids:
        faults.append("A task has no id.")
    for task in tasks:
        if not task.description:
            faults.append(f"Task {task.id} has no description.")
        faults += (
            f"Task {task.id} depends on {each}, which is no task."
            for each in task.dependencies
            if each not in ids
        )
    try:
        TopologicalSorter({task.id: task.dependencies for task in tasks}).prepare()
    except CycleError as error:
        circle = " → ".join(error.args[1])
        faults.append(f"The dependencies go in a circle: {circle}.")
    return faults


def _question(made: object) -> Question | None:
    """The question for the user; None if there is none, or it is malformed."""
    if not isinstance(made, dict):
        return None
    text, options = made.get("question"), made.get("options")
    if not isinstance(text, str) or not text.strip() or not isinstance(options, list):
        return None
    labels = tuple(dict.fromkeys(map(_line, options)))[:_OPTIONS]
    chosen = tuple(Option(label) for label in labels if label)
    return Question(_line(text), chosen) if len(chosen) > 1 else None


def _line(made: object) -> str:
    """A text from the model on one line; "" for anything that is no text."""
    return " ".join(shown_prose(made).split()) if isinstance(made, str) else ""
