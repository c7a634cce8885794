"""Who opens a file that nobody may open: inotify(7) on it, from outside the server."""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_ACCESS, _MODIFY, _OPEN = 0x1, 0x2, 0x20
_MADE = 0x40 | 0x80 | 0x100 | 0x200  # moved from, moved to, created, deleted
_EVENT = struct.Struct("iIII")  # watch, mask, cookie, length of the name


@dataclass(frozen=True)
class Witness:
    """Sees every entry of some folders that is opened, read, changed, made or removed."""

    descriptor: int

    def seen(self) -> list[str]:
        """The names of the entries to which something happened since the last look."""
        if self.descriptor < 0:
            return []
        names = []
        try:
            data = os.read(self.descriptor, 1 << 20)
        except BlockingIOError:
            return []
        while data:
            *_, length = _EVENT.unpack_from(data)
            name, data = data[_EVENT.size : _EVENT.size + length], data[_EVENT.size + length :]
            names.append(name.rstrip(b"\0").decode("utf-8", "replace") or ".")
        return names


@contextmanager
def witness(*folders: Path) -> Iterator[Witness]:
    """A witness of what happens in these folders; where there is no inotify it sees nothing."""
    if sys.platform != "linux":
        yield Witness(-1)
        return
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    assert descriptor >= 0, os.strerror(ctypes.get_errno())
    try:
        for folder in folders:
            watch = libc.inotify_add_watch(
                descriptor, os.fsencode(folder), _ACCESS | _MODIFY | _OPEN | _MADE
            )
            assert watch >= 0, os.strerror(ctypes.get_errno())
        yield Witness(descriptor)
    finally:
        os.close(descriptor)
