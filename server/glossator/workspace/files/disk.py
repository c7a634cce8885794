"""Reading one file from disk, safely.

A path without links in it is opened at once, and the kernel refuses to follow any: Linux has
openat2(2) for this, macOS the flag O_NOFOLLOW_ANY. Any other path, and every path where a system or
a sandbox forbids the call, is resolved to its real path, which must lie inside a root, and opened
one component at a time without following links, so a link swapped in between check and open is
refused instead of followed. Only regular files are read, and opening never waits for a FIFO's
writer. A file that was listed is opened without these checks, for its stamp proves that it is the
listed one; so is what a listed link leads to, if nothing on the way is a link.

Whatever is wrong with a file is a `Missing`. Only `TooManyOpenFiles` is raised, because that says
nothing about the file.
"""

from __future__ import annotations

import ctypes
import errno
import hashlib
import os
import stat
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, TypeAlias, TypeVar

from glossator.core.document import Missing, MissingReason, text_hash
from glossator.core.encoding import decode
from glossator.core.own_process import refuse_if_exhausted
from glossator.core.shown import shown
from glossator.workspace.files.roots import Roots, is_inside, real_path

RAISE_LIMIT = "raise workspace.maxFileBytes to read it whole or edit it."

_SYSTEM_FOLDERS = ("/proc", "/dev", "/sys")  # what lies there is not documents
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_MAYBE_SYSTEM = tuple(f"{folder}/" for folder in _SYSTEM_FOLDERS)
_FILE = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)


Listed: TypeAlias = tuple[int, int, int, int]  # a stamp less the device

_OPENAT2 = 437  # the system call's number on every machine Python runs on but Alpha
_AT_FDCWD = -100
_RESOLVE_NO_MAGICLINKS, _RESOLVE_NO_SYMLINKS = 0x02, 0x04

_Open = Callable[[str, int], int]


class Stamp(NamedTuple):
    """What changes whenever a file's content does; times in ns since 1970."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    device: int

    @staticmethod
    def of(status: os.stat_result) -> Stamp:
        """The stamp in a stat result."""
        return Stamp(
            status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_dev
        )


@dataclass(frozen=True, slots=True)
class Loaded:
    """A file's text as it was read once; `path` is real, `sha256` is `text_hash(text)`."""

    path: str
    stamp: Stamp
    text: str
    sha256: str
    encoding: str


class Raw(NamedTuple):
    """A file's bytes as they were read once; `path` is real."""

    path: str
    stamp: Stamp
    content: bytes


class OpenFile(NamedTuple):
    """A regular file that is open for reading; `path` is real."""

    path: str
    stamp: Stamp
    descriptor: int


T = TypeVar("T")
Use: TypeAlias = Callable[[Roots, OpenFile], T | Missing]


class Parts(NamedTuple):
    """All bytes of a file, or some ranges of them, as they were read once; from which device."""

    device: int
    contents: list[bytes]


def load(roots: Roots, path: str, limit: int) -> Loaded | Missing:
    """The text of `path` (absolute or workspace-relative) if it has at most `limit` bytes."""
    raw = load_raw(roots, path, limit, RAISE_LIMIT)
    return raw if isinstance(raw, Missing) else as_text(roots, raw)


def as_text(roots: Roots, raw: Raw) -> Loaded | Missing:
    """The text of bytes that were read."""
    decoded = decode(raw.content, roots.encoding(raw.path))
    if decoded is None:
        why = "is binary; only text files can be read."
        return missing(roots, raw.path, MissingReason.BINARY, why)
    text, encoding = decoded
    utf8 = encoding == "utf-8"  # then its bytes are what `text_hash` would hash
    sha256 = hashlib.sha256(raw.content).hexdigest() if utf8 else text_hash(text)
    return Loaded(raw.path, raw.stamp, text, sha256, encoding)


def load_raw(roots: Roots, path: str, limit: int, when_larger: str) -> Raw | Missing:
    """The bytes of `path`; `when_larger` is the next step for a file of more than `limit` bytes."""
    return opened(roots, path, _reading(limit, when_larger))


def opened(roots: Roots, path: str, use: Use[T]) -> T | Missing:
    """What `use` makes of the open file at `path`; it is used again if it changes meanwhile."""
    result = _open_directly(roots, path, use)
    if result is None:
        result = _open_once(roots, path, use)
    if isinstance(result, Missing) and result.reason is MissingReason.CHANGING:
        return _open_once(roots, path, use)
    return result


def load_listed(roots: Roots, path: str, limit: int) -> Raw | Missing:
    """Like `load_raw`, but quicker: `path` is spelled as a walk of the roots gives it."""
    descriptor = _open_listed(path)
    if descriptor is None:
        result = _load_target(roots, path, limit)
    else:
        result = _use_and_close(roots, path, descriptor, _reading(limit, RAISE_LIMIT))
    return result if isinstance(result, Raw) else load_raw(roots, path, limit, RAISE_LIMIT)


def _load_target(roots: Roots, path: str, limit: int) -> Raw | Missing | None:
    """What a listed link leads to, if its folder and its target are real paths."""
    folder, name = os.path.split(path)
    try:
        descriptor = open_without_links(folder, _FOLDER)
        if descriptor is None:
            return None
        try:
            target = os.readlink(name, dir_fd=descriptor)
        finally:
            os.close(descriptor)
    except (OSError, ValueError):
        return None
    steps = target.split(os.sep)
    if os.pardir in steps[steps.count(os.pardir) :]:  # a link on the way there would not go back
        return None
    real = os.path.normpath(os.path.join(folder, target))
    return _open_directly(roots, real, _reading(limit, RAISE_LIMIT))


def load_unchanged(
    path: str, listed: Listed, ranges: Iterable[tuple[int, int]] | None = None
) -> Parts | None:
    """All of a file or some `ranges`, if it is as it was listed; None if that needs a closer look.

    Its stamp proves that it is the listed one, whatever links the path may hold by now: no
    other has its inode and times. What is read from a place takes nothing away from anybody: where
    there are no places, as in a FIFO or a terminal, that fails.
    """
    if path.startswith(_MAYBE_SYSTEM):
        return None
    try:
        descriptor = os.open(path, _FILE | _NO_LINK)
    except (OSError, ValueError):
        return None
    try:
        if ranges is None:
            contents = [os.pread(descriptor, listed[0] + 1, 0)]
        else:
            contents = [os.pread(descriptor, end - start, start) for start, end in ranges]
        now = os.fstat(descriptor)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    found = (now.st_size, now.st_mtime_ns, now.st_ctime_ns, now.st_ino)
    if found != listed or (ranges is None and len(contents[0]) != listed[0]):
        return None
    return Parts(now.st_dev, contents)


def missing(roots: Roots, path: str, reason: MissingReason, why: str, hint: str = "") -> Missing:
    """A `Missing` whose message begins with the path as the user knows it."""
    return Missing(path, reason, f"{shown(roots.relative(path))} {why}", hint)


def _open_directly(roots: Roots, path: str, use: Use[T]) -> T | Missing | None:
    """Like `opened`, if the path holds no link; None when only `_open_once` can tell."""
    if (
        roots.owner(path) is None
        or path.startswith(_MAYBE_SYSTEM)
        or os.path.normpath(path) != path
    ):
        return None
    try:
        # looked at before it is opened: opening some devices has an effect
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return None
    except (OSError, ValueError):
        return None
    descriptor = _open_listed(path)
    if descriptor is None:
        return None
    return _use_and_close(roots, path, descriptor, use)


def _open_listed(path: str) -> int | None:
    """Open a listed path directly; None if it changed, so that the slower way explains why."""
    if path.startswith(_MAYBE_SYSTEM):
        return None
    try:
        return open_without_links(path, _FILE)
    except (OSError, ValueError):
        return None


def _open_once(roots: Roots, path: str, use: Use[T]) -> T | Missing:
    real = roots.resolve(path)
    if isinstance(real, Missing):
        return real
    root = roots.owner(real)
    if root is None or any(
        is_inside(real, folder) and not is_inside(root, "/dev/shm")  # noqa: S108 - a RAM disk
        for folder in _SYSTEM_FOLDERS
    ):
        return roots.outside(path)
    try:
        descriptor = _open_beneath(root, real)
    except _NotRegular as kind:
        return _refuse_kind(roots, real, kind.mode)
    except OSError as error:
        return _explain(roots, real, error)
    return _use_and_close(roots, real, descriptor, use)


class _NotRegular(Exception):
    def __init__(self, mode: int) -> None:
        super().__init__(mode)
        self.mode = mode


def _open_beneath(root: str, real: str) -> int:
    """Open `real`, refusing any link below `root`; raises `OSError`, or `_NotRegular`."""
    *folders, name = os.path.relpath(real, root).split(os.sep)
    folder = os.open(root, _FOLDER | _NO_LINK)
    try:
        for part in folders:
            deeper = os.open(part, _FOLDER | _NO_LINK, dir_fd=folder)
            os.close(folder)
            folder = deeper
        # looked at before it is opened: opening some devices has an effect
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        if stat.S_ISLNK(mode):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        if not stat.S_ISREG(mode):
            raise _NotRegular(mode)
        return os.open(name, _FILE | _NO_LINK, dir_fd=folder)
    finally:
        os.close(folder)


def _use_and_close(roots: Roots, real: str, descriptor: int, use: Use[T]) -> T | Missing:
    try:
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            return _refuse_kind(roots, real, before.st_mode)
        stamp = Stamp.of(before)
        used = use(roots, OpenFile(real, stamp, descriptor))
        is_same = isinstance(used, Missing) or Stamp.of(os.fstat(descriptor)) == stamp
        return used if is_same else _changing(roots, real)
    except OSError as error:
        return _explain(roots, real, error)
    finally:
        os.close(descriptor)


def _reading(limit: int, when_larger: str) -> Use[Raw]:
    """Reads a file of at most `limit` bytes whole."""

    def read(roots: Roots, file: OpenFile) -> Raw | Missing:
        size = file.stamp.size
        if size > limit:
            why = f"has {size:,} bytes and the limit is {limit:,}; {when_larger}"
            return missing(roots, file.path, MissingReason.TOO_LARGE, why)
        content = _read_to(file.descriptor, size)
        if len(content) != size:
            return _changing(roots, file.path)
        return Raw(file.path, file.stamp, content)

    return read


def _read_to(descriptor: int, size: int) -> bytes:
    """The bytes of a file of this size: one more if it has more."""
    content = os.read(descriptor, size + 1)  # nearly always all there is
    while len(content) < size and (more := os.read(descriptor, size + 1 - len(content))):
        content += more
    return content


def _refuse_kind(roots: Roots, real: str, mode: int) -> Missing:
    if stat.S_ISDIR(mode):
        relative = shown(roots.relative(real))
        inside = "*" if relative == "." else f"{relative}/*"
        hint = f'Use Glob with "{inside}" to list its files.'
        return missing(roots, real, MissingReason.DIRECTORY, "is a directory.", hint)
    return missing(
        roots, real, MissingReason.SPECIAL, "is not a regular file; only files can be read."
    )


def _changing(roots: Roots, real: str) -> Missing:
    return missing(
        roots, real, MissingReason.CHANGING, "changed while it was being read.", "Read it again."
    )


def _explain(roots: Roots, real: str, error: OSError) -> Missing:
    refuse_if_exhausted(error, real)
    swapped = error.errno in (errno.ELOOP, errno.ENOTDIR) and real_path(real) != real
    if swapped:  # a real path holds no link, unless one was put there just now
        return _changing(roots, real)
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        hint = "Use Glob to find its path."
        return missing(roots, real, MissingReason.ABSENT, "does not exist.", hint)
    if error.errno in (errno.ENXIO, errno.ENODEV):
        return _refuse_kind(roots, real, 0)
    denied = error.errno in (errno.EACCES, errno.EPERM)
    step = "; check its permissions" if denied else ""
    why = f"cannot be read ({error.strerror or error}){step}."
    hint = "" if denied else "Use Glob to find another path."
    return missing(roots, real, MissingReason.UNREADABLE, why, hint)


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
