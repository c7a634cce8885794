r"""The meaning of git's files: which of them belong to a folder, and the lines of ignore files.

Where: gitrepository-layout(5). A line becomes a pattern of pathspec, exactly as git reads it:
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
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import cast

import re2
from pathspec import RegexPattern

from glossator.core.document import Missing
from glossator.workspace.files.disk import load
from glossator.workspace.files.roots import Roots, is_inside, real_path

_MAX_NAME_BYTES = 10_000  # of a file that holds a path
_SHARED = "HEAD config info logs objects packed-refs refs reftable shallow".split()  # by worktrees

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


def repository_top(folder: str) -> str:
    """The nearest folder at or above `folder` that holds .git; `folder` itself if there is none."""
    top = folder
    while not os.path.lexists(os.path.join(top, ".git")):
        above = os.path.dirname(top)
        if above == top:
            return folder
        top = above
    return top


def git_folders(top: str) -> tuple[str, ...]:
    """The folders with git's files: `.git`, or those that it names where it is a file.

    A linked worktree has one of its own, then the one that it shares with others.
    """
    git = os.path.join(top, ".git")
    own = _named_in(git, "gitdir: ")
    if own is None:
        return (git,)
    shared = _named_in(os.path.join(own, "commondir"))
    return (own, shared) if shared else (own,)


def shared_git(git: str) -> str | None:
    """The real path of the folder shared with other worktrees, if `.git` is a file that names it.

    A submodule's file names a repository that it shares with nobody.
    """
    named = git_folders(os.path.dirname(git))[-1]
    return None if named == git else named


def git_outside(tops: Iterable[str], roots: Collection[str]) -> Iterator[str]:
    """The folders outside the roots that git reads for linked work trees.

    Any file may name any folder. This one counts if the folder names the file, too, and is
    where `git worktree add` makes it, outside the roots: nobody who may only write there can have
    linked the two. The hooks of the repository, and its other work trees, are not needed.
    """
    for top in tops:
        match git_folders(top):
            case (own, shared) if _is_linked(top, own, shared):
                if not any(is_inside(own, root) for root in roots):
                    yield own
                    yield from (os.path.join(shared, name) for name in _SHARED)


def _is_linked(top: str, own: str, shared: str) -> bool:
    if os.path.dirname(own) != os.path.join(shared, "worktrees"):
        return False
    return _named_in(os.path.join(own, "gitdir")) == real_path(os.path.join(top, ".git"))


def _named_in(path: str, key: str = "") -> str | None:
    """The real path that is named in a file, behind a `key`; None if there is no such file."""
    folder, name = os.path.split(path)
    loaded = load(Roots((folder,)), name, _MAX_NAME_BYTES)
    if isinstance(loaded, Missing) or not loaded.text.startswith(key):
        return None
    return real_path(os.path.join(folder, loaded.text[len(key) :].rstrip("\r\n")))


class GitPattern(RegexPattern):
    """One line; `include` is True if it leaves out, False if it keeps, None if it is no pattern."""

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
        """Like `re.Pattern.search`, in linear time."""
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
