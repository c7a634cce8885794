"""The names of symbols and the paths that a text holds."""

from __future__ import annotations

import re

from glossator.core.file_kinds import language_of

_QUOTED = re.compile(r"`([^`\s]{2,100})`")
_NAME = re.compile(r"[^\W\d]\w*(?:(?:\.|::)[^\W\d]\w*)*")
_CALL = re.compile(r"\((?!(?:s|es|ies)\))")  # "the file(s)" is a word
_PATH = re.compile(r"[\w.@+-]*\w(?:/[\w.@+-]*\w)+|\w[\w-]*(?:\.\w+)+")
_IS_NAME = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]|_|\w(?:\.|::)\w\w")  # and no word of prose


def names_in(text: str) -> tuple[str, ...]:
    """The names of symbols in a text: quoted as code, called, qualified or spelled as one."""
    spelled = [
        (match.start(), match[0])
        for match in _NAME.finditer(text)
        if _CALL.match(text, match.end()) or _IS_NAME.search(match[0])
    ]
    quoted = [
        (match.start(1), name[0])
        for match in _QUOTED.finditer(text)
        if (name := _NAME.fullmatch(match[1].removesuffix("()")))
    ]
    names = dict.fromkeys(name for _, name in sorted(spelled + quoted))
    return tuple(name for name in names if language_of(name) is None)  # `store.py` is a file


def paths_in(text: str) -> tuple[str, ...]:
    """The paths of files and folders in a text, and the names of files."""
    found = dict.fromkeys(match[0] for match in _PATH.finditer(text))
    return tuple(each for each in found if "/" in each or language_of(each) is not None)
