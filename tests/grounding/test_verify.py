"""A citation holds only for lines that exist and were shown as they are now."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from glossator.core.citations import parse_citations
from glossator.core.document import Document, Missing
from glossator.core.span import Basis, CitationStatus, CitationView
from glossator.core.uri import to_uri
from glossator.grounding import statement_lines as citing
from glossator.grounding.citation_checks import Sources, faults, verify_all, verify_answer
from glossator.grounding.verdicts import check_answer
from glossator.tools.conversation_state import CommandRuns
from glossator.turn.told.exhibits import attach
from glossator.workspace.documents.overlays import Opened
from glossator.workspace.documents.snapshot import WorkspaceSnapshot
from tests.grounding.readers import judged
from tests.workspaces import MakeWorkspace, Workspace

FILES = {"a.py": "".join(f"line {n}\n" for n in range(1, 21)), "b.py": "x\n"}


def check(ws: Workspace, cited: str, expect: str = "read") -> None:
    """`expect` is "read", words of the reason why not, or `part 5-9`: what it leads to."""
    (mark,) = parse_citations(f"[cite: doc, {cited}]")
    citation = verify_answer(mark, Sources(ws.snapshot, ws.reads))
    assert citation.target == mark.path
    if expect == "read":
        assert (citation.status, citation.reason) == (CitationStatus.READ, "")
        assert citation.span is not None
        assert citation.span.first_line == mark.first_line
    elif expect.startswith("part"):
        assert citation.status is CitationStatus.READ
        view = CitationView.of(citation)
        assert (view.first_line, view.last_line) == (mark.first_line, mark.last_line)
        assert f"part {view.moved_to}-{view.moved_until}" in expect
        assert view.reason == expect.partition(": ")[2]
    else:
        assert citation.status is CitationStatus.UNSUPPORTED
        assert expect in citation.reason


@pytest.mark.parametrize(
    ("cited", "expect"),
    [
        ("a.py, 5-9", "read"),
        ("a.py, 7", "read"),
        ("./a.py, 7", "read"),
        ("a.py, 4-9", "part 5-9: Of the lines cited only lines 5-9 were read."),
        ("a.py, 9-10", "part 9-9: Of the lines cited only line 9 was read."),
        ("a.py, 9-20", "part 9-9: Of the lines cited only line 9 was read."),
        ("a.py, 10-20", "not read"),
        ("a.py, 1", "not read"),
        ("b.py, 1", "not read"),
        ("a.py, 5-21", "part 5-9: Of the lines cited only lines 5-9 were read."),
        ("a.py, 5-999999999", "part 5-9: Of the lines cited only lines 5-9 were read."),
        ("a.py, 21-30", "only 20 lines"),
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
    part = "part 1001-3000: Of the lines cited only lines 1001-3000 were read."
    check(ws, "big.py, L1000-L3001", part)


async def test_a_reason_names_the_lines_that_were_not_read(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": "x\n" * 100})
    for line in (10, 12, 14, 16, 18, 20):
        await ws.call("Read", path="a.py", offset=line, limit=1)
    check(ws, "a.py, 11", "Line 11 was not read.")
    check(ws, "a.py, 21-34", "Lines 21-34 were not read.")
    only = "Of the lines cited only"
    check(ws, "a.py, 9-13", f"part 10-10: {only} lines 10 and 12 were read.")
    every = f"{only} lines 10, 12, 14, 16 and 2 more places were read."
    check(ws, "a.py, 1-34", f"part 10-10: {every}")


async def test_mentions_are_of_what_is_named_like_a_file(workspace: MakeWorkspace) -> None:
    ws = await workspace(FILES)
    await ws.call("Read", path="a.py", offset=5, limit=5)
    answer = "See `a.py:5-9` and (b.py:1) at 10:30 in gone.py:3, [cite: a.py, 7; b.py, 1]."
    found = [
        (each.target, each.status) for _, each in verify_all(answer, Sources(ws.snapshot, ws.reads))
    ]
    read, unsupported = CitationStatus.READ, CitationStatus.UNSUPPORTED
    gone = ("gone.py", unsupported)
    assert found == [("a.py", read), gone, ("a.py", read), ("b.py", unsupported)]


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
    ((_, mentioned),) = verify_all("See app.py:1.", Sources(ws.snapshot, ws.reads))
    assert mentioned.span is not None
    assert mentioned.span.uri == to_uri(str(ws.root / "src/app.py"))
    await ws.call("Read", path="lib/app.py")
    check(ws, "app.py, 1", "app.py does not exist")  # which one?
    check(ws, "lib/app.py, 1")


async def test_lines_that_say_nothing_need_not_be_read(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.py": "x = 1\n\n  )\ny = 2\n"})
    await ws.call("Read", path="a.py", limit=1)
    check(ws, "a.py, 1-3")
    check(ws, "a.py, 1-4", "part 1-3: Of the lines cited only lines 1-3 were read.")
    check(ws, "a.py, 2-3", "Lines 2-3 were not read.")


async def test_of_lines_that_were_partly_read_each_part_may_carry_the_sentence(
    workspace: MakeWorkspace,
) -> None:
    text = "def fetch():\n" + "    step()\n" * 8 + "    retries = 3\n"
    ws = await workspace({"a.py": text})
    await ws.call("Read", path="a.py", limit=4)
    await ws.call("Read", path="a.py", offset=10, limit=1)
    sources = Sources(ws.snapshot, ws.reads)
    answer = "`retries` is 3 [cite: doc, a.py, L1-L10]. `step` is called [cite: doc, a.py, L3-L8]."
    assert faults(answer, sources) == ""
    says = {"retries": ("SUPPORTED", ["retries = 3"]), "step": ("SUPPORTED", ["step()"])}
    retries, step = map(CitationView.of, judged(answer, sources, says).citations)
    assert (retries.status, step.status) == (CitationStatus.VERIFIED, CitationStatus.VERIFIED)
    assert (retries.first_line, retries.last_line) == (1, 10)
    assert retries.leads_to == (10, 10)
    assert retries.reason == "Of the lines cited only lines 1-4 and 10 were read."
    assert step.leads_to == (3, 4)
    wrong = "`retries` is 4 [cite: doc, a.py, L5-L10], [cite: doc, a.py, L5-L9]."
    part, unread = check_answer(wrong, sources).citations
    assert (part.status, unread.status) == (CitationStatus.UNSUPPORTED,) * 2
    assert (part.basis, unread.basis) == (Basis.CHECKS, None)
    assert "a.py:5-9: Lines 5-9 were not read." in faults(wrong, sources)
    assert "a.py:5-10" not in faults(wrong, sources)


@pytest.mark.parametrize("last", [21, 999_999_999])
async def test_lines_behind_the_end_are_left_out(workspace: MakeWorkspace, last: int) -> None:
    ws = await workspace(FILES)
    await ws.call("Read", path="a.py")
    answer, sources = f"`line` ends [cite: doc, a.py, L18-L{last}].", Sources(ws.snapshot, ws.reads)
    assert faults(answer, sources) == ""
    (citation,) = check_answer(answer, sources).citations
    assert (citation.status, citation.reason) == (CitationStatus.READ, "a.py has only 20 lines.")
    assert (citation.cited, CitationView.of(citation).leads_to) == ((18, last), (18, 20))
    says = {"`line` ends": ("SUPPORTED", ["line 20"])}
    (citation,) = judged(answer, sources, says).citations
    assert (citation.status, citation.reason) == (
        CitationStatus.VERIFIED,
        "a.py has only 20 lines.",
    )


async def test_other_lines_of_a_file_that_was_read_cost_no_second_answer(
    workspace: MakeWorkspace,
) -> None:
    ws = await workspace(FILES)
    await ws.call("Read", path="a.py", offset=5, limit=5)
    sources = Sources(ws.snapshot, ws.reads)
    for cited, is_mended, is_misplaced in (
        ("a.py, L1-L2", True, True),
        ("a.py, L30-L31", True, True),
        ("b.py, L1", False, True),  # nothing was read of it: there are no lines to choose from
        ("gone.py, L1", False, False),
        ("the docs", False, False),
    ):
        answer = f"`line` is there [cite: doc, {cited}]."
        assert faults(answer, sources)
        assert (faults(answer, sources, mends=True) == "") is is_mended, cited
        (statement,) = check_answer(answer, sources).statements
        assert statement.is_misplaced is is_misplaced, cited


async def test_of_many_faults_only_some_are_told(workspace: MakeWorkspace) -> None:
    ws = await workspace(FILES)
    answer = "".join(f"It is so [cite: doc, gone{n}.py, L1].\n" for n in range(1_000))
    told = faults(answer, Sources(ws.snapshot, ws.reads))
    assert told.count("- gone") == 50
    assert "\n- and 950 more\n" in told


async def test_of_a_very_long_answer_only_the_beginning_is_judged(
    workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is cited behind it was shown or does not hold. Each file is read once."""
    monkeypatch.setattr(citing, "MOST_JUDGED", 200)
    ws = await workspace({"a.py": "def fetch():\n    return load()\n"})
    await ws.call("Read", path="a.py")
    read: list[str] = []
    reading = WorkspaceSnapshot.read

    def spied(snapshot: WorkspaceSnapshot, path: str) -> Document | Missing:
        read.append(path)
        return reading(snapshot, path)

    monkeypatch.setattr(WorkspaceSnapshot, "read", spied)
    line = "`fetch` calls `load`. [cite: doc, a.py, L1-L2]\n\n"
    answer = line * 20 + "It is gone [cite: doc, gone.py, L1]."
    checked = check_answer(answer, Sources(ws.snapshot, ws.reads))
    assert len(checked.statements) == 200 // len(line)
    statuses = [each.status for each in checked.citations]
    assert statuses == [CitationStatus.READ] * 20 + [CitationStatus.UNSUPPORTED]
    assert len(read) == len(set(read))


@pytest.mark.parametrize("cited", ["doc, a.py", "a.py L5 or so", "fact, a b, null", "the docs"])
async def test_a_mark_that_cannot_be_read_does_not_hold(
    workspace: MakeWorkspace, cited: str
) -> None:
    ws = await workspace(FILES)
    await ws.call("Read", path="a.py")
    answer = f"It is so [cite: a.py, 1]. And so [cite: {cited}], but not `[cite: x]` or [1]."
    (_, first), (_, second) = verify_all(answer, Sources(ws.snapshot, ws.reads))
    assert first.status is CitationStatus.READ
    assert (second.target, second.status) == (f"[cite: {cited}]", CitationStatus.UNSUPPORTED)
    assert second.reason == "This citation cannot be read."
    told = f"- [cite: {cited}]: {second.reason} Write [cite: doc, PATH, L1-L2]"
    assert told in faults(answer, Sources(ws.snapshot, ws.reads))


async def test_a_run_says_how_it_ended(workspace: MakeWorkspace) -> None:
    ws = await workspace({})
    runs = CommandRuns(["make test"], [(1, "exit code 2")])
    kept: list[tuple[int, str]] = []
    runs.failed = lambda *failure: kept.append(failure)
    runs.begin("make lint")
    runs.fail(runs.begin("make " + "x" * 200), "exit code 1")
    answer = "It failed [cite: run, 1], then it did not [cite: run, 2-3]."
    found = verify_all(answer, Sources(ws.snapshot, ws.reads, runs.lines()))
    targets = [citation.target for _, citation in found]
    assert targets[:2] == ["run 1: [exit code 2] make test", "run 2: make lint"]
    assert targets[2].startswith("run 3: [exit code 1] make xxx")
    assert targets[2].endswith("x…")
    assert kept == [(3, "exit code 1")]


@pytest.mark.parametrize("name", ["fact 12", "task 2"])
async def test_a_fact_or_a_task_that_nobody_knows_is_no_document(
    workspace: MakeWorkspace, name: str
) -> None:
    ws = await workspace(FILES | {name: "x\n"})
    ((_, citation),) = verify_all(f"It is so [cite: {name}].", Sources(ws.snapshot, ws.reads))
    assert (citation.target, citation.status) == (name, CitationStatus.UNSUPPORTED)
    assert citation.reason == f"There is no {name}."
