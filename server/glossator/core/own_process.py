"""What this process takes of the system: open files, memory, and slow imports.

A search keeps few files open, but a limit of 256 or 1,024 is soon reached with a watcher, sessions
and connections besides. Commands get back the limit from before it was raised: programs that use
select(2) cannot deal with more than 1,024.
"""

from __future__ import annotations

import asyncio
import errno
import gc
import logging
import os
import sys
from collections.abc import Callable
from importlib import import_module
from threading import Lock
from types import ModuleType

from glossator.core import generated_code
from glossator.core.errors import TooManyOpenFiles

if sys.platform != "win32":
    import resource

_WANTED_FILES = 65_536  # open at once
_NICENESS = 10  # of what nobody waits for; editor and language servers go first
_SHORT_MEMORY_SHARE = 0.05  # of the machine's memory; with less left, it is short

# How long a worker thread may keep the event loop from running Python; the default is 5 ms.
_SWITCH_SECONDS = 0.001

_of_commands: int | None = None
_ONE_IMPORT_AT_A_TIME = Lock()


def raise_open_file_limit() -> None:
    """Raise this process's limit of open files, up to `_WANTED_FILES`; called at the start."""
    global _of_commands  # noqa: PLW0603 - a limit of the process is one for all of it
    if sys.platform == "win32":
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _WANTED_FILES if hard == resource.RLIM_INFINITY else min(hard, _WANTED_FILES)
    while soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (ValueError, OSError):  # macOS takes no more than kern.maxfilesperproc
            wanted //= 2
        else:
            _of_commands = soft
            return


def begin_server(program: str) -> None:
    """What a server does before it imports anything slow: `program` names its generated code.

    The collector is off until the server has begun, since a start only makes things that stay.
    What goes wrong is logged to stderr.
    """
    logging.basicConfig(
        stream=sys.stderr,
        level=logging.WARNING,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    raise_open_file_limit()
    gc.disable()
    sys.setswitchinterval(_SWITCH_SECONDS)
    generated_code.begin(generated_code.file_of(program))


def open_file_limit_of_commands() -> int | None:
    """How many files a command may have open; None: as many as this process may."""
    return _of_commands


def is_exhaustion(error: OSError) -> bool:
    """Whether the error says that this process, or the machine, has too many files open."""
    return error.errno in (errno.EMFILE, errno.ENFILE)


def refuse_if_exhausted(error: OSError, path: str) -> None:
    """Raise `TooManyOpenFiles` if that is why `path` could not be opened."""
    if not is_exhaustion(error):
        return
    whose = "Glossator" if error.errno == errno.EMFILE else "This machine"
    raise TooManyOpenFiles(
        f"{os.path.basename(path)} could not be opened: {whose} has too many files open, so that"
        " nothing is known about it.\nTry again; if this persists, restart Glossator, or raise the"
        " limit of open files (ulimit -n)."
    ) from error


def is_memory_short() -> bool:
    """Whether the machine has little memory left; False where the system does not say.

    Source: proc_meminfo(5), MemAvailable.
    """
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            sizes = {
                name: int(rest.split()[0]) for name, rest in (row.split(":", 1) for row in file)
            }
        return sizes["MemAvailable"] < _SHORT_MEMORY_SHARE * sizes["MemTotal"]
    except (OSError, KeyError, ValueError, IndexError):
        return False


def return_free_memory() -> None:
    """Return unused memory to the system, where the C library can."""
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


def be_patient() -> None:
    """Let others go first: this thread on Linux, elsewhere the process; nothing on Windows."""
    if sys.platform != "win32":
        os.nice(_NICENESS)
