r"""One line of an ignore file as a pattern of pathspec, exactly as git reads it.

pathspec's `GitIgnoreSpecPattern` differs from git in trailing blanks, classes, malformed patterns
and names that are not UTF-8, and it matches everything below a directory, too. A `GitPattern`
matches an entry itself; directories end in "/". It also matches a text that lists entries with
`BETWEEN` them. Patterns and paths have one character for each byte, because git's `?` is one byte.
Source: git 2.39, dir.c (`parse_path_pattern`) and wildmatch.c (`dowild`).
"""

from __future__ import annotations

import os
import re
import string
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import cast

import re2
from pathspec import RegexPattern

BETWEEN = "\0"  # no name holds it
MAX_EXPRESSION = 20_000  # characters, well below what RE2 can hold
_ANY = r"[\x01-\xff]"
_IN_NAME = r"[\x01-.0-\xff]"
_START = r"(?:^|\x00)"
_END = r"(?:\x00|$)"
_FOLDERS = f"(?:{_ANY}*/)?"
_ANYWHERE = _START + _FOLDERS
_NOTHING = r"[^\x00-\x{10FFFF}]"
_STARS = re.compile(r"\*+")
_NAMED: dict[str, Callable[[str], bool]] = {
    "alnum": str.isalnum,
    "alpha": str.isalpha,
    "blank": " \t".__contains__,
    "cntrl": lambda character: character < " " or character == "\x7f",
    "digit": str.isdigit,
    "graph": lambda character: "!" <= character <= "~",
    "lower": str.islower,
    "print": lambda character: " " <= character <= "~",
    "punct": string.punctuation.__contains__,
    "space": " \t\n\r\v\f".__contains__,
    "upper": str.isupper,
    "xdigit": string.hexdigits.__contains__,
}


class GitPattern(RegexPattern):
    """A line; `include` is True if it leaves out, False if it keeps, None if it is no pattern."""

    __slots__ = ("expression",)

    def __init__(self, pattern: str) -> None:
        expression, include = self.pattern_to_regex(pattern)
        self.expression = expression or ""
        super().__init__(_uncompiled(expression) if expression else None, include)
        self.pattern = pattern

    @property
    def cost(self) -> int:
        """How much of `MAX_EXPRESSION` the line takes: its length, times its wildcards cubed.

        Together, lines of several wildcards have more states than RE2 keeps; a quarter is measured.
        """
        wildcards = self.expression.count("[")
        return len(self.expression) * max(1, wildcards**3 // 4)

    @classmethod
    def pattern_to_regex(  # type: ignore[override]  # a byte is a character here
        cls, pattern: str
    ) -> tuple[str | None, bool | None]:
        """The expression for a line, and its `include`."""
        line = _without_trailing_spaces(pattern)
        include = not line.startswith("!")
        line = line if include else line[1:]
        only_folders = line.endswith("/")
        line = line.removesuffix("/")
        if pattern.startswith("#") or not line.strip("/") or line.endswith("/"):
            return None, None  # no path has an empty name
        glob = _translate_glob(line.removeprefix("/"))
        if glob is None:
            return None, None
        start = _START if "/" in line else _ANYWHERE
        return f"{start}{glob}{'/' if only_folders else '/?'}{_END}", include


@lru_cache(4096)  # the files of many vendored projects hold the same lines
def git_pattern(line: str) -> GitPattern:
    """The pattern of a line."""
    return GitPattern(line)


def any_of(patterns: Iterable[GitPattern]) -> RegexPattern:
    """Matches what any of the patterns matches. RE2 is quicker when a common beginning is one."""
    expressions = [pattern.expression for pattern in patterns if pattern.expression]
    anchored = [each for each in expressions if not each.startswith(_ANYWHERE)]
    endings = [each.removeprefix(_ANYWHERE) for each in expressions if each.startswith(_ANYWHERE)]
    anywhere = f"{_ANYWHERE}(?:{'|'.join(endings) or _NOTHING})"
    return RegexPattern(_uncompiled("|".join([*anchored, anywhere])), include=True)


def one_per_byte(text: str) -> str:
    """A path or pattern as bytes, one character each."""
    return text if text.isascii() else os.fsencode(text).decode("latin-1")


@dataclass(frozen=True, slots=True)
class _Uncompiled:
    """Stands for a compiled expression: pathspec's RE2 backend only wants its text."""

    pattern: str

    def search(self, path: str) -> object:
        """As `re.Pattern.search`, in linear time."""
        return re2.compile(self.pattern).search(path)

    match = search  # by which pathspec knows a compiled expression


def _uncompiled(expression: str) -> re.Pattern[str]:
    return cast("re.Pattern[str]", _Uncompiled(expression))


def _without_trailing_spaces(line: str) -> str:
    """`line` without its trailing spaces, except one escaped by a backslash."""
    kept = line.rstrip(" ")
    backslashes = len(kept) - len(kept.rstrip("\\"))
    return line[: len(kept) + backslashes % 2]


def _translate_glob(pattern: str) -> str | None:
    """The expression for a pattern, unanchored; None when it can match nothing."""
    parts: list[str] = []
    at = 0
    while at < len(pattern):
        character = pattern[at]
        if character == "*":
            part, at = _translate_stars(pattern, at)
        elif character == "[":
            bracket = _read_bracket(pattern, at + 1)
            if bracket is None:
                return None
            part, at = bracket
        elif character == "\\":
            if at + 1 == len(pattern):
                return None
            part, at = re.escape(pattern[at + 1]), at + 2
        else:
            part, at = _IN_NAME if character == "?" else re.escape(character), at + 1
        parts.append(part)
    return "".join(parts)


def _translate_stars(pattern: str, at: int) -> tuple[str, int]:
    """`*` stays within a name; `**` between slashes or ends crosses them."""
    match = _STARS.match(pattern, at)
    end = match.end() if match else at + 1
    whole_name = (at == 0 or pattern[at - 1] == "/") and pattern[end : end + 1] in ("", "/")
    if not whole_name:
        return f"{_IN_NAME}*", end
    if end - at == 1:
        return f"{_IN_NAME}+", end  # no name is empty
    if end == len(pattern):
        return f"{_ANY}+", end
    return _FOLDERS, end + 1


def _read_bracket(pattern: str, at: int) -> tuple[str, int] | None:
    """The characters that the bracket opened before `at` allows, and where it ends."""
    negated = pattern[at : at + 1] in ("!", "^")
    at += negated
    allowed: set[int] = set()
    before: int | None = None  # the character a range may begin with
    first = True
    while first or pattern[at : at + 1] != "]":
        first = False
        if named := re.compile(r"\[:([^\]]*):\]").match(pattern, at):
            test = _NAMED.get(named[1])
            if test is None:
                return None
            allowed.update(code for code in range(128) if test(chr(code)))
            before, at = None, named.end()
            continue
        is_range = pattern[at : at + 1] == "-" and before is not None
        is_range = is_range and pattern[at + 1 : at + 2] not in ("", "]")
        at += is_range
        at += pattern[at : at + 1] == "\\"
        if at >= len(pattern):
            return None
        code = ord(pattern[at])
        allowed.update(range(before, code + 1) if is_range and before is not None else (code,))
        before, at = None if is_range else code, at + 1
    if negated:
        allowed = set(range(1, 256)) - allowed
    allowed -= {0, ord("/")}
    return (f"[{_ranges(allowed)}]", at + 1) if allowed else None


def _ranges(codes: Iterable[int]) -> str:
    """The inside of a character class for `codes`."""
    text = ""
    for _, group in groupby(enumerate(sorted(codes)), key=lambda pair: pair[1] - pair[0]):
        run = [code for _, code in group]
        text += rf"\x{run[0]:02x}-\x{run[-1]:02x}"
    return text
