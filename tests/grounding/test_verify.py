"""A citation holds only for lines that exist and were shown as they are now."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from glossator.context.attachments import attach
from glossator.core.citations import parse_citations
from glossator.core.span import CitationStatus
from glossator.core.uri import to_uri
from glossator.documents.change import Opened
from glossator.grounding.verify import faults, verify_all, verify_answer
from glossator.tools.conversation_state import CommandRuns
from tests.workspaces import MakeWorkspace, Workspace

FILES = {"a.py": "".join(f"line {n}\n" for n in range(1, 21)), "b.py": "x\n"}


def check(ws: Workspace, cited: str, expect: str = "read") -> None:
    """`expect` is "read", or words of the reason why not."""
    (mark,) = parse_citations(f"[cite: doc, {cited}]")
    citation = verify_answer(mark, ws.snapshot, ws.reads)
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


SHOP = {
    "shop.py": "class Till:\n    def pay(self, sum):\n        return sum\n\n\nTill().pay(1)\n",
    "notes.md": "# Pay\n\nTill.pay takes it.\n",
}


@pytest.mark.parametrize(
    ("call", "shown", "not_shown"),
    [
        ({"mode": "definitions", "name": "Till.pay"}, [2], [1, 3, 6]),
        ({"mode": "references", "name": "pay"}, [6], [1, 3]),
        ({"mode": "callers", "name": "pay"}, [6], [1, 2, 3]),
        ({"mode": "outline", "path": "shop.py"}, [1, 2], [3, 6]),
    ],
)
async def test_symbols_show_lines_too(
    workspace: MakeWorkspace, call: dict[str, str], shown: list[int], not_shown: list[int]
) -> None:
    ws = await workspace(SHOP)
    await ws.call("Symbols", **call)
    for line in shown:
        check(ws, f"shop.py, {line}")
    for line in not_shown:
        check(ws, f"shop.py, {line}", f"Line {line} was not read.")


async def test_uses_that_were_cut_off_are_not_shown(workspace: MakeWorkspace) -> None:
    uses = "".join(f"pay({n})  # {'x' * 280}\n" for n in range(1, 200))
    ws = await workspace({"shop.py": f"def pay(sum): ...\n{uses}"})
    result = await ws.call("Symbols", mode="callers", name="pay")
    last = max(int(n) for n in re.findall(r"^(?:shop\.py:)?(\d+)[:\t]", result.text, re.MULTILINE))
    check(ws, f"shop.py, L2-L{last}")
    check(ws, f"shop.py, {last + 1}", "not read")


async def test_the_end_of_a_page_says_how_to_cite_it(workspace: MakeWorkspace) -> None:
    ws = await workspace({"big.py": "x = 1\n" * 5_000})
    result = await ws.call("Read", path="big.py", offset=1_001)
    shown = re.search(r"\[(L\S+) of 5000; go on", result.text)
    assert shown
    check(ws, f"big.py, {shown[1]}")
    check(ws, "big.py, 1,001-3,000")
    check(ws, "big.py, lines 1,001-3,000 of 5,000")
    check(ws, "big.py, L1000-L3001", "Lines 1000 and 3001 were not read.")


async def test_a_reason_names_the_lines_that_were_not_read(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": "x\n" * 100})
    for line in (10, 12, 14, 16, 18, 20):
        await ws.call("Read", path="a.py", offset=line, limit=1)
    check(ws, "a.py, 10-11", "Line 11 was not read.")
    check(ws, "a.py, 20-34", "Lines 21-34 were not read.")
    check(ws, "a.py, 9-13", "Lines 9, 11 and 13 were not read.")
    check(ws, "a.py, 1-34", "Lines 1-9, 11, 13, 15 and 3 more places were not read.")


async def test_mentions_are_of_files_alone(workspace: MakeWorkspace) -> None:
    ws = await workspace(FILES)
    await ws.call("Read", path="a.py", offset=5, limit=5)
    answer = "See `a.py:5-9` and (b.py:1) at 10:30 in gone.py:3, [cite: a.py, 7; b.py, 1]."
    found = [(each.target, each.status) for _, each in verify_all(answer, ws.snapshot, ws.reads)]
    read, unsupported = CitationStatus.READ, CitationStatus.UNSUPPORTED
    assert found == [("a.py", read), ("a.py", read), ("b.py", unsupported)]


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


async def test_the_end_of_a_path_names_the_one_file_that_was_shown(
    workspace: MakeWorkspace,
) -> None:
    ws = await workspace({"src/app.py": "x = 1\n", "lib/app.py": "y = 1\n", "src/b.py": "z\n"})
    await ws.call("Read", path="src/app.py")
    check(ws, "app.py, 1")
    check(ws, "b.py, 1", "b.py does not exist")  # it was not shown
    ((_, mentioned),) = verify_all("See app.py:1.", ws.snapshot, ws.reads)
    assert mentioned.span is not None
    assert mentioned.span.uri == to_uri(str(ws.root / "src/app.py"))
    await ws.call("Read", path="lib/app.py")
    check(ws, "app.py, 1", "app.py does not exist")  # which one?
    check(ws, "lib/app.py, 1")


async def test_lines_that_say_nothing_need_not_be_read(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": "x = 1\n\n  )\ny = 2\n"})
    await ws.call("Read", path="a.py", limit=1)
    check(ws, "a.py, 1-3")
    check(ws, "a.py, 1-4", "Lines 2-4 were not read.")
    check(ws, "a.py, 2-3", "Lines 2-3 were not read.")


@pytest.mark.parametrize("cited", ["doc, a.py", "a.py L5 or so", "fact, 12, null", "the docs"])
async def test_a_mark_that_cannot_be_read_does_not_hold(
    workspace: MakeWorkspace, cited: str
) -> None:
    ws = await workspace(FILES)
    await ws.call("Read", path="a.py")
    answer = f"It is so [cite: a.py, 1]. And so [cite: {cited}], but not `[cite: x]` or [1]."
    (_, first), (_, second) = verify_all(answer, ws.snapshot, ws.reads)
    assert first.status is CitationStatus.READ
    assert (second.target, second.status) == (f"[cite: {cited}]", CitationStatus.UNSUPPORTED)
    assert f"- [cite: {cited}]: It names no lines" in faults(answer, ws.snapshot, ws.reads)


async def test_a_run_says_how_it_ended(workspace: MakeWorkspace) -> None:
    ws = await workspace({})
    runs = CommandRuns(["make test"], [(1, "exit code 2")])
    kept: list[tuple[int, str]] = []
    runs.failed = lambda *failure: kept.append(failure)
    runs.begin("make lint")
    runs.fail(runs.begin("make " + "x" * 200), "exit code 1")
    answer = "It failed [cite: run, 1], then it did not [cite: run, 2-3]."
    found = verify_all(answer, ws.snapshot, ws.reads, runs.lines())
    targets = [citation.target for _, citation in found]
    assert targets[:2] == ["run 1: [exit code 2] make test", "run 2: make lint"]
    assert targets[2].startswith("run 3: [exit code 1] make xxx")
    assert targets[2].endswith("x…")
    assert kept == [(3, "exit code 1")]
