"""How an answer reads after sentences were rewritten, marked or left out."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from glossator.core.run_events import Correcting
from glossator.grounding import corrections
from glossator.grounding.citation_checks import Sources
from glossator.grounding.cited_lines import CitedLines
from glossator.grounding.correction_lines import carrying_lines
from glossator.grounding.corrections import Rewrite
from glossator.grounding.statement_lines import cited_statements
from glossator.grounding.verdicts import CheckedStatement, check_answer
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
    edit = corrections.rewritten(statement, Rewrite("`f` calls `g`."))
    assert corrections.edited(answer, [edit]) == expect


@pytest.mark.parametrize(
    ("answer", "expect"),
    [
        (f"`f` calls `h`. {F} It ends.", f"`f` calls `h`. {F} {UNSURE} It ends."),
        (f"- `f` calls `h`. {F}\n- Short.", f"- `f` calls `h`. {F} {UNSURE}\n- Short."),
        (f"`f` takes no arguments. {F} So.", f"`f` takes no arguments. {F} {OTHERWISE} So."),
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
    text = corrections.edited(answer, [corrections.marked(answer, statement)])
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
    assert corrections.edited(answer, [corrections.dropped(statement)]) == expect


def test_corrections_of_one_sentence_are_one(ws: Workspace) -> None:
    answer = f"`f` calls `h`. {F}"
    first = corrections.rewritten(fallen(ws, answer)[0], Rewrite("`f` calls `k`."))
    made = corrections.chained([], answer, [first])
    text = corrections.edited(answer, [first])
    (correction,) = corrections.chained(made, text, [corrections.marked(text, fallen(ws, text)[0])])
    assert (correction.what, correction.before) == (Correcting.MARKED, answer)
    assert correction.after == f"{text} {UNSURE}"
    assert correction.reason == "h does not occur in the lines."


def asked(
    ws: Workspace, answer: str
) -> tuple[tuple[CheckedStatement, ...], str, Sequence[CitedLines]]:
    """The statements that fell, what the model is asked of them, and the lines that it is shown."""
    sources = Sources(ws.snapshot, ws.reads)
    statements = fallen(ws, answer)
    every, _ = cited_statements(answer, sources)
    by_place = {each.statement.start: each for each in every}
    cited = [by_place[each.statement.start] for each in statements]
    lines = carrying_lines(cited, every, sources)
    return statements, *corrections.prompt_of(statements, cited, lines)


@pytest.mark.parametrize(
    ("said", "expect"),
    [
        ("It calls `g`.", {0: Rewrite("It calls `g`.")}),
        (f"It\n  calls `g`. {F}", {0: Rewrite("It calls `g`.")}),
        ("", {0: Rewrite("")}),
        ("```\ng(x)\n```", {}),
        ("It calls `g`. " * 100, {}),
    ],
)
def test_what_counts_as_a_rewritten_sentence(
    ws: Workspace, said: str, expect: dict[int, Rewrite]
) -> None:
    statements, _, blocks = asked(ws, f"`f` calls `h`. {F}")
    reply = {"sentences": [{"sentence": 1, "text": said}, {"sentence": 2, "text": "x"}]}
    assert corrections.texts_in(reply, statements, blocks) == expect


SHOP = "class Till:\n    def pay(self):\n        return self.sum\n\n" + "x = 1\n" * 4
SHOP += "\ndef close(till):\n    till.shut()\n"


async def shop(workspace: MakeWorkspace) -> Workspace:
    """Its lines 5-7 were not read."""
    ws = await workspace({"shop.py": SHOP, "b.py": FILES["b.py"]})
    await ws.call("Read", path="shop.py", limit=4)
    await ws.call("Read", path="shop.py", offset=8)
    return ws


@pytest.mark.parametrize(
    ("answer", "lines", "expect"),
    [
        # the sentence is right, and other lines that were read say it
        (
            "`close` calls `shut`. [cite: doc, shop.py, L1-L3]",
            [2, 10, 11],
            "`close` calls `shut`. [cite: doc, shop.py, L10-L11]",
        ),
        (
            "`close` calls `shut` [cite: doc, shop.py, L2-L3].",
            [2, 11, 11],
            "`close` calls `shut` [cite: doc, shop.py, L11].",
        ),
        # lines that were not read
        (
            "`close` calls `shut`. [cite: doc, shop.py, L5-L6]",
            [2, 10, 11],
            "`close` calls `shut`. [cite: doc, shop.py, L10-L11]",
        ),
        (
            "`close` calls `shut`. [cite: doc, shop.py, L50-L60]",
            [2, 10, 11],
            "`close` calls `shut`. [cite: doc, shop.py, L10-L11]",
        ),
        # no lines, and such as were not shown: those that it cites stay
        ("`pay` calls `shut`. [cite: doc, shop.py, L1-L3]", [], None),
        ("`pay` calls `shut`. [cite: doc, shop.py, L1-L3]", [1, 3, 6], None),
        ("`pay` calls `shut`. [cite: doc, shop.py, L1-L3]", [3, 1, 1], None),
        ("`pay` calls `shut`. [cite: doc, shop.py, L1-L3]", [1, 3, 2], None),
        ("`pay` calls `shut`. [cite: doc, shop.py, L1-L3]", ["1", 1, 2], None),
        ("`pay` calls `shut`. [cite: doc, shop.py, L1-L3]", "1-2", None),
    ],
)
async def test_a_correction_may_name_other_lines_that_were_read(
    workspace: MakeWorkspace, answer: str, lines: object, expect: str | None
) -> None:
    ws = await shop(workspace)
    statements, prompt, blocks = asked(ws, answer)
    assert [(each.first_line, len(each.lines)) for each in blocks] == [(1, 4), (8, 4)]
    assert "till.shut()" in prompt
    (statement,) = statements
    text = statement.statement.text
    reply = {"sentences": [{"sentence": 1, "text": text, "lines": lines}]}
    edit = corrections.rewritten(statement, corrections.texts_in(reply, statements, blocks)[0])
    changed = corrections.edited(answer, [edit])
    assert changed == (expect or answer)
    assert corrections.chained([], answer, [edit]) == [], "no sentence changed"
    assert expect is None or not fallen(ws, changed)


async def test_other_lines_stand_beside_those_of_other_files(workspace: MakeWorkspace) -> None:
    ws = await shop(workspace)
    await ws.call("Read", path="b.py")
    answer = "`close` calls `shut`, not `g`. [cite: doc, shop.py, L1-L3] [cite: doc, b.py, L1-L2]"
    statements, _, blocks = asked(ws, answer)
    place = [each.first_line for each in blocks].index(8) + 1
    text = statements[0].statement.text
    reply = {"sentences": [{"sentence": 1, "text": text, "lines": [place, 10, 11]}]}
    edit = corrections.rewritten(statements[0], corrections.texts_in(reply, statements, blocks)[0])
    cited = "[cite: doc, shop.py, L10-L11] [cite: doc, b.py, L1-L2]"
    assert corrections.edited(answer, [edit]) == f"{text} {cited}"
