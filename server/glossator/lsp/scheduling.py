"""The event loop's thread runs as soon as it is woken, however busy the processors are.

Linux lets whoever runs go on for some milliseconds before it looks at who was woken. Since Linux
6.12 a thread that asks for short slices, which is all that the loop needs, goes first; see
`sched_setattr(2)`, and I. Stoica and H. Abdel-Wahab, "Earliest Eligible Virtual Deadline First"
(1995), on why that is fair.
"""

from __future__ import annotations

import ctypes
import logging
import os
import platform
import struct
import sys

_log = logging.getLogger(__name__)

_SLICE_NS = 100_000  # the shortest that Linux grants
_CALLS = {"x86_64": 314, "aarch64": 274}  # sched_setattr, by machine
# size of all, policy, flags, nice value, priority, slice, and two numbers for other policies
_ATTRIBUTES = struct.Struct("=IIQiIQQQ")
_NORMAL = 0
_RESET_ON_FORK = 1  # threads and processes that it starts are as others are


def run_when_woken() -> bool:
    """Ask for it, for the calling thread alone; gives whether the system knows of it.

    An older Linux accepts it and does nothing.
    """
    number = _CALLS.get(platform.machine()) if sys.platform == "linux" else None
    if number is None or os.sched_getscheduler(0) != os.SCHED_OTHER:
        return False  # unknown, or the user has chosen otherwise
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    attributes = _ATTRIBUTES.pack(
        _ATTRIBUTES.size, _NORMAL, _RESET_ON_FORK, nice, 0, _SLICE_NS, 0, 0
    )
    system = ctypes.CDLL(None, use_errno=True)
    if system.syscall(ctypes.c_long(number), 0, attributes, 0) == 0:
        return True
    _log.debug("The event loop is scheduled as others: %s", os.strerror(ctypes.get_errno()))
    return False
