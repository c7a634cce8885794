"""An edit of one place finds it by its text; others rest on lines that some tool showed."""

from __future__ import annotations

from typing import Any

import pytest

from glossator.application.toolbox import reading_tools
from glossator.core.document import Document
from glossator.core.span import spans_of
from glossator.core.tool_result import ToolResult
from glossator.llm.model import ToolCall
from glossator.turn.calls import call_tool, permit_direct_call
from tests.tools.hands import Hands, call
from tests.workspaces import MakeWorkspace, Workspace

LINES = [f"value_{number} = {number}" for number in range(1, 2001)]
CODE = "\n".join([*LINES[:1724], "def area():", "    return 1", *LINES[1724:]]) + "\n"


async def edit(ws: Workspace, old: str, new: str, **more: Any) -> ToolResult:
    return await call(ws, "Edit", path="a.py", old_text=old, new_text=new, **more)


async def look(ws: Workspace, tool: str, **arguments: Any) -> ToolResult:
    context = ws.context()
    return await call_tool(
        reading_tools(), ToolCall("1", tool, arguments), context, permit_direct_call
    )


async def test_a_text_that_is_there_once_is_edited_though_no_line_was_shown(
    workspace: MakeWorkspace,
) -> None:
    ws = await workspace({"a.py": CODE})
    made = await edit(ws, "def area():\n    return 1\n", "def area():\n    return 2\n")
    assert made.text == (
        "Changed a.py in 1 place (+1 -1 lines).\n1723\tvalue_1723 = 1723\n"
        "1724\tvalue_1724 = 1724\n1725\tdef area():\n1726\t    return 2\n"
        "1727\tvalue_1725 = 1725\n1728\tvalue_1726 = 1726\n1729\tvalue_1727 = 1727"
    )
    assert (await edit(ws, "value_1", "v")).error  # there are many
    missed = await edit(ws, "def area(self):", "def size():")
    assert missed.text.endswith("The closest match is:\n1725\tdef area():")


async def test_a_file_that_changed_since_a_search_showed_it(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": "one\ntwo\n"})
    await look(ws, "Grep", pattern="two", output_mode="content")
    ws.write("a.py", "zero\none\ntwo\n")
    refused = await edit(ws, "two", "2", replace_all=True)
    assert refused.text.startswith(
        "Nothing was changed: a.py has changed since lines of it were shown in this conversation."
    )
    assert "3\ttwo\n" in refused.text
    assert not (await edit(ws, "two", "2")).error


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("Grep", {"pattern": "return 1$", "output_mode": "content"}),
        ("Symbols", {"name": "area"}),
        ("Symbols", {"mode": "outline", "path": "a.py"}),
        ("Search", {"query": "area"}),
    ],
)
async def test_lines_shown_by_any_tool_count(
    workspace: MakeWorkspace, tool: str, arguments: dict[str, Any]
) -> None:
    notes = "".join(f"# note {number}\n" for number in range(1, 500))
    ws = await workspace({"a.py": f"{notes}\n\ndef area():\n    return 1\n"})
    assert not (await look(ws, tool, **arguments)).error
    old = "return 1" if tool == "Grep" else "area"
    assert not (await edit(ws, old, "new", replace_all=True)).error
    assert (await edit(ws, "# note 7\n", "", replace_all=True)).error


async def test_a_line_that_grep_cut_is_not_shown(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": f"table = [{'1, ' * 300}]  # end\n"})
    found = await look(ws, "Grep", pattern="table", output_mode="content")
    (cited,) = found.citable
    assert not ws.reads.missing(cited)
    refused = await edit(ws, "# end", "# END", replace_all=True)
    assert refused.error
    assert "line 1 of a.py was not shown" in refused.text or "was not read" in refused.text
    assert not (await edit(ws, "# end", "# END", replace_all=True)).error  # the refusal showed it


async def test_all_places_must_have_been_shown(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": "x = 1\n" + "\n" * 20 + "y = x\n"})
    await look(ws, "Read", path="a.py", offset=1, limit=1)
    refused = await edit(ws, "x", "z", replace_all=True)
    assert "line 22 of a.py was not shown" in refused.text
    assert "22\ty = x" in refused.text
    made = await edit(ws, "x", "z", replace_all=True)
    assert made.text.endswith("(+2 -2 lines).\n1\tz = 1\n…\n22\ty = z")  # nothing around them


async def test_many_lines_are_to_be_read_first(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": CODE})
    await look(ws, "Read", path="a.py", offset=1, limit=10)
    refused = await edit(ws, "value_", "v_", replace_all=True)
    assert refused.text == (
        "Nothing was changed: lines 11-1724, 1727-2002 of a.py were not shown in this"
        " conversation.\nRead lines 11-1724, 1727-2002 first, then make the edit again."
    )
    assert refused.spans == ()
    await look(ws, "Grep", pattern="value_", output_mode="content", head_limit=0)
    await look(ws, "Grep", pattern="value_", output_mode="content", head_limit=0, offset=600)
    assert "lines " in (await edit(ws, "value_", "v_", replace_all=True)).text


async def test_of_several_edits_those_of_all_places_need_their_lines(
    workspace: MakeWorkspace,
) -> None:
    ws = await workspace({"a.py": CODE})
    steps: list[dict[str, Any]] = [
        {"old_text": "value_3 = 3\n", "new_text": "three = 3\nmore = 4\n"},
        {"old_text": "more = 4\nvalue_4 = 4", "new_text": "four = 4"},
    ]
    assert not (await call(ws, "MultiEdit", path="a.py", edits=steps)).error
    steps = [
        {"old_text": "four = 4\n", "new_text": "4\n"},
        {"old_text": "return 1\n", "new_text": "return 2\n", "replace_all": True},
    ]
    refused = await call(ws, "MultiEdit", path="a.py", edits=steps)
    assert "line 1726 of a.py was not shown" in refused.text
    assert not (await call(ws, "MultiEdit", path="a.py", edits=steps)).error


async def test_a_hidden_file_is_not_shown(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": "key = 1\n"})
    ws.hidden = lambda path: path.endswith("a.py")
    for old in ("key = 1", "key = 3"):
        refused = await edit(ws, old, "new")
        assert refused.error
        assert "key" not in refused.text


async def test_lines_stay_known_when_others_change(workspace: MakeWorkspace) -> None:
    """What was read of an earlier text, and what a tool shows of the current one, both count."""
    ws = await workspace({"a.py": CODE})
    await look(ws, "Read", path="a.py", offset=1720, limit=10)
    ws.write("a.py", "# first\n" + CODE.replace("value_9 = 9\n", "value_9 = 99\n"))
    await look(ws, "Grep", pattern="value_9 = ", output_mode="content")
    assert not (await edit(ws, "return 1", "return 2", replace_all=True)).error
    assert not (await edit(ws, "value_9 = 99", "value_9 = 9", replace_all=True)).error
    assert (await edit(ws, "value_99 = 99\n", "", replace_all=True)).error


async def test_lines_that_were_shown_while_an_edit_waited_are_known(
    workspace: MakeWorkspace,
) -> None:
    """A search of the same reply may end while the user is asked about the edit."""
    ws = await workspace({"a.py": CODE})
    await look(ws, "Read", path="a.py", offset=1, limit=1)
    before = ws.snapshot.read("a.py")
    assert isinstance(before, Document)
    hands = Hands(ws, before=lambda: ws.reads.show(spans_of(before, [1725])))
    first = await call(
        ws, "Edit", hands, path="a.py", old_text="value_1 = 1\n", new_text="value_1 = 1\nnew\n"
    )
    assert not first.error, first.text
    second = await edit(ws, "def area():", "def size():", replace_all=True)
    assert not second.error, second.text
