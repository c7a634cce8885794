"""Watches the editor's process: when it dies, a living child of it may keep our streams open."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from pathlib import Path

_log = logging.getLogger(__name__)

POLL_SECONDS = 0.5


async def parent_gone(process_id: int | None) -> None:
    """Return once the process has ended; never, if it cannot be watched from here.

    A process that is not there at the start lives on another machine or in another container.
    """
    if process_id is None or not is_alive(process_id):
        if process_id is not None:
            _log.info("process %d is not visible from here; it is not watched", process_id)
        await asyncio.Event().wait()
        return
    while is_alive(process_id):  # noqa: ASYNC110 - another process sets no event of ours
        await asyncio.sleep(POLL_SECONDS)


if sys.platform == "win32":
    import ctypes  # `os.kill` with signal 0 would end the process here

    _SYNCHRONIZE = 0x00100000
    _WAIT_TIMEOUT = 0x00000102

    def is_alive(process_id: int) -> bool:
        """Whether the process runs."""
        kernel = ctypes.windll.kernel32
        handle = kernel.OpenProcess(_SYNCHRONIZE, False, process_id)
        if not handle:
            return False
        try:
            return bool(kernel.WaitForSingleObject(handle, 0) == _WAIT_TIMEOUT)
        finally:
            kernel.CloseHandle(handle)

else:

    def is_alive(process_id: int) -> bool:
        """Whether the process runs; one that ended and was not yet waited for does not."""
        try:
            os.kill(process_id, 0)
        except PermissionError:
            return True  # somebody else's, but there
        except (ProcessLookupError, OverflowError):
            return False
        return not _is_zombie(process_id)


def _is_zombie(process_id: int) -> bool:
    try:
        status = Path(f"/proc/{process_id}/stat").read_bytes()
    except OSError:  # no /proc on this system
        return False
    return status.rpartition(b")")[2].split()[:1] == [b"Z"]
