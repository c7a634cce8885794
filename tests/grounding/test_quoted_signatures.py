"""A call or signature that a sentence quotes, beside the signature in the lines."""

from __future__ import annotations

from time import process_time

import pytest

from glossator.grounding import CitedLines, check
from tests.grounding.test_checking import N, S

MANY = CitedLines(
    "Join.java",
    1,
    (
        f"static String join({', '.join(f'String s{at}' for at in range(20))}) {{",
        "  return all();",
        "}",
    ),
)
FEW = CitedLines("a.py", 1, ("def f(a, b, aa):", "    g(a)"))


@pytest.mark.parametrize(
    "given", [", ".join(["String"] * 9 + ["int"]), ", ".join(["String"] * 30 + ["s3"])]
)
def test_many_names_that_are_the_same_take_no_time(given: str) -> None:
    began = process_time()
    check(f"`join({given})` calls `all`.", [MANY])
    assert process_time() - began < 1


@pytest.mark.parametrize(
    ("quoted", "verdict"), [("f(a, b)", S), ("f(b, aa)", S), ("f(b, a)", N), ("f(a, a)", N)]
)
def test_the_names_stand_in_the_order_of_the_sentence(quoted: str, verdict: object) -> None:
    assert check(f"`{quoted}` calls `g`.", [FEW]).verdict is verdict
