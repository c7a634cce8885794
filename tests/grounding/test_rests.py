"""What stands behind cited lines, and beside them in the same definition."""

from __future__ import annotations

import pytest

from glossator.grounding import Established, Sources, by_checks, cited_statements
from tests.workspaces import MakeWorkspace

FILES = {
    "margin.py": (
        "def f(a):\n    g(a)\n#    h(a)\n\n    close(a)\n\n\n# --- others\ndef i(a):\n    g(a)\n"
    ),
    "text.py": 'def f(a):\n    g(a)\n    q = """\nSELECT 1\n"""\n    close(a)\n\n\ni = 1\n',
}


@pytest.mark.parametrize(
    ("text", "verdict", "rest"),
    [
        ("`f` never calls `close`. [cite: doc, margin.py, L1-L2]", "undecided", [3]),
        ("`f` never calls `close`. [cite: doc, margin.py, L1-L3]", "undecided", [4]),
        ("`f` never calls `open`. [cite: doc, margin.py, L1-L5]", "supported", [6]),
        ("`i` never calls `open`. [cite: doc, margin.py, L9-L10]", "supported", []),
        ("`f` never calls `close`. [cite: doc, text.py, L1-L3]", "undecided", [4]),
    ],
)
async def test_a_definition_goes_on_behind_comments_and_texts_at_the_margin(
    workspace: MakeWorkspace, text: str, verdict: str, rest: list[int]
) -> None:
    ws = await workspace(FILES)
    for path in FILES:
        await ws.call("Read", path=path)
    (cited,), _ = cited_statements(text, Sources(ws.snapshot, ws.reads, (), Established()))
    assert by_checks(cited).verdict.value == verdict
    assert [each.first_line for each in cited.rest] == rest


async def test_other_lines_of_the_definition_make_another_judgement(
    workspace: MakeWorkspace,
) -> None:
    ws = await workspace(FILES)
    text = "`f` never calls `close`. [cite: doc, text.py, L1-L2]"
    keys = []
    for name in ("close", "open"):
        (ws.root / "text.py").write_text(FILES["text.py"].replace("close", name))
        await ws.call("Read", path="text.py")
        (cited,), _ = cited_statements(text, Sources(ws.snapshot, ws.reads, (), Established()))
        keys.append(cited.key)
    assert keys[0] != keys[1]
