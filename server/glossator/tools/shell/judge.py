"""Whether a command is sure to only read, and to read nothing outside the workspace.

"No" is always a safe answer: it means that the user is asked. What is checked is the text, and
where its paths lead now; a command that only reads still runs in the sandbox.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from glossator.tools.shell.paths import path_within
from glossator.tools.shell.programs import FIND, GIT, GIT_RUNS, PROGRAMS, Options
from glossator.tools.shell.syntax import Script, Simple, Unclear


@dataclass(frozen=True, slots=True)
class Place:
    """Where a command would run: its folder, the workspace's folders, and its `PATH`.

    All are absolute. A program that lies in the workspace is not what its name says.
    """

    cwd: str
    roots: tuple[str, ...]
    search_path: str


def is_read_only(script: Script | Unclear, place: Place) -> bool:
    """Whether all programs in `script` are known to only read, below `place.roots`.

    Looks at the disk, to see where links lead: call it from a thread.
    """
    if isinstance(script, Unclear):
        return False
    folders = [place.cwd]  # where the shell may be by then
    for command in script.commands:
        paths = _paths(command, place)
        if paths is None or len(folders) > _MOST_FOLDERS:
            return False
        if not all(_within(folder, path, place) for folder in folders for path in paths):
            return False
        if command.words[0] == "cd":
            folders += [os.path.join(folder, command.words[1]) for folder in folders]
    return True


_MOST_FOLDERS = 8  # after three `cd`s
_NUMBER = re.compile(r"-\d+")


def _paths(command: Simple, place: Place) -> list[str] | None:
    """What is read, "" for the shell's folder; None if the program may do more than read."""
    if command.writes:
        return None
    program, *words = command.words
    options = PROGRAMS.get(program, Options())
    match program:
        case "cd":
            paths = words if len(words) == 1 and not words[0].startswith("-") else None
        case "find":
            paths = _find(words)
        case "git":
            paths = _git(words)
        case _:
            paths = _match(options, words) if program in PROGRAMS else None
    if paths is None or not (options.builtin or _installed(program, place)):
        return None
    return ["", *paths, *(each.target for each in command.redirects if each.operator == "<")]


def _installed(program: str, place: Place) -> bool:
    """Whether the program is one outside the workspace; one that is not there does nothing."""
    path = shutil.which(program, path=place.search_path)
    if path is None:
        return True
    return not any(
        path_within(each, root) for each in (path, os.path.realpath(path)) for root in place.roots
    )


def _git(words: Sequence[str]) -> list[str] | None:
    if words and words[0] == "--no-pager":
        words = words[1:]
    if not words or (options := GIT.get(words[0])) is None:
        return None
    if any(map(GIT_RUNS.search, words)):
        return None
    return _match(options, words[1:])


def _find(words: Sequence[str]) -> list[str] | None:
    left = list(words)
    paths = []
    while left and not left[0].startswith(("-", "(", ")", "!", ",")):
        paths.append(left.pop(0))
    while left:
        test = left.pop(0)
        count = FIND.get(test)
        if count is None or len(left) < count:
            return None
        if test == "-newer":
            paths.append(left[0])
        del left[:count]
    return paths


def _match(options: Options, words: Sequence[str]) -> list[str] | None:
    """Operands and values of options that may be paths; None if an option is not known."""
    values: list[str] = []
    operands: list[str] = []
    seen: set[str] = set()
    left = iter(words)
    for word in left:
        if word == "--":
            operands += left
        elif word == "-" or not word.startswith("-"):
            operands.append(word)
        elif not (options.number and _NUMBER.fullmatch(word)):
            read = _long if word.startswith("--") else _short
            value = read(options, word, left, seen)
            if value is None:
                return None
            values.append(value)
    if not options.least <= len(operands) <= options.most:
        return None
    if options.needs and seen.isdisjoint(options.needs):
        return None
    if not all(options.shape.fullmatch(each) for each in operands[: options.free]):
        return None
    return values + operands[options.free :]


def _long(options: Options, word: str, left: Iterator[str], seen: set[str]) -> str | None:
    """The value of a long option, "" without one; None if the option is not known."""
    name, equals, value = word[2:].partition("=")
    seen.add(name)
    if equals:
        return value if name in options.long_valued else None
    if name in options.long:
        return ""
    return _next(left) if options.separate and name in options.long_valued else None


def _short(options: Options, word: str, left: Iterator[str], seen: set[str]) -> str | None:
    """The same of a cluster of one-letter options."""
    for at, letter in enumerate(word[1:], 2):
        seen.add(letter)
        if letter in options.valued:
            return word[at:] or _next(left)
        if letter not in options.flags:
            return None
    return ""


def _next(left: Iterator[str]) -> str | None:
    """The next word as a value, if it cannot be an option."""
    word = next(left, None)
    return None if word is None or (word.startswith("-") and not _NUMBER.fullmatch(word)) else word


def _within(folder: str, path: str, place: Place) -> bool:
    """Whether `path`, seen from `folder`, leads below a root, or to nothing at all."""
    whole = os.path.join(folder, path)
    real = os.path.realpath(whole)
    return not os.path.lexists(whole) or any(
        path_within(real, os.path.realpath(root)) for root in place.roots
    )
