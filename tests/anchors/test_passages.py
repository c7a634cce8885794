"""Cited lines: unchanged, moved, or changed, and by how many lines."""

from __future__ import annotations

import pytest

from glossator.anchors.passages import HashedText, PassagePlace, place_of
from glossator.core.fact import Passage, line_hashes

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
        (passage(TEXT, 10, 12), TEXT, PassagePlace(10, 12)),
        (passage(TEXT, 10, 12), replaced(TEXT, 13, "other"), PassagePlace(10, 12)),
        (passage(TEXT, 10, 12), replaced(TEXT, 9, "other"), PassagePlace(10, 12)),
        (passage(TEXT, 10, 12), replaced(TEXT, 11, "other"), PassagePlace(10, 12, 1)),
        (passage(TEXT, 10, 12), replaced(TEXT, 11, "line 11", "more"), PassagePlace(10, 12, 1)),
        (passage(TEXT, 10, 12), ["new"] * 7 + TEXT, PassagePlace(17, 19)),
        (passage(TEXT, 10, 12), TEXT[5:], PassagePlace(5, 7)),
        (passage(TEXT, 10, 12), ["new"] * 7 + replaced(TEXT, 9, "other"), PassagePlace(17, 19)),
        (passage(TEXT, 10, 12), ["new"] * 7 + replaced(TEXT, 11, "other"), PassagePlace(10, 12, 1)),
        (passage(TEXT, 1, 1), ["new", *TEXT], PassagePlace(2, 2)),
        (passage(TEXT, 40, 40), TEXT[1:], PassagePlace(39, 39)),
        (passage(TEXT, 10, 12), [], PassagePlace(10, 12, 3)),
        (Passage("/f", 3, 4, ()), TEXT, PassagePlace(3, 4, 2)),  # a text that nobody has any more
        # the same words stand elsewhere by chance
        (passage(TWICE, 31, 31), replaced(TWICE, 31, "return y"), PassagePlace(31, 31, 1)),
        (passage(TWICE, 31, 31), ["new", *TWICE], PassagePlace(32, 32)),
    ],
)
def test_where_cited_lines_are(cited: Passage, now: list[str], expected: PassagePlace) -> None:
    assert place_of(cited, HashedText(line_hashes(now))) == expected
