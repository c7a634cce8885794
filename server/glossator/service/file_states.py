"""What was at a path, as checkpoints know it, and reading and restoring it on disk.

Nothing here follows a link: a folder that was swapped for one is an error, not a way out.
"""

from __future__ import annotations

import asyncio
import errno
import os
import secrets
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Protocol

from glossator.workspace.roots import is_inside

_MANY = 50  # files
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | os.O_CLOEXEC
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_READ = os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0) | _NO_LINK
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | _NO_LINK


@dataclass(frozen=True, slots=True)
class Content:
    """A regular file: its bytes, and its permission bits."""

    data: bytes
    mode: int


@dataclass(frozen=True, slots=True)
class Link:
    """A symbolic link, by what it leads to."""

    target: str


@dataclass(frozen=True, slots=True)
class Absent:
    """Nothing; `folder` is the highest folder on the way that was not there either."""

    folder: str | None = None


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder where a file was or will be; what is in it has states of its own."""


@dataclass(frozen=True, slots=True)
class Unkept:
    """Something that is not kept; `reason` completes "it …"."""

    reason: str


Found = Content | Link | Absent | Folder | Unkept


@dataclass(frozen=True, slots=True)
class Restoration:
    """A path and what shall be there again."""

    path: str
    found: Content | Link | Absent | Folder


class Files(Protocol):
    """The files as the user sees them: an open document is what its editor shows."""

    def look(self, path: str, limit: int) -> Found:
        """What is at the absolute `path`, if it has at most `limit` bytes; for a thread."""

    async def restore(self, plan: Iterable[Restoration]) -> dict[str, str]:
        """Bring back what was; gives the paths that could not be, and why."""


class DiskFiles:
    """The files on disk below some roots."""

    def __init__(self, roots: Callable[[], Iterable[str]]) -> None:
        """`roots` gives the real paths of the folders of now, in any thread."""
        self._roots = roots

    def look(self, path: str, limit: int) -> Found:
        """What is at `path`; never raises."""
        try:
            with self._folder(path, create=False) as (folder, name):
                return _look(folder, name, limit)
        except (FileNotFoundError, NotADirectoryError):
            return Absent(_missing_folder(path))
        except OSError as error:
            return Unkept(f"cannot be read ({error.strerror})")

    async def restore(self, plan: Iterable[Restoration]) -> dict[str, str]:
        """Write, link or delete, each file whole or not at all, and all on disk in the end."""
        return await asyncio.to_thread(self._restore_all, tuple(plan))

    def _restore_all(self, plan: tuple[Restoration, ...]) -> dict[str, str]:
        failed: dict[str, str] = {}
        many = len(plan) > _MANY  # waiting for each takes 3 ms, for all at once hardly longer
        for item in plan:
            try:
                self._restore(item, sync=not many)
            except OSError as error:
                failed[item.path] = f"cannot be written ({error.strerror})"
        if many:
            os.sync()
        return failed

    def _restore(self, item: Restoration, *, sync: bool) -> None:
        match item.found:
            case Absent(above):
                with (
                    suppress(FileNotFoundError, NotADirectoryError),
                    self._folder(item.path, create=False) as (folder, name),
                ):
                    os.unlink(name, dir_fd=folder)
                if above is not None:
                    self._remove_empty(os.path.dirname(item.path), above)
            case Folder():
                with self._folder(item.path, create=True) as (folder, name):
                    with suppress(FileNotFoundError, IsADirectoryError):
                        os.unlink(name, dir_fd=folder)
                    with suppress(FileExistsError):
                        os.mkdir(name, dir_fd=folder)
            case Content(data, mode):
                with self._folder(item.path, create=True) as (folder, name):
                    _replace(folder, name, Content(data, mode), sync=sync)
            case Link(target):
                with self._folder(item.path, create=True) as (folder, name):
                    temporary = _temporary_name()
                    os.symlink(target, temporary, dir_fd=folder)
                    os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)

    def _remove_empty(self, folder: str, last: str) -> None:
        while is_inside(folder, last):
            try:
                with self._folder(folder, create=False) as (above, name):
                    os.rmdir(name, dir_fd=above)
            except OSError:  # something else is in it
                return
            folder = os.path.dirname(folder)

    @contextmanager
    def _folder(self, path: str, *, create: bool) -> Iterator[tuple[int, str]]:
        """A descriptor of the folder of `path`, and the name in it. Raises `OSError`."""
        root = max((r for r in self._roots() if is_inside(path, r)), key=len, default=None)
        if root is None or path == root or os.path.normpath(path) != path:
            raise PermissionError(errno.EPERM, "it is outside the workspace", path)
        *parts, name = os.path.relpath(path, root).split(os.sep)
        folder = os.open(root, _FOLDER)
        try:
            for part in parts:
                if create:
                    with suppress(FileExistsError):
                        os.mkdir(part, dir_fd=folder)
                deeper = os.open(part, _FOLDER | _NO_LINK, dir_fd=folder)
                os.close(folder)
                folder = deeper
            yield folder, name
        finally:
            os.close(folder)


def _look(folder: int, name: str, limit: int) -> Found:
    status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if stat.S_ISLNK(status.st_mode):
        return Link(os.readlink(name, dir_fd=folder))
    if stat.S_ISDIR(status.st_mode):
        return Folder()
    if not stat.S_ISREG(status.st_mode):
        return Unkept("is not a regular file")
    if status.st_size > limit:
        return Unkept(f"has {status.st_size:,} bytes, and at most {limit:,} are kept of a file")
    with open(os.open(name, _READ, dir_fd=folder), "rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        return Unkept("grew while it was read")
    return Content(data, stat.S_IMODE(status.st_mode))


def _replace(folder: int, name: str, content: Content, *, sync: bool) -> None:
    """Put the file there in one step; until then, and if anything fails, the old one stays."""
    temporary = _temporary_name()
    try:
        with open(os.open(temporary, _CREATE, 0o600, dir_fd=folder), "wb") as file:
            file.write(content.data)
            file.flush()
            os.fchmod(file.fileno(), content.mode)
            if sync:
                os.fsync(file.fileno())
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise


def _temporary_name() -> str:
    return f".glossator-{secrets.token_hex(8)}"


def _missing_folder(path: str) -> str | None:
    """The highest folder above `path` that is none."""
    missing = None
    folder = os.path.dirname(path)
    while not os.path.isdir(folder):
        missing, folder = folder, os.path.dirname(folder)
    return missing
