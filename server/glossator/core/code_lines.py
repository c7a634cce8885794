"""What the lines of a file are: code, or only comments, docstrings and imports.

By their spelling, without a parser: a part of a file can be looked at, and any language.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from glossator.core.file_kinds import CODE, language_of
from glossator.core.terms import is_import

_DOCSTRINGS = ('"""', "'''", 'r"""')
_COMMENT = re.compile(r"//|/?\*|#(?!include|define|if|el|endif|pragma|\[)")
_ONLY_IMPORTS = re.compile(
    r"(?:pub(?:\(\w+\))? )?mod \w+;|package [\w.]+;?$|extern crate\b|__all__\b|#include\b"
    r"|export (?:type )?(?:\*|\{).*|export (?:type )?\{?$"
)
_IMPORTS_GO_ON = re.compile(r"[({]\s*(?://.*|#.*)?$")
_LETTERS = re.compile(r"\w")


def comment_lines(path: str, lines: Sequence[str]) -> list[bool]:
    """Which lines look like comments or docstrings; none in a file that is no code."""
    if language_of(path) not in CODE:
        return [False] * len(lines)
    said: list[bool] = []
    within, before = False, ":"
    for text in map(str.strip, lines):
        begins = text.startswith(_DOCSTRINGS)
        ends = text.count('"""') % 2 or text.count("'''") % 2
        if text in _DOCSTRINGS and not within and not before.endswith(":"):
            said = [True] * len(said)  # the lines began within it
        elif ends and (within or begins):
            within = not within
        said.append(within or begins or text in _DOCSTRINGS or _COMMENT.match(text) is not None)
        before = text or before
    return said


def import_lines(lines: Sequence[str]) -> list[bool]:
    """Which lines import or re-export, over several lines too."""
    said: list[bool] = []
    open_brackets = 0
    for text in map(str.strip, lines):
        begins = is_import(text) or _ONLY_IMPORTS.match(text) is not None
        if open_brackets or (begins and _IMPORTS_GO_ON.search(text)):
            open_brackets += sum(map(text.count, "({[")) - sum(map(text.count, ")}]"))
            open_brackets = max(open_brackets, 0)
            said.append(True)
        else:
            said.append(begins)
    return said


def code_lines(path: str, lines: Sequence[str]) -> list[bool]:
    """Which lines do something: neither blank, brackets alone, comments nor imports."""
    return [
        not (comment or imports) and _LETTERS.search(line) is not None
        for line, comment, imports in zip(
            lines, comment_lines(path, lines), import_lines(lines), strict=True
        )
    ]
