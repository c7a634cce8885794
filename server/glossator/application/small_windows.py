"""What a conversation begins with where the model's window is small: less, in fewer words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from glossator.context import Section, system_blocks
from glossator.llm import ModelRequest, ToolSpec, estimate_request

SMALL = 16_000  # tokens; a smaller window gets less
_TOOLS = ("Bash", "Edit", "Glob", "Grep", "Read", "Write")
_SHARE = 0.5  # of the window, for all that stands before the first question


def is_small(window: int) -> bool:
    """Whether a window of so many tokens has no room for all tools."""
    return window < SMALL


def fitted_opening(
    specs: Sequence[ToolSpec], sections: Sequence[Section], window: int
) -> tuple[tuple[ToolSpec, ...], list[Section], str]:
    """The tools in short, the sections that fit, and a sentence on what is left out.

    The first section, which says where the session takes place, stays.
    """
    kept = tuple(_short(spec) for spec in specs if spec.name in _TOOLS)
    gone = [spec.name for spec in specs if spec.name not in _TOOLS]
    fitting = list(sections)
    while len(fitting) > 1 and _size(kept, fitting) > _SHARE * window:
        longest = max(fitting[1:], key=lambda each: len(each.text))
        fitting.remove(longest)
        gone.append(longest.name)
    said = (
        f"The model's window has {window:,} tokens, so it is told less. Left out:"
        f" {', '.join(gone)}. Load the model with more, such as 32,000, for all of it."
    )
    return kept, fitting, said


def _size(specs: tuple[ToolSpec, ...], sections: Sequence[Section]) -> int:
    return estimate_request(ModelRequest(system_blocks(sections), specs, ()))


def _short(spec: ToolSpec) -> ToolSpec:
    """The first paragraph of its description, and arguments without words."""
    schema = _wordless(spec.input_schema)
    return replace(spec, description=spec.description.partition("\n\n")[0], input_schema=schema)


def _wordless(schema: Mapping[str, Any]) -> dict[str, Any]:
    fields = schema.get("properties", {})
    bare = {
        name: {key: value for key, value in field.items() if key != "description"}
        for name, field in fields.items()
    }
    return {**schema, "properties": bare}
