"""What is looked up for a task."""

from __future__ import annotations

import pytest

from glossator.core.tool_result import ToolResult
from glossator.tools import ReadState
from glossator.turn.calls import permit_direct_call
from glossator.turn.lookup import look_up, names_in
from tests.workspaces import MakeWorkspace, Workspace

HERD = "class Herd:\n" + "".join(
    f"    def step_{n}(self):\n        grass = {n}\n        return grass\n\n" for n in range(40)
)


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


async def looked_up(ws: Workspace, query: str) -> ToolResult:
    reads = ReadState()
    context = ws.context(reads=reads)
    found = await look_up(query, context, permit_direct_call, reads)
    assert all(reads.covers(each) for each in found.spans)
    return found


async def test_a_long_class_shows_its_members_and_those_that_are_named(
    workspace: MakeWorkspace,
) -> None:
    ws = await workspace({"herd.py": HERD})
    text = (await looked_up(ws, "What does step_30 of `Herd` return?")).text
    defined = text.partition("\n\n")[0]
    assert "herd.py:1-160  [class, not all of it]" in text
    assert text.count("        grass = 30\n") == 1
    assert "        grass = 20\n" not in defined
    assert "82\t    def step_20(self):" in text
    assert "go on with Read" not in text


async def test_lines_are_shown_once(workspace: MakeWorkspace) -> None:
    code = "import os\n\n\ndef graze():\n    return os.sep\n"
    ws = await workspace({"herd.py": code, "other.py": "print('graze')\n"})
    text = (await looked_up(ws, "What does `graze` return, and what `herd.graze`?")).text
    assert text.count("    return os.sep") == 1
    assert text.startswith("herd.py:4-5  [function]\n4\tdef graze():\n5\t    return os.sep")


async def test_what_imports_a_name_is_no_definition(workspace: MakeWorkspace) -> None:
    uses = {f"u{n}.js": f"const graze = require('./graze')\ngraze({n})\n" for n in range(5)}
    real = "function graze (herd) {\n  return herd\n}\n\nmodule.exports = graze\n"
    ws = await workspace({**uses, "graze.js": real})
    text = (await looked_up(ws, "What does `graze` return?")).text
    assert text.startswith("graze.js:1-3  [function]\n1\tfunction graze (herd) {\n2\t  return herd")
