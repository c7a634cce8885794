"""One process at a time: a lock beside a file, which ends with its process."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform != "win32":
    import fcntl


@contextmanager
def alone(path: Path | str) -> Iterator[None]:
    """In the block nobody else is in one for this file, whatever becomes of it. Raises `OSError`.

    Blocking, so for short work only. On Windows nobody is kept out.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(f"{path}.lock", flags, 0o600)
    try:
        if sys.platform != "win32":
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
