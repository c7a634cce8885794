"""Cutting results to their budgets."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossator.core.span import runs
from glossator.core.tool_result import Budget, cut, shorten


@given(
    st.lists(st.text(alphabet="aé😀\ud800", max_size=5), max_size=8),
    st.none() | st.integers(0, 9),
    st.none() | st.integers(0, 40),
)
def test_cut_keeps_the_longest_prefix(items: list[str], most: int | None, room: int | None) -> None:
    def within(prefix: list[str]) -> bool:
        size = sum(len(item.encode("utf-8", "surrogatepass")) + 1 for item in prefix)
        return (most is None or len(prefix) <= most) and (room is None or size <= room)

    kept, omitted = cut(iter(items), Budget(items=most, bytes=room))
    assert kept == items[: len(kept)]
    assert omitted == len(items) - len(kept)
    assert within(kept)
    assert omitted == 0 or not within(items[: len(kept) + 1])


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("abc", "abc"),
        ("abcd", "abcd"),
        ("abcde", "abcd [cut; 5 characters in all, minified]"),
        ("x" * 1_000, "xxxx [cut; 1,000 characters in all, minified]"),
    ],
)
def test_shorten(line: str, shown: str) -> None:
    assert shorten(line, 4, "minified") == shown


@given(st.sets(st.integers(0, 30)))
def test_runs(numbers: set[int]) -> None:
    found = list(runs(sorted(numbers)))
    assert [n for first, last in found for n in range(first, last + 1)] == sorted(numbers)
    assert all(last + 1 < first for (_, last), (first, _) in pairwise(found))
