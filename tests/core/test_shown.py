"""Paths as shown: on one line, and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossator.core.shown import meant, shown


@pytest.mark.parametrize(
    ("path", "seen"),
    [
        ("src/app.py", "src/app.py"),
        (r"a\n", r"a\n"),
        ("a\nb", r"a\nb"),
        ("a\\\r\tb", r"a\\\r\tb"),
        ("\x1b[0m\x7f\x85\u2029", r"\u001b[0m\u007f\u0085\u2029"),
    ],
)
def test_shown(path: str, seen: str) -> None:
    assert shown(path) == seen


@given(st.text(st.sampled_from("ab\\\n\r\t\x1bnu00d\u2028"), max_size=12))
def test_what_is_shown_is_taken_back(path: str) -> None:
    seen = shown(path)
    assert "\n" not in seen
    assert path in (seen, meant(seen))
