"""The lock of a state folder: one process at a time writes there, for as long as it lives.

A lock file may be deleted together with its folder, so a lock counts only while the file that is
locked is the one that is there. Raises `OSError` where the folder cannot be written to.
"""

from __future__ import annotations

import os
import sys

from glossator.workspace.state_folder import LOCK

if sys.platform != "win32":
    import fcntl

_held: dict[str, int] = {}  # folder -> descriptor, of this process


def try_lock(folder: str) -> bool:
    """Become the writer of the folder, unless another process is; true if it is us."""
    while not _still_held(folder):
        place = os.path.join(folder, LOCK)
        descriptor = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(descriptor)
            if isinstance(error, BlockingIOError):
                return False
            raise
        release(folder)  # one whose file was deleted
        _held[folder] = descriptor
    return True


def release(folder: str) -> None:
    """Let another process be the writer."""
    descriptor = _held.pop(folder, None)
    if descriptor is not None:
        os.close(descriptor)


def _still_held(folder: str) -> bool:
    descriptor = _held.get(folder)
    if descriptor is None:
        return False
    held = os.fstat(descriptor)
    try:
        there = os.lstat(os.path.join(folder, LOCK))
    except FileNotFoundError:
        return False
    return (held.st_dev, held.st_ino) == (there.st_dev, there.st_ino)
