"""The states of files, as checkpoints know them, and reading and restoring them on disk.

Nothing here follows a link: a folder that was replaced by one is an error. Files that changed since
the restoration was planned are left alone.
"""

from __future__ import annotations

import asyncio
import errno
import os
import secrets
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Protocol

from glossator.core.atomic import TEMPORARY, create_temporary
from glossator.core.encoding import decode, encode
from glossator.store import object_id
from glossator.workspace import is_inside

_SYNC_EACH_UP_TO = 50  # files; of more, the disk is waited for once at the end
_NEW_MODE = 0o644  # of a text that is on no disk
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | os.O_CLOEXEC
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_READ = os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0) | _NO_LINK


@dataclass(frozen=True, slots=True)
class Content:
    """A regular file: its bytes, and its permission bits."""

    data: bytes
    mode: int


@dataclass(frozen=True, slots=True)
class Stored:
    """A regular file: the name of its bytes among the objects, and its permission bits."""

    object: str
    mode: int


@dataclass(frozen=True, slots=True)
class Link:
    """A symbolic link, by what it leads to."""

    target: str


@dataclass(frozen=True, slots=True)
class NoFile:
    """Nothing; `folder` is the highest folder on the way that was not there either."""

    folder: str | None = None


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder where a file was or will be; what is in it has states of its own."""


@dataclass(frozen=True, slots=True)
class Unkept:
    """Something that is not kept; `reason` completes "it …"."""

    reason: str


FoundState = Content | Link | NoFile | Folder | Unkept
FileState = Stored | Link | NoFile | Folder | Unkept
ReadFileState = Callable[
    [str, int], FoundState
]  # what is at an absolute path, if it has at most so many bytes


@dataclass(frozen=True, slots=True)
class Restoration:
    """A path, the state to restore, and the state it must have until then."""

    path: str
    found: Content | Link | NoFile | Folder
    expected: FileState


@dataclass(slots=True)
class Restored:
    """What became of restorations: what they put at which path.

    `changed` are the paths at which something else was by then than was expected; of those that
    `failed`, it says why.
    """

    left: dict[str, FileState] = field(default_factory=dict)
    changed: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)

    def add(self, more: Restored) -> None:
        """Add the outcome of more restorations."""
        self.left |= more.left
        self.changed += more.changed
        self.failed |= more.failed


class RestorableFiles(Protocol):
    """The files as the user sees them: an open document is what its editor shows."""

    def now(self) -> ReadFileState:
        """Looks at files from a thread; open documents are as they were when it was asked for."""

    async def restore(self, plan: Iterable[Restoration], limit: int) -> Restored:
        """Bring back what was, in place of what has at most `limit` bytes."""

    def saved(self, path: str, since: int) -> str | None:
        """The hash of the text that the editor last saved there, if it did since (ns, 1970)."""

    def moved(self, path: str, since: int) -> bool:
        """Whether the editor told since that it, or a folder above, was deleted or renamed."""


class DiskFiles:
    """The files on disk below some roots."""

    def __init__(
        self,
        roots: Callable[[], Iterable[str]],
        encoding: Callable[[str], str] = lambda _path: "",
    ) -> None:
        """Both are called in any thread: the current real folders, and a file's encoding."""
        self._roots = roots
        self._encoding = encoding

    def now(self) -> ReadFileState:
        """See `RestorableFiles`."""
        return self.look

    def look(self, path: str, limit: int) -> FoundState:
        """What is at `path`; never raises."""
        try:
            with self._folder(path, create=False) as (folder, name):
                return _look(folder, name, limit)
        except (FileNotFoundError, NotADirectoryError):
            return NoFile(_missing_folder(path))
        except OSError as error:
            return Unkept(f"cannot be read ({error.strerror})")

    def decoded(self, path: str, data: bytes) -> tuple[str, str] | None:
        """The text and encoding of bytes of the file at `path`; None for binary ones."""
        return decode(data, self._encoding(path))

    def with_text(self, path: str, text: str, limit: int) -> FoundState:
        """The file at `path` with another text, in its encoding and mode."""
        found, encoding = self.look(path, limit), self._encoding(path) or "utf-8"
        if isinstance(found, Content) and (decoded := self.decoded(path, found.data)) is not None:
            if decoded[0] == text:
                return found
            encoding = decoded[1]
        if (data := _bytes(text, encoding)) is None:
            return Unkept("holds characters that no file can hold")
        if len(data) > limit:
            return Unkept(f"has {len(data):,} bytes, and at most {limit:,} are kept of a file")
        return Content(data, found.mode if isinstance(found, Content) else _NEW_MODE)

    async def restore(self, plan: Iterable[Restoration], limit: int) -> Restored:
        """Write, link or delete, each file whole or not at all, and all on disk in the end."""
        return await asyncio.to_thread(self._restore_all, tuple(plan), limit)

    def give_mode(self, path: str, mode: int) -> str | None:
        """Change the permission bits of the file at `path`, if one is there; gives why not."""
        try:
            with (
                suppress(FileNotFoundError, NotADirectoryError),
                self._folder(path, create=False) as (folder, name),
                open(os.open(name, _READ, dir_fd=folder), "rb") as file,
            ):
                if stat.S_IMODE(os.fstat(file.fileno()).st_mode) != mode:
                    os.fchmod(file.fileno(), mode)
        except OSError as error:
            return f"has its text again, but not its mode ({error.strerror})"
        return None

    def saved(self, _path: str, _since: int) -> None:
        """None, because the disk does not know who writes."""
        return

    def moved(self, _path: str, _since: int) -> bool:
        """False, for the same reason as in `saved`."""
        return False

    def _restore_all(self, plan: tuple[Restoration, ...], limit: int) -> Restored:
        done = Restored()
        many = (
            len(plan) > _SYNC_EACH_UP_TO
        )  # waiting for each takes 3 ms, for all at once hardly longer
        for item in plan:
            try:
                self._restore(item, limit, sync=not many)
                done.left[item.path] = as_state(item.found)
            except _ChangedError:
                done.changed.append(item.path)
            except OSError as error:
                done.failed[item.path] = f"cannot be written ({error.strerror})"
        for path, state in done.left.items():  # where something else was put into a folder
            if isinstance(state, NoFile) and isinstance(self.look(path, limit), Folder):
                done.left[path] = Folder()
        if many:
            os.sync()
        return done

    def _restore(self, item: Restoration, limit: int, *, sync: bool) -> None:
        if isinstance(item.found, NoFile):
            with (
                suppress(FileNotFoundError, NotADirectoryError),
                self._folder(item.path, create=False) as (folder, name),
            ):
                _must_be(item.expected, folder, name, limit)
                os.unlink(name, dir_fd=folder)
            if item.found.folder is not None:
                self._remove_empty(os.path.dirname(item.path), item.found.folder)
            return
        with self._folder(item.path, create=True) as (folder, name):
            if isinstance(item.found, Folder):
                _must_be(item.expected, folder, name, limit)
                with suppress(FileNotFoundError, IsADirectoryError):
                    os.unlink(name, dir_fd=folder)
                with suppress(FileExistsError):
                    os.mkdir(name, dir_fd=folder)
                return
            with _beside(folder, item.found, sync=sync) as temporary:
                _must_be(item.expected, folder, name, limit)
                if isinstance(item.expected, Folder):  # what was in it has gone before
                    with suppress(FileNotFoundError):
                        os.rmdir(name, dir_fd=folder)
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


def _look(folder: int, name: str, limit: int) -> FoundState:
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


class _ChangedError(Exception):
    """Something else is there than was expected."""


def _must_be(expected: FileState, folder: int, name: str, limit: int) -> None:
    """Raises `_ChangedError`. An empty folder that an earlier step removed is not missed."""
    try:
        now = as_state(_look(folder, name, limit))
    except FileNotFoundError:
        now = NoFile()
    gone = isinstance(expected, Folder) and isinstance(now, NoFile)
    if not gone and not same(expected, now):
        raise _ChangedError


@contextmanager
def _beside(folder: int, found: Content | Link, *, sync: bool) -> Iterator[str]:
    """The name of a file or link that is to be renamed; what is left in the end is removed."""
    temporary = _temporary_name()
    try:
        if isinstance(found, Link):
            os.symlink(found.target, temporary, dir_fd=folder)
        else:
            descriptor, temporary = create_temporary(_temporary_name, 0o600, folder)
            with open(descriptor, "wb") as file:
                file.write(found.data)
                file.flush()
                os.fchmod(file.fileno(), found.mode)
                if sync:
                    os.fsync(file.fileno())
                yield temporary
            return
        yield temporary
    finally:
        with suppress(OSError):  # it has its name
            os.unlink(temporary, dir_fd=folder)


def _temporary_name() -> str:
    return TEMPORARY + secrets.token_hex(8)


def _missing_folder(path: str) -> str | None:
    """The highest folder above `path` that does not exist."""
    missing = None
    folder = os.path.dirname(path)
    while not os.path.isdir(folder):
        missing, folder = folder, os.path.dirname(folder)
    return missing


def as_state(found: FoundState) -> FileState:
    """The state without the bytes: they are named instead."""
    return Stored(object_id(found.data), found.mode) if isinstance(found, Content) else found


def same(one: FileState, other: FileState) -> bool:
    """Whether the same is there; what is not kept is never the same."""
    if isinstance(one, NoFile) and isinstance(other, NoFile):
        return True
    return one == other and not isinstance(one, Unkept)


def _bytes(text: str, encoding: str) -> bytes | None:
    """The text as a file, in UTF-8 if the encoding lacks a character of it."""
    for name in (encoding, "utf-8"):
        with suppress(UnicodeEncodeError):
            return encode(text, name)
    return None
