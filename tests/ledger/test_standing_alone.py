"""Which sentences mean the same when they are read alone."""

from __future__ import annotations

import pytest

from glossator.ledger import stands_alone, without_label


@pytest.mark.parametrize(
    "statement",
    [
        "`send` retries three times.",
        "The default handler logs the error, and `send` raises it.",
        "If no handler is set, then `send` raises.",
        "`max_retries` has the same default as `limit`;",
        "No exception is caught.",
        "`retry limit` is a name with a space.",
    ],
)
def test_a_whole_sentence_stands_alone(statement: str) -> None:
    assert stands_alone(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "It retries three times.",
        "In both cases `send` raises.",
        "| `send` | 3 |",
        "the exception is one of its `throws`;",
        "A reply that was taken over is left alone:",
        "A promise does the same if it is rejected.",
        "The old copy is then acknowledged.",
        "A comment says the opposite.",
        "No: `send` raises.",
        "Yes, `send` raises.",
        "calls `close` at the end.",
    ],
)
def test_a_part_or_a_pointer_does_not(statement: str) -> None:
    assert not stands_alone(statement)


def test_the_label_of_an_item_is_no_part_of_it() -> None:
    assert without_label("**Limits**: it is 3.") == "it is 3."
    assert without_label("**Limits** are kept: 3.") == "**Limits** are kept: 3."
