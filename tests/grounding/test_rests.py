"""What stands behind cited lines, and beside them in the same definition."""

from __future__ import annotations

import pytest

from glossator.core.span import CitationStatus
from glossator.grounding import entailment
from glossator.grounding.citation_checks import Established, Sources
from glossator.grounding.statement_lines import cited_statements
from glossator.grounding.verdicts import by_checks
from tests.grounding.readers import judged
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
        ("`f` never calls `open`. [cite: doc, margin.py, L1-L5]", "undecided", [6]),
        ("`i` never calls `open`. [cite: doc, margin.py, L9-L10]", "undecided", []),
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


async def test_a_model_reads_the_rest_of_what_a_denial_is_about(
    workspace: MakeWorkspace,
) -> None:
    ws = await workspace(FILES)
    await ws.call("Read", path="text.py")
    sources = Sources(ws.snapshot, ws.reads)
    text = "`f` never calls `close`. [cite: doc, text.py, L1-L2]"
    (cited,), _ = cited_statements(text, sources)
    asked = entailment.prompt_of([cited])
    assert "6\t    close(a)" in asked
    assert "1. (about [1] lines 1-2; the rest of it: [1] lines 3-6) `f` never" in asked
    (citation,) = judged(text, sources, {"": ("CONTRADICTED", ["close(a)"])}).citations
    assert citation.status is CitationStatus.CONTRADICTED
    assert citation.reason == "The lines say otherwise: “close(a)”."
    # the rest alone supports no statement: it was not cited
    (citation,) = judged(text, sources, {"": ("SUPPORTED", ["SELECT 1"])}).citations
    assert citation.status is CitationStatus.UNSUPPORTED  # so that a correction cites it
    (citation,) = judged(text, sources, {"": ("SUPPORTED", ["def f(a)", "SELECT 1"])}).citations
    assert citation.status is CitationStatus.VERIFIED
    # what is no denial is judged by its lines
    plain, _ = cited_statements(text.replace("never ", ""), sources)
    assert plain[0].rest == ()


async def test_a_denial_about_endless_lines_is_not_judged(workspace: MakeWorkspace) -> None:
    body = "".join(f"    step_{n}(a)\n" for n in range(600))
    ws = await workspace({"long.py": f"def f(a):\n{body}"})
    await ws.call("Read", path="long.py", limit=5)
    sources = Sources(ws.snapshot, ws.reads)
    text = "`f` never calls `close`. [cite: doc, long.py, L1-L5]"
    (cited,), _ = cited_statements(text, sources)
    assert "the rest of it" not in entailment.prompt_of([cited])
    (citation,) = judged(text, sources, {"": ("SUPPORTED", ["step_1(a)"])}).citations
    assert citation.status is CitationStatus.READ
    assert citation.reason.startswith("Not judged: what it denies may stand in the rest")
    (citation,) = judged(text, sources, {"": ("CONTRADICTED", ["step_1(a)"])}).citations
    assert citation.status is CitationStatus.CONTRADICTED


@pytest.mark.parametrize("said", ["This file imports nothing.", "`i` is called nowhere above."])
async def test_a_denial_about_a_file_is_about_all_of_it(
    workspace: MakeWorkspace, said: str
) -> None:
    ws = await workspace(FILES)
    await ws.call("Read", path="margin.py")
    text = f"{said} [cite: doc, margin.py, L9-L10]"
    (cited,), _ = cited_statements(text, Sources(ws.snapshot, ws.reads))
    assert [(each.first_line, len(each.lines)) for each in cited.rest] == [(1, 8)]
