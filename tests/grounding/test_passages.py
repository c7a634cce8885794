"""Cited lines: unchanged, moved, or changed, and by how many lines."""

from __future__ import annotations

import pytest

from glossator.core.gloss import Passage, line_hashes
from glossator.glosses.passages import Place, place_of

TEXT = [f"line {number}" for number in range(1, 41)]
TWICE = [*TEXT[:30], "return x", *TEXT[30:], "return x"]


def passage(text: list[str], first: int, last: int) -> Passage:
    hashes = line_hashes(text)
    before, after = hashes[max(first - 4, 0) : first - 1][::-1], hashes[last : last + 3]
    return Passage("/f", first, last, hashes[first - 1 : last], before, after)


def replaced(text: list[str], line: int, *new: str) -> list[str]:
    return [*text[: line - 1], *new, *text[line:]]


@pytest.mark.parametrize(
    ("cited", "now", "expected"),
    [
        (passage(TEXT, 10, 12), TEXT, Place(10, 12)),
        (passage(TEXT, 10, 12), replaced(TEXT, 13, "other"), Place(10, 12)),
        (passage(TEXT, 10, 12), replaced(TEXT, 9, "other"), Place(10, 12)),
        (passage(TEXT, 10, 12), replaced(TEXT, 11, "other"), Place(10, 12, 1)),
        (passage(TEXT, 10, 12), replaced(TEXT, 11, "line 11", "more"), Place(10, 12, 1)),
        (passage(TEXT, 10, 12), ["new"] * 7 + TEXT, Place(17, 19)),
        (passage(TEXT, 10, 12), TEXT[5:], Place(5, 7)),
        (passage(TEXT, 10, 12), ["new"] * 7 + replaced(TEXT, 9, "other"), Place(17, 19)),
        (passage(TEXT, 10, 12), ["new"] * 7 + replaced(TEXT, 11, "other"), Place(10, 12, 1)),
        (passage(TEXT, 1, 1), ["new", *TEXT], Place(2, 2)),
        (passage(TEXT, 40, 40), TEXT[1:], Place(39, 39)),
        (passage(TEXT, 10, 12), [], Place(10, 12, 3)),
        (Passage("/f", 3, 4, ()), TEXT, Place(3, 4, 2)),  # a text that nobody has any more
        # the same words stand elsewhere by chance
        (passage(TWICE, 31, 31), replaced(TWICE, 31, "return y"), Place(31, 31, 1)),
        (passage(TWICE, 31, 31), ["new", *TWICE], Place(32, 32)),
    ],
)
def test_where_cited_lines_are(cited: Passage, now: list[str], expected: Place) -> None:
    assert place_of(cited, line_hashes(now)) == expected
