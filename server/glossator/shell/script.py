"""The parsed form of a shell command: simple commands with their words, in order."""

from __future__ import annotations

import math
import os
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

FOLDER_CHANGERS = frozenset({"cd", "pushd", "popd"})  # the programs that change the shell's folder


class UncertainWord(str):
    """A word that the shell may expand to any other words: only its text is known.

    It is a pattern (`*.py`), the loop variable of one, a part of something not understood, or the
    text of a here-document.
    """

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Redirect:
    """A redirection to or from a file; `>&` to a number only joins two streams."""

    operator: str
    target: str
    descriptor: str = ""

    @property
    def writes(self) -> bool:
        """Whether it may create or change a file."""
        return self.operator not in {"<", ">&"} and self.target != "/dev/null"


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """One program with its words, literal and without their quotes, or `UncertainWord`s.

    `variables` (`NAME=value`) are set for it alone; `fed` is what a here-document or here-string
    gives it to read. Those that pipes join have the number of their `pipeline` in common.
    """

    words: tuple[str, ...]
    redirects: tuple[Redirect, ...] = ()
    variables: tuple[str, ...] = ()
    fed: str | None = None
    pipeline: int = 0

    @property
    def text(self) -> str:
        """The words joined by blanks; one that is not plain is quoted. Redirections are not in."""
        return shlex.join(self.words)

    @property
    def writes(self) -> tuple[str, ...]:
        """The files that redirections may create or change, as they are named."""
        return tuple(each.target for each in self.redirects if each.writes)


@dataclass(frozen=True, slots=True)
class Script:
    """The programs that a command runs, in order; whether one runs may depend on those before.

    A loop over words is the programs of each of its rounds.
    """

    commands: tuple[SimpleCommand, ...]

    @property
    def known(self) -> tuple[SimpleCommand, ...]:
        """The programs that are understood: all of them."""
        return self.commands


@dataclass(frozen=True, slots=True)
class UnknownPart:
    """A part that is not understood: its text, and why, as a sentence for the user.

    For deny and ask rules: `hints` are the programs that can be seen in it, `writes` the files that
    redirections name; `opaque` if it may run programs that cannot be seen.
    """

    text: str
    reason: str
    hints: tuple[SimpleCommand, ...] = ()
    writes: tuple[str, ...] = ()
    opaque: bool = True


ScriptPart = SimpleCommand | UnknownPart


@dataclass(frozen=True, slots=True)
class UnclearScript:
    """What a command does is not plain from its text; `reason` is a sentence for the user.

    `parts` are in order. Those that are understood are so only as long as nobody is allowed
    anything because of them: what is not plain may have been divided wrongly.
    """

    reason: str
    parts: tuple[ScriptPart, ...]

    @property
    def known(self) -> tuple[SimpleCommand, ...]:
        """The programs that are understood."""
        return tuple(each for each in self.parts if isinstance(each, SimpleCommand))


def possible_folders(
    commands: Iterable[Sequence[str]], cwd: str, most: float = math.inf
) -> list[str]:
    """The folders where a shell that starts in `cwd` may be after commands, about `most` at most.

    Any of its changes of folder may fail.
    """
    folders = [cwd]
    for words in commands:
        if words and words[0] in FOLDER_CHANGERS and len(folders) <= most:
            folders = folders_after(folders, words)
    return folders


def folders_after(folders: Iterable[str], words: Sequence[str]) -> list[str]:
    """Where a shell that is in one of `folders` may be after a program that changes its folder.

    That may fail; a `..` in its words is read by name or by where links lead, and a `~` is the home
    folder or itself. Where a `popd` may lead is among the folders. Looks at the disk.
    """
    before = list(folders)
    to = [word for word in words[1:] if not word.startswith("-")] or ["~"]
    if words[0] == "popd":
        to = []
    meant = [spelling for word in to for spelling in (word, os.path.expanduser(word))]
    there = [os.path.join(folder, each) for folder in before for each in dict.fromkeys(meant)]
    ends = (*map(os.path.normpath, there), *map(os.path.realpath, there))
    return list(dict.fromkeys((*before, *ends)))
