"""The locks of a state folder: one job at a time writes there, and nobody deletes it while in use.

The writer locks the file `lock` in it; a server that uses the folder shares a lock of the folder
itself, which whoever wants to delete it must have alone. Locks end with their process. Either can
be deleted by others, so a lock counts only while what is locked is what is there.
"""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Iterator
from contextlib import contextmanager

from glossator.files import LOCK

if sys.platform != "win32":
    import fcntl


@contextmanager
def writing(folder: str) -> Iterator[bool]:
    """In the block we are the writer of the folder, unless the value is false: somebody else is.

    Raises `OSError` where the folder cannot be written to.
    """
    place = os.path.join(folder, LOCK)
    with _alone(place, os.O_RDWR | os.O_CREAT) as ours:
        yield ours


@contextmanager
def removing(folder: str) -> Iterator[bool]:
    """In the block nobody begins to use the folder; false: it is in use. Raises `OSError`."""
    with _alone(folder, os.O_RDONLY | os.O_DIRECTORY) as ours:
        yield ours


class FolderUse:
    """Our use of a folder; it is not deleted by another server before `close`."""

    def __init__(self, folder: str) -> None:
        """Raises `OSError`: `FileNotFoundError` if it was deleted just now."""
        self._folder = folder
        self._descriptor = _locked(folder, os.O_RDONLY | os.O_DIRECTORY, fcntl.LOCK_SH)
        self._end = weakref.finalize(self, os.close, self._descriptor)

    @property
    def lost(self) -> bool:
        """Whether the folder was deleted all the same, or this was closed."""
        return not (self._end.alive and _is_there(self._descriptor, self._folder))

    def close(self) -> None:
        """It may be deleted; safe to call again."""
        self._end()


@contextmanager
def _alone(place: str, flags: int) -> Iterator[bool]:
    try:
        descriptor = _locked(place, flags, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        yield False
        return
    try:
        yield True
    finally:
        os.close(descriptor)


def _locked(place: str, flags: int, how: int) -> int:
    """A descriptor of what is at `place`, locked. Raises `BlockingIOError` for what is not free."""
    while True:
        descriptor = os.open(place, flags | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(descriptor, how)
            if _is_there(descriptor, place):
                return descriptor
        except OSError:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _is_there(descriptor: int, place: str) -> bool:
    held = os.fstat(descriptor)
    try:
        there = os.lstat(place)
    except FileNotFoundError:
        return False
    return os.path.samestat(held, there)
