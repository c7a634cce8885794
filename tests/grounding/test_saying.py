"""What a sentence says besides its claims, and what the lines do not hold of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from glossator.grounding import CitedLines, Verdict, check, is_denial
from tests.grounding.test_checking import CLIENT, GO, IMPORTING, PYTHON, C, N, S


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("`send` calls `encode` in a background thread.", N),
        ("`send` calls `encode` and handles the error.", N),
        ("`send` calls `encode` lazily.", N),
        ("`send` calls `encode` once per file.", N),
        ("`send` calls `encode` with the given value.", N),
        ("`send` calls `encode` for each argument.", N),
        ("`send` calls `encode` by `self.write(data)`.", N),
        ("`send` calls `encode`, which returns a string.", N),
        ("`send` returns `data` and calls its callers.", N),
        ("`send` raises `ValueError` and never returns.", N),
        ("`close` uses `async` without changing its input.", N),
        ("`send` accepts `timeout` by keyword without changing it.", N),
        ("`send` is a method which is not called by the class.", N),
        ("`send` takes only `timeout` by keyword.", N),
        ("`send` has two keyword-only parameters, `timeout` and `retries`.", N),
        ("`close` sets `self.done` atomically.", N),
        ("All methods of `Client` call `encode`.", N),
        ("`Client` defines exactly `send`.", N),
        ("`send` is decorated with `retried` and any other decorator.", N),
        ("`Client` extends `Base` and no other class.", N),
        ("`retries` is at most `LIMIT`.", N),
        ("`request` can be passed to `send` by keyword.", N),
        ("`close` is declared async, and it calls the class.", N),
        ("`send` calls `encode` and is used by other functions.", N),
        ("`send` calls `encode` and does other work.", N),
        ("`send` calls `encode` and gets its value from there.", N),
        ("`send` calls `encode`, and its parameters are constant.", N),
        ("`send` is not async and its parameters have no type.", N),
        ("`send` is not async and has no other code.", N),
        ("`send` raises `ValueError` if not `retries > LIMIT`.", N),
        ("If `retries` is greater than `LIMIT`, and if not, `send` raises `ValueError`.", N),
        ("`send` returns `data` if `retries` is greater than `LIMIT`.", N),
        ("`send` calls `open` after `encode` and raises `ValueError` before.", N),
        ("`send` calls `encode` within a class.", N),
        ("`send` calls `encode` and returns `data`.", S),
        ("In the background, `send` calls `encode`.", N),
        ("`send` calls `open` after `encode`.", S),
        ("In short, `send` calls `encode`.", S),
        ("As the code shows, `send` calls `encode`.", S),
        ("Note that the `send` method calls both `open` and `write` internally.", S),
        ("`send` takes `timeout` only by keyword.", S),
        ("`send` raises the error `ValueError` if `retries > LIMIT`.", S),
        ("`close` is an async method.", S),
        ("`close` sets `self.done` to `True`.", S),
    ],
)
def test_a_statement_is_carried_if_it_says_nothing_beside_its_claims(
    statement: str, verdict: Verdict
) -> None:
    assert check(statement, [PYTHON]).verdict is verdict


WHOLE = tuple(CLIENT.strip("\n").split("\n"))
GO_LINES = GO.lines
SQL = ("def f(a):", '    q = """', "SELECT 1", 'FROM b"""', "    close(a)")
RAW = ("func f(a int) {", "\tq := `{", "}`", "\tclose(a)", "}")
DOCUMENTED = (
    "def f(a):",
    '    """It\'s `f`.',
    "",
    "Returns:",
    '  `a` \\"""',
    '    """',
    "    close(a)",
)


def part(first: int, last: int, path: str = "src/client.py") -> CitedLines:
    """Lines of the client's file, 1-based, as they are cited."""
    behind = next((line for line in WHOLE[last:] if line.strip()), "")
    enclosing = tuple(WHOLE[at] for at in (0, 2) if at + 1 < first)
    return CitedLines(path, first, WHOLE[first - 1 : last], enclosing, behind)


@pytest.mark.parametrize(
    ("cited", "statement", "verdict"),
    [
        # all of the function, its first lines, some within
        (part(3, 10), "`send` never calls `shutdown`.", S),
        (part(3, 9), "`send` never calls `shutdown`.", N),
        (part(3, 8), "`send` never calls `write`.", N),  # as line 9 does
        (part(7, 9), "`send` never calls `shutdown`.", N),
        (part(3, 9), "`send` does not raise `KeyError`.", N),
        (part(3, 9), "`send` doesn't return `request`.", N),
        (part(3, 9), "There is no check in `send` that `timeout` is above `LIMIT`.", N),
        (part(3, 10), "There is no check in `send` that `timeout` is above `LIMIT`.", S),
        (part(1, 10), "`Client` does not define `stop`.", N),
        (part(1, 13), "`Client` does not define `stop`.", N),  # the base may
        (part(12, 12), "`close` does not assign `self.done`.", N),
        # what the first lines tell
        (part(3, 4), "`send` is not asynchronous.", S),
        (part(3, 4), "`timeout` does not default to 31 in `send`.", S),
        (part(3, 4), "`send` does not accept `data`.", S),
        (part(1, 13), "`Client` does not extend `Data`.", N),  # the base may
        # what lines say of something else
        (part(3, 10), "`encode` is not asynchronous.", N),
        (part(3, 10), "`shutdown` is never called, and `send` is a method.", N),
        (part(3, 10), "`data` is optional in `send`.", N),
        # what other code may do
        (part(3, 10), "`send` never raises `KeyError`.", N),
        (part(3, 10), "`send` never returns `None`.", N),
        (part(12, 13), "`close` does not assign `self.data`.", N),
        # the end of the file
        (replace(part(3, 10), behind=""), "`send` never calls `shutdown`.", S),
        (replace(GO, lines=GO_LINES[:5], behind="}"), "`Get` never calls `store`.", S),
        (replace(GO, lines=GO_LINES[:4], behind=GO_LINES[4]), "`Get` never calls `store`.", N),
        (replace(GO, lines=GO_LINES[:4], behind=""), "`Get` never calls `store`.", N),
        (CitedLines("a.py", 1, ("def f(",), behind=") -> int:"), "`f` never calls `g`.", N),
        # a comment at the margin does not end a function, nor does a directive
        (
            CitedLines(
                "a.c", 1, ("int f(int a) {", "#if X", "  g(a);", "#endif"), behind="  h(a);"
            ),
            "`f` never calls `h`.",
            N,
        ),
        (
            CitedLines("a.py", 1, ("def f(a):", "    g(a)"), behind="#if a:"),
            "`f` never calls `h`.",
            N,
        ),
        # nor does a text at the margin
        (CitedLines("a.py", 1, SQL), "`f` never calls `close`.", C),
        (CitedLines("a.py", 1, SQL), "`f` never calls `open`.", S),
        (CitedLines("a.py", 1, SQL[:3], behind="# b"), "`f` never calls `close`.", N),
        (CitedLines("a.py", 1, SQL[:2], behind="FROM b"), "`f` never calls `close`.", N),
        (CitedLines("a.go", 1, RAW), "`f` never calls `close`.", C),
        (CitedLines("a.go", 1, RAW), "`f` never calls `open`.", S),
        (CitedLines("a.py", 1, DOCUMENTED), "`f` never calls `close`.", C),
        # imports stand anywhere in a file
        (IMPORTING, "The module does not import `join` from `b`.", S),
        (replace(IMPORTING, behind="x = 1"), "The module does not import `join` from `b`.", N),
        (replace(IMPORTING, behind="x = 1"), "`split` is not imported from `os`.", N),
    ],
)
def test_a_denial_needs_all_of_what_it_is_about(
    cited: CitedLines, statement: str, verdict: Verdict
) -> None:
    judgement = check(statement, [cited])
    assert judgement.verdict is verdict, judgement.reason


@pytest.mark.parametrize(
    "statement",
    [
        "`send` fails to call `close`.",
        "`send` and `close` lack a lock.",
        "`send` skips `close`.",
        "`send` ignores the error.",
        "`send` avoids `close`.",
        "`close` is unused.",
        "Nobody calls `close`.",
        "`send` alone calls `close`.",
        "`close` is called solely by `send`.",
        "`close` is called exclusively by `send`.",
        "`send` doesn't call `close`.",
        "`send` only calls `close`.",
    ],
)
def test_many_words_deny(statement: str) -> None:
    assert is_denial(statement)


@pytest.mark.parametrize("statement", ["`send` fails with `not_found`.", "`only` calls `ignore`."])
def test_names_and_other_words_deny_nothing(statement: str) -> None:
    assert not is_denial(statement)
