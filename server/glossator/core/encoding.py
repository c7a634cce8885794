"""Bytes of a file to text and back, without loss: `encode(*decode(raw)) == raw`.

Line ends stay as they are. UTF-16 is recognised by its byte-order mark only, so the codec names
"utf-16-le" and "utf-16-be" always mean "with the mark in front". A single byte behind UTF-16 stays
in the codec's name, as in "utf-16-le+0a". Bytes that are no Unicode text are read as Latin-1, which
gives every byte a character.
"""

from __future__ import annotations

import codecs
import re

from glossator.core.errors import UsageError

_MARK = "\ufeff"
_PROBE = 8192  # bytes looked at for a NUL, as git does
_MARKS = {
    "utf-8-sig": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
}
_UTF8_SEEN_AS_LATIN1 = re.compile(r"[\xc2-\xf4][\x80-\xbf]")


def decode(raw: bytes) -> tuple[str, str] | None:
    """The text and its codec's name; None when the bytes are binary."""
    if raw.startswith(codecs.BOM_UTF32_LE):  # begins with the mark of UTF-16-LE
        return None
    for name in ("utf-16-le", "utf-16-be"):
        if raw.startswith(_MARKS[name]):
            end = len(raw) - len(raw) % 2
            text, odd = _try(raw[2:end], name), raw[end:]
            if text is None or (odd and not text):
                return None
            return text, f"{name}+{odd.hex()}" if odd else name
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
    name, _, odd = encoding.partition("+")
    codec = "utf-8" if name == "utf-8-sig" else name
    return _MARKS.get(name, b"") + text.encode(codec) + bytes.fromhex(odd)


def encode_edited(name: str, before: str, after: str, encoding: str) -> bytes:
    """The bytes of a text that was edited, so that what was not edited keeps its bytes.

    `name` is the file's for messages, `encoding` that of `before`. Raises `UsageError` for a text
    that the file cannot hold.
    """
    try:
        raw = encode(after, encoding)
    except UnicodeEncodeError as error:
        character = after[error.start]
        number = f"U+{ord(character):04X}"
        raise UsageError(
            f"{name} is written in {encoding}, which has no character {character!a} ({number});"
            " nothing was changed.\nLeave the character out, or write it as an escape."
        ) from error
    if encoding == "latin-1":
        _refuse_guessing(name, before, after)
    elif after.startswith(_MARK) > before.startswith(_MARK) or decode(raw) != (after, encoding):
        raise UsageError(
            f"With this text {name} would no longer be read as {encoding} text; nothing was"
            " changed.\nLeave NUL characters and byte-order marks out."
        )
    return raw


def _refuse_guessing(name: str, before: str, after: str) -> None:
    """Whether é is one byte here or two, nobody can tell if the file holds both."""
    if not _UTF8_SEEN_AS_LATIN1.search(before):
        return
    known = set(before)
    if new := sorted({each for each in after if each > "\x7f"} - known):
        raise UsageError(
            f"{name} is UTF-8 with bytes in it that are not, so it is unclear how to write"
            f" {new[0]!a}; nothing was changed.\nUse ASCII here, or repair the encoding first."
        )


def _try(raw: bytes, codec: str) -> str | None:
    try:
        return raw.decode(codec)
    except UnicodeDecodeError:
        return None
