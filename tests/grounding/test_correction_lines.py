"""Which lines a correction is shown beside those that the sentence cites."""

from __future__ import annotations

import pytest

from glossator.core.span import runs
from glossator.grounding import correction_lines
from glossator.grounding.citation_checks import Sources
from glossator.grounding.correction_lines import carrying_lines
from glossator.grounding.statement_lines import cited_statements
from tests.workspaces import MakeWorkspace

FILLER = "".join(f"def step_{n}(row):\n    return row + {n}\n\n\n" for n in range(60))
BANK = f"""def book(account, sum):
    check(account)
    account.balance += sum
    account.touch()


{FILLER}
def refund(order):
    if order.grace_days < 3:
        raise TooLate(order)
    return order.total


def audit(ledger):
{"".join(f"    ledger.step({n})" + chr(10) for n in range(150))}
"""
LINES = BANK.split("\n")
REFUND = LINES.index("def refund(order):") + 1
AUDIT = LINES.index("def audit(ledger):") + 1


@pytest.mark.parametrize(
    ("answer", "read", "expect"),
    [
        # the definition around the lines, and not what follows it
        ("`book` sums. [cite: doc, bank.py, L3]", (1, 40), [(1, 7)]),
        # the words that its lines lack stand far away
        (
            "`TooLate` is raised after the grace days. [cite: doc, bank.py, L1-L4]",
            (1, 900),
            [(1, 14), (REFUND - 1, REFUND + 5)],
        ),
        # what was not read is not shown
        (
            "`TooLate` is raised after the grace days. [cite: doc, bank.py, L1-L4]",
            (1, 40),
            [(1, 14)],
        ),
        # a long definition is not shown whole
        (
            "`ledger` steps. [cite: doc, bank.py, L{0}-L{0}]".format(AUDIT + 80),
            (1, 900),
            [(AUDIT + 70, AUDIT + 90)],
        ),
        # the lines of the sentence that it leans on
        (
            "`refund` takes an order. [cite: doc, bank.py, L{0}-L{0}]"
            " It then steps. [cite: doc, bank.py, L{1}-L{1}]".format(REFUND, AUDIT + 80),
            (1, 900),
            [(REFUND, REFUND), (AUDIT + 70, AUDIT + 90)],
        ),
        # no line that was cited was read: the nearest ones
        ("It ends. [cite: doc, bank.py, L60-L61]", (1, 50), [(11, 50)]),
    ],
)
async def test_which_lines_may_carry_a_sentence(
    workspace: MakeWorkspace, answer: str, read: tuple[int, int], expect: list[tuple[int, int]]
) -> None:
    ws = await workspace({"bank.py": BANK})
    await ws.call("Read", path="bank.py", offset=read[0], limit=read[1])
    sources = Sources(ws.snapshot, ws.reads)
    every, _ = cited_statements(answer, sources)
    found = carrying_lines(every[-1:], every, sources)
    numbers = {each.first_line + n for each in found for n in range(len(each.lines))}
    assert list(runs(sorted(numbers))) == expect


async def test_a_line_is_read_once_for_all_sentences(
    workspace: MakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    ws = await workspace({"bank.py": BANK})
    await ws.call("Read", path="bank.py", limit=900)
    sources = Sources(ws.snapshot, ws.reads)
    answer = "`TooLate` stops `refund`. [cite: doc, bank.py, L1-L4] " * 3
    every, _ = cited_statements(answer, sources)
    read: list[str] = []
    words = correction_lines._words

    def counted(text: str) -> set[str]:
        read.append(text)
        return words(text)

    monkeypatch.setattr(correction_lines, "_words", counted)
    assert carrying_lines(every, every, sources)
    assert read.count("    if order.grace_days < 3:") == 1
