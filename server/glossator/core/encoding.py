"""Bytes of a file to text and back, without loss: `encode(*decode(raw)) == raw`.

Line ends stay as they are. UTF-16 is recognised by its byte-order mark only, so the codec names
"utf-16-le" and "utf-16-be" always mean "with the mark in front". A single byte behind UTF-16 stays
in the codec's name, as in "utf-16-le+0a". What is no Unicode text is read by the codec that is
declared for it (its name is marked, as in "=gbk"), else by the one that its bytes look like; where
none is likely, and where UTF-8 is damaged, as Latin-1, which gives every byte a character.

An encoding may be declared for a file if ASCII is the same bytes in it. As in editors and browsers,
the names of old standards stand for the larger sets that Windows made of them. Unicode needs no
declaration. Source: WHATWG, "Encoding", "Names and labels".
"""

from __future__ import annotations

import codecs
import math
import re
from collections.abc import Iterator
from difflib import get_close_matches
from functools import lru_cache

from glossator.core.errors import UsageError

_MARK = "\ufeff"
_PROBE = 8192  # bytes looked at for a NUL, as git does
_MARKS = {
    "utf-8-sig": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
}
_DECLARED = "="
_UTF8_SEEN_AS_LATIN1 = re.compile(r"[\xc2-\xf4][\x80-\xbf]")
# Multi-byte codecs stand for their narrower kin. By the names of Python.
_MULTI_BYTE = frozenset({"gb18030", "big5", "cp932", "euc_jp", "cp949"})
_OTHER_SCRIPTS = frozenset({"cp1251", "koi8-r", "koi8-u", "cp1253", "cp1255", "cp1256", "cp874"})
_LATIN = frozenset({"cp1250", "cp1254", "cp1257"})  # as cp1252, which stands for Latin-1
_CODECS = _MULTI_BYTE | _OTHER_SCRIPTS | _LATIN | {"cp1252"}
_MIN_CONFIDENCE = 0.05  # confidence from which Western text is in doubt, and …
_MIN_MULTI_BYTE_CONFIDENCE = 0.01  # … for codecs that fit few other bytes
_SAMPLE_BYTES = 4_096  # bytes
_SURROUNDING_BYTES = 200  # bytes of a line
_C1 = re.compile(rb"[\x80-\x9f]")
_WHOLE = re.compile(r"[^\x00-\x7f\ufffd]+")
_NOT_ASCII = re.compile(rb"[\x80-\xff]")
_LINE_END = re.compile(rb"[\n\r]")
_END = re.compile(rb"[\n\r ]")  # a part of no character of several bytes
_FOREIGN = re.compile(r"[\u0370-\u06ff\u0e00-\u0e7f]")
_MIXED = re.compile(rf"[A-Za-z](?={_FOREIGN.pattern})|{_FOREIGN.pattern}(?=[A-Za-z])")
_ISO = tuple(range(1, 12)) + tuple(range(13, 17))  # the parts of ISO 8859 that there are
_WINDOWS = (*range(1250, 1259), 874, 437, 850, 852, 858, 865, 866, 1125)
_NAMES_OF_CODECS = {  # of Python -> other names
    "gb18030": (),
    "gbk": ("gb2312", "cp936", "windows936", "euccn"),
    "cp950": ("big5", "windows950"),
    "big5hkscs": (),
    "cp932": ("shiftjis", "sjis", "windows31j", "windows932"),
    "euc_jp": (),
    "cp949": ("euckr", "uhc", "windows949"),
    "koi8-r": (),
    "koi8-u": (),
    "koi8-t": (),
    "mac-roman": ("macintosh",),
    "mac-cyrillic": (),
    "utf-8": ("utf8bom", "utf8sig"),
    "latin-1": ("iso88591",),
    **{f"iso8859-{part}": () for part in _ISO if part > 1},
    **{f"cp{page}": (f"windows{page}", f"ibm{page}") for page in _WINDOWS},
}


def decode(raw: bytes, known: str = "") -> tuple[str, str] | None:
    """The text and its codec's name; None when the bytes are binary.

    `known` is the encoding that is `declared` for the file, or that `decode` named for it before.
    Unicode stays Unicode, and bytes that the declared codec cannot read and write back are guessed.
    """
    if raw.startswith(codecs.BOM_UTF32_LE):  # begins with the mark of UTF-16-LE
        return None
    for name in ("utf-16-le", "utf-16-be"):
        if raw.startswith(_MARKS[name]):
            return _utf_16(raw, name)
    if b"\0" in raw[:_PROBE]:
        return None
    if raw.startswith(codecs.BOM_UTF8):
        text = _try(raw[3:], "utf-8")
        if text is not None:
            return text, "utf-8-sig"
    text = _try(raw, "utf-8")
    if text is None:
        return _as_declared(raw, known) or _guess(raw)
    # what is added to ASCII is to be written as is declared
    return text, known if is_declared(known) and raw.isascii() else "utf-8"


def _utf_16(raw: bytes, name: str) -> tuple[str, str] | None:
    end = len(raw) - len(raw) % 2
    text, odd = _try(raw[2:end], name), raw[end:]
    if text is None or (odd and not text):
        return None
    return text, f"{name}+{odd.hex()}" if odd else name


def _as_declared(raw: bytes, known: str) -> tuple[str, str] | None:
    """Decode as declared; None also if the bytes could not be written back unchanged."""
    if not is_declared(known):
        return None
    codec = codec_of(known)
    text = _try(raw, codec)
    return None if text is None or _encoded(text, codec) != raw else (text, known)


def declared(codec: str) -> str:
    """The encoding of a file for which somebody named this codec, as `decode` takes and gives it.

    `codec` is as `codec_named` gives it: for "utf-8" nothing is declared, so Unicode is recognised.
    """
    return "" if codec == "utf-8" else f"{_DECLARED}{codec}"


def is_declared(encoding: str) -> bool:
    """Whether the codec was declared for the file; then it is no Unicode, though perhaps ASCII."""
    return encoding.startswith(_DECLARED)


def is_guessed(encoding: str) -> bool:
    """Whether `decode` guessed this codec from the bytes."""
    return not is_unicode(encoding) and not is_declared(encoding)


def is_unicode(encoding: str) -> bool:
    """Whether an encoding named by `decode` is UTF-8 or UTF-16."""
    return encoding.startswith("utf-")


def codec_of(encoding: str) -> str:
    """Python's name of an encoding named by `decode`."""
    return encoding.removeprefix(_DECLARED).partition("+")[0]


def encode(text: str, encoding: str) -> bytes:
    """The bytes of `text` in a codec named by `decode`, its mark included.

    Raises `UnicodeEncodeError` for a character the codec cannot write.
    """
    name, _, odd = encoding.partition("+")
    codec = "utf-8" if name == "utf-8-sig" else codec_of(name)
    return _MARKS.get(name, b"") + text.encode(codec) + bytes.fromhex(odd)


def encode_edited(name: str, before: str, after: str, encoding: str) -> bytes:
    """The bytes of an edited text, in which unedited parts keep their bytes.

    `name` is the file's for messages, `encoding` that of `before`. Raises `UsageError` for a text
    that the file cannot hold.
    """
    try:
        raw = encode(after, encoding)
    except UnicodeEncodeError as error:
        character = after[error.start]
        number = f"U+{ord(character):04X}"
        raise UsageError(
            f"{name} is written in {codec_of(encoding)}, which has no character {character!a}"
            f" ({number}); nothing was changed.\nLeave the character out, or write it as an escape."
        ) from error
    if encoding == "latin-1":
        _refuse_guessing(name, before, after)
    is_read_so = decode(raw, encoding) == (after, encoding)
    if after.startswith(_MARK) > before.startswith(_MARK) or not is_read_so:
        if not is_unicode(encoding):
            raise UsageError(
                f"With this text {name} would be taken for another encoding than"
                f" {codec_of(encoding)}; nothing was changed.\nUse ASCII here, or ask the user to"
                " save it as UTF-8 first."
            )
        raise UsageError(
            f"With this text {name} would no longer be read as {encoding} text; nothing was"
            " changed.\nLeave NUL characters and byte-order marks out."
        )
    return raw


def _refuse_guessing(name: str, before: str, after: str) -> None:
    """Refuse new letters such as é in damaged UTF-8: nobody can tell which bytes they have."""
    if not _UTF8_SEEN_AS_LATIN1.search(before):
        return
    known = set(before)
    if new := sorted({each for each in after if each > "\x7f"} - known):
        raise UsageError(
            f"{name} is UTF-8 with invalid bytes in it, so it is unclear how to write"
            f" {new[0]!a}; nothing was changed.\nUse ASCII here, or repair the encoding first."
        )


def _guess(raw: bytes) -> tuple[str, str]:
    # A wrong guess writes wrong bytes, so one that is in doubt is none: Latin-1 gives all bytes
    # back. docs/decisions/0054 says what counts as doubt.
    latin = raw.decode("latin-1")
    text = raw.decode("utf-8", "replace")
    if sum(map(len, _WHOLE.findall(text))) > 4 * text.count("\ufffd"):  # it is damaged UTF-8
        return latin, "latin-1"
    for codec in _likely_codecs(b"".join(_samples(raw))):
        if codec == "cp1252" and not _C1.search(raw):
            break
        decoded = _try(raw, codec)
        if decoded is None or _encoded(decoded, codec) != raw:  # edits keep what they do not touch
            continue
        mixed, foreign = len(_MIXED.findall(decoded)), len(_FOREIGN.findall(decoded))
        if codec in _OTHER_SCRIPTS and 4 * mixed >= foreign:
            continue  # words of two scripts, such as "caf\u0439"
        return decoded, codec
    return latin, "latin-1"


def _samples(raw: bytes) -> Iterator[bytes]:
    """The lines that are not ASCII; of a long line the parts around other bytes."""
    taken = at = 0
    while taken < _SAMPLE_BYTES and (found := _NOT_ASCII.search(raw, at)):
        place = found.start()
        start = max(raw.rfind(b"\n", at, place) + 1, place - _SURROUNDING_BYTES, at)
        end = _LINE_END.search(raw, place, place + _SURROUNDING_BYTES) or _END.search(
            raw, place + _SURROUNDING_BYTES
        )
        at = end.end() if end else len(raw)
        taken += at - start
        yield raw[start:at]


@lru_cache(maxsize=4_096)
def _likely_codecs(sample: bytes) -> tuple[str, ...]:
    """The codecs that the bytes may have, likeliest first."""
    import chardet  # noqa: PLC0415 - most workspaces do without

    asked = [codec.replace("_", "-") for codec in _CODECS]
    found = chardet.detect_all(sample, ignore_threshold=True, include_encodings=asked)
    named = [(codecs.lookup(each["encoding"]).name, each) for each in found if each["encoding"]]
    return tuple(codec for codec, each in named if each["confidence"] >= _least(codec))


def _least(codec: str) -> float:
    """The confidence from which on a codec is accepted."""
    if codec in _MULTI_BYTE:
        return _MIN_MULTI_BYTE_CONFIDENCE
    return 0.0 if codec == "cp1252" else _MIN_CONFIDENCE if codec in _CODECS else math.inf


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


def _squeezed(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


_BY_NAME = {
    _squeezed(name): codec for codec, names in _NAMES_OF_CODECS.items() for name in (codec, *names)
}


def codec_named(name: str) -> str:
    """Python's name of an encoding, whatever its case and punctuation; "utf-8" for all of UTF-8.

    Raises `UsageError` for one that cannot be declared.
    """
    squeezed = _squeezed(name)
    if codec := _BY_NAME.get(squeezed):
        return codec
    if squeezed.startswith(("utf16", "utf32", "ucs")):
        raise UsageError(
            f"{name!r} is not declared: UTF-16 is recognised by its byte-order mark, and other such"
            " files are binary. Leave it out"
        )
    near = [_BY_NAME[each] for each in get_close_matches(squeezed, _BY_NAME, 1)]
    step = f"did you mean {near[0]}?" if near else "write one such as gb18030 or windows-1251"
    raise UsageError(f"{name!r} is no encoding that is known; {step}")
