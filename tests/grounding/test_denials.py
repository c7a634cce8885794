"""What counts as a denial, and which other lines it is about."""

from __future__ import annotations

import pytest

from glossator.grounding import is_denial
from glossator.grounding.citation_checks import Sources
from glossator.grounding.statement_lines import cited_statements
from tests.workspaces import MakeWorkspace


@pytest.mark.parametrize(
    "text",
    [
        "`pop` leaves the queue as it is and never blocks.",
        "The lock is not released.",
        "If the pool is full, no worker is added.",
        "When the pool is full no worker is added.",
        "It answers at once when it is cached, and does not ask the server.",
        "It returns 0 only if `a` is set.",
        "Only `b` is kept.",
        "The row is deleted without asking the user.",
        "Unless it is forced, nothing is written.",
        "`read` skips blank lines.",
        "The errors of `close` are ignored.",
        "It says nothing.",
        "The comment says that it is slow, but it is not.",
        "It is a parser that does not recover.",
        "Without a token, and without a cookie, nobody is let in.",
        # what follows a condition may belong to the main clause
        "It returns when the queue is empty without closing the file.",
        "It retries if the request fails instead of raising.",
        "`f` returns once the loop ends without calling `close`.",
        "The parser is used when the mode is set only by `x`.",
        "It waits until the worker ends rather than stopping it.",
        "`put` waits when the queue is full unlike `offer`.",
        "The row is written once the lock is held by the owner alone.",
        "It goes on if a line is broken ignoring the rest.",
        "It retries when the request fails without a delay.",
        "Once the loop ends it returns without calling `close`, as `stop` does.",
        "When the pool is full it never grows, but waits.",
        "The comment says that it is slow without telling why.",
    ],
)
def test_what_denies_something(text: str) -> None:
    assert is_denial(text)


@pytest.mark.parametrize(
    "text",
    [
        "`pop` blocks until a row comes.",
        "If no worker is free, one is added.",
        "It adds a worker when none is free.",
        "`load` raises `Gone` if the row does not exist.",
        "As long as nothing was sent, it waits.",
        "Without a token the server answers 401.",
        "Otherwise, without a token, it asks for one.",
        "The docstring says that callers must not hold the lock.",
        "A warning notes that the format is no longer used.",
        "It closes not only the file but the socket as well.",
        "It tells whether or not the row exists.",
        "Each ignored path is counted.",
        'It raises "not found".',
        "`without_nulls` is called.",
    ],
)
def test_what_only_speaks_of_what_is_not_so(text: str) -> None:
    assert not is_denial(text)


SHOP = """LIMIT = 3
NAMES = ["a", "b"]


class Shop:
    def open(self, path):
        with path.open() as file:
            self.rows = file.read()

    def close(self):
        self.rows = None


def sell(shop):
    shop.rows.pop()
"""


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        # files that the code works with are not the file that is cited
        ("`open` never closes the file that it reads. [cite: doc, shop.py, L6-L7]", [(8, 8)]),
        ("No file is written below `path`. [cite: doc, shop.py, L6-L7]", [(8, 8)]),
        ("An exported file is not checked. [cite: doc, shop.py, L6-L7]", [(8, 8)]),
        ("It has no other use in the cache module. [cite: doc, shop.py, L10-L10]", [(11, 11)]),
        # the cited one
        ("`sell` is used nowhere in this file. [cite: doc, shop.py, L14-L15]", [(1, 13)]),
        ("In `shop.py` nothing is sold twice. [cite: doc, shop.py, L14-L15]", [(1, 13)]),
        ("The module defines no other class. [cite: doc, shop.py, L5-L15]", [(1, 4)]),
        ("It does not import `json`. [cite: doc, shop.py, L14-L15]", [(1, 13)]),
        ("`sell` is called nowhere else above it. [cite: doc, shop.py, L14-L15]", [(1, 13)]),
        # a constant has no rest beside a definition, unless something is denied of it
        ("`LIMIT` is not changed. [cite: doc, shop.py, L1-L1]", [(2, 15)]),
        (
            "By `LIMIT` (3): it is not read. [cite: doc, shop.py, L1] [cite: doc, shop.py, L10]",
            [(11, 11)],
        ),
        (
            "`LIMIT` is never read by `close`. [cite: doc, shop.py, L1] [cite: doc, shop.py, L10]",
            [(2, 9), (11, 15)],
        ),
        # each part of the rest is named once
        (
            "`open` never fails. [cite: doc, shop.py, L6] [cite: doc, shop.py, L7]",
            [(8, 8)],
        ),
    ],
)
async def test_which_other_lines_a_denial_is_about(
    workspace: MakeWorkspace, text: str, rest: list[tuple[int, int]]
) -> None:
    ws = await workspace({"shop.py": SHOP})
    await ws.call("Read", path="shop.py")
    (cited,), _ = cited_statements(text, Sources(ws.snapshot, ws.reads))
    found = [(each.first_line, each.first_line + len(each.lines) - 1) for each in cited.rest]
    assert found == rest
