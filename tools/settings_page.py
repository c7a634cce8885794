"""The tables of docs/settings.md: `python -m tools.settings_page` writes them from the model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from glossator.settings.model import Settings

PAGE = Path(__file__).parents[1] / "docs" / "settings.md"
_HEADING = "## All settings\n"
_COLUMNS = "| setting | default | meaning |\n|---|---|---|\n"


def with_tables(page: str) -> str:
    """The page with the tables of all settings at its end."""
    return page.partition(_HEADING)[0] + _HEADING + "".join(_tables())


def _tables() -> Iterator[str]:
    for group, described in Settings.model_fields.items():
        model: type[BaseModel] = type(described.default)
        yield f"\n### {group}\n\n{model.__doc__}\n\n{_COLUMNS}"
        schema = model.model_json_schema()["properties"]
        for name, field in zip(schema, model.model_fields.values(), strict=True):
            meaning = f"{field.description}{_choices(schema[name])}"
            yield f"| `{group}.{name}` | {_default(field)} | {meaning} |\n"


def _default(field: FieldInfo) -> str:
    value = field.default
    if isinstance(value, BaseModel):
        value = value.model_dump(by_alias=True, exclude_none=True)
    return "" if value is None else f"`{json.dumps(value)}`"


def _choices(schema: dict[str, Any]) -> str:
    for each in (schema, *schema.get("anyOf", ())):
        if choices := each.get("enum"):
            return f" One of {', '.join(f'`{choice}`' for choice in choices)}."
    return ""


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text("utf-8")), "utf-8")
