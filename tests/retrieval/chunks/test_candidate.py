"""Records: what the index keeps of a chunk comes back as it was, or not at all."""

from __future__ import annotations

import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossator.retrieval.chunks.candidate import Candidate, candidates_of, decode, encode
from glossator.retrieval.chunks.cutting import Chunk

NAMES = st.lists(st.text(st.characters(exclude_characters="\x1e\x1f"), min_size=1, max_size=30))


def made(path: str, lines: list[str], names: list[str]) -> Candidate:
    chunk = Chunk(1, len(lines), tuple(names), tuple(names), ("function",) * len(names))
    ((candidate, _),) = candidates_of("/root", path, b"12345678", lines, [chunk])
    return candidate


@given(st.text(min_size=1), st.lists(st.text(), min_size=1), NAMES)
def test_round_trip(path: str, lines: list[str], names: list[str]) -> None:
    candidate = made(path, lines, names)
    again = decode("/root", encode(candidate))
    assert (again.path, again.digest, again.length) == (path, b"12345678", candidate.length)
    assert again.chunk == Chunk(
        1,
        len(lines),
        tuple(names[:40]),
        tuple(names[:40]),
        ("function",) * min(len(names), 40),
    )
    assert np.array_equal(again.hashes, candidate.hashes)
    assert np.array_equal(again.counts, candidate.counts)


def test_overlong_names_are_cut() -> None:
    again = decode("/root", encode(made("a.py", ["x"], ["n" * 100_000] * 60)))
    assert again.chunk.defines == ("n" * 200,) * 40


def test_no_changed_record_is_accepted() -> None:
    record = encode(made("a.py", ["def split_lines(): return 1"], ["split_lines"]))
    for at in range(len(record)):
        changed = bytearray(record)
        changed[at] ^= 1
        with pytest.raises(ValueError, match="record"):
            decode("/root", bytes(changed))
        with pytest.raises(ValueError, match="record"):
            decode("/root", record[:at])


def test_terms_are_kept_by_their_checksums() -> None:
    candidate = made("a.py", ["zebra zebra Zebra"], [])
    assert candidate.hashes.tolist() == [zlib.crc32(b"zebra")]
    assert candidate.counts.tolist() == [3]
