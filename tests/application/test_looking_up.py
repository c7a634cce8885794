"""Which words of a task are names of symbols."""

from __future__ import annotations

import pytest

from glossator.application.looking_up import names_in


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Where is the limit of a run set?", ()),
        ("What do `faults` and `Fish.swim()` do?", ("faults", "Fish.swim")),
        (
            "See _assigned, call_tool(x), put(), zoo::Fish.",
            ("_assigned", "call_tool", "put", "zoo::Fish"),
        ),
        ("A JSONDecoder, e.g. readAll, i.e. `readAll`.", ("JSONDecoder", "readAll")),
        ("Quoted words are none: `a b`, `--plan`, `3`.", ()),
    ],
)
def test_names(text: str, names: tuple[str, ...]) -> None:
    assert names_in(text) == names
