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
from glossator.core.uri import to_path
from glossator.grounding import entailment
from glossator.grounding.citation_checks import Sources
from glossator.grounding.cited_lines import CitedLines
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
    replaced=("def fetch_user(name, timeout=10):", "    print(name)"),
)


@pytest.mark.parametrize(
    ("statement", "tells"),
    [
        ("I renamed `fetch_user` to `load_user`.", True),
        ("`fetch_user` is now `load_user`.", True),
        ("The default timeout went from 10 to 30 seconds.", True),
        ("I removed the `print` call from `load_user`.", True),
        ("`load_user` calls `print`.", True),  # which a model has to judge
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
        ("It stands on line 1.", "1"),  # what is gone has no line
    ],
)
def test_what_stood_nowhere_is_refused(statement: str, missing: str) -> None:
    found = check(statement, [LOAD])
    assert found.verdict is Verdict.UNSUPPORTED
    assert missing in found.reason


def test_callers_and_parameters_are_those_of_the_lines_as_they_are() -> None:
    lines = CitedLines("a.py", 1, ("def f(a, b):", "    pass"), replaced=("def f(a):",))
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


def replaced(ws: Workspace, first: int, last: int, before: str = BEFORE) -> tuple[str, ...]:
    document = document_of(ws)
    sources = Sources(ws.snapshot, ws.reads, before={to_path(document.uri) or "": before})
    return sources.replaced(document, Span(document.uri, document.sha256, first, last))


def test_only_what_stood_at_the_lines_counts(ws: Workspace) -> None:
    gone = ("def fetch_user(name, timeout=10):", "    print(name)")
    assert replaced(ws, 3, 4) == gone
    assert replaced(ws, 3, 3) == gone
    assert replaced(ws, 1, 1) == ()
    assert replaced(ws, 6, 7) == ("    db.flush()",)  # at their end
    assert replaced(ws, 6, 6) == ()
    assert replaced(ws, 1, 7, "".join(f"{n}\n" for n in range(300))) == ()  # too much to show
    assert replaced(ws, 1, 7, NOW) == ()


def test_a_model_is_shown_it_apart(ws: Workspace) -> None:
    document = document_of(ws)
    sources = Sources(ws.snapshot, ws.reads, before={document.path: BEFORE})
    answer = "I renamed `fetch_user` to `load_user`. [cite: doc, app.py, L3-L4]"
    (statement,), _ = cited_statements(answer, sources)
    assert (
        "[1] app.py\n"
        "3\tdef load_user(name, timeout=30):\n"
        "4\t    return db.get(name, timeout)\n"
        "before the edit:\n"
        "-\tdef fetch_user(name, timeout=10):\n"
        "-\t    print(name)\n"
    ) in entailment.prompt_of([statement])

    def told(*words: str) -> entailment.Entailed:
        reply = {"answers": [{"statement": 1, "words": [*words], "answer": "SUPPORTED"}]}
        return entailment.answers_in(reply, [statement])[0]

    assert told("def fetch_user(", "def load_user(").verdict is Verdict.SUPPORTED
    assert told("def load_user(").verdict is Verdict.SUPPORTED
    gone = told("def fetch_user(")
    assert (gone.verdict, gone.reason) == (
        Verdict.UNDECIDED,
        "Not judged: only lines that were replaced say so.",
    )


@pytest.mark.parametrize("is_true", [True, False])
async def test_an_edit_is_reported_truly(tmp_path: Path, *, is_true: bool) -> None:
    """Verified without a correction, and kept as no fact; what is false of it is refused."""
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
        ]
    )
    verify = answering(called=("SUPPORTED", "def load_user(name)"))
    seen: list[str] = []

    def script(body: Mapping[str, Any]) -> Turn:
        match asked(body):
            case "":
                return next(turns)
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
        facts = s.app.ledger.all()
    if is_true:
        assert citation.status is CitationStatus.VERIFIED
        assert citation.basis is Basis.MODEL
        assert "-\tdef fetch_user(name):" in seen[0]
        assert seen.count("correct") == 0
    else:
        assert citation.status is CitationStatus.UNSUPPORTED
    assert facts == ()
