"""What the lines of a file are: code, or only comments, docstrings and imports.

By their spelling, without a parser: a part of a file can be looked at, and any language.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from glossator.core.file_kinds import CODE, language_of
from glossator.core.terms import is_import

_HASH = re.compile(r"#(?!\[)")  # `#[...]` is an attribute of PHP
_SLASHES = re.compile(r"//|/\*|\*(?=[\s/]|$)")  # `*p = 3;` is code
_HASH_ALONE = frozenset({"python", "ruby", "bash"})
_QUOTES = ('"""', "'''")
_DOCSTRING = re.compile(r"""[rRuU]?(?:"{3}|'{3})""")
_OPENS = re.compile(r"""(?:[=(\[{,:+%]|\breturn|\byield)\s*[rRbBfFuU]{0,2}(?:"{3}|'{3})""")
_VALUE_FOLLOWS = ("=", "(", "[", "{", ",", "+", "\\")
_ONLY_IMPORTS = re.compile(
    r"(?:pub(?:\(\w+\))? )?mod \w+;|package [\w.]+;?$|extern crate\b|__all__\b|#include\b"
    r"|export (?:type )?(?:\*|\{).*|export (?:type )?\{?$"
)
_IMPORTS_GO_ON = re.compile(r"(?:from|import|(?:pub )?use|export)\b.*[({]\s*(?://.*|#.*)?$")
_LETTERS = re.compile(r"\w")


def comment_lines(path: str, lines: Sequence[str]) -> list[bool]:
    """Which lines look like comments or docstrings; none in a file that is no code."""
    language = language_of(path)
    if language not in CODE:
        return [False] * len(lines)
    texts = [line.strip() for line in lines]
    if language == "python":
        return _python_comments(texts)
    marks = [_SLASHES] * (language not in _HASH_ALONE)
    marks += [_HASH] * (language == "php" or language in _HASH_ALONE)
    said: list[bool] = []
    within = False  # what /* began
    for text in texts:
        begins = _SLASHES in marks and text.startswith("/*")
        said.append(within or any(mark.match(text) for mark in marks))
        within = (within or begins) and "*/" not in text
    return said


def _python_comments(texts: Sequence[str]) -> list[bool]:
    """Which lines are comments or docstrings; a string of several lines that is a value is none."""
    said: list[bool] = []
    quote, is_value, before = "", False, ":"  # what is open
    for text in texts:
        if quote:
            said.append(not is_value)
            quote = "" if text.count(quote) % 2 else quote
        elif _HASH.match(text):
            said.append(True)
        else:
            odd = next((each for each in _QUOTES if text.count(each) % 2), "")
            begins, opens = _DOCSTRING.match(text) is not None, _OPENS.search(text) is not None
            if text == odd != "":
                ends = not before.endswith((":", *_VALUE_FOLLOWS))
            else:
                ends = odd != "" and text.endswith(odd) and not (begins or opens)
            if ends:
                said = [True] * len(said)  # the lines began within it
            is_value = not begins or before.endswith(_VALUE_FOLLOWS)
            said.append(ends or not is_value)
            quote = odd if (begins or opens) and not ends else ""
        before = text or before
    return said


def import_lines(lines: Sequence[str]) -> list[bool]:
    """Which lines import or re-export, over several lines too."""
    said: list[bool] = []
    open_brackets = 0
    for text in map(str.strip, lines):
        begins = is_import(text) or _ONLY_IMPORTS.match(text) is not None
        if open_brackets or (begins and _IMPORTS_GO_ON.match(text)):
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
