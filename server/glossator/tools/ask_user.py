"""AskUser: a question that the workspace cannot answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field

from glossator.core.permission import Access
from glossator.core.prompts import load_prompt
from glossator.core.question import Option, Question, QuestionAnswer
from glossator.core.shown import shown, shown_text
from glossator.core.tool_result import ToolResult
from glossator.tools.base import ToolArgs, ToolContext

MAX_OPTIONS = 6


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
