"""The names of encodings as people, editors and the web write them.

An encoding may be declared for a file if ASCII is the same bytes in it. As in editors and browsers,
the names of old standards stand for the larger sets that Windows made of them. Unicode needs no
declaration; it is recognised by its bytes.
Source: WHATWG, "Encoding", "Names and labels".
"""

from __future__ import annotations

import re
from difflib import get_close_matches

from glossator.core.errors import UsageError

_ISO = tuple(range(1, 12)) + tuple(range(13, 17))  # the parts of ISO 8859 that there are
_WINDOWS = (*range(1250, 1259), 874, 437, 850, 852, 858, 865, 866, 1125)
_CODECS = {  # of Python -> other names
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


def _squeezed(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


_BY_NAME = {_squeezed(name): codec for codec, names in _CODECS.items() for name in (codec, *names)}


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
