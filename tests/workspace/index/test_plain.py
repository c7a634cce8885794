"""Bytes as searchable text, and their trigrams."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossator.core.encoding import decode
from glossator.workspace.index.searchable import Searchable, Traits, searchable, traits
from glossator.workspace.index.segment_writer import _PIECE, trigrams
from tests.workspace.index.naive import naive_trigrams


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"", Searchable(b"", plain=True)),
        (b"one\ntwo\n", Searchable(b"one\ntwo\n", plain=True)),
        (b"one\n\n", Searchable(b"one\n\n", plain=True)),
        (b"one\r\ntwo\r\n", Searchable(b"one\ntwo\n", plain=True)),
        (b"one\rtwo\r", Searchable(b"one\ntwo\n", plain=False)),
        (b"one\vtwo", Searchable(b"one\vtwo", plain=True)),
        (b"x" * 9000 + b"\0", Searchable(b"x" * 9000 + b"\0", plain=False)),
        ("café".encode(), Searchable("café".encode(), plain=True)),
        ("café".encode("latin-1"), Searchable("café".encode(), plain=False, encoding="latin-1")),
        (b"\xef\xbb\xbfone\n", Searchable(b"one\n", plain=False, encoding="utf-8-sig")),
        ("one\r\n".encode("utf-16"), Searchable(b"one\n", plain=False, encoding="utf-16-le")),
        ("\N{KELVIN SIGN}".encode(), Searchable(b"\xe2\x84\xaa", plain=True)),
        ("\N{LATIN SMALL LETTER LONG S}".encode(), Searchable(b"\xc5\xbf", plain=True)),
    ],
)
def test_text_of_bytes(raw: bytes, expected: Searchable) -> None:
    assert searchable(raw) == expected
    assert expected.exotic == (expected.text in (b"\xe2\x84\xaa", b"\xc5\xbf"))


@pytest.mark.parametrize("raw", [b"a\0b", b"\xff\xfe\0\0abc", b"\xff\xfea"])
def test_binary_has_no_text(raw: bytes) -> None:
    assert searchable(raw) is None
    assert traits(None) is Traits.BINARY


@given(st.binary(max_size=40) | st.text(max_size=40).map(str.encode))
def test_text_is_the_decoded_one_with_plain_line_ends(raw: bytes) -> None:
    decoded, found = decode(raw), searchable(raw)
    assert (found is None) == (decoded is None)
    if found is not None and decoded is not None:
        text = decoded[0].replace("\r\n", "\n").replace("\r", "\n")
        assert found.text == text.encode("utf-8", "surrogatepass")


@given(st.binary(max_size=60))
def test_trigrams_are_all_there_are(text: bytes) -> None:
    assert trigrams(text).tolist() == sorted(naive_trigrams(text))


@pytest.mark.parametrize("more", range(-1, 4))
def test_trigrams_across_pieces(more: int) -> None:
    text = b"-" * (_PIECE - 2) + b"abcd"
    assert trigrams(text[: _PIECE + more]).tolist() == sorted(naive_trigrams(text[: _PIECE + more]))
