"""How an answer reads after sentences were rewritten, marked or left out."""

from __future__ import annotations

import pytest

from glossator.core.grounded_events import Correcting
from glossator.grounding import (
    CheckedStatement,
    Sources,
    check_answer,
    cited_statements,
    correcting,
)
from tests.workspaces import MakeWorkspace, Workspace

FILES = {"a.py": "def f(x):\n    return g(x)\n", "b.py": "def g(x):\n    return x\n"}
F, G = "[cite: doc, a.py, L1-L2]", "[cite: doc, b.py, L1-L2]"
UNSURE = "(not confirmed by the cited lines)"
OTHERWISE = "(the cited lines say otherwise)"


@pytest.fixture
async def ws(workspace: MakeWorkspace) -> Workspace:
    ws = await workspace(FILES)
    for path in FILES:
        await ws.call("Read", path=path)
    return ws


def fallen(ws: Workspace, answer: str) -> tuple[CheckedStatement, ...]:
    return check_answer(answer, Sources(ws.snapshot, ws.reads)).fallen


@pytest.mark.parametrize(
    ("answer", "expect"),
    [
        (f"`f` calls `h`. {F}", f"`f` calls `g`. {F}"),
        (f"`f` calls `h` {F}. `g` is short.", f"`f` calls `g` {F}. `g` is short."),
        (f"Two:\n\n- `f` calls `h`. {F}\n- Short.\n", f"Two:\n\n- `f` calls `g`. {F}\n- Short."),
        (f"1. `f` calls `h`. {F} It ends.", f"1. `f` calls `g`. {F} It ends."),
        (
            "`f` calls `h`. [cite: doc, a.py, L1; b.py, L1]",
            "`f` calls `g`. [cite: doc, a.py, L1] [cite: doc, b.py, L1]",
        ),
        ("`f` calls `h` (a.py:1-2).", f"`f` calls `g` {F}."),
        (f"`f` calls `h` {F}, and `k` ends.", f"`f` calls `g` {F}, and `k` ends."),
        (f"`f` calls `h`. {F} [cite: doc, c.py, L1]", f"`f` calls `g`. {F}"),
    ],
)
def test_a_rewritten_sentence_stands_where_the_old_one_stood(
    ws: Workspace, answer: str, expect: str
) -> None:
    (statement,) = fallen(ws, answer)
    edit = correcting.rewritten(statement, "`f` calls `g`.")
    assert correcting.edited(answer, [edit]) == expect


@pytest.mark.parametrize(
    ("answer", "expect"),
    [
        (f"`f` calls `h`. {F} It ends.", f"`f` calls `h`. {F} {UNSURE} It ends."),
        (f"- `f` calls `h`. {F}\n- Short.", f"- `f` calls `h`. {F} {UNSURE}\n- Short."),
        (f"`f` never calls `g`. {F} So.", f"`f` never calls `g`. {F} {OTHERWISE} So."),
        (
            f"| a |\n|---|\n| `f` calls `h` {F} |\n",
            f"| a |\n|---|\n| `f` calls `h` {F} {UNSURE} |",
        ),
        (
            f"So {F}:\n\n```py\ndef f(x):\n    return h(x)\n```\n\nEnd.",
            f"So {F}:\n\n```py\ndef f(x):\n    return h(x)\n```\n\n{UNSURE}\n\nEnd.",
        ),
    ],
)
def test_a_marked_sentence_says_so(ws: Workspace, answer: str, expect: str) -> None:
    (statement,) = fallen(ws, answer)
    text = correcting.edited(answer, [correcting.marked(answer, statement)])
    assert text == expect
    again, _ = cited_statements(text, Sources(ws.snapshot, ws.reads))
    before, _ = cited_statements(answer, Sources(ws.snapshot, ws.reads))
    assert [each.key for each in again] == [each.key for each in before], "judged once"


@pytest.mark.parametrize(
    ("answer", "expect"),
    [
        (f"It is. `f` calls `h`. {F} It ends.", "It is. It ends."),
        (f"One.\n\n`f` calls `h`. {F}\n\nTwo.", "One.\n\nTwo."),
        (f"One. `f` calls `h` {F}, and `k` ends.", "One. `k` ends."),
        (f"Two:\n\n- `f` calls `h`. {F}\n- Short.", "Two:\n\n- Short."),
        (f"Two:\n\n- Short.\n- `f` calls `h`. {F}\n\nEnd.", "Two:\n\n- Short.\n\nEnd."),
        (f"- It is. `f` calls `h`. {F}\n- Short.", "- It is.\n- Short."),
        (f"| a |\n|---|\n| `f` calls `h` {F} |\n| b |", "| a |\n|---|\n| b |"),
        (
            f"`f` calls `h`. {F}",
            (
                "No sentence was supported by its lines, so all were left out."
                ' To keep them, set grounding.correction to "mark".'
            ),
        ),
    ],
)
def test_a_dropped_sentence_leaves_no_hole(ws: Workspace, answer: str, expect: str) -> None:
    (statement,) = fallen(ws, answer)
    assert correcting.edited(answer, [correcting.dropped(statement)]) == expect


def test_corrections_of_one_sentence_are_one(ws: Workspace) -> None:
    answer = f"`f` calls `h`. {F}"
    first = correcting.rewritten(fallen(ws, answer)[0], "`f` calls `k`.")
    made = correcting.chained([], answer, [first])
    text = correcting.edited(answer, [first])
    (correction,) = correcting.chained(made, text, [correcting.marked(text, fallen(ws, text)[0])])
    assert (correction.what, correction.before) == (Correcting.MARKED, answer)
    assert correction.after == f"{text} {UNSURE}"
    assert correction.reason == "h does not occur in the lines."


@pytest.mark.parametrize(
    ("said", "expect"),
    [
        ("It calls `g`.", {0: "It calls `g`."}),
        (f"It\n  calls `g`. {F}", {0: "It calls `g`."}),
        ("", {0: ""}),
        ("```\ng(x)\n```", {}),
        ("It calls `g`. " * 100, {}),
    ],
)
def test_what_counts_as_a_rewritten_sentence(
    ws: Workspace, said: str, expect: dict[int, str]
) -> None:
    statements = fallen(ws, f"`f` calls `h`. {F}")
    reply = {"sentences": [{"sentence": 1, "text": said}, {"sentence": 2, "text": "x"}]}
    assert correcting.texts_in(reply, statements) == expect
