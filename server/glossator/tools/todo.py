"""Todo: the steps of a longer task, which the model lists and the user sees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import ClassVar

from pydantic import Field, field_validator

from glossator.core.events import Todo as Step
from glossator.core.events import TodoState
from glossator.core.permission import Access
from glossator.core.prompts import load_prompt
from glossator.core.tool_result import ToolResult
from glossator.tools.base import ToolArgs, ToolContext

MAX_STEPS = 50
MAX_CHARACTERS = 200


class StepArgs(ToolArgs):
    """One step."""

    text: str = Field(min_length=1, max_length=MAX_CHARACTERS)
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
