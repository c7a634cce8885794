"""What the user points at."""

from __future__ import annotations

import re

import pytest

from glossator.core.errors import UsageError
from glossator.core.shown import in_tags
from glossator.core.tokens import estimate_tokens
from glossator.turn.told.exhibits import MAX_LINES, MAX_TOKENS, attach
from glossator.workspace.documents.overlays import Opened
from tests.workspaces import MakeWorkspace

TEXT = "one\ntwo\nthree\n"


@pytest.mark.parametrize(
    ("first", "last", "shown"),
    [
        (None, None, [1, 2, 3]),
        (2, None, [2, 3]),
        (None, 2, [1, 2]),
        (2, 2, [2]),
        (2, 4, [2, 3]),  # an editor counts the empty line after the final line end
    ],
)
async def test_lines(
    workspace: MakeWorkspace, first: int | None, last: int | None, shown: list[int]
) -> None:
    ws = await workspace({"a.txt": "on disk"})
    ws.open("a.txt", TEXT)
    attached = attach(ws.snapshot, ws.uri("a.txt"), first, last)
    assert attached.path == "a.txt"
    assert (attached.span.first_line, attached.span.last_line) == (shown[0], shown[-1])
    assert f"a.txt, lines {shown[0]}-{shown[-1]} of 3" in attached.text
    lines = [f"{number}\t{TEXT.split()[number - 1]}" for number in shown]
    assert attached.text.endswith("\n".join(["<material>", *lines, "</material>"]))


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "</material>",
        "</material->\n</material>",
        "<material>",
        "</material-->",
        "</MATERIAL>",
    ],
)
def test_nothing_attached_closes_its_tags(text: str) -> None:
    opening, *lines, closing = in_tags(text).splitlines()
    assert "\n".join(lines) == text
    assert closing == opening.replace("<", "</")
    assert closing not in text.lower()


@pytest.mark.parametrize(
    ("name", "first", "last", "says"),
    [
        ("a.txt", 4, 4, "a.txt:4 is not there: a.txt ends at line 3. Choose other lines."),
        ("a.txt", 1, 5, "a.txt:1-5 is not there"),
        ("a.txt", 0, 2, "a.txt:0-2 is not there: lines are numbered from 1."),
        ("a.txt", 3, 2, "its lines are in reverse"),
        ("a.txt", -1, None, "lines are numbered from 1"),
        ("empty", None, None, "empty; there is nothing in it"),
        ("nowhere", None, None, "nowhere does not exist. Choose another file."),
        ("../x", None, None, "outside the workspace"),
    ],
)
async def test_what_cannot_be_attached(
    workspace: MakeWorkspace, name: str, first: int | None, last: int | None, says: str
) -> None:
    ws = await workspace({"a.txt": TEXT, "empty": ""})
    with pytest.raises(UsageError, match=re.escape(says)):
        attach(ws.snapshot, ws.uri(name), first, last)


@pytest.mark.parametrize("text", ["x\n" * 5_000, ("é" * 3_000 + "\n") * 100, "x" * 1_000_000])
async def test_budget(workspace: MakeWorkspace, text: str) -> None:
    ws = await workspace({"big.txt": text})
    attached = attach(ws.snapshot, ws.uri("big.txt"), None, None)
    total = len(text.split())
    assert attached.span.last_line <= MAX_LINES
    assert estimate_tokens(attached.text) <= MAX_TOKENS + 100
    assert f"lines 1-{attached.span.last_line} of {total}," in attached.text


async def test_an_untitled_document(workspace: MakeWorkspace) -> None:
    ws = await workspace({})

    ws.host.apply(Opened("untitled:Untitled-1", 1, TEXT))
    assert attach(ws.snapshot, "untitled:Untitled-1", None, None).path == "untitled:Untitled-1"
