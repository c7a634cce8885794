"""The names and paths in a text."""

from __future__ import annotations

import pytest

from glossator.core.names import names_in, paths_in


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
        ("Which file(s) hold the word(s), box(es) or entry(ies) of put(s, t)?", ("put",)),
        ("A file is none: store.py, `zoo/fish.rs`.", ()),
    ],
)
def test_names(text: str, names: tuple[str, ...]) -> None:
    assert names_in(text) == names


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("Does store.py or `src/zoo/` read and/or write?", ("store.py", "src/zoo", "and/or")),
        ("What do Fish.swim, 3.5 and e.g. this do?", ()),
    ],
)
def test_paths(text: str, paths: tuple[str, ...]) -> None:
    assert paths_in(text) == paths
