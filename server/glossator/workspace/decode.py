"""Bytes of a file to text and back, without loss: `encode(*decode(raw)) == raw`.

Line ends stay as they are. UTF-16 is recognised by its byte-order mark only, so the codec names
"utf-16-le" and "utf-16-be" always mean "with the mark in front".
"""

from __future__ import annotations

import codecs

_PROBE = 8192  # bytes looked at for a NUL, as git does
_MARKS = {
    "utf-8-sig": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
}


def decode(raw: bytes) -> tuple[str, str] | None:
    """The text and its codec's name; None when the bytes are binary."""
    if raw.startswith(codecs.BOM_UTF32_LE):  # begins with the mark of UTF-16-LE
        return None
    for name in ("utf-16-le", "utf-16-be"):
        if raw.startswith(_MARKS[name]):
            text = _try(raw[2:], name)
            return None if text is None else (text, name)
    if b"\0" in raw[:_PROBE]:
        return None
    if raw.startswith(codecs.BOM_UTF8):
        text = _try(raw[3:], "utf-8")
        if text is not None:
            return text, "utf-8-sig"
    text = _try(raw, "utf-8")
    return (raw.decode("latin-1"), "latin-1") if text is None else (text, "utf-8")


def encode(text: str, encoding: str) -> bytes:
    """The bytes of `text` in a codec named by `decode`, its mark included.

    Raises `UnicodeEncodeError` for a character the codec cannot write.
    """
    codec = "utf-8" if encoding == "utf-8-sig" else encoding
    return _MARKS.get(encoding, b"") + text.encode(codec)


def _try(raw: bytes, codec: str) -> str | None:
    try:
        return raw.decode(codec)
    except UnicodeDecodeError:
        return None
