r"""Paths as they are shown: a file's name may hold a line end, and must not pass for two lines.

A path with control characters or line separators is shown with escapes, such as `Icon\r`; any
other is shown as it is. `meant` takes the escapes back.
"""

from __future__ import annotations

import re

_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_ESCAPED = re.compile(r"\\(?:([nrt\\])|u([0-9a-f]{4}))")
_LETTERS = {"\n": "n", "\r": "r", "\t": "t", "\\": "\\"}
_MEANT = {letter: character for character, letter in _LETTERS.items()}


def shown(path: str) -> str:
    """`path` on one line, without anything that a terminal obeys."""
    if _UNSAFE.search(path) is None:
        return path
    return _UNSAFE.sub(_escape, path.replace("\\", r"\\"))


def meant(path: str) -> str:
    """The path that is shown as `path`, if it is shown with escapes."""
    return _ESCAPED.sub(lambda match: _MEANT.get(match[1]) or chr(int(match[2], 16)), path)


def _escape(match: re.Match[str]) -> str:
    letter = _LETTERS.get(match[0])
    return f"\\{letter}" if letter else f"\\u{ord(match[0]):04x}"
