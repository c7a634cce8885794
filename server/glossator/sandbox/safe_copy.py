"""Copies, removes and fingerprints files and folders, safe against processes that change them.

Everything is opened relative to an open folder, and no link is followed: swapping a folder for a
link leads nowhere else. Copies are new files, so nobody has them open or linked. A copy is whole,
or it is not there. Everything here raises `OSError`.
"""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

_MAX_DEPTH = 64  # folders in one another
_REMOVE_SECONDS = 30  # seconds that removing may take, while somebody adds to what is removed
_CHUNK = 1_000_000  # bytes
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_FOLDER = getattr(os, "O_DIRECTORY", 0) | _NO_LINK
_PLACE = getattr(os, "O_PATH", os.O_RDONLY) | _FOLDER
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _NO_LINK
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK
_TOO_LARGE = "it is too large"
_TOO_DEEP = "its folders are too deep"
_SPECIAL = "it is neither a file, a folder nor a link"


@dataclass(slots=True)
class CopyBudget:
    """What copies may still use; a file counts with its length, whatever it uses on disk."""

    bytes: int
    entries: int

    def take(self, size: int, entries: int = 0) -> None:
        """Raises `OSError` if so much is not left."""
        if size > self.bytes or entries > self.entries:
            raise OSError(errno.EFBIG, _TOO_LARGE)
        self.bytes -= size
        self.entries -= entries


@dataclass(frozen=True, slots=True)
class Entry:
    """A file, folder or link: its path in the walk, and its name in an open folder."""

    path: str
    name: str
    folder: int
    status: os.stat_result

    @property
    def link(self) -> str | None:
        """Where it leads, if it is a link."""
        if not stat.S_ISLNK(self.status.st_mode):
            return None
        return os.readlink(self.name, dir_fd=self.folder)

    def read(self, most: int) -> bytes:
        """The first bytes of a file."""
        with open(_opened_file(self.name, self.folder), "rb") as file:
            return file.read(most)


@contextmanager
def open_folder(path: str, *, create: bool = False) -> Iterator[int]:
    """A descriptor of the folder at a real path, made writable in the block."""
    place = os.open(os.sep, _PLACE)
    try:
        for part in filter(None, path.split(os.sep)):
            if create:
                _make_missing(part, place)
            deeper = os.open(part, _PLACE, dir_fd=place)
            os.close(place)
            place = deeper
        with _writable(place) as folder:
            yield folder
    finally:
        os.close(place)


def copy(name: str, folder: int, to_name: str, to: int, budget: CopyBudget) -> None:
    """Copy a file, folder or link to a new name; a folder without special files."""
    left = replace(budget)
    _copy(name, folder, to_name, to, left, _MAX_DEPTH)
    budget.bytes, budget.entries = left.bytes, left.entries  # a failed copy takes none


def remove(name: str, folder: int) -> None:
    """Remove a file, folder or link. Nested folders are moved up one by one, however deep."""
    if not stat.S_ISDIR(_status(name, folder).st_mode):
        os.unlink(name, dir_fd=folder)
        return
    until = time.monotonic() + _REMOVE_SECONDS
    with _inside(name, folder) as top:
        while below := _without_files(top):
            if time.monotonic() > until:
                raise OSError(errno.EBUSY, "something is added to it all the time")
            for each in below:
                _flatten(each, top)
    os.rmdir(name, dir_fd=folder)


def walk(name: str, folder: int, path: str = "") -> Iterator[Entry]:
    """A file, folder or link and everything in it, each entry behind its folder."""
    yield from _walk(name, folder, path, _MAX_DEPTH)


def fingerprint(name: str, folder: int, budget: CopyBudget | None = None) -> str:
    """A hash that changes if something else is there, or the file was written to.

    With a `budget` it covers the contents, so a copy has the same hash.
    """
    seen = hashlib.sha256()
    for entry in walk(name, folder):
        status = entry.status
        facts: tuple[object, ...] = (entry.path, status.st_mode, entry.link)
        if stat.S_ISREG(status.st_mode):
            facts += (status.st_size, _stamp(status) if budget is None else _content(entry, budget))
        seen.update(repr(facts).encode())
    return seen.hexdigest()


def error_text(error: OSError) -> str:
    """Why it failed, without the names of files."""
    return error.strerror or str(error)


def _copy(name: str, folder: int, to_name: str, to: int, budget: CopyBudget, deeper: int) -> None:
    status = _status(name, folder)
    mode = stat.S_IMODE(status.st_mode) & 0o777
    budget.take(0, entries=1)
    if stat.S_ISLNK(status.st_mode):
        os.symlink(os.readlink(name, dir_fd=folder), to_name, dir_fd=to)
    elif stat.S_ISDIR(status.st_mode):
        if not deeper:
            raise OSError(errno.EFBIG, _TOO_DEEP)
        os.mkdir(to_name, 0o700, dir_fd=to)
        with (
            _gone_on_failure(to_name, to),
            _inside(name, folder) as old,
            _inside(to_name, to) as new,
        ):
            for each in os.listdir(old):
                if _is_copied(_status(each, old)):
                    _copy(each, old, each, new, budget, deeper - 1)
            os.fchmod(new, mode | 0o700)
    else:
        _copy_file(_opened_file(name, folder), mode, to_name, to, budget)


def _copy_file(file: int, mode: int, to_name: str, to: int, budget: CopyBudget) -> None:
    with open(file, "rb") as old:
        status = os.fstat(file)
        budget.take(status.st_size)
        with (
            open(os.open(to_name, _CREATE, 0o600, dir_fd=to), "wb") as new,
            _gone_on_failure(to_name, to),
        ):
            copied = 0
            while chunk := old.read(_CHUNK):
                copied += len(chunk)
                if copied > status.st_size:  # it grows
                    budget.take(len(chunk))
                new.write(chunk)
            new.flush()
            os.fchmod(new.fileno(), mode | 0o600)
            os.utime(new.fileno(), ns=(status.st_atime_ns, status.st_mtime_ns))


@contextmanager
def _gone_on_failure(name: str, folder: int) -> Iterator[None]:
    try:
        yield
    except OSError:
        with suppress(OSError):  # the first failure counts
            remove(name, folder)
        raise


def _walk(name: str, folder: int, path: str, deeper: int) -> Iterator[Entry]:
    status = _status(name, folder)
    yield Entry(path, name, folder, status)
    if not stat.S_ISDIR(status.st_mode):
        return
    if not deeper:
        raise OSError(errno.EFBIG, _TOO_DEEP)
    with _inside(name, folder) as inside:
        for each in sorted(os.listdir(inside)):
            yield from _walk(each, inside, os.path.join(path, each), deeper - 1)


def _without_files(folder: int) -> list[str]:
    """Remove the entries of a folder that are no folders; returns the folders' names."""
    folders = []
    for name in os.listdir(folder):
        if stat.S_ISDIR(_status(name, folder).st_mode):
            folders.append(name)
        else:
            os.unlink(name, dir_fd=folder)
    return folders


def _flatten(name: str, top: int) -> None:
    """Move the folders in a folder of `top` up there, then remove it."""
    with _inside(name, top) as folder:
        for each in _without_files(folder):
            with _inside(each, folder):  # a folder that is moved must be writable
                os.rename(each, secrets.token_hex(16), src_dir_fd=folder, dst_dir_fd=top)
    os.rmdir(name, dir_fd=top)


@contextmanager
def _inside(name: str, folder: int) -> Iterator[int]:
    place = os.open(name, _PLACE, dir_fd=folder)
    try:
        with _writable(place) as inside:
            yield inside
    finally:
        os.close(place)


@contextmanager
def _writable(place: int) -> Iterator[int]:
    """A descriptor to read a folder by, which its owner may write to in the block."""
    mode = stat.S_IMODE(os.fstat(place).st_mode)
    closed = mode & 0o700 != 0o700
    if closed:
        _change_mode(place, mode | 0o700)
    folder = os.open(".", os.O_RDONLY | _FOLDER, dir_fd=place)
    try:
        yield folder
    finally:
        if closed and stat.S_IMODE(os.fstat(folder).st_mode) == mode | 0o700:
            os.fchmod(folder, mode)
        os.close(folder)


def _change_mode(place: int, mode: int) -> None:
    if hasattr(os, "O_PATH"):  # such a descriptor is not for reading
        os.chmod(f"/proc/self/fd/{place}", mode)
    else:
        os.fchmod(place, mode)


def _make_missing(name: str, folder: int) -> None:
    try:
        _status(name, folder)
    except FileNotFoundError:
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=folder)


def _opened_file(name: str, folder: int) -> int:
    file = os.open(name, _READ, dir_fd=folder)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise OSError(errno.EINVAL, _SPECIAL)
    return file


def _status(name: str, folder: int) -> os.stat_result:
    return os.stat(name, dir_fd=folder, follow_symlinks=False)


def _is_copied(status: os.stat_result) -> bool:
    kind = stat.S_IFMT(status.st_mode)
    return kind in (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK)


def _stamp(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, status.st_ino, status.st_mtime_ns, status.st_ctime_ns


def _content(entry: Entry, budget: CopyBudget) -> str:
    budget.take(entry.status.st_size)
    return hashlib.sha256(entry.read(entry.status.st_size + 1)).hexdigest()
