"""Edited texts in their files' encodings: what was not edited keeps its bytes."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from glossator.core.encoding import declared, decode, encode, encode_edited
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


@pytest.mark.parametrize(
    ("codec", "text"),
    json.loads(Path(__file__).with_name("encoding_cases.json").read_text("utf-8")),
)
def test_the_encoding_is_what_the_bytes_look_like(codec: str, text: str) -> None:
    code = f"int main(void) {{ return 0; }}  /* x */\n{text}\n" + "int x = 1;\n" * 2_000
    for whole in (text, code, code.replace("\n", "\r\n")):
        raw = whole.encode(codec)
        assert decode(raw) == (whole, codec)
        assert encode_edited("f.c", whole, whole + "OLD", codec) == raw + b"OLD"


def test_damaged_utf_8_is_not_taken_for_another_encoding() -> None:
    raw = "// caf\xe9, gr\xf6\xdfe, \u8ba1\u7b97\n".encode() * 3 + b"\xff\n"
    assert decode(raw) == (raw.decode("latin-1"), "latin-1")


def test_what_would_be_taken_for_another_encoding_is_refused() -> None:
    with pytest.raises(UsageError, match="would be taken for another encoding than latin-1"):
        edited(b"OLD \xe9", "OLD \xe9", "\xc4\xe3\xba\xc3\xca\xc0\xbd\xe7" * 40)


GBK = "\u952e=\u503c\n"
CYRILLIC = "\u043a\u043b\u044e\u0447\n"


@pytest.mark.parametrize(
    ("raw", "codec", "expected"),
    [
        (CYRILLIC.encode("cp1251"), "cp1251", (CYRILLIC, "=cp1251")),
        (CYRILLIC.encode("cp866"), "cp866", (CYRILLIC, "=cp866")),
        (GBK.encode("gbk"), "gbk", (GBK, "=gbk")),
        (b"a = 1\n", "gbk", ("a = 1\n", "=gbk")),
        (GBK.encode(), "gbk", (GBK, "utf-8")),
        (GBK.encode("utf-8-sig"), "gbk", (GBK, "utf-8-sig")),
        (GBK.encode("utf-16"), "gbk", (GBK, "utf-16-le")),
        (b"a\0b", "gbk", None),
        (b"caf\xe9\n", "gbk", ("caf\xe9\n", "latin-1")),  # \xe9 and a line feed are no character
        (b"\x87\x90\n", "cp932", ("\x87\x90\n", "latin-1")),  # would be written as other bytes
        (CYRILLIC.encode("cp1251"), "utf-8", ("\xea\xeb\xfe\xf7\n", "latin-1")),
    ],
)
def test_what_is_no_unicode_is_read_as_is_declared(
    raw: bytes, codec: str, expected: tuple[str, str] | None
) -> None:
    known = declared(codec)
    assert decode(raw, known) == expected
    if expected is not None:
        assert decode(raw, expected[1]) == expected
        assert encode(*expected) == raw


def test_an_edit_is_written_as_is_declared() -> None:
    raw = b"OLD " + CYRILLIC.encode("cp1251")
    text, encoding = decode(raw, "=cp1251") or ("", "")
    assert encode_edited("f", text, text.replace("OLD", "\u0434\u0430"), encoding) == (
        b"\xe4\xe0 " + CYRILLIC.encode("cp1251")
    )
    assert encode_edited("f", "a", GBK, "=gbk") == GBK.encode("gbk")
    assert encode_edited("f", text, "OLD", encoding) == b"OLD"


@pytest.mark.parametrize(
    ("after", "says"),
    [
        ("\u20bd", "f is written in cp1251, which has no character '\\u20bd' (U+20BD)"),
        ("\u0420\u00b0", "With this text f would be taken for another encoding than cp1251"),
    ],
)
def test_what_a_declared_encoding_cannot_hold_is_refused(after: str, says: str) -> None:
    with pytest.raises(UsageError) as refused:
        encode_edited("f", CYRILLIC, after, "=cp1251")
    assert says in str(refused.value)
