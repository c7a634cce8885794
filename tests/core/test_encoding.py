"""Edited texts in their files' encodings: what was not edited keeps its bytes."""

from __future__ import annotations

import hashlib

import pytest

from glossator.core.encoding import decode, encode_edited
from glossator.core.errors import UsageError


def edited(raw: bytes, old: str, new: str) -> bytes:
    decoded = decode(raw)
    assert decoded is not None
    text, encoding = decoded
    assert old in text
    return encode_edited("f.txt", text, text.replace(old, new), encoding)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_bytes_outside_stay(encoding: str, end: str) -> None:
    before, after = f"caf\xe9{end}", f"{end}\xfcber{end}last"
    whole = f"{before}OLD{after}".encode(encoding)
    raw = edited(whole, "OLD", "n\xe9w")
    prefix = len(f"{before}".encode(encoding))
    suffix = len(f"{before}OLD{after}".encode(encoding)) - len(f"{before}OLD".encode(encoding))
    assert digest(raw[:prefix]) == digest(whole[:prefix])
    assert digest(raw[-suffix:]) == digest(whole[-suffix:])
    assert decode(raw) is not None


def digest(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


@pytest.mark.parametrize(
    ("raw", "old", "new", "says"),
    [
        (b"caf\xe9 OLD", "OLD", "\u20ac", "has no character '\\u20ac' (U+20AC)"),
        (b"OLD", "OLD", "\ud800", "has no character '\\ud800'"),
        (b"OLD", "OLD", "\0", "no longer be read as utf-8"),
        (b"OLD", "OLD", "\ufeffx", "no longer be read as utf-8"),
        (b"\xef\xbb\xbfOLD", "OLD", "\ufeffx", "no longer be read as utf-8-sig"),
        ("caf\xe9 OLD ".encode() + b"\xff", "OLD", "\xfc", "repair the encoding first"),
    ],
)
def test_texts_that_the_file_cannot_hold(raw: bytes, old: str, new: str, says: str) -> None:
    with pytest.raises(UsageError) as refused:
        edited(raw, old, new)
    assert says in str(refused.value)
    assert "nothing was changed" in str(refused.value)


def test_ascii_goes_into_broken_utf_8() -> None:
    assert edited("\xe9 OLD ".encode() + b"\xff", "OLD", "new") == "\xe9 new ".encode() + b"\xff"


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_a_single_byte_behind_utf_16_stays(codec: str) -> None:
    mark = "\ufeff".encode(codec)
    raw = mark + "caf\xe9 OLD".encode(codec) + b"\n"
    assert decode(raw) == ("caf\xe9 OLD", f"{codec}+0a")
    assert edited(raw, "OLD", "n\xe9w") == mark + "caf\xe9 n\xe9w".encode(codec) + b"\n"
    assert decode(mark + b"\n") is None
