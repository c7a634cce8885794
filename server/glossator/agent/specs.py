"""Tools as the model is told of them."""

from __future__ import annotations

from typing import Any

from glossator.llm.model import ToolSpec
from glossator.tools.base import Registry, ToolArgs


def tool_specs(tools: Registry) -> tuple[ToolSpec, ...]:
    """Name, description and schema of each tool, in a fixed order: they open the prompt prefix."""
    return tuple(
        ToolSpec(tool.name, tool.description, _schema(tool.args))
        for _, tool in sorted(tools.items())
    )


def _schema(args: type[ToolArgs]) -> dict[str, Any]:
    """The JSON schema without the titles and docstrings that pydantic derives from our code."""
    schema = args.model_json_schema()
    schema.pop("title", None)
    schema.pop("description", None)
    for field in schema.get("properties", {}).values():
        field.pop("title", None)
    return schema
