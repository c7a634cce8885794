"""Stand-ins for protected paths that do not exist: there while a command runs, gone afterwards.

A stand-in is an empty folder, for a file, too: git neither lists nor adds it, and nothing of
anybody's is lost when it is removed. Its time tells one that a crash left behind from a folder
of the user. A lock tells whether another command, of another server perhaps, still needs it.

For git's `commondir` it is a file that says what holds without one, that the configuration is here,
for its `config.worktree` one that says nothing.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress

if sys.platform != "win32":
    import fcntl

_STAMP = 1_000_000_002  # seconds since 1970; even, as some file systems count in twos
_TRIES = 20  # others may be removing it at the same moment
_LOOK = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILES = {"commondir": b".\n", "config.worktree": b""}


def is_guard(path: str) -> bool:
    """Whether what is at `path` is a stand-in. Raises `OSError` if nothing can be seen there."""
    status = os.lstat(path)
    if int(status.st_mtime) != _STAMP:
        return False
    content = _FILES.get(os.path.basename(path))
    if content is None:
        return stat.S_ISDIR(status.st_mode) and not os.listdir(path)
    return stat.S_ISREG(status.st_mode) and status.st_size == len(content)


@contextmanager
def guard(path: str) -> Iterator[bool]:
    """Keep a stand-in at `path`; False if none can be made there."""
    descriptor = _hold(path)
    try:
        yield descriptor is not None
    finally:
        if descriptor is not None:
            _release(path, descriptor)


def clear(path: str) -> None:
    """Remove a stand-in that a crash left behind, unless a command still needs it."""
    with suppress(OSError):
        if is_guard(path):
            _release(path, os.open(path, _LOOK))


def _hold(path: str) -> int | None:
    """Make a stand-in, or share one, and lock it."""
    for _ in range(_TRIES):
        try:
            _make(path)
        except FileExistsError:
            pass
        except OSError:
            return None
        try:
            descriptor = os.open(path, _LOOK if _is_file(path) else _LOOK | os.O_DIRECTORY)
        except FileNotFoundError:
            continue
        except OSError:
            return None  # somebody made a file there: it is looked at next time
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        if _is_at(path, descriptor):
            return descriptor
        os.close(descriptor)
    return None


def _make(path: str) -> None:
    if not _is_file(path):
        os.mkdir(path)
        os.utime(path, (_STAMP, _STAMP))
        return
    # whole and with its time from the first moment on: git may read it
    with tempfile.TemporaryDirectory(dir=os.path.dirname(path), prefix=".glossator-") as place:
        made = os.path.join(place, "made")
        with open(made, "wb") as file:
            file.write(_FILES[os.path.basename(path)])
        os.utime(made, (_STAMP, _STAMP))
        os.link(made, path)


def _is_file(path: str) -> bool:
    return os.path.basename(path) in _FILES


def _release(path: str, descriptor: int) -> None:
    """Remove a stand-in unless somebody else holds it, or it is no stand-in any more."""
    try:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_at(path, descriptor) and is_guard(path):
                (os.unlink if _is_file(path) else os.rmdir)(path)
    finally:
        os.close(descriptor)


def _is_at(path: str, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.lstat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False
