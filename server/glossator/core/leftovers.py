"""Temporary files of processes that were killed: known by their names, and by a lock.

Who writes a temporary file holds its lock until the file has its final name. The lock ends with the
process, so a file that nobody holds is left over. Windows has no such lock: nothing is removed.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl

TEMPORARY = ".glossator-"  # in a workspace, followed by hexadecimal digits
_IN_WORKSPACES = re.compile(r"\.glossator-(?:[0-9a-f]{16}|[0-9a-f]{32})")
_PRIVATE = re.compile(r"\..+\.[a-z0-9_]{8}")  # as `tempfile` makes them
_CREATE = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
)
_LOOK = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def create(
    name: Callable[[], str], mode: int = 0o600, folder: int | None = None
) -> tuple[int, str]:
    """A new temporary file, which is ours until its descriptor is closed, and its name.

    `name` gives a new one each time; `folder` is a descriptor. Raises `OSError`.
    """
    while True:
        chosen = name()
        descriptor = os.open(chosen, _CREATE, mode, dir_fd=folder)
        try:
            _hold(descriptor)
            os.stat(chosen, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:  # somebody cleaned up before the file was held
            os.close(descriptor)
        else:
            return descriptor, chosen


def _hold(descriptor: int) -> None:
    """Lock a file, where the disk has locks; only who is about to remove it may have the lock."""
    if sys.platform != "win32":
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)


def remove_from_workspace(paths: Iterable[str]) -> list[str]:
    """Remove those of the paths that are left over of edits and undos; gives these. Blocking."""
    named = (path for path in paths if _IN_WORKSPACES.fullmatch(os.path.basename(path)))
    return [path for path in named if _remove(path)]


def remove_private(folder: Path) -> list[str]:
    """Remove what is left over in a folder of our own; gives the paths. Blocking."""
    return [path for path in _private(folder) if _remove(path)]


def _private(folder: Path) -> Iterator[str]:
    with suppress(OSError):  # not there, or not to be read
        for name in os.listdir(folder):
            if _PRIVATE.fullmatch(name):
                yield str(folder / name)


def _remove(path: str) -> bool:
    """Remove a file of ours that no process holds; whether it is gone."""
    if sys.platform == "win32":
        return False
    try:
        descriptor = os.open(path, _LOOK | os.O_CLOEXEC)
    except OSError:  # gone, a link, or not ours
        return False
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
            return False
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(status, os.lstat(path)):
            os.unlink(path)
            return True
    except OSError:  # somebody holds it, or it has its name
        return False
    finally:
        os.close(descriptor)
    return False
