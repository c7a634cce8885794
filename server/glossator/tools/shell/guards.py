"""Stand-ins for protected files that do not exist: there while a command runs, gone afterwards.

A stand-in is empty and has a time of its own, so that one that a crash left behind is known for
what it is, and one into which the user wrote in the meantime is not removed. A lock tells whether
another command, of another server perhaps, still needs it.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_STAMP = 1_000_000_002  # seconds since 1970; even, as some file systems count in twos
_TRIES = 20  # others may be removing it at the same moment
_LOOK = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def is_guard(path: str) -> bool:
    """Whether what is at `path` is a stand-in. Raises `OSError` if nothing can be seen there."""
    status = os.lstat(path)
    if int(status.st_mtime) != _STAMP:
        return False
    if stat.S_ISDIR(status.st_mode):
        return not os.listdir(path)
    return stat.S_ISREG(status.st_mode) and status.st_size == 0


@contextmanager
def guard(path: str, *, folder: bool) -> Iterator[bool]:
    """Keep a stand-in at `path`; False if none can be made there."""
    descriptor = _hold(path, folder=folder)
    try:
        yield descriptor is not None
    finally:
        if descriptor is not None:
            _release(path, descriptor)


def _hold(path: str, *, folder: bool) -> int | None:
    """Make a stand-in, or share one, and lock it."""
    for _ in range(_TRIES):
        with suppress(FileExistsError):
            try:
                _make(path, folder=folder)
            except FileExistsError:
                raise
            except OSError:
                return None
        with suppress(FileNotFoundError):
            descriptor = os.open(path, _LOOK)
            fcntl.flock(descriptor, fcntl.LOCK_SH)
            if _is_at(path, descriptor):
                return descriptor
            os.close(descriptor)
    return None


def _make(path: str, *, folder: bool) -> None:
    if folder:
        os.mkdir(path)
    else:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644))
    os.utime(path, (_STAMP, _STAMP))


def _release(path: str, descriptor: int) -> None:
    """Remove a stand-in unless somebody else holds it, or it is no stand-in any more."""
    try:
        with suppress(BlockingIOError, FileNotFoundError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_at(path, descriptor) and is_guard(path):
                if stat.S_ISDIR(os.fstat(descriptor).st_mode):
                    os.rmdir(path)
                else:
                    os.unlink(path)
    finally:
        os.close(descriptor)


def _is_at(path: str, descriptor: int) -> bool:
    return os.path.samestat(os.lstat(path), os.fstat(descriptor))
