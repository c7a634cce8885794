"""The subject of a decision: a tool, its access, and the paths and commands it would touch.

Only this module of the decision reads the disk: `ResolvedPath` holds every name of a path.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import PurePath

from glossator.core.permission import Access
from glossator.permissions.command_words import (
    CommandWords,
    MeantPaths,
    meant_paths,
    nested_commands,
    without_variables,
    words_of,
)
from glossator.shell import TOO_MANY, Script, SimpleCommand, UnclearScript, UnknownPart

_MAX_LINKS = 40  # on the way to a file, as in Linux
_NO_SANDBOX = "It would run outside a sandbox."


@dataclass(frozen=True, slots=True)
class ResolvedPath:
    """A path as it was asked for (absolute), and what it leads to.

    `names` are the path itself, the path after each link on the way, and the ends. `real` are the
    ends: one as the kernel reads the path and one as an editor does, which takes `a/..` for nothing
    even where `a` is a link. Empty when the path cannot be resolved. Nothing needs to exist. A
    `hard_linked` file has other names.
    """

    asked: str
    names: tuple[str, ...]
    real: tuple[str, ...]
    hard_linked: bool = False

    @staticmethod
    def at(path: str) -> ResolvedPath:
        """`path` (absolute) as it is on disk at this moment."""
        plain = os.path.normpath(path)
        try:
            ways = [_way(spelling) for spelling in dict.fromkeys((path, plain))]
        except (OSError, ValueError):  # a loop, a closed folder, or what no file can be called
            return ResolvedPath(path, (plain,), ())
        names = dict.fromkeys((plain, *(name for way in ways for name in way)))
        real = tuple(dict.fromkeys(way[-1] for way in ways))
        return ResolvedPath(path, tuple(names), real, any(map(_is_hard_linked, real)))


@dataclass(frozen=True, slots=True)
class ShellScript:
    """A script for the shell, taken apart into its simple commands, each as its words.

    `reading` are those of `commands` that only read. `named` are the paths that words may mean.
    `open_reason` says why it would not be confined to a sandbox, None if it would be; `network`: it
    would use the network. `line` is all of it as it stands, "" if that is not known. `unclear` are
    the texts of parts that are not understood, "" if nobody can tell what words mean; `hints` the
    commands that can be seen in them, and `opaque` if there may be others. `excess` are those of
    `unclear` that were not looked at, because there are too many. What programs are given to run
    (`sh -c '...'`) adds to `named`, `hints` and `opaque`; `doubted` are the parts of that that are
    not understood. `passing` are the targets of redirects that are the sandbox's own and end with
    the command.
    """

    commands: tuple[CommandWords, ...]
    reading: frozenset[CommandWords] = frozenset()
    named: tuple[ResolvedPath, ...] = ()
    open_reason: str | None = _NO_SANDBOX
    unclear: tuple[str, ...] = ()
    hints: tuple[CommandWords, ...] = ()
    opaque: bool = False
    excess: frozenset[str] = frozenset()
    doubted: tuple[str, ...] = ()
    passing: frozenset[ResolvedPath] = frozenset()
    network: bool = False
    line: str = ""

    @property
    def read_only(self) -> bool:
        """Whether all of it is known to do nothing but read."""
        return not self.unclear and self.reading.issuperset(self.commands)


@dataclass(frozen=True, slots=True)
class CallSubject:
    """One tool call. `targets` are the paths it reads or writes; a script's are its redirects."""

    tool: str
    access: Access
    targets: tuple[ResolvedPath, ...] = ()
    script: ShellScript | None = None

    @staticmethod
    def of_files(tool: str, access: Access, paths: Iterable[str]) -> CallSubject:
        """A call about files and folders, by absolute path as it was asked for."""
        return CallSubject(tool, access, tuple(map(ResolvedPath.at, paths)))

    @staticmethod
    def of_shell(
        script: Script | UnclearScript,
        *,
        cwd: str,
        reading: Collection[SimpleCommand] = (),
        open_reason: str | None = _NO_SANDBOX,
        is_temporary: Callable[[str], bool] = lambda _: False,
        network: bool = False,
        line: str = "",
    ) -> CallSubject:
        """A call of Bash; `reading` are the commands of `script` that are known to only read.

        `is_temporary` tells of an absolute path whether it is the sandbox's own and ends with the
        command.
        """
        known = script.known
        parts = script.parts if isinstance(script, UnclearScript) else script.commands
        unknown = [each for each in parts if isinstance(each, UnknownPart)]
        hints = [hint for each in unknown for hint in each.hints]
        inside = nested_commands((*known, *hints))
        written = [path for each in parts for path in each.writes]
        written = [path for path in written if path != os.devnull]
        seen = [without_variables(each.words) for each in (*known, *hints)]
        sources = [each for one in known for each in one.redirects if each.operator == "<"]
        read = [(each.target,) for each in sources if each.target != os.devnull]
        meant = meant_paths((*seen, *read), written, cwd)
        unclear = tuple(dict.fromkeys(each.text for each in unknown))
        looked_at = {each.text for each in unknown if each.reason != TOO_MANY}
        excess = frozenset(unclear) - looked_at
        if meant is None:  # it may mean too much to be looked at
            unclear = (*unclear, "")
            meant = meant_paths((), written, cwd) or MeantPaths((), ())
        more = [
            *map(without_variables, map(words_of, inside.commands)),
            *((path,) for path in inside.files),
        ]
        wider = meant_paths((*seen, *read, *more), (), cwd) if more else meant
        doubted = (*inside.doubted, "") if wider is None else tuple(inside.doubted)
        only_read = {words_of(each) for each in known if each in reading}
        targets = tuple(map(ResolvedPath.at, meant.written))
        passing = [each for each in targets if all(map(is_temporary, (*each.names, *each.real)))]
        return CallSubject(
            "Bash",
            Access.EXECUTE,
            targets,
            ShellScript(
                tuple(map(words_of, known)),
                frozenset(only_read - {words_of(each) for each in known if each not in reading}),
                tuple(
                    target for target in map(ResolvedPath.at, (wider or meant).named) if target.real
                ),
                open_reason,
                unclear,
                tuple(map(words_of, (*hints, *inside.commands))),
                inside.opaque or any(each.opaque for each in unknown),
                excess,
                doubted,
                frozenset(passing),
                network,
                line,
            ),
        )


def _is_hard_linked(path: str) -> bool:
    try:
        status = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_nlink > 1


def _way(path: str) -> list[str]:
    """`path` after each link on the way, the real path last. Raises `OSError`, `ValueError`."""
    names: list[str] = []
    for _ in range(_MAX_LINKS):
        following, is_end = _follow_one(path)
        if is_end:
            return [*names, following]
        names.append(os.path.normpath(following))
        path = following
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)


def _follow_one(path: str) -> tuple[str, bool]:
    """`path` with its first link replaced by what it says; or, without any, the real path."""
    pure = PurePath(path)
    folder = os.sep if os.name == "posix" else pure.anchor
    rest = pure.parts[1:]
    for at, part in enumerate(rest):
        if part == os.pardir:
            folder = os.path.dirname(folder)
            continue
        here = os.path.join(folder, part)
        link = _link(here)
        if link is not None:
            return os.path.join(folder, link, *rest[at + 1 :]), False
        folder = here
    return folder, True


def _link(path: str) -> str | None:
    try:
        return os.readlink(path)
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.ENOENT, errno.ENOTDIR):
            return None  # not a link, or nothing there
        raise
