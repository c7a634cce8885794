"""What the user is shown of an edit before it is allowed: one diff, whose places are right."""

from __future__ import annotations

import pytest

from glossator.core.errors import UsageError
from glossator.edits.edit_tools import EditArgs, EditStep, MultiEditArgs, WriteArgs
from glossator.tools.base import ToolArgs
from tests.tools.hands import Hands, call
from tests.workspaces import MakeWorkspace, Workspace

CODE = "".join(f"line {number}\n" for number in range(1, 31))
SOME = EditArgs(path="a.py", old_text="line 9\n", new_text="nine\n")
SEVERAL = MultiEditArgs(
    path="a.py",
    edits=(
        EditStep(old_text="line 20\n", new_text="twenty\nand more\n"),
        EditStep(old_text="line 3\n", new_text=""),
        EditStep(old_text="twenty", new_text="TWENTY"),
    ),
)
UNPLACED = """\
--- a.py
+++ a.py
@@ … @@
-line 20
+twenty
+and more
 
@@ … @@
-line 3
 
@@ … @@
-twenty
+TWENTY
"""  # noqa: W293 - an unchanged line is a blank


def shown(ws: Workspace, args: ToolArgs) -> str:
    return args.preview(ws.context())


def places(diff: str) -> list[str]:
    return [line for line in diff.splitlines() if line.startswith(("---", "+++", "@@"))]


async def test_several_edits_are_one_diff(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": CODE})
    await call(ws, "Read", path="a.py")
    diff = shown(ws, SEVERAL)
    assert places(diff) == ["--- a.py", "+++ a.py", "@@ -1,6 +1,5 @@", "@@ -17,7 +16,8 @@"]
    assert "\n-line 20\n+TWENTY\n+and more\n line 21\n" in diff


async def test_every_occurrence_is_shown(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": CODE})
    await call(ws, "Read", path="a.py")
    every = EditArgs(path="a.py", old_text="line 2", new_text="LINE 2", replace_all=True)
    assert shown(ws, every).count("\n+LINE 2") == 11


async def test_the_places_are_those_of_now(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": CODE})
    await call(ws, "Read", path="a.py")
    assert places(shown(ws, SOME))[2:] == ["@@ -6,7 +6,7 @@"]
    ws.open("a.py", "typed\n" + CODE)
    assert places(shown(ws, SOME))[2:] == ["@@ -7,7 +7,7 @@"]


async def test_no_number_is_better_than_a_wrong_one(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": CODE})
    *first, last = SEVERAL.edits
    every = (*first, last.model_copy(update={"replace_all": True}))
    assert shown(ws, MultiEditArgs(path="a.py", edits=every)) == UNPLACED  # it was not read
    assert "@@ … @@" not in shown(ws, SEVERAL)
    await call(ws, "Read", path="a.py")
    ws.open("a.py", CODE.replace("line 9", "mine"))
    assert places(shown(ws, SOME)) == ["--- a.py", "+++ a.py", "@@ … @@"]
    lost = EditArgs(path="a.py", old_text="nowhere", new_text="x")
    assert shown(ws, lost) == "--- a.py\n+++ a.py\n@@ … @@\n-nowhere\n+x\n"


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (WriteArgs(path="link", content="x"), "is a notebook"),
        (EditArgs(path="link", old_text="x", new_text="y"), "is a notebook"),
        (WriteArgs(path="n.ipynb", content="x"), "is a notebook"),
        (WriteArgs(path="a.png", content="x"), "is an image"),
    ],
)
async def test_nobody_is_asked_about_a_file_that_cannot_be_edited(
    workspace: MakeWorkspace, args: ToolArgs, why: str
) -> None:
    ws = await workspace({"n.ipynb": "{}"})
    (ws.root / "link").symlink_to("n.ipynb")
    with pytest.raises(UsageError, match=why):
        shown(ws, args)


async def test_the_plan_has_the_parts_of_the_edit(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": CODE})
    await call(ws, "Read", path="a.py")
    context = ws.context()
    plan = SEVERAL.planned(context)
    assert plan is not None
    hands = Hands(ws)
    await call(ws, "MultiEdit", hands, **SEVERAL.of_tool())
    assert [hunk.id for hunk in hands.plans[0].hunks] == [hunk.id for hunk in plan.hunks]
    new = WriteArgs(path="b.py", content="x = 1\n").planned(context)
    assert new is not None
    assert [(hunk.kind, hunk.after) for hunk in new.hunks] == [("create", "x = 1\n")]
    lost = EditArgs(path="a.py", old_text="nowhere", new_text="x")
    assert lost.planned(context) is None


async def test_lines_that_nobody_can_look_at_are_left_out(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": f"{'x' * 10_000} line 9\n"})
    await call(ws, "Read", path="a.py")
    short = EditArgs(path="a.py", old_text="line 9", new_text="nine")
    assert shown(ws, short) == "--- a.py\n+++ a.py\n@@ … @@\n-line 9\n+nine\n"


@pytest.mark.parametrize("read", [True, False])
async def test_a_text_is_shown_as_what_it_changes(workspace: MakeWorkspace, read: bool) -> None:
    ws = await workspace({"a.py": CODE})
    if read:
        await call(ws, "Read", path="a.py")
    content = CODE.replace("line 9\n", "nine\n")
    diff = shown(ws, WriteArgs(path="a.py", content=content))
    assert (diff == shown(ws, SOME)) if read else (diff == content)
    assert shown(ws, WriteArgs(path="new.py", content="new\n")) == "new\n"
