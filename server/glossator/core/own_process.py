"""What this process takes of the system: open files, memory, and imports that take long.

A search keeps few files open, but a limit of 256 or 1,024 is soon reached with a watcher, sessions
and connections besides. Commands get the limit back that was there before it was raised: programs
that use select(2) cannot deal with more than 1,024.
"""

from __future__ import annotations

import asyncio
import errno
import os
import sys
from collections.abc import Callable
from importlib import import_module
from threading import Lock
from types import ModuleType

from glossator.core.errors import TooManyOpenFiles

if sys.platform != "win32":
    import resource

_ENOUGH = 65_536
_SHORT = 0.05  # of the machine's memory

_of_commands: int | None = None
_ONE_IMPORT_AT_A_TIME = Lock()


def raise_open_file_limit() -> None:
    """Let this process open as many files as it may, up to `_ENOUGH`; for its start."""
    global _of_commands  # noqa: PLW0603 - a limit of the process is one for all of it
    if sys.platform == "win32":
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _ENOUGH if hard == resource.RLIM_INFINITY else min(hard, _ENOUGH)
    while soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (ValueError, OSError):  # macOS takes no more than kern.maxfilesperproc
            wanted //= 2
        else:
            _of_commands = soft
            return


def open_file_limit_of_commands() -> int | None:
    """How many files a command may have open; None: as many as this process."""
    return _of_commands


def is_exhaustion(error: OSError) -> bool:
    """Whether it says that this process, or the machine, has as many files open as it may."""
    return error.errno in (errno.EMFILE, errno.ENFILE)


def refuse_if_exhausted(error: OSError, path: str) -> None:
    """Raise `TooManyOpenFiles` if that is why `path` could not be opened: it says nothing of it."""
    if not is_exhaustion(error):
        return
    whose = "Glossator" if error.errno == errno.EMFILE else "This machine"
    raise TooManyOpenFiles(
        f"{os.path.basename(path)} could not be opened: {whose} has too many files open, so that"
        " nothing is known about it.\nTry again; if this persists, restart Glossator, or raise the"
        " limit of open files (ulimit -n)."
    ) from error


def is_memory_short() -> bool:
    """Whether the machine has little memory left: Linux says so, elsewhere it is not known.

    Source: proc_meminfo(5), MemAvailable.
    """
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            sizes = {
                name: int(rest.split()[0]) for name, rest in (row.split(":", 1) for row in file)
            }
        return sizes["MemAvailable"] < _SHORT * sizes["MemTotal"]
    except (OSError, KeyError, ValueError, IndexError):
        return False


def return_free_memory() -> None:
    """Let the system have what is not in use, where the C library can do that."""
    if sys.platform == "linux":
        import ctypes  # noqa: PLC0415 - it takes 3 ms of each start

        trim: Callable[[int], int] | None = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc
        if trim is not None:
            trim(0)


async def import_aside(name: str) -> ModuleType:
    """Import a module without holding up the event loop."""

    # One at a time: two threads that import modules of one package may each wait for what the
    # other began. Python then fails one of the imports (`_DeadlockError`).
    def imported() -> ModuleType:
        with _ONE_IMPORT_AT_A_TIME:
            return import_module(name)

    return await asyncio.to_thread(imported)
