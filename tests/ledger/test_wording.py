"""When two statements say the same."""

from __future__ import annotations

import pytest

from glossator.ledger.selection import are_twins, meaning_key


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


@pytest.mark.parametrize(
    ("one", "other", "twins"),
    [
        ("`send` retries three times.", "`send` retries three times", True),
        (
            "`send` puts the failed request back on the queue.",
            "`send` puts a failed request back on the queue again.",
            True,
        ),
        ("`Client.send` waits 3 seconds.", "`Client.send` waits for 3 seconds.", True),
        ("`Client.send` tries 3 times at most.", "`send` tries 3 times at most.", True),
        ("`send` tries up to 3 times.", "`send()` tries at most 3 times.", True),
        (
            "`send` raises `TimeoutError` after 30 seconds.",
            "After 30 seconds `send` raises `TimeoutError`.",
            True,
        ),
        ("`send` closes the lines when it fails.", "`send` closes each line when failing.", True),
        # another name, number or denial
        ("`send` waits 3 seconds.", "`send` waits 4 seconds.", False),
        (
            "`Client.send` is retried by the worker.",
            "`Client.post` is retried by the worker.",
            False,
        ),
        ("`send` closes the line at the end.", "`send` never closes the line at the end.", False),
        ("`send` closes the line.", "`stop` closes the line.", False),
        ("`load` calls `save`.", "`save` calls `load`.", False),
        ("`a_b` is called before `c_d` by `run`.", "`c_d` is called before `a_b` by `run`.", False),
        ("`Client.send` waits.", "`Server.send` waits.", False),
        ("`a` waits 3 s and `b` 4 s.", "`a` waits 4 s and `b` 3 s.", False),
        # turned around
        ("`load` wraps `save`.", "`load` is wrapped by `save`.", False),
        ("`job` retries.", "`job` is retried.", False),
        (
            "`send` opens the line, then closes a file.",
            "`send` closes a line, opens the file.",
            False,
        ),
        ("`read` converts from `a` to `b`.", "`read` converts to `a` from `b`.", False),
        ("`read` turns `a` into `b`.", "`read` turns the `a` to `b`.", True),
        ("`read` turns `a` into `b`.", "`read` turns from `a` `b`.", False),
        # other words
        ("`send` moves it up.", "`send` moves it down.", False),
        ("`send` opens the line.", "`send` encodes each request.", False),
    ],
)
def test_twins_say_nearly_the_same(one: str, other: str, twins: bool) -> None:
    assert are_twins(one, other) is are_twins(other, one) is twins
