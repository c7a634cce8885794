"""Texts cut to a budget."""

import pytest

from glossator.core.tokens import estimate_tokens
from glossator.sessions.compaction.kept import fit, head_and_tail


@pytest.mark.parametrize(
    ("text", "characters", "cut"),
    [
        ("", 3, ""),
        ("abc", 3, "abc"),
        ("abcdefghi", 6, "abcd\n[… 3 characters left out here …]\nhi"),
        ("x" * 5_000, 3, "xx\n[… 4,997 characters left out here …]\nx"),
    ],
)
def test_head_and_tail(text: str, characters: int, cut: str) -> None:
    assert head_and_tail(text, characters) == cut


def test_what_fits_is_not_touched() -> None:
    texts = ["one", "two " * 100]
    assert fit(texts, 1_000, 1_000) == texts


def test_the_longest_are_cut_first() -> None:
    texts = ["short", "long " * 10_000, "also short"]
    shorter = fit(texts, 2_000, 100_000)
    assert (shorter[0], shorter[2]) == ("short", "also short")
    assert "characters left out here" in shorter[1]
    assert sum(map(estimate_tokens, shorter)) <= 2_000


def test_nothing_is_left_out_however_small_the_budget() -> None:
    shorter = fit(["a" * 1_000] * 50, 1, 5_000)
    assert len(shorter) == 50
    assert all(text.startswith("a" * 100) for text in shorter)
