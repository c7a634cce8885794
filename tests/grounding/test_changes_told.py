"""Sentences that tell of an edit: what it replaced counts beside the lines as they are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from glossator.core.document import Document
from glossator.core.permission import Choice, PermissionAnswer
from glossator.core.span import Basis, CitationStatus, Span
from glossator.grounding import entailment
from glossator.grounding.citation_checks import Sources
from glossator.grounding.cited_lines import CitedLines, Removed
from glossator.grounding.rules import Verdict, check
from glossator.grounding.statement_lines import cited_statements
from tests.sides import answering, asked, first_text
from tests.stage import stage
from tests.standin import Text, ToolUse, Turn
from tests.workspaces import MakeWorkspace, Workspace

NOW = (
    "import db\n"
    "\n"
    "def load_user(name, timeout=30):\n"
    "    return db.get(name, timeout)\n"
    "\n"
    "def save(user):\n"
    "    db.put(user)\n"
)
BEFORE = (
    "import db\n"
    "\n"
    "def fetch_user(name, timeout=10):\n"
    "    print(name)\n"
    "    return db.get(name, timeout)\n"
    "\n"
    "def save(user):\n"
    "    db.put(user)\n"
    "    db.flush()\n"
)
LOAD = CitedLines(
    "app.py",
    3,
    ("def load_user(name, timeout=30):", "    return db.get(name, timeout)"),
    removed=(Removed(3, ("def fetch_user(name, timeout=10):", "    print(name)")),),
)


@pytest.mark.parametrize(
    ("statement", "tells"),
    [
        ("I renamed `fetch_user` to `load_user`.", True),
        ("`fetch_user` is now `load_user`.", True),
        ("The default timeout went from 10 to 30 seconds.", True),
        ("I removed the `print` call from `load_user`.", True),
        ("`load_user` heißt jetzt so, statt `fetch_user`.", True),
        ("`load_user` calls `db.get`.", False),
    ],
)
def test_no_rule_refuses_what_an_edit_replaced(statement: str, *, tells: bool) -> None:
    found = check(statement, [LOAD])
    assert (found.verdict, found.tells_change) == (Verdict.UNDECIDED, tells)


@pytest.mark.parametrize(
    ("statement", "missing"),
    [
        ("I renamed `get_user` to `load_user`.", "get_user"),
        ("`fetch_user` is now `find_user`.", "find_user"),
        ("The default timeout went from 15 to 30 seconds.", "15"),
        ("It now stands on line 1.", "1"),  # what is gone has no line
        ("`load_user` calls `print`.", "print"),  # which tells of no change
        ("The default timeout is 10 seconds.", "10"),
    ],
)
def test_what_stood_nowhere_is_refused(statement: str, missing: str) -> None:
    found = check(statement, [LOAD])
    assert found.verdict is Verdict.UNSUPPORTED
    assert missing in found.reason


def test_callers_and_parameters_are_those_of_the_lines_as_they_are() -> None:
    lines = CitedLines(
        "a.py", 1, ("def f(a, b):", "    pass"), removed=(Removed(1, ("def f(a):",)),)
    )
    assert check("`f` takes one argument.", [lines]).verdict is Verdict.CONTRADICTED
    assert check("`f` takes two arguments.", [lines]).verdict is Verdict.UNDECIDED


@pytest.fixture
async def ws(workspace: MakeWorkspace) -> Workspace:
    ws = await workspace({"app.py": NOW})
    await ws.call("Read", path="app.py")
    return ws


def document_of(ws: Workspace) -> Document:
    found = ws.snapshot.read(str(ws.root / "app.py"))
    assert isinstance(found, Document)
    return found


def removed(ws: Workspace, first: int, last: int, *before: str) -> list[Removed]:
    document = document_of(ws)
    sources = Sources(ws.snapshot, ws.reads, before={document.path: before or (BEFORE,)})
    return [*sources.removed(document, Span(document.uri, document.sha256, first, last))]


def test_only_what_stood_at_the_lines_counts(ws: Workspace) -> None:
    gone = Removed(3, ("def fetch_user(name, timeout=10):", "    print(name)"))
    assert removed(ws, 3, 4) == [gone]
    assert removed(ws, 3, 3) == [gone]
    assert removed(ws, 1, 1) == []
    assert removed(ws, 6, 7) == [Removed(8, ("    db.flush()",))]  # at their end
    assert removed(ws, 6, 6) == []
    assert removed(ws, 1, 7, "".join(f"{n}\n" for n in range(300))) == []  # too much to show
    assert removed(ws, 1, 7, NOW) == []


def test_of_two_edits_of_one_line_both_count(ws: Workspace) -> None:
    """What the first question found, and what this one did."""
    between = BEFORE.replace("fetch_user", "find_user")
    old = [each.lines[0] for each in removed(ws, 3, 4, BEFORE, between)]
    assert old == ["def fetch_user(name, timeout=10):", "def find_user(name, timeout=10):"]


def test_a_model_is_shown_it_apart(ws: Workspace) -> None:
    document = document_of(ws)
    sources = Sources(ws.snapshot, ws.reads, before={document.path: (BEFORE,)})
    answer = "I renamed `fetch_user` to `load_user`. [cite: doc, app.py, L3-L4]"
    (statement,), _ = cited_statements(answer, sources)
    assert (
        "[1] app.py\n"
        "-\tdef fetch_user(name, timeout=10):\n"
        "-\t    print(name)\n"
        "3\tdef load_user(name, timeout=30):\n"
        "4\t    return db.get(name, timeout)\n"
    ) in entailment.prompt_of([statement])
    assert "A line with - in place of a number" in entailment.prompt_of([statement])

    def told(*words: str) -> entailment.Entailed:
        reply = {"answers": [{"statement": 1, "words": [*words], "answer": "SUPPORTED"}]}
        return entailment.answers_in(reply, [statement])[0]

    assert told("def fetch_user(", "def load_user(").verdict is Verdict.SUPPORTED
    assert told("def load_user(").verdict is Verdict.SUPPORTED
    gone = told("def fetch_user(")
    assert (gone.verdict, gone.reason) == (
        Verdict.UNDECIDED,
        "Not judged: only lines that were removed say so.",
    )


def test_lines_that_are_joined_keep_all_that_was_removed(ws: Workspace) -> None:
    document = document_of(ws)
    old = BEFORE.replace("print(name)\n", 'print("""\n\n\n""")\n')
    sources = Sources(ws.snapshot, ws.reads, before={document.path: (old,)})
    answer = (
        "`load_user` was another. [cite: doc, app.py, L2-L4]"
        " `save` was longer. [cite: doc, app.py, L4-L7]"
    )
    statements, _ = cited_statements(answer, sources)
    assert (
        "2\t\n"
        "-\tdef fetch_user(name, timeout=10):\n"
        '-\t    print("""\n-\t\n-\t\n-\t""")\n'
        "3\tdef load_user(name, timeout=30):\n"
        "4\t    return db.get(name, timeout)\n"
        "5\t\n"
        "6\tdef save(user):\n"
        "7\t    db.put(user)\n"
        "-\t    db.flush()\n"
    ) in entailment.prompt_of(statements)


@pytest.mark.parametrize(
    ("statement", "has_rest"),
    [
        ("It returns early instead of calling `print`.", False),
        ("It returns early instead of calling `load`.", True),  # which stood nowhere
        ("It no longer calls `print`.", True),
    ],
)
def test_what_is_in_place_of_something_denies_nothing_of_the_rest(
    ws: Workspace, statement: str, *, has_rest: bool
) -> None:
    """But what is no longer done may be done elsewhere in the definition."""
    document = document_of(ws)
    sources = Sources(ws.snapshot, ws.reads, before={document.path: (BEFORE,)})
    (cited,), _ = cited_statements(f"{statement} [cite: doc, app.py, L3]", sources)
    assert bool(cited.rest) == has_rest


@pytest.mark.parametrize("is_true", [True, False])
async def test_an_edit_is_reported_truly(tmp_path: Path, *, is_true: bool) -> None:
    """Verified without a correction, also later, and kept as no fact; what is false is refused."""
    old = "fetch_user" if is_true else "get_user"
    report = f"`{old}` is now called `load_user`. [cite: doc, app.py, L1-L2]"
    turns = iter(
        [
            Turn(ToolUse("Read", {"path": "app.py"})),
            Turn(
                ToolUse(
                    "Edit", {"path": "app.py", "old_text": "fetch_user", "new_text": "load_user"}
                )
            ),
            Turn(Text(report)),
            Turn(Text(report)),
        ]
    )
    verify = answering(called=("SUPPORTED", "def load_user(name)"))
    seen: list[str] = []

    def script(body: Mapping[str, Any]) -> Turn:
        match asked(body):
            case "":
                return next(turns, Turn(Text(report)))
            case "verify":
                seen.append(first_text(body))
                return verify(body)
            case _:
                seen.append("correct")
                return Turn(Text(json.dumps({"sentences": []})))

    files = {"app.py": "def fetch_user(name):\n    return name\n"}
    settings = {"grounding": {"entailment": True}}
    async with stage(tmp_path / "ws", files, script, settings) as s:
        s.port.permitted = [PermissionAnswer(Choice.ONCE)]
        answer = await s.ask("Rename it.")
        (citation,) = answer.citations
        later = await s.ask("What did you change?", session_id=answer.session_id)
        (again,) = later.citations
        facts = s.app.ledger.all()
    assert again.status is citation.status
    if is_true:
        assert citation.status is CitationStatus.VERIFIED
        assert citation.basis is Basis.MODEL
        assert "-\tdef fetch_user(name):" in seen[0]
        assert seen.count("correct") == 0
    else:
        assert citation.status is CitationStatus.UNSUPPORTED
    assert facts == ()
