"""The names of encodings: what people and editors write is found, and what cannot be is told."""

from __future__ import annotations

import codecs

import pytest

from glossator.core.encoding import codec_named
from glossator.core.errors import UsageError

# all that VS Code's `files.encoding` takes, but UTF-16 and koi8ru, which Python has not
VS_CODE = """utf8 utf8bom windows1252 iso88591 iso88593 iso885915 macroman cp437 windows1256
    iso88596 windows1257 iso88594 iso885914 windows1250 iso88592 cp852 windows1251 cp866 cp1125
    iso88595 koi8r koi8u iso885913 windows1253 iso88597 windows1255 iso88598 iso885910 iso885916
    windows1254 iso88599 windows1258 gbk gb18030 cp950 big5hkscs shiftjis eucjp euckr windows874
    iso885911 koi8t gb2312 cp865 cp850""".split()


@pytest.mark.parametrize("name", VS_CODE)
def test_what_vs_code_names_is_a_codec_that_holds_ascii(name: str) -> None:
    codec = codecs.lookup(codec_named(name))
    assert codec.decode(bytes(range(128)))[0] == bytes(range(128)).decode()


@pytest.mark.parametrize(
    ("name", "codec"),
    [
        ("GB18030", "gb18030"),
        ("windows-1251", "cp1251"),
        ("Windows 1251", "cp1251"),
        ("cp1251", "cp1251"),
        ("Shift_JIS", "cp932"),
        ("shiftjis", "cp932"),
        ("EUC-JP", "euc_jp"),
        ("euckr", "cp949"),
        ("gb2312", "gbk"),
        ("ISO-8859-1", "latin-1"),
        ("latin1", "latin-1"),
        ("iso885915", "iso8859-15"),
        ("KOI8-R", "koi8-r"),
        ("UTF-8", "utf-8"),
        ("utf8bom", "utf-8"),
    ],
)
def test_an_encoding_has_many_names(name: str, codec: str) -> None:
    assert codec_named(name) == codec


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("gb1803", "'gb1803' is no encoding that is known; did you mean gb18030?"),
        ("koi8ru", "did you mean koi8-u?"),
        ("rot13", "write one such as gb18030 or windows-1251"),
        ("", "write one such as"),
        ("utf16le", "UTF-16 is recognised by its byte-order mark"),
    ],
)
def test_what_cannot_be_declared_is_told(name: str, says: str) -> None:
    with pytest.raises(UsageError) as refused:
        codec_named(name)
    assert says in str(refused.value)
