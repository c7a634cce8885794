"""Forms of servers, put to the user question by question."""

from __future__ import annotations

from typing import Any

import pytest

from glossator.core.question import Question, QuestionAnswer
from glossator.mcp.elicitation import CANCELLED, Filled, fill

CITIES = [f"City {number}" for number in range(150)]
TITLED = [{"const": f"c{number}", "title": name} for number, name in enumerate(CITIES)]


async def filled(field: dict[str, Any], *words: str) -> tuple[Filled, list[Question]]:
    """What becomes of a form of one field whose user writes these words, and what is asked."""
    questions: list[Question] = []
    answers = iter(words)

    async def ask(question: Question) -> QuestionAnswer:
        questions.append(question)
        return QuestionAnswer(words=next(answers))

    schema = {"type": "object", "properties": {"where": field}, "required": ["where"]}
    return await fill("odd", "Where to?", schema, ask), questions


@pytest.mark.parametrize(
    ("field", "words", "value"),
    [
        ({"type": "string", "enum": CITIES}, "City 149", "City 149"),
        ({"type": "string", "enum": CITIES}, " city 20 ", "City 20"),
        ({"type": "string", "oneOf": TITLED}, "City 13", "c13"),
        ({"type": "string", "oneOf": TITLED}, "c14", "c14"),
        ({"type": "array", "items": {"enum": CITIES}}, "City 1, city 2", ["City 1", "City 2"]),
        ({"type": "array", "items": {"anyOf": TITLED}}, "City 1", ["c1"]),
        ({"type": "array", "items": {"enum": ["a, b", *CITIES]}}, "a, b", ["a, b"]),
        ({"type": "string", "enum": ["a", "A", *CITIES]}, "A", "A"),
        ({"type": "string", "enum": ["red", "blue"]}, "Blue", "blue"),
        ({"type": "boolean"}, "yes", True),
    ],
)
async def test_a_choice_is_written(field: dict[str, Any], words: str, value: Any) -> None:
    made, _ = await filled(field, words)
    assert made == Filled("accept", {"where": value})


async def test_many_choices_are_listed() -> None:
    made, (first, second) = await filled({"enum": CITIES}, "Nowhere", "City 1, City 2")
    assert [option.label for option in first.options] == ["Decline"]
    assert "Write one of these: City 0, City 1, " in first.text
    assert "City 99" in first.text
    assert "City 100" not in first.text
    assert "50 more" in first.text
    assert second.text.endswith("Nowhere does not fit: one of the choices is wanted.")
    assert made == CANCELLED
