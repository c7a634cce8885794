"""AskUser and Todo: what the model asks the user, and the steps that it shows them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from pydantic import Field, field_validator

from glossator.core.errors import UsageError
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
    several: bool = Field(False, description="Allow several choices.")

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
            "The user gave no answer. Choose the most cautious reading, go on, and say in"
            " your answer which one you chose."
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
    """Arguments of Todo: a new list, or the numbers (from 1) of steps whose state changes."""

    steps: tuple[StepArgs, ...] = Field((), max_length=MAX_STEPS)
    done: tuple[int, ...] = ()
    active: int | None = None

    habits: ClassVar[Mapping[str, Sequence[str]]] = {"todos": ("steps",)}

    @field_validator("steps")
    @classmethod
    def _one_active(cls, steps: tuple[StepArgs, ...]) -> tuple[StepArgs, ...]:
        if sum(step.state is TodoState.ACTIVE for step in steps) > 1:
            raise ValueError("only one step can be active at a time")
        return steps

    def applied(self, before: tuple[Step, ...]) -> tuple[Step, ...]:
        """The list after the call. Raises `UsageError` for a number that no step has."""
        steps = before
        if "steps" in self.model_fields_set:
            steps = tuple(Step(step.text, step.state) for step in self.steps)
        marked = (*self.done, *(() if self.active is None else (self.active,)))
        if wrong := [number for number in marked if not 1 <= number <= len(steps)]:
            raise UsageError(
                f"There is no step {wrong[0]}; the list has {len(steps)}.\nGive numbers of its"
                " steps, or the whole list as steps."
            )
        return tuple(
            replace(step, state=self._state_of(number, step.state))
            for number, step in enumerate(steps, 1)
        )

    def _state_of(self, number: int, before: TodoState) -> TodoState:
        if number == self.active:
            return TodoState.ACTIVE
        if number in self.done:
            return TodoState.DONE
        gives_way = self.active is not None and before is TodoState.ACTIVE
        return TodoState.PENDING if gives_way else before


class Todo:
    """Keeps the list of steps."""

    name: ClassVar[str] = "Todo"
    access: ClassVar[Access] = Access.NONE
    args: ClassVar[type[ToolArgs]] = TodoArgs
    description = load_prompt("tools/todo").render(steps=str(MAX_STEPS))

    async def run(self, args: TodoArgs, context: ToolContext) -> ToolResult:
        """Replace the list, or change states in it. Raises `UsageError`."""
        steps = args.applied(context.todo.steps)
        context.todo.replace(steps)
        count = Counter(step.state for step in steps)
        listed = ", ".join(f"{count[state]} {state}" for state in TodoState if count[state])
        return ToolResult(f"Noted: {listed}." if listed else "The list is empty now.")
