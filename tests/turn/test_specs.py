"""What the model is told of the tools: short, whole, and the same for a session's whole life."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import Field, create_model

from glossator.application.toolbox import all_tools
from glossator.tools.base import ToolArgs
from glossator.tools.schemas import schema_of
from glossator.turn.model_request import tool_specs
from tests.stage import stage
from tests.standin import Text, Turn


class Mode(StrEnum):
    """Of no concern to the model."""

    ON = "on"
    OFF = "off"


class Part(ToolArgs):
    """Of no concern to the model."""

    title: str = Field(description="Its name.")


@pytest.mark.parametrize(
    ("type_", "default", "told"),
    [
        (str, ..., {"type": "string"}),
        (str | None, None, {"type": "string"}),
        (bool, False, {"type": "boolean"}),
        (bool, True, {"type": "boolean", "default": True}),
        (int, 0, {"type": "integer"}),
        (Annotated[int, Field(ge=1)] | None, None, {"type": "integer"}),
        (Annotated[str, Field(max_length=9)], ..., {"type": "string"}),
        (int | str | None, None, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        (Mode, Mode.ON, {"type": "string", "enum": ["on", "off"], "default": "on"}),
        (
            list[Part],
            ...,
            {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"title": {"type": "string", "description": "Its name."}},
                    "required": ["title"],
                },
            },
        ),
    ],
)
def test_an_argument_in_few_words(type_: Any, default: Any, told: dict[str, Any]) -> None:
    field: Any = (type_, Field(default, description="What for."))
    schema = schema_of(create_model("Args", __base__=ToolArgs, value=field))
    assert schema["properties"]["value"] == told | {"description": "What for."}
    assert schema.get("required", []) == (["value"] if default is ... else [])


def test_no_tool_needs_a_reference() -> None:
    for spec in tool_specs(all_tools(diagnostics=True, agents=True)):
        assert "$" not in json.dumps(spec.input_schema)


async def test_a_session_keeps_the_tools_it_began_with(tmp_path: Path) -> None:
    done = Turn(Text("Done."))
    async with stage(tmp_path, {"a.py": "x = 1\n"}, [done, done]) as s:
        answer = await s.ask("One?")
        s.app.tools = {name: tool for name, tool in s.app.tools.items() if name != "Bash"}
        await s.ask("Two?", session_id=answer.session_id)
        first, second = (request.body["tools"] for request in s.api.requests)
    assert first == second
