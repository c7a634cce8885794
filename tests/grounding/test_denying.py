"""Denials of what may be so although the lines do not say it."""

from __future__ import annotations

import pytest

from glossator.grounding import CitedLines, Verdict, check
from tests.grounding.test_checking import C, N, S

HEIR = CitedLines("a.py", 1, ("class A(C):", "    def open(self):", "        pass"))
GO_TYPE = CitedLines("a.go", 1, ("type A struct {", "\topen int", "}"))
RUST_TYPE = CitedLines("a.rs", 1, ("struct A {", "    open: i32,", "}"))
RUST_PART = CitedLines("a.rs", 1, ("impl A {", "    fn open(&self) {", "    }", "}"))
WIDE = CitedLines(
    "a.py", 1, ("def f(a):", "    try:", "        g(a)", "    except OSError:", "        h(a)")
)
BARE = CitedLines(
    "a.py", 1, ("def f(a):", "    try:", "        g(a)", "    except:", "        h(a)")
)
OPEN = CitedLines("a.py", 1, ("def f(a, **options):", "    g(a)"))
REST = CitedLines("a.js", 1, ("function f(a, ...others) {", "  g(a);", "}"))
NARROW = CitedLines("a.py", 1, ("def f(a, *, c=1):", "    g(a)"))
NAMED = CitedLines("a.py", 1, ("def f(timeout=DEFAULT, count=3, name=None):", "    g(timeout)"))
SET = CitedLines("a.py", 1, ("limit = read()", "most = 3"))


@pytest.mark.parametrize(
    ("cited", "statement", "verdict"),
    [
        (HEIR, "`A` has no method `close`.", N),
        (GO_TYPE, "`A` has no method `close`.", N),
        (RUST_PART, "`A` has no method `close`.", N),
        (RUST_TYPE, "`A` does not implement `B`.", N),
        (HEIR, "`A` does not extend `B`.", N),
        (HEIR, "`A` does not extend `C`.", C),
        (WIDE, "`f` does not catch `FileNotFoundError`.", N),
        (BARE, "`f` does not catch `OSError`.", N),
        (WIDE, "`f` does not catch `OSError`.", C),
        (OPEN, "`f` accepts no `b`.", N),
        (OPEN, "`f` does not take `b`.", N),
        (REST, "`f` does not take `b`.", N),
        (NARROW, "`f` does not take `b`.", S),
        (NAMED, "`timeout` does not default to 30.", N),
        (NAMED, "`timeout` defaults to 3.", N),
        (NAMED, "`timeout` defaults to `OTHER`.", Verdict.UNSUPPORTED),
        (NAMED, "`count` does not default to 30.", S),
        (NAMED, "`name` does not default to 3.", S),
        (SET, "`limit` is not 3.", N),
        (SET, "`most` is not 3.", C),
    ],
)
def test_what_stands_elsewhere_is_not_denied(
    cited: CitedLines, statement: str, verdict: Verdict
) -> None:
    judgement = check(statement, [cited])
    assert judgement.verdict is verdict, judgement.reason
