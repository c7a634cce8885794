"""The locks of a state folder: one job at a time writes there, and a used folder is not deleted.

The writer locks the file `lock` in the folder. A server that uses the folder holds a shared lock of
the folder itself; deleting it takes an exclusive one. Locks end with their process. Other processes
may delete file or folder, so a lock counts only while the locked inode is the one at the path.
"""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Iterator
from contextlib import contextmanager

from glossator.workspace.files import state_folder

if sys.platform != "win32":
    import fcntl


@contextmanager
def writing(folder: str) -> Iterator[bool]:
    """In the block this process is the folder's only writer; false if another process is.

    Raises `OSError` where the folder cannot be written to.
    """
    place = os.path.join(folder, state_folder.INDEX_LOCK)
    with _alone(place, os.O_RDWR | os.O_CREAT) as ours:
        yield ours


@contextmanager
def removing(folder: str) -> Iterator[bool]:
    """In the block no process can begin to use the folder; false if it is in use.

    Raises `OSError`.
    """
    with _alone(folder, os.O_RDONLY | os.O_DIRECTORY) as ours:
        yield ours


class SharedFolderLock:
    """A shared lock of a folder: no other server deletes it before `close`."""

    def __init__(self, folder: str) -> None:
        """Raises `OSError`: `FileNotFoundError` if it was deleted just now."""
        self._folder = folder
        self._descriptor = _locked(folder, os.O_RDONLY | os.O_DIRECTORY, fcntl.LOCK_SH)
        self._end = weakref.finalize(self, os.close, self._descriptor)

    @property
    def lost(self) -> bool:
        """Whether the folder was deleted nevertheless, or this was closed."""
        return not (self._end.alive and _is_there(self._descriptor, self._folder))

    def close(self) -> None:
        """Release the lock; safe to call again."""
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
    """A locked descriptor of the file at `place`. Raises `BlockingIOError` if it is locked."""
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
