"""Tells whether a command surely only reads, and nothing outside the workspace.

"No" is always a safe answer: then the user is asked. It depends on the text of the command and on
where its paths lead now; a command that only reads still runs in the sandbox.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from glob import iglob
from itertools import islice

from glossator.shell.programs import ANYTHING, FIND, GIT, GIT_RUNS, MANY, PROGRAMS, Options
from glossator.shell.script import (
    FOLDER_CHANGERS,
    SimpleCommand,
    UncertainWord,
    folders_after,
)
from glossator.workspace import is_inside

_MAX_FOLDERS = 8
_MAX_MATCHES = 1_000
_NUMBER = re.compile(r"-\d+")
# what a program is started with may change what it does; these, with such a value, do not
_HARMLESS = re.compile(
    r"(?:LANG|LANGUAGE|LC_\w+|TZ|CI|NO_COLOR|FORCE_COLOR|COLUMNS|PYTHONUNBUFFERED"
    r"|PYTHONDONTWRITEBYTECODE|RUST_BACKTRACE)=[\w.@+-]*",
    re.ASCII,
)
_NOT_FILES = ("/dev", "/proc", "/sys")  # whose names mean another thing in another process
_PLAIN_NAME = re.compile(r"[^-+()!,\s*?\[\\][^\s*?\[\\]*")
_MAGIC = re.compile(r"[*?\[]")
_UPWARDS = re.compile(r"\.[.*?]*[*?][.*?]*")


@dataclass(frozen=True, slots=True)
class CommandContext:
    """Where a command would run: its folder, the workspace's folders, and its `PATH`.

    All are absolute. A program that lies in the workspace is not what its name says.
    """

    cwd: str
    roots: tuple[str, ...]
    search_path: str


def read_only_commands(
    commands: Sequence[SimpleCommand], context: CommandContext
) -> frozenset[SimpleCommand]:
    """Those of `commands` that are known to only read, and only below `context.roots`.

    Their output must not go to a command that may do more: `echo 'rm x' | sh`. Looks at the disk
    for where links lead, so call it from a thread.
    """
    reading: set[SimpleCommand] = set()
    others: set[SimpleCommand] = set()
    folders = [context.cwd]  # where the shell may be by then
    for command in commands:
        (reading if _reads(command, folders, context) else others).add(command)
        if command.words[0] in FOLDER_CHANGERS and len(folders) <= _MAX_FOLDERS:
            folders = folders_after(folders, command.words)
    feeding: dict[int, bool] = {}  # pipelines in which what comes later only reads
    for command in reversed(commands):
        if command.pipeline:
            if not feeding.setdefault(command.pipeline, True):
                others.add(command)
            feeding[command.pipeline] &= command in reading
    return frozenset(reading - others)


def is_harmless(variable: str) -> bool:
    """Whether `NAME=value` before a program is known to change nothing but its output."""
    return _HARMLESS.fullmatch(variable) is not None


def _reads(command: SimpleCommand, folders: list[str], context: CommandContext) -> bool:
    """Whether a program only reads inside the workspace, in whichever of the folders it runs."""
    if command.writes or not all(map(is_harmless, command.variables)):
        return False
    if len(folders) > _MAX_FOLDERS:
        return False
    if command.words[0] == "[":
        command = replace(command, words=("test", *command.words[1:-1]))
    sources = [each.target for each in command.redirects if each.operator == "<"]
    return all(
        (paths := _paths(command.words, folder, context)) is not None
        and all(_within(folder, path, context) for path in ("", *paths))
        and all(_is_source(folder, path, context) for path in sources)
        for folder in folders
    )


def _paths(words: Sequence[str], folder: str, context: CommandContext) -> list[str] | None:
    """The paths that are read; None if the program may do more than read."""
    given = _expanded(words[1:], folder, context)
    if given is None:
        return None
    program = words[0]
    options = PROGRAMS.get(program, Options())
    match program:
        case "cd":
            is_plain = len(given) == 1 and not given[0].startswith("-")
            paths = given if is_plain and not isinstance(words[1], UncertainWord) else None
        case "find":
            paths = _find(given)
        case "git":
            paths = _git(given)
        case _:
            paths = _match(options, given) if program in PROGRAMS else None
    if paths is None or not (options.builtin or is_installed(program, context)):
        return None
    if options.no_folders and any(
        path and os.path.isdir(os.path.join(folder, path)) for path in paths
    ):
        return None
    return paths


def _expanded(words: Sequence[str], folder: str, context: CommandContext) -> list[str] | None:
    """The words, patterns replaced by what matches in `folder`; None if they are odd.

    At least what a shell would find: hidden files, too. A name that a program would take for an
    option, or that a shell would divide or expand again, is odd, and so is a folder elsewhere.
    """
    expanded: list[str] = []
    for word in words:
        if not isinstance(word, UncertainWord):
            expanded.append(word)
            continue
        within, _, last = word.rpartition("/")
        if _MAGIC.search(within) or not _within(folder, within, context):
            return None
        if _UPWARDS.fullmatch(last):
            return None  # older shells take `.*` for `..`, too
        found = list(islice(iglob(word, root_dir=folder, include_hidden=True), _MAX_MATCHES + 1))
        if len(found) > _MAX_MATCHES or not all(map(_PLAIN_NAME.fullmatch, found)):
            return None
        expanded += map(UncertainWord, found) if found else [str(word)]
    return expanded


def is_installed(program: str, context: CommandContext) -> bool:
    """Whether the program is one outside the workspace; one that is not there does nothing."""
    path = shutil.which(program, path=context.search_path)
    if path is None:
        return True
    return not any(
        is_inside(each, root) for each in (path, os.path.realpath(path)) for root in context.roots
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
        elif isinstance(word, UncertainWord) or word == "-" or not word.startswith("-"):
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
    is_counted = options.most < MANY or (options.free and options.shape is not ANYTHING)
    if is_counted and any(isinstance(each, UncertainWord) for each in operands):
        return None  # how many files there are, and which is the first, may be otherwise by then
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
    """The value of an option in a cluster of short ones, "" without one; None if unknown."""
    for at, letter in enumerate(word[1:], 2):
        seen.add(letter)
        if letter in options.valued:
            return word[at:] or _next(left)
        if letter not in options.flags:
            return None
    return ""


def _next(left: Iterator[str]) -> str | None:
    """The next word as a value, if it cannot be an option, nor several words."""
    word = next(left, None)
    if word is None or isinstance(word, UncertainWord):
        return None
    return None if word.startswith("-") and not _NUMBER.fullmatch(word) else word


def _within(folder: str, path: str, context: CommandContext) -> bool:
    """Whether `path`, seen from `folder`, leads to a file or folder below a root, or nowhere."""
    whole = os.path.join(folder, path)
    real = os.path.realpath(whole)
    if any(is_inside(os.path.normpath(whole), each) for each in _NOT_FILES) and not _in_roots(
        real, context
    ):
        return False
    return not os.path.lexists(whole) or (_in_roots(real, context) and _is_readable(real))


def _is_source(folder: str, path: str, context: CommandContext) -> bool:
    """Whether a redirection may read `path`: it means more to a shell than to a program."""
    whole = os.path.join(folder, path)
    return _in_roots(os.path.realpath(whole), context) and _within(folder, path, context)


def _in_roots(real: str, context: CommandContext) -> bool:
    return any(is_inside(real, os.path.realpath(root)) for root in context.roots)


def _is_readable(real: str) -> bool:
    """Whether something is a file or a folder: opening a pipe, socket or device is an act."""
    try:
        mode = os.stat(real).st_mode
    except OSError:
        return True  # nothing there, or nothing to be reached
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)
