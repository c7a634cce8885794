"""Writing a file so that at every moment either the old bytes are there or the new ones.

The new bytes go to a file of an unpredictable name in the same folder, reach the disk, and take the
old file's name. The path must lie inside one of the given roots, and be a real one: it was decided
about just that file. Every folder is opened without following links and held, so a link planted
meanwhile is refused and never followed. Everything here raises `OSError`, and then the old file is
as it was.

- The mode is kept, and the owner if we may set it; if not, set-user-id and set-group-id go.
- A file that nobody may write, or not we, is refused, although renaming would not need the right.
- What is moved gets its new name only where there is none: a file has both for a moment (where the
  file system has hard links; elsewhere it is refused), a folder takes the place of an empty one.
- Other names (hard links) of the file keep the old bytes.
- It takes a system with descriptors of folders: Linux, macOS and other POSIX ones.
- A process that is killed may leave a file named `.glossator-…` behind. Who writes a temporary file
  holds its lock until the file has its final name. The lock ends with the process, so a file that
  nobody holds is left over, and is removed. Windows has no such lock: nothing is removed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl

FILE_TIME_LAG_NS = 20_000_000  # that file systems' time stamps may lag behind the clock
TEMPORARY = ".glossator-"  # in a workspace, followed by hexadecimal digits
_WORKSPACE_NAME = re.compile(r"\.glossator-(?:[0-9a-f]{16}|[0-9a-f]{32})")
_PRIVATE_NAME = re.compile(r"\..+\.[a-z0-9_]{8}")  # as `tempfile` makes them
_CREATE_FLAGS = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
)
_LOOK_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def create_temporary(
    name: Callable[[], str], mode: int = 0o600, folder: int | None = None
) -> tuple[int, str]:
    """A new temporary file, which is ours until its descriptor is closed, and its name.

    `name` gives a new one each time; `folder` is a descriptor. Raises `OSError`.
    """
    while True:
        chosen = name()
        descriptor = os.open(chosen, _CREATE_FLAGS, mode, dir_fd=folder)
        try:
            # Who cleans up may find the file between its creation and its lock, and remove it: a
            # descriptor that is held does not prove that the name still leads to the file.
            _lock(descriptor)
            os.stat(chosen, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:  # somebody cleaned up before the file was held
            os.close(descriptor)
        else:
            return descriptor, chosen


def _lock(descriptor: int) -> None:
    """Lock a file, if the disk has locks; only who is about to remove it may hold the lock."""
    if sys.platform != "win32":
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)


def remove_workspace_leftovers(paths: Iterable[str]) -> list[str]:
    """Remove those of the paths that edits and undos left over; returns them. Blocking."""
    named = (path for path in paths if _WORKSPACE_NAME.fullmatch(os.path.basename(path)))
    return [path for path in named if _remove_leftover(path)]


def remove_private_leftovers(folder: Path) -> list[str]:
    """Remove left-over files in a folder of our own; returns their paths. Blocking."""
    return [path for path in _private_files(folder) if _remove_leftover(path)]


def _private_files(folder: Path) -> Iterator[str]:
    with suppress(OSError):  # not there, or not to be read
        for name in os.listdir(folder):
            if _PRIVATE_NAME.fullmatch(name):
                yield str(folder / name)


def _remove_leftover(path: str) -> bool:
    """Remove a file of ours that no process holds; True if it is gone."""
    if sys.platform == "win32":
        return False
    try:
        descriptor = os.open(path, _LOOK_FLAGS | os.O_CLOEXEC)
    except OSError:  # gone, a link, or not ours
        return False
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
            return False
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(status, os.lstat(path)):
            os.unlink(path)
            return True
    except OSError:  # somebody holds it, or it has its name
        return False
    finally:
        os.close(descriptor)
    return False


if sys.platform != "win32":
    import fcntl

_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | _NO_LINK
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _NO_LINK
_NEW_MODE = 0o666  # less the umask
_OTHERS_RIGHTS = stat.S_ISUID | stat.S_ISGID


def move(old: str, new: str, roots: Sequence[str]) -> None:
    """Move the file or folder `old` to `new`, which must not exist; creates missing folders.

    Both are real paths: a path over a link is refused.
    """
    with opened(old, roots) as source, opened(new, roots) as place:
        for asked, found in ((old, source.path), (new, place.path)):
            if os.path.normpath(asked) != found:
                raise OSError(errno.ELOOP, "it leads over a link", asked)
        source.move_to(place)


@contextmanager
def opened(path: str, roots: Sequence[str]) -> Iterator[HeldName]:
    """Open the place at `path`; every folder on the way must lie in a root and be no link.

    Missing folders are made, and removed again if nothing is put into them.
    """
    real = _real(path)
    owners = [root for root in map(_real, roots) if os.path.commonpath((root, real)) == root]
    if not owners or real in owners:
        raise PermissionError(errno.EACCES, "it is not inside the workspace", path)
    if real != os.path.normpath(path):
        raise OSError(errno.ELOOP, "a link on the way leads elsewhere", path)
    root = max(owners, key=len)
    *folders, name = os.path.relpath(real, root).split(os.sep)
    with contextlib.ExitStack() as held:
        with _errors_about(real):
            folder = _hold(held, os.open(root, _FOLDER))
            for part in folders:
                folder = _enter(held, folder, part)
        place = HeldName(real, folder, name)
        held.callback(place.discard)
        yield place


@contextmanager
def alone(path: Path | str) -> Iterator[None]:
    """Hold the lock beside the file `path`, which ends with this process. Raises `OSError`.

    Blocking, so for short work only. Windows has no such lock.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(f"{path}.lock", flags, 0o600)
    try:
        if sys.platform != "win32":
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def replace_private(path: Path, content: bytes) -> None:
    """Replace the file at `path`; only the user may read it. Raises `OSError`.

    For files of our own: the path and its folder are not guarded against links.
    """
    descriptor, name = create_temporary(
        lambda: f"{path.parent}/.{path.name}.{secrets.token_hex(4)}"
    )
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            os.replace(name, path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
    if sys.platform != "win32":
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


class HeldName:
    """A name in a folder that is held open; `path` is its real path.

    A staged file takes the name when it is committed, and is dropped if it never is.
    """

    def __init__(self, path: str, folder: int, name: str) -> None:
        self.path = path
        self._folder = folder
        self._name = name
        self._known: os.stat_result | None = None
        self._staged: str | None = None
        self._held = contextlib.ExitStack()  # the staged file, open

    def look(self) -> os.stat_result | None:
        """The file's status, None if it does not exist. Raises for anything but a regular file."""
        self._known = status = self._status()
        if status is not None and not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", self.path)
        return status

    def read(self) -> bytes | None:
        """The file's bytes, None if there is no file."""
        if self.look() is None:
            return None
        with (
            _errors_about(self.path),
            open(os.open(self._name, _READ, dir_fd=self._folder), "rb") as file,
        ):
            content = file.read()
            self._must_be_known(os.fstat(file.fileno()))
        return content

    def stage(self, content: bytes, like: os.stat_result | None) -> None:
        """Write `content` to the disk beside the file, with the mode and owner of `like`."""
        self._must_be_writable()
        self.discard()
        mode = _NEW_MODE if like is None else 0o600
        with _errors_about(self.path):
            descriptor, self._staged = create_temporary(
                lambda: TEMPORARY + secrets.token_hex(16), mode, self._folder
            )
            self._held.callback(os.close, descriptor)
            with open(descriptor, "wb", closefd=False) as file:
                file.write(content)
                file.flush()
                if like is not None:
                    _adopt(descriptor, like)
                os.fsync(descriptor)

    def commit(self) -> None:
        """Give the staged file its name. Raises if the file changed since it was looked at."""
        if self._staged is None:
            raise ValueError("nothing was staged")
        self._must_be_known(self._status())
        with _errors_about(self.path):
            os.rename(self._staged, self._name, src_dir_fd=self._folder, dst_dir_fd=self._folder)
        self._staged = None
        self._held.close()
        self._settle()

    def remove(self) -> None:
        """Remove the file. Raises if it changed since it was looked at."""
        self._must_be_known(self._status())
        self._must_be_writable()
        with _errors_about(self.path):
            os.unlink(self._name, dir_fd=self._folder)
        self._settle()

    def move_to(self, other: HeldName) -> None:
        """Move the file or folder there. Raises if anything is there."""
        status = self._status()
        if status is None:
            raise FileNotFoundError(errno.ENOENT, "it is not there", self.path)
        ends = {"src_dir_fd": self._folder, "dst_dir_fd": other._folder}
        if stat.S_ISREG(status.st_mode):
            with _errors_about(other.path):
                os.link(self._name, other._name, **ends, follow_symlinks=False)
            try:
                with _errors_about(self.path):
                    os.unlink(self._name, dir_fd=self._folder)
            except OSError:
                os.unlink(other._name, dir_fd=other._folder)
                raise
        elif stat.S_ISDIR(status.st_mode):
            with _errors_about(other.path):
                os.mkdir(other._name, dir_fd=other._folder)
                try:
                    os.rename(self._name, other._name, **ends)
                except OSError:
                    os.rmdir(other._name, dir_fd=other._folder)
                    raise
        else:
            raise OSError(errno.EINVAL, "it is neither a file nor a folder", self.path)
        self._settle()
        other._settle()

    def discard(self) -> None:
        """Drop the staged file."""
        if self._staged is not None:
            with contextlib.suppress(OSError):  # all that is wrong then is a file too many
                os.unlink(self._staged, dir_fd=self._folder)
            self._staged = None
        self._held.close()

    def _status(self) -> os.stat_result | None:
        try:
            with _errors_about(self.path):
                return os.stat(self._name, dir_fd=self._folder, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def _must_be_known(self, status: os.stat_result | None) -> None:
        if _stamp(status) != _stamp(self._known):
            raise OSError(errno.ESTALE, "it changed meanwhile", self.path)

    def _must_be_writable(self) -> None:
        if self._known is None:
            return
        writable = self._known.st_mode & 0o222 and os.access(
            self._name, os.W_OK, dir_fd=self._folder, effective_ids=True
        )
        if not writable:
            raise PermissionError(errno.EACCES, "it is read-only", self.path)

    def _settle(self) -> None:
        self._known = self._status()
        with contextlib.suppress(OSError):  # only a power cut could take the change back, whole
            descriptor = os.open(".", os.O_RDONLY | _NO_LINK, dir_fd=self._folder)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


@contextmanager
def _errors_about(path: str) -> Iterator[None]:
    """Make errors name the file that is written, not the temporary one or part of the path."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error


def _enter(held: contextlib.ExitStack, folder: int, name: str) -> int:
    """Open the folder below, and create it if it is missing."""
    try:
        return _hold(held, os.open(name, _FOLDER, dir_fd=folder))
    except FileNotFoundError:
        os.mkdir(name, dir_fd=folder)
        held.callback(_remove_if_empty, folder, name)
        return _hold(held, os.open(name, _FOLDER, dir_fd=folder))


def _hold(held: contextlib.ExitStack, descriptor: int) -> int:
    held.callback(os.close, descriptor)
    return descriptor


def _remove_if_empty(folder: int, name: str) -> None:
    with contextlib.suppress(OSError):  # it holds what was written
        os.rmdir(name, dir_fd=folder)


def _adopt(descriptor: int, like: os.stat_result) -> None:
    """Take over owner and mode; the owner first, since changing it takes rights away."""
    mode = stat.S_IMODE(like.st_mode)
    own = os.fstat(descriptor)
    if (own.st_uid, own.st_gid) != (like.st_uid, like.st_gid):
        try:
            os.fchown(descriptor, like.st_uid, like.st_gid)
        except PermissionError:
            mode &= ~_OTHERS_RIGHTS
    os.fchmod(descriptor, mode)


def _stamp(status: os.stat_result | None) -> tuple[int, ...] | None:
    if status is None:
        return None
    return (
        status.st_dev,
        status.st_ino,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
    )


def _real(path: str) -> str:
    try:
        return os.path.realpath(path)
    except ValueError as error:  # characters that no file name can hold
        raise OSError(errno.EINVAL, str(error)) from error
