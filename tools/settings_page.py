"""The tables of docs/settings.md: `python -m tools.settings_page` writes them from the model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from glossator.settings.model import Settings
from tools.manifest import FIRST

PAGE = Path(__file__).parents[1] / "docs" / "settings.md"
_HEADING = "## All settings\n"
_COLUMNS = "| setting | default | meaning |\n|---|---|---|\n"
_FIRST = f"""
### Commonly used

What people change first.

{_COLUMNS}"""


def with_tables(page: str) -> str:
    """The page with the tables of all settings at its end: first those that people change first."""
    groups = {name: _rows(name) for name in Settings.model_fields}
    first = (groups[each.partition(".")[0]].pop(each) for each in FIRST)
    begin = _FIRST + "".join(first) + "".join(_rest(groups))
    return page.partition(_HEADING)[0] + _HEADING + begin


def _rest(groups: dict[str, dict[str, str]]) -> Iterator[str]:
    for group, rows in groups.items():
        if rows:
            yield f"\n### {group}\n\n{_model(group).__doc__}\n\n{_COLUMNS}"
            yield from rows.values()


def _rows(group: str) -> dict[str, str]:
    """The lines of its table, by the settings' names."""
    model = _model(group)
    schema = model.model_json_schema()["properties"]
    named = zip(schema, model.model_fields.values(), strict=True)
    return {
        f"{group}.{name}": f"| `{group}.{name}` | {_default(field)} |"
        f" {field.description}{_choices(schema[name])} |\n"
        for name, field in named
    }


def _model(group: str) -> type[BaseModel]:
    return type(Settings.model_fields[group].default)


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
