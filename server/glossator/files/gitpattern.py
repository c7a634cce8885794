r"""One line of an ignore file as a regular expression, exactly as git reads it.

Patterns and paths are bytes, one character each (git's `?` is one byte). A path that is a
directory ends in `FOLDER_MARK`. A pattern matches an entry itself, never by way of a directory
above it. Source: git 2.39, dir.c (`parse_path_pattern`) and wildmatch.c (`dowild`).
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import groupby

FOLDER_MARK = "\0"
_ANY = r"[^\x00]*"
_IN_NAME = r"[^/\x00]"
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


@lru_cache(4096)  # the same lines stand in the files of many vendored projects
def translate(line: str) -> tuple[str, bool] | None:
    """The expression for `line`, and whether it leaves out (True) or keeps; None: no pattern."""
    pattern = _without_trailing_spaces(line)
    if not pattern or pattern.startswith("#"):
        return None
    leaves_out = not pattern.startswith("!")
    pattern = pattern if leaves_out else pattern[1:]
    only_folders = pattern.endswith("/")
    pattern = pattern.removesuffix("/")
    if not pattern.strip("/") or pattern.endswith("/"):
        return None  # no path has an empty name
    anywhere = "/" not in pattern
    glob = _translate_glob(pattern.removeprefix("/"))
    if glob is None:
        return None
    start = f"^(?:{_ANY}/)?" if anywhere else "^"
    end = r"\x00$" if only_folders else r"\x00?$"
    return start + glob + end, leaves_out


def in_list(regex: str) -> str:
    """The expression of `translate` for one of the paths in a text, a NUL before and after each.

    It may match a file, too, where the pattern means a directory only.
    """
    return r"\x00" + regex.removeprefix("^").removesuffix("$").removesuffix("?")


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
    if end - at == 1 or not whole_name:
        return f"{_IN_NAME}*", end
    if end == len(pattern):
        return _ANY, end
    return f"(?:{_ANY}/)?", end + 1


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
