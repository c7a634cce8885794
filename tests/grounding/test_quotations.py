"""Quoted code: rules verify it if it stands in its lines as it is quoted."""

from __future__ import annotations

import pytest

from glossator.core.span import Basis, CitationStatus
from glossator.grounding.citation_checks import Sources
from glossator.grounding.verdicts import check_answer
from tests.workspaces import MakeWorkspace, Workspace

FILES = {
    "pool.py": (
        "class Pool:\n"
        "    def close(self):\n"
        "        if self.open:\n"
        "            self.flush()\n"
        "        self.drop()\n"
        "\n"
        "    def drop(self):\n"
        "        self.items = []\n"
        "        self.open = False\n"
    ),
    "limits.py": '"""All.\n\nThe setting:`most` is read once :\n\n    most : 3 , 4\n"""\n\nM = 3\n',
    "app.go": "func run() {\n\tif ok {\n\t\tstart()\n\t}\n\tstop()\n}\n",
}
V, R = CitationStatus.VERIFIED, CitationStatus.READ
U = CitationStatus.UNSUPPORTED


@pytest.fixture
async def ws(workspace: MakeWorkspace) -> Workspace:
    ws = await workspace(FILES)
    for path in FILES:
        await ws.call("Read", path=path)
    return ws


def status(ws: Workspace, path: str, *lines: str) -> CitationStatus:
    code = "\n".join(lines)
    last = FILES[path].count("\n")
    answer = f"From [cite: doc, {path}, L1-L{last}]:\n\n```\n{code}\n```\n"
    (citation,) = check_answer(answer, Sources(ws.snapshot, ws.reads)).citations
    assert (citation.basis is None) == (citation.status is R)
    assert citation.basis in (None, Basis.CHECKS)
    return citation.status


@pytest.mark.parametrize(
    ("path", "lines", "expect"),
    [
        ("pool.py", ["        if self.open:", "            self.flush()"], V),
        ("pool.py", ["if self.open:", "    self.flush()"], V),  # less indented, all alike
        ("pool.py", ["self.drop()", "", "def drop(self):"], R),  # not all alike
        ("pool.py", ["        self.drop()", "    def drop(self):"], V),  # blank lines say nothing
        ("app.go", ["\tif ok {", "\t\tstart()", "\t}"], V),
        ("app.go", ["if ok {", "\tstart()", "}"], V),
        # another order
        ("pool.py", ["self.open = False", "self.items = []"], R),
        ("app.go", ["stop()", "start()"], R),
        # another indentation: it would run at other times
        ("pool.py", ["if self.open:", "    self.flush()", "    self.drop()"], R),
        ("pool.py", ["if self.open:", "self.flush()"], R),
        ("app.go", ["if ok {", "\tstart()", "}", "\tstop()"], R),
        ("app.go", ["if ok {", "    start()", "}"], V),  # tabs are quoted as spaces
        # a gap: what stands between may change all
        ("pool.py", ["def close(self):", "    self.drop()"], R),
        ("app.go", ["func run() {", "\tstop()", "}"], R),
        # dots say that there is one, and not what it changes
        ("pool.py", ["def close(self):", "    ...", "    self.drop()"], R),
        ("pool.py", ["def close(self):", "    # ...", "    self.drop()"], R),
        ("app.go", ["func run() {", "\t// …", "\tstop()", "}"], R),
        ("pool.py", ["self.drop()", "...", "if self.open:"], R),  # it stands before
        ("pool.py", ["def close(self):", "...", "        self.drop()"], R),
        # a line that is not there, among others that are
        ("pool.py", ["if self.open:", "    self.flush(True)"], U),
        ("pool.py", ["if self.open:", "    self.flush()", "    self.sync()"], U),
        # an example of the writer's own
        ("pool.py", ["pool = Pool(3)", "pool.fill()", "self.drop()"], R),
        # as it is, with blanks before a colon
        ("limits.py", ["The setting:`most` is read once :", "", "    most : 3 , 4"], V),
    ],
)
def test_code_stands_in_its_lines_as_it_is_quoted(
    ws: Workspace, path: str, lines: list[str], expect: CitationStatus
) -> None:
    assert status(ws, path, *lines) is expect


def test_code_that_falls_is_told_by_its_line(ws: Workspace) -> None:
    answer = "From [cite: doc, pool.py, L1-L9]:\n\n```py\nself.drop()\nself.stop()\n```\n"
    (fallen,) = check_answer(answer, Sources(ws.snapshot, ws.reads)).fallen
    assert fallen.reason == "The line `self.stop()` is not among the lines."


def test_only_the_lines_that_hold_the_code_are_verified(ws: Workspace) -> None:
    answer = (
        "From [cite: doc, pool.py, L1-L5] [cite: doc, pool.py, L7-L9]:\n\n"
        "```py\nself.items = []\nself.open = False\n```\n"
    )
    found = check_answer(answer, Sources(ws.snapshot, ws.reads)).citations
    assert [each.status for each in found] == [R, V]
