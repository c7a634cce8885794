"""Elias-Fano codes: they give the numbers back, and are short."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glossator.workspace.index.layout import decode_ascending, encode_ascending


@settings(max_examples=150, deadline=None)
@given(limit=st.integers(1, 65_536), share=st.floats(0, 1), seed=st.integers(0, 2**32))
def test_the_numbers_come_back(limit: int, share: float, seed: int) -> None:
    count = max(1, round(share * limit))
    chosen = np.random.default_rng(seed).choice(limit, count, replace=False)
    numbers = np.sort(chosen).astype(np.uint16)
    code = encode_ascending(numbers, limit)
    assert decode_ascending(code, count, limit).tolist() == numbers.tolist()
    assert 8 * len(code) <= count * (3 + math.floor(math.log2(limit / count))) + 8


def test_a_code_stays_what_it_is() -> None:
    """Another one needs another `layout.VERSION`: files hold them."""
    numbers = np.array([3, 4, 7, 13, 14, 15, 21, 43], np.uint16)
    assert encode_ascending(numbers, 64).hex() == "7791f1f53b"


@pytest.mark.parametrize("limit", [1, 2, 3, 64, 65, 1_000, 65_535, 65_536])
@pytest.mark.parametrize("where", ["first", "last", "all"])
def test_edges(limit: int, where: str) -> None:
    at = {"first": [0], "last": [limit - 1], "all": range(limit)}[where]
    numbers = np.array(at, np.uint16)
    assert decode_ascending(encode_ascending(numbers, limit), len(numbers), limit).tolist() == list(
        at
    )
