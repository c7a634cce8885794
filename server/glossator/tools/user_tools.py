"""AskUser and Todo: what the model asks the user, and the steps that it shows them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field, field_validator

from glossator.core.events import Todo as Step
from glossator.core.events import TodoState
from glossator.core.permission import Access
from glossator.core.prompts import load_prompt
from glossator.core.question import Option, Question, QuestionAnswer
from glossator.core.shown import shown, shown_text
from glossator.core.tool_result import ToolResult
from glossator.tools.base import ToolArgs, ToolContext

MAX_OPTIONS = 6
MAX_STEPS = 50
MAX_STEP_CHARACTERS = 200


class OptionArgs(ToolArgs):
    """One answer to choose."""

    label: str = Field(min_length=1, max_length=80)
    detail: str = Field("", max_length=300, description="What choosing it means.")

    habits: ClassVar[Mapping[str, Sequence[str]]] = {"description": ("detail",)}


class AskUserArgs(ToolArgs):
    """Arguments of AskUser."""

    question: str = Field(min_length=1, max_length=1_000)
    options: tuple[OptionArgs, ...] = Field(min_length=2, max_length=MAX_OPTIONS)
    several: bool = Field(False, description="Whether more than one may be chosen.")

    habits: ClassVar[Mapping[str, Sequence[str]]] = dict.fromkeys(
        ("multiSelect", "multi_select"), ("several",)
    )
    ignored: ClassVar[frozenset[str]] = frozenset({"header"})

    @classmethod
    def translated(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Accept options that are labels alone."""
        if isinstance(options := given.get("options"), list):
            given["options"] = [
                {"label": each} if isinstance(each, str) else each for each in options
            ]
        return given


class AskUser:
    """Asks the user to choose."""

    name: ClassVar[str] = "AskUser"
    access: ClassVar[Access] = Access.NONE
    args: ClassVar[type[ToolArgs]] = AskUserArgs
    description = load_prompt("tools/ask_user").render(options=str(MAX_OPTIONS))

    async def run(self, args: AskUserArgs, context: ToolContext) -> ToolResult:
        """Ask, and give the answer to the model."""
        options = tuple(Option(shown(each.label), shown(each.detail)) for each in args.options)
        question = Question(shown_text(args.question), options, args.several)
        with context.waiting():
            answer = await context.ask_user(question)
        chosen = "; ".join(filter(None, (*answer.chosen, answer.words)))
        outcome = f"answered: {chosen}" if answer else "no answer"
        return ToolResult(_in_words(answer), outcome=outcome, answer=chosen)


def _in_words(answer: QuestionAnswer) -> str:
    if not answer:
        return (
            "The user gave no answer. Take the most cautious reading yourself, go on, and say in"
            " your answer which one you took."
        )
    parts = []
    if answer.chosen:
        chosen = "; ".join(f'"{label}"' for label in answer.chosen)
        parts.append(f"The user chose: {chosen}.")
    if answer.words:
        parts.append(f"In the user's words: {answer.words}")
    return "\n".join(parts)


class StepArgs(ToolArgs):
    """One step."""

    text: str = Field(min_length=1, max_length=MAX_STEP_CHARACTERS)
    state: TodoState = TodoState.PENDING

    habits: ClassVar[Mapping[str, Sequence[str]]] = {"content": ("text",), "status": ("state",)}
    values: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "state": {
            **dict.fromkeys(("in_progress", "in-progress"), TodoState.ACTIVE),
            "completed": TodoState.DONE,
        }
    }
    ignored: ClassVar[frozenset[str]] = frozenset({"id", "priority", "activeForm"})


class TodoArgs(ToolArgs):
    """Arguments of Todo."""

    steps: tuple[StepArgs, ...] = Field(max_length=MAX_STEPS)

    habits: ClassVar[Mapping[str, Sequence[str]]] = {"todos": ("steps",)}

    @field_validator("steps")
    @classmethod
    def _one_active(cls, steps: tuple[StepArgs, ...]) -> tuple[StepArgs, ...]:
        if sum(step.state is TodoState.ACTIVE for step in steps) > 1:
            raise ValueError("only one step can be active at a time")
        return steps


class Todo:
    """Keeps the list of steps."""

    name: ClassVar[str] = "Todo"
    access: ClassVar[Access] = Access.NONE
    args: ClassVar[type[ToolArgs]] = TodoArgs
    description = load_prompt("tools/todo").render(steps=str(MAX_STEPS))

    async def run(self, args: TodoArgs, context: ToolContext) -> ToolResult:
        """Replace the list."""
        context.todo.replace(tuple(Step(step.text, step.state) for step in args.steps))
        count = Counter(step.state for step in args.steps)
        listed = ", ".join(f"{count[state]} {state}" for state in TodoState if count[state])
        return ToolResult(f"Noted: {listed}." if listed else "The list is empty now.")
