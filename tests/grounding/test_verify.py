"""A citation holds only for lines that exist and were shown as they are now."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.context.attachments import attach
from glossator.core.citations import parse_citations
from glossator.core.span import CitationStatus
from glossator.core.uri import to_uri
from glossator.grounding.verify import verify
from glossator.workspace.change import Opened
from tests.workspaces import MakeWorkspace, Workspace

FILES = {"a.py": "".join(f"line {n}\n" for n in range(1, 21)), "b.py": "x\n"}


def check(ws: Workspace, cited: str, expect: str = "read") -> None:
    """`expect` is "read", or words of the reason why not."""
    (mark,) = parse_citations(f"[cite: doc, {cited}]")
    citation = verify(mark, ws.snapshot, ws.reads)
    assert citation.target == mark.path
    if expect == "read":
        assert (citation.status, citation.reason) == (CitationStatus.READ, "")
        assert citation.span is not None
        assert citation.span.first_line == mark.first_line
    else:
        assert citation.status is CitationStatus.UNSUPPORTED
        assert expect in citation.reason


@pytest.mark.parametrize(
    ("cited", "expect"),
    [
        ("a.py, 5-9", "read"),
        ("a.py, 7", "read"),
        ("./a.py, 7", "read"),
        ("a.py, 4-9", "not read"),
        ("a.py, 9-10", "not read"),
        ("a.py, 1", "not read"),
        ("b.py, 1", "not read"),
        ("a.py, 5-21", "only 20 lines"),
        ("a.py, 5-999999999", "only 20 lines"),
        ("a.py, 0", "not a range"),
        ("a.py, 9-5", "not a range"),
        ("nowhere.py, 1", "does not exist"),
        ("../secret.py, 1", "outside the workspace"),
        ("/etc/passwd, 1", "outside the workspace"),
        ("link.py, 1", "outside the workspace"),
    ],
)
async def test_what_was_read(workspace: MakeWorkspace, cited: str, expect: str) -> None:
    ws = await workspace(FILES)
    (ws.root / "link.py").symlink_to("/etc/passwd")
    await ws.call("Read", path="a.py", offset=5, limit=5)
    check(ws, cited, expect)


async def test_grep_and_search_show_lines_too(workspace: MakeWorkspace) -> None:
    ws = await workspace({**FILES, "c.py": "def colour():\n    return 'red'\n"})
    await ws.call("Grep", pattern="line (5|1.)$", output_mode="content", **{"-C": 1})
    await ws.call("Grep", pattern="x", path="b.py")  # the path alone shows no line
    check(ws, "a.py, 4-6")
    check(ws, "a.py, 9-20")
    check(ws, "a.py, 7", "not read")
    check(ws, "b.py, 1", "not read")
    await ws.call("Search", query="colour")
    check(ws, "c.py, 1-2")


async def test_stale_after_a_change(workspace: MakeWorkspace) -> None:
    ws = await workspace(FILES)
    await ws.call("Read", path="a.py")
    check(ws, "a.py, 5")
    ws.open("a.py", FILES["a.py"])
    check(ws, "a.py, 5")
    ws.edit("a.py", FILES["a.py"] + "more\n")
    check(ws, "a.py, 5", "Line 5 was not read as the file is now.")
    ws.close("a.py")
    check(ws, "a.py, 5")
    ws.write("a.py", "changed\n" * 20)
    check(ws, "a.py, 5", "Line 5 was not read as the file is now.")


async def test_an_attached_document_outside_the_workspace(
    workspace: MakeWorkspace, tmp_path: Path
) -> None:
    ws = await workspace({})
    elsewhere, other = tmp_path / "elsewhere.py", tmp_path / "other.py"
    for path in (elsewhere, other):
        ws.host.apply(Opened(to_uri(str(path)), 1, "one\ntwo\n"))
    attached = attach(ws.snapshot, to_uri(str(elsewhere)), 2, 2)
    ws.reads.show([attached.span])
    check(ws, f"{attached.path}, 2")
    check(ws, f"{attached.path}, 1", "not read")
    check(ws, f"{other}, 1", "not read")
