"""When two statements say the same."""

from __future__ import annotations

import pytest

from glossator.ledger.wording import meaning_key


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("The `price` doubles the net.", "the price doubles net", True),
        ("- It **returns** None", "It returns None.", True),
        ("`retry` waits 3 seconds", "`retry` waits 4 seconds", False),
        ("`load` calls `save`", "`save` calls `load`", False),
        ("It is cached", "It is not cached", False),
        ("It raises `KeyError`", "It raises `keyerror`", False),
        ("The default is -1", "The default is 1", False),
        ("It fails if x < 3", "It fails if x > 3", False),
        ("It takes 1.5 s", "It takes 15 s", False),
        ("It returns\n  `a_b`", "It returns a_b", True),
    ],
)
def test_meaning_keys(one: str, other: str, same: bool) -> None:
    assert (meaning_key(one) == meaning_key(other)) is same
