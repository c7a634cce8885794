"""Edit, MultiEdit and Write: what was read is what is edited, and nobody's typing is lost."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
from typing import Any

import pytest

from glossator.core.edit import Refused
from glossator.core.tool_result import ToolResult
from glossator.llm.model import ToolCall
from glossator.turn.calls import call_tool, permit_direct_call
from tests.tools.hands import TOOLS, Hands, call
from tests.workspaces import MakeWorkspace, Workspace

CODE = "".join(f"line {number}\n" for number in range(1, 31))


def on_disk(ws: Workspace, relative: str) -> str:
    return (ws.root / relative).read_bytes().decode()


async def edit(ws: Workspace, old: str, new: str, path: str = "a.py", **more: Any) -> ToolResult:
    return await call(ws, "Edit", path=path, old_text=old, new_text=new, **more)


async def test_edit(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": CODE})
    await call(ws, "Read", path="a.py")
    result = await edit(ws, "line 10\n", "ten\nten and a half\n")
    assert result.text == (
        "Changed a.py in 1 place (+2 -1 lines).\n"
        "7\tline 7\n8\tline 8\n9\tline 9\n10\tten\n11\tten and a half\n"
        "12\tline 11\n13\tline 12\n14\tline 13"
    )
    assert on_disk(ws, "a.py") == CODE.replace("line 10\n", "ten\nten and a half\n")
    (span,) = result.spans
    assert (span.first_line, span.last_line) == (7, 14)


async def test_the_model_may_edit_on(workspace: MakeWorkspace) -> None:
    """Every line it has seen or written still counts as shown."""
    ws = await workspace({"a.py": CODE})
    await call(ws, "Read", path="a.py")
    for number in (3, 20, 4):
        assert not (await edit(ws, f"line {number}\n", f"LINE {number}\n+\n")).error
    assert not (await call(ws, "Write", path="a.py", content="short\n")).error
    assert on_disk(ws, "a.py") == "short\n"
    assert not (await edit(ws, "short", "shorter")).error
    again = await call(ws, "Read", path="a.py")
    assert again.text == "1\tshorter"


async def test_open_documents_are_edited_in_the_editor(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": "on disk\n"})
    ws.open("a.py", "typed\n")
    await call(ws, "Read", path="a.py")
    assert not (await edit(ws, "typed", "edited")).error
    assert on_disk(ws, "a.py") == "on disk\n"
    assert (await call(ws, "Read", path="a.py")).text == "1\tedited"


async def test_replace_all(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": "x = 1\n" * 200})
    await call(ws, "Read", path="a.py")
    assert "200 times" in (await edit(ws, "x", "y")).text
    result = await edit(ws, "x", "y", replace_all=True)
    assert result.text.startswith("Changed a.py in 1 place (+200 -200 lines).")
    assert "[140 more lines that changed are not shown]" in result.text
    assert result.omitted == 140
    assert on_disk(ws, "a.py") == "y = 1\n" * 200


async def test_the_user_types_meanwhile(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": CODE})
    await call(ws, "Read", path="a.py")
    typed = CODE.replace("line 2\n", "two\nand more\n").replace("line 29\n", "")
    ws.open("a.py", typed)
    result = await edit(ws, "line 10\n", "ten\n")
    assert "Other lines changed since you read the file; they were kept" in result.text
    assert "11\tten" in result.text
    document = ws.snapshot.read("a.py")
    assert getattr(document, "text", "") == typed.replace("line 10\n", "ten\n")
    assert "2\ttwo\n3\tand more\n" in result.text  # what the user typed is told with it
    assert not (await edit(ws, "and more\n", "and\n")).error


async def test_what_the_user_typed_is_not_written_over_unseen(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": CODE})
    await call(ws, "Read", path="a.py")
    ws.open("a.py", CODE.replace("line 2\n", "two\nand more\n"))
    refused = await call(ws, "Write", path="a.py", content="all of it")
    assert refused.error
    assert "was changed after it was read" in refused.text
    assert "1\tline 1\n2\ttwo\n3\tand more\n" in refused.text
    assert not (await call(ws, "Write", path="a.py", content="all of it")).error


async def test_the_user_types_there(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": CODE})
    await call(ws, "Read", path="a.py")
    typed = CODE.replace("line 10\n", "TEN\n10b\n")
    ws.open("a.py", typed)
    refused = await edit(ws, "line 9\nline 10\n", "9, 10\n")
    assert refused.error
    assert "was changed after it was read" in refused.text
    assert re.findall(r"^\d+\t.*$", refused.text, re.MULTILINE) == [
        "9\tline 9",
        "10\tTEN",
        "11\t10b",
        "12\tline 11",
    ]
    assert not (await edit(ws, "line 9\nTEN\n10b\n", "9, 10\n")).error


async def test_the_user_types_while_it_is_applied(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": CODE})
    ws.open("a.py", CODE)
    await call(ws, "Read", path="a.py")
    hands = Hands(ws, before=lambda: ws.edit("a.py", CODE.replace("line 9\n", "nine\n")))
    refused = await call(ws, "Edit", hands, path="a.py", old_text="line 9\nline 10", new_text="-")
    assert refused.error
    assert "9\tnine" in refused.text
    assert not (await edit(ws, "nine\nline 10", "-")).error


async def test_calls_at_the_same_time(workspace: MakeWorkspace) -> None:
    """All see the workspace from before; each is moved over those that were quicker."""
    ws = await workspace({"a.py": CODE})
    await call(ws, "Read", path="a.py")
    wanted = [5, 10, 15, 20]
    calls = (edit(ws, f"line {number}\n", f"{number}\n{number}\n") for number in wanted)
    results = await asyncio.gather(*calls)
    assert not any(result.error for result in results)
    expect = CODE
    for number in wanted:
        expect = expect.replace(f"line {number}\n", f"{number}\n{number}\n")
    assert on_disk(ws, "a.py") == expect
    assert not (await edit(ws, "10\n10\n", "ten\n")).error


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("Edit", {"path": "unread.py"}, "old_text is not in the file"),
        ("Edit", {"path": "unread.py", "replace_all": "true"}, "unread.py was not read"),
        ("Edit", {"path": "nowhere.py"}, "does not exist.\nUse Glob to find its path, or Write"),
        ("Edit", {"path": "../out.py"}, "outside the workspace"),
        ("Edit", {"path": "/etc/passwd"}, "outside the workspace"),
        ("Edit", {"path": "link"}, "outside the workspace"),
        ("Edit", {"path": "folder"}, "is a directory"),
        ("Edit", {"path": "binary"}, "is binary"),
        ("Edit", {"path": "pipe"}, "not a regular file"),
        ("Edit", {"path": "dot.png"}, "is an image"),
        ("Edit", {"path": "book.ipynb"}, "it is no notebook"),
        ("Edit", {"path": "book"}, "is a notebook"),
        ("Edit", {"path": "a.py"}, "old_text is not in the file"),
        ("Edit", {"path": "a.py", "old_text": "x", "new_text": "x"}, "nothing to change"),
        ("Edit", {"path": "a.py", "old_text": "x", "new_text": "\0"}, "no longer be read"),
        ("Write", {"path": "unread.py"}, "was not read"),
        ("Write", {"path": "part.py"}, "only part of part.py"),
        ("Write", {"path": "book.ipynb"}, "is a notebook"),
        ("Write", {"path": "new.PNG"}, "is an image"),
        ("Write", {"path": "../out.py"}, "outside the workspace"),
        ("Write", {"path": "link/new"}, "outside the workspace"),
        ("Write", {"path": "folder"}, "is a directory"),
        ("Write", {"path": "a.py", "content": "x = 1\n"}, "already has this text"),
        ("Write", {"path": "new", "content": "a\0b"}, "no longer be read"),
    ],
)
async def test_refusals(
    workspace: MakeWorkspace, tool: str, arguments: dict[str, str], says: str
) -> None:
    files: dict[str, str | bytes] = {
        "a.py": "x = 1\n", "unread.py": "y\n", "part.py": "1\n2\n", "binary": b"\0\1",
        "dot.png": "", "book.ipynb": "{}", "folder/x": "x",
    }  # fmt: skip
    ws = await workspace(files)
    os.mkfifo(ws.root / "pipe")
    (ws.root / "link").symlink_to("/etc")
    (ws.root / "book").symlink_to("book.ipynb")
    await call(ws, "Read", path="a.py")
    await call(ws, "Read", path="part.py", limit=1)
    usual = {"content": "new\n"} if tool == "Write" else {"old_text": "gone", "new_text": "new"}
    hands = Hands(ws)
    refused = await call(ws, tool, hands, **(usual | arguments))
    assert refused.error
    assert says in refused.text
    assert hands.plans == []


async def test_what_was_not_there_when_the_file_was_read(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": "one\n"})
    await call(ws, "Read", path="a.py")
    ws.write("a.py", "two\nthree\n")
    refused = await edit(ws, "two", "2", replace_all=True)
    assert "has changed since you read it; read it again" in refused.text
    assert "1\t2" in (await edit(ws, "two", "2")).text


@pytest.mark.parametrize("what", ["deleted", "renamed"])
async def test_gone_meanwhile(workspace: MakeWorkspace, what: str) -> None:
    ws = await workspace({"a.py": "one\n"})
    await call(ws, "Read", path="a.py")
    if what == "deleted":
        (ws.root / "a.py").unlink()
    else:
        (ws.root / "a.py").rename(ws.root / "b.py")
    ws.touched("a.py")
    refused = await call(ws, "Write", path="a.py", content="two\n")
    assert refused.error
    assert "deleted or renamed after it was read" in refused.text
    assert not (ws.root / "a.py").exists()
    assert not (await call(ws, "Write", path="a.py", content="two\n")).error  # it insists


async def test_new_files(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": "one\n"})
    result = await call(ws, "Write", path="deep/er/new.py", content="1\n2\n")
    assert result.text == "Created deep/er/new.py with 2 lines."
    assert on_disk(ws, "deep/er/new.py") == "1\n2\n"
    assert not (await edit(ws, "2", "two", path="deep/er/new.py")).error
    hands = Hands(ws, before=lambda: ws.write("race.py", "theirs"))
    refused = await call(ws, "Write", hands, path="race.py", content="ours")
    assert refused.error
    assert "now exists" in refused.text
    assert on_disk(ws, "race.py") == "theirs"


async def test_an_empty_file(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": ""})
    await call(ws, "Read", path="a.py")
    assert not (await call(ws, "Write", path="a.py", content="x\n")).error
    assert on_disk(ws, "a.py") == "x\n"


STEPS = [
    {"old_text": "line 5\n", "new_text": "five\n"},
    {"old_text": "five\nline 6", "new_text": "five and six"},
    {"old_text": "line 2", "new_text": "LINE 2", "replace_all": True},
]


async def test_several_edits(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": CODE})
    await call(ws, "Read", path="a.py")
    hands = Hands(ws)
    result = await call(ws, "MultiEdit", hands, path="a.py", edits=STEPS)
    assert not result.error
    assert len(hands.plans) == 1
    expect = CODE.replace("line 5\nline 6", "five and six").replace("line 2", "LINE 2")
    assert on_disk(ws, "a.py") == expect


async def test_several_edits_are_all_or_none(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": CODE})
    await call(ws, "Read", path="a.py")
    wrong = {"old_text": "line 5\n", "new_text": "too late"}
    result = await call(ws, "MultiEdit", path="a.py", edits=[*STEPS, wrong])
    assert result.error
    assert "edit 4 of 4: old_text is not in the file" in result.text
    assert on_disk(ws, "a.py") == CODE
    nothing = await call(ws, "MultiEdit", path="a.py", edits=[])
    assert "MultiEdit was not run" in nothing.text
    there = {"old_text": "line 5\n", "new_text": "x"}
    back = {"old_text": "x", "new_text": "line 5\n"}
    again = await call(ws, "MultiEdit", path="a.py", edits=[there, back])
    assert "already has this text" in again.text


async def test_what_the_user_rejects_is_told(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": CODE})
    await call(ws, "Read", path="a.py")
    hands = Hands(ws, rejected=(1,))
    result = await call(ws, "MultiEdit", hands, path="a.py", edits=STEPS)
    assert "The user rejected a part of it." in result.text
    assert "line 5" in on_disk(ws, "a.py")
    assert "five" not in result.text
    everything = Hands(ws, rejected=(0,))
    result = await call(ws, "Edit", everything, path="a.py", old_text="line 30", new_text="-")
    assert result.text == "a.py was not changed. The user rejected a part of it."


async def test_what_the_editor_formats_is_told(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": "x = 1\n"})
    await call(ws, "Read", path="a.py")
    hands = Hands(ws, formatted=lambda text: text.replace("'", '"'))
    result = await call(ws, "Edit", hands, path="a.py", old_text="1", new_text="'a'")
    assert "made other changes at the same time" in result.text
    assert '1\tx = "a"' in result.text
    assert not (await edit(ws, '"a"', "2")).error


async def test_an_editor_that_refuses(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": "x\n"})
    await call(ws, "Read", path="a.py")
    hands = Hands(ws, outcome=Refused("The editor did not apply the edit; tell the user."))
    for tool, arguments in (
        ("Edit", {"path": "a.py", "old_text": "x", "new_text": "y"}),
        ("Write", {"path": "new.py", "content": "x"}),
    ):
        refused = await call(ws, tool, hands, **arguments)
        assert refused.error
        assert refused.text == "The editor did not apply the edit; tell the user."
    assert on_disk(ws, "a.py") == "x\n"


async def test_nobody_to_apply_it(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": "x\n"})
    await call(ws, "Read", path="a.py")
    context = ws.context()
    arguments = {"path": "a.py", "old_text": "x", "new_text": "y"}
    result = await call_tool(
        TOOLS, ToolCall("call", "Edit", arguments), context, permit_direct_call
    )
    assert "files can only be read here" in result.text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
@pytest.mark.parametrize("ends", [("\r\n", "\r\n"), ("\r\n", "\n"), ("\r", "\r")])
async def test_bytes_outside_the_hunk_stay(
    workspace: MakeWorkspace, encoding: str, ends: tuple[str, str]
) -> None:
    first, last = ends
    head, tail = f"\xe9{first}# {first}", f"{last}\xfc{last}no end"
    whole = f"{head}OLD{first}OLD 2{tail}".encode(encoding)
    ws = await workspace({"a.py": whole})
    await call(ws, "Read", path="a.py")
    result = await edit(ws, "OLD\nOLD 2", "NEW\nNEW 2\nNEW 3")
    assert not result.error, result.text
    raw = (ws.root / "a.py").read_bytes()
    assert raw == f"{head}NEW{first}NEW 2{first}NEW 3{tail}".encode(encoding)
    size = len(f"{head}".encode(encoding))
    assert hashlib.sha256(raw[:size]).digest() == hashlib.sha256(whole[:size]).digest()
