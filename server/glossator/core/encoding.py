"""Bytes of a file to text and back, without loss: `encode(*decode(raw)) == raw`.

Line ends stay as they are. UTF-16 is recognised by its byte-order mark only, so the codec names
"utf-16-le" and "utf-16-be" always mean "with the mark in front". A single byte behind UTF-16 stays
in the codec's name, as in "utf-16-le+0a". What is no Unicode text is read by the codec that its
bytes look like; where none is likely, and where UTF-8 is damaged, as Latin-1, which gives every
byte a character.
"""

from __future__ import annotations

import codecs
import math
import re
from collections.abc import Iterator
from functools import lru_cache

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
    return _guess(raw) if text is None else (text, "utf-8")


def is_guessed(encoding: str) -> bool:
    """Whether a codec named by `decode` is what the bytes look like, and no Unicode."""
    return not encoding.startswith("utf-")


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
    if after.startswith(_MARK) > before.startswith(_MARK) or decode(raw) != (after, encoding):
        if is_guessed(encoding):
            raise UsageError(
                f"With this text {name} would be taken for another encoding than {encoding};"
                " nothing was changed.\nUse ASCII here, or ask the user to save it as UTF-8 first."
            )
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


# Multi-byte codecs stand for their narrower kin. By the names of Python.
_MULTI_BYTE = frozenset({"gb18030", "big5", "cp932", "euc_jp", "cp949"})
_OTHER_SCRIPTS = frozenset({"cp1251", "koi8-r", "koi8-u", "cp1253", "cp1255", "cp1256", "cp874"})
_LATIN = frozenset({"cp1250", "cp1254", "cp1257"})  # as cp1252, which stands for Latin-1
_CODECS = _MULTI_BYTE | _OTHER_SCRIPTS | _LATIN | {"cp1252"}
_LIKELY = 0.05  # confidence from which Western text is in doubt, and …
_LIKELY_MULTI_BYTE = 0.01  # … for codecs that fit few other bytes
_SAMPLE = 4_096  # bytes
_AROUND = 200  # bytes of a line
_C1 = re.compile(rb"[\x80-\x9f]")
_WHOLE = re.compile(r"[^\x00-\x7f\ufffd]+")
_NOT_ASCII = re.compile(rb"[\x80-\xff]")
_LINE_END = re.compile(rb"[\n\r]")
_END = re.compile(rb"[\n\r ]")  # a part of no character of several bytes
_FOREIGN = re.compile(r"[\u0370-\u06ff\u0e00-\u0e7f]")
_MIXED = re.compile(rf"[A-Za-z](?={_FOREIGN.pattern})|{_FOREIGN.pattern}(?=[A-Za-z])")


def _guess(raw: bytes) -> tuple[str, str]:
    latin = raw.decode("latin-1")
    if _is_damaged_utf8(raw):
        return latin, "latin-1"
    for codec in _likely_codecs(b"".join(_samples(raw))):
        if codec == "cp1252" and not _C1.search(raw):
            break
        text = _try(raw, codec)
        if text is None or _encoded(text, codec) != raw:  # edits keep what they do not touch
            continue
        if codec in _OTHER_SCRIPTS and 4 * len(_MIXED.findall(text)) >= len(_FOREIGN.findall(text)):
            continue  # words of two scripts, such as "caf\u0439"
        return text, codec
    return latin, "latin-1"


def _is_damaged_utf8(raw: bytes) -> bool:
    """Whether nearly all of it is UTF-8."""
    text = raw.decode("utf-8", "replace")
    damaged = text.count("\ufffd")
    return sum(map(len, _WHOLE.findall(text))) > 4 * damaged


def _samples(raw: bytes) -> Iterator[bytes]:
    """The lines that are not ASCII; of a long one the surroundings."""
    taken = at = 0
    while taken < _SAMPLE and (found := _NOT_ASCII.search(raw, at)):
        place = found.start()
        start = max(raw.rfind(b"\n", at, place) + 1, place - _AROUND, at)
        end = _LINE_END.search(raw, place, place + _AROUND) or _END.search(raw, place + _AROUND)
        at = end.end() if end else len(raw)
        taken += at - start
        yield raw[start:at]


@lru_cache(maxsize=4_096)
def _likely_codecs(sample: bytes) -> tuple[str, ...]:
    """Likeliest first."""
    import chardet  # noqa: PLC0415 - most workspaces do without

    asked = [codec.replace("_", "-") for codec in _CODECS]
    found = chardet.detect_all(sample, ignore_threshold=True, include_encodings=asked)
    named = [(codecs.lookup(each["encoding"]).name, each) for each in found if each["encoding"]]
    return tuple(codec for codec, each in named if each["confidence"] >= _least(codec))


def _least(codec: str) -> float:
    """The confidence from which a codec is taken."""
    if codec in _MULTI_BYTE:
        return _LIKELY_MULTI_BYTE
    return 0.0 if codec == "cp1252" else _LIKELY if codec in _CODECS else math.inf


def _encoded(text: str, codec: str) -> bytes | None:
    try:
        return text.encode(codec)
    except UnicodeEncodeError:
        return None


def _try(raw: bytes, codec: str) -> str | None:
    try:
        return raw.decode(codec)
    except UnicodeDecodeError:
        return None
