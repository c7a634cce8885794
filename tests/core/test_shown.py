"""Text as shown: nothing unseen or posing, honest names as they are, and paths back again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossator.core.shown import PATTERNS, meant, shown, shown_prose, shown_text, some_of

_CASES = json.loads(Path(__file__).with_name("shown_cases.json").read_text("utf-8"))
_KINDS = {"line": shown, "text": shown_text, "prose": shown_prose}


@pytest.mark.parametrize("case", _CASES, ids=lambda case: f"{case['kind']}: {case['why']}")
def test_shown(case: dict[str, str]) -> None:
    seen = _KINDS[case["kind"]](case["input"])
    assert seen == case["shown"]
    assert _KINDS[case["kind"]](seen) == seen, "what is shown is safe to be shown again"
    if case["kind"] == "line":
        assert case["input"] in (seen, meant(seen))


@given(st.text(st.sampled_from("ab\\\n\r\t\x1bnuU00d\u2028\u202e\u0430\U000e0041"), max_size=12))
def test_what_is_shown_is_taken_back(path: str) -> None:
    seen = shown(path)
    assert "\n" not in seen
    assert path in (seen, meant(seen))


@given(st.text(max_size=20))
def test_nothing_unseen_is_left(text: str) -> None:
    for show in _KINDS.values():
        assert shown_prose(show(text)) == show(text)


def test_an_escape_of_no_character() -> None:
    assert meant(r"\Uffffffff") == r"\Uffffffff"


def test_the_patterns_are_read_alike_everywhere() -> None:
    """They hold no flag, no class and no group that JavaScript reads in another way."""
    for pattern in PATTERNS.values():
        assert pattern.isascii()
        assert "(?P" not in pattern
        assert "\\w" not in pattern


@pytest.mark.parametrize(
    ("texts", "said"),
    [([], ""), (["a"], "a"), (["a", "b"], "a, b"), (["x"] * 1_003, "x, x and 1,001 more")],
)
def test_some_of_many(texts: list[str], said: str) -> None:
    assert some_of(texts, 2) == said
