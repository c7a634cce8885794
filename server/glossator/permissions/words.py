"""The paths that the words of a script may mean: too many rather than too few.

A program that finds its files itself (`grep -r`) names none of them; only a sandbox keeps those.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from glob import iglob
from itertools import dropwhile, islice

from glossator.shell.script import MOVES, Loose, Simple, moved

Words = tuple[str, ...]  # of a command; what is set for it alone (`NAME=value`) stands first

_PARTS = re.compile(r"[=:@,]")  # `--file=x`, `HEAD:x`, `@x`
_MAGIC = re.compile(r"[*?\[]")
_VARIABLE = re.compile(r"[A-Za-z_]\w*=", re.ASCII)
_MAX_FOLDERS = 32  # in which a script may be
_MAX_PATTERNS = 2  # names with a `*` in one path
_MAX_MATCHES = 1_000


@dataclass(frozen=True, slots=True)
class Meanings:
    """Absolute paths, links and `..` unresolved: what words may name, what redirects write to."""

    named: tuple[str, ...]
    written: tuple[str, ...]


def words_of(command: Simple) -> Words:
    """What rules are held against. What is fed to a program is one more word, a loose one."""
    fed = () if command.fed is None else (Loose(command.fed),)
    return (*command.variables, *command.words, *fed)


def bare(command: Words) -> Words:
    """A command without the variables that are set for it."""
    return tuple(dropwhile(_VARIABLE.match, command))


def spelled(command: Words) -> str:
    """A command as people write it."""
    return " ".join(word if isinstance(word, Loose) else shlex.quote(word) for word in command)


def meanings(commands: Iterable[Words], writes: Iterable[str], cwd: str) -> Meanings | None:
    """What a script started in `cwd` may mean; None if that is too much to be looked at."""
    known = tuple(commands)
    folders = _folders(known, cwd)
    words = dict.fromkeys(word for command in known for word in command)
    parts = dict.fromkeys(part for word in words for part in (word, *_PARTS.split(word)))
    parts = dict.fromkeys(filter(_is_name, parts))
    named = tuple(islice(_named(parts, folders), _MAX_MATCHES + 1))
    too_wide = any(_patterns(part) > _MAX_PATTERNS for part in parts)
    if too_wide or len(folders) > _MAX_FOLDERS or len(named) > _MAX_MATCHES:
        return None
    written = (path for word in writes for path in _paths(word, folders))
    return Meanings(tuple(dict.fromkeys(named)), tuple(dict.fromkeys(written)))


def _folders(commands: Iterable[Words], cwd: str) -> list[str]:
    """Where the script may be, as any of its changes of folder may fail."""
    folders = [cwd]
    for command in commands:
        if command and command[0] in MOVES and len(folders) <= _MAX_FOLDERS:
            folders = moved(folders, command)
    return folders


def _named(parts: Iterable[str], folders: list[str]) -> Iterator[str]:
    for part in parts:
        for path in _paths(part, folders):
            # where nothing is, an absolute path is more likely something else, as `/api/users`
            if not os.path.isabs(os.path.expanduser(part)) or os.path.lexists(path):
                yield path
        if 0 < _patterns(part) <= _MAX_PATTERNS:
            for folder in folders:
                matches = iglob(os.path.expanduser(part), root_dir=folder, include_hidden=True)
                yield from (os.path.join(folder, match) for match in matches)


def _paths(word: str, folders: list[str]) -> Iterator[str]:
    """The paths a word means in one of the folders; a `~` is the home folder or itself."""
    for meant in dict.fromkeys((word, os.path.expanduser(word))):
        yield from dict.fromkeys(os.path.join(folder, meant) for folder in folders)


def _patterns(path: str) -> int:
    return sum(_MAGIC.search(name) is not None for name in path.split("/"))


def _is_name(word: str) -> bool:
    try:
        return word != "" and b"\0" not in os.fsencode(word)
    except UnicodeEncodeError:
        return False
