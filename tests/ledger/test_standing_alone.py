"""Which sentences mean the same when they are read alone."""

from __future__ import annotations

import pytest

from glossator.ledger.selection import stands_alone, without_label


@pytest.mark.parametrize(
    "statement",
    [
        "`send` retries three times.",
        "If no handler is set, then `send` raises.",
        "`max_retries` has the same default as `limit`;",
        "`retry limit` is a name with a space.",
        "No exception is caught in `send`.",
        "`send` closes the connection when it fails.",
        "The method `send` closes the connection.",
        "Client.send waits for the lock.",
        "A `Client` has one connection of its own.",
        "`Pool.memory` counts the memory of this process.",
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
        # of what, and by whom?
        "The default handler logs the error, and `send` raises it.",
        "Fixed retries in `send`.",
        "`f` was renamed to `g`.",
        "I added a check to `f`.",
        "The first one calls `f`.",
        "Next, `f` calls `g`.",
        "No exception is caught.",
        "Long words are cut.",
        "`cut` is called, and long words are split with it.",
        "`split` cuts long words with this.",
        "The handler takes what `send` gives.",
        "The task is put back on the `queue`.",
        "`send` passes the new request on.",
        "`send` keeps the old one.",
        "Before it ends, `send` closes the connection.",
        "Their default is `limit`.",
        # of what?
        "`on_close` calls it.",
        "`pool.py` imports it from there.",
        "`Pool.close` does.",
        "The tests of `Pool` use them all.",
        "`close` frees these.",
        # what was done
        "Added a docstring to `send`.",
        "Renames the `send` method.",
        "Returns the `Response` of the last try.",
    ],
)
def test_a_part_or_a_pointer_does_not(statement: str) -> None:
    assert not stands_alone(statement)


def test_the_label_of_an_item_is_no_part_of_it() -> None:
    assert without_label("**Limits**: it is 3.") == "it is 3."
    assert without_label("**Limits** are kept: 3.") == "**Limits** are kept: 3."
