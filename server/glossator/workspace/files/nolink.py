"""Opening a file in one step with the kernel's word that no link was followed on the way.

Linux has openat2(2) for this, macOS the flag O_NOFOLLOW_ANY; elsewhere, and where a sandbox forbids
the call, there is no such word.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from functools import cache

_OPENAT2 = 437  # the system call's number on every machine Python runs on but Alpha
_AT_FDCWD = -100
_RESOLVE_NO_MAGICLINKS, _RESOLVE_NO_SYMLINKS = 0x02, 0x04

_Open = Callable[[str, int], int]


def open_without_links(path: str, flags: int) -> int | None:
    """A descriptor of the absolute `path`; None when this system cannot promise anything.

    Raises `OSError` for a path with a link in it (ELOOP), as for every other failure.
    """
    opener = _opener()
    return None if opener is None else opener(path, flags | os.O_CLOEXEC)


@cache
def _opener() -> _Open | None:
    any_link = getattr(os, "O_NOFOLLOW_ANY", None)  # macOS
    if any_link is not None:
        return lambda path, flags: os.open(path, flags | any_link)
    if sys.platform != "linux" or os.uname().machine == "alpha":
        return None
    openat2 = _openat2()
    try:
        os.close(openat2("/", os.O_RDONLY | os.O_CLOEXEC))
    except OSError:  # an old kernel, or a sandbox that does not know the call
        return None
    return openat2


def _openat2() -> _Open:
    class How(ctypes.Structure):
        """`struct open_how` of linux/openat2.h."""

        _fields_ = (
            ("flags", ctypes.c_uint64),
            ("mode", ctypes.c_uint64),
            ("resolve", ctypes.c_uint64),
        )

    syscall = ctypes.CDLL(None, use_errno=True).syscall
    syscall.restype = ctypes.c_long
    syscall.argtypes = (
        ctypes.c_long,
        ctypes.c_int,
        ctypes.c_char_p,
        ctypes.POINTER(How),
        ctypes.c_size_t,
    )

    size = ctypes.sizeof(How)

    @cache  # making one takes as long as the call
    def how(flags: int) -> ctypes._CArgObject:
        return ctypes.byref(How(flags, 0, _RESOLVE_NO_MAGICLINKS | _RESOLVE_NO_SYMLINKS))

    def openat2(path: str, flags: int) -> int:
        name = os.fsencode(path)
        if b"\0" in name:
            raise ValueError("embedded null byte")
        descriptor: int = syscall(_OPENAT2, _AT_FDCWD, name, how(flags), size)
        if descriptor < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), path)
        return descriptor

    return openat2
