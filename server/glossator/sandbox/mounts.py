"""The mounts of a sandbox that keep protected paths as they are and hidden ones unread.

An existing file or folder is mounted read-only over itself (`ReadOnlyMount`). For a missing one an
empty placeholder is created and mounted read-only (`PlaceholderMount`). A folder on the way there
could be renamed and created again; mounted over itself (`PinnedMount`) it cannot. The same holds
for folders on the way to hidden files: elsewhere no rule would match them. A hard-linked file is
mounted read-only where it is; it stays so when it is moved. Hidden files get covers that nobody
may read: an empty file in their place would be committed by `git commit -a`.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from glossator.core.errors import UsageError
from glossator.core.shown import shown
from glossator.sandbox.confinement import SandboxPolicy
from glossator.workspace import is_inside

if sys.platform != "win32":
    import fcntl

_STAMP_SECONDS = 1_000_000_002  # seconds since 1970; even, as some file systems count in twos
_MAX_TRIES = 20  # others may be removing it at the same moment
_LOOK_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILES = {"commondir": b".\n", "config.worktree": b""}


@dataclass(frozen=True, slots=True)
class PinnedMount:
    """A writable folder that stays where it is."""

    path: str


@dataclass(frozen=True, slots=True)
class ReadOnlyMount:
    """A file or folder that stays as it is."""

    path: str


@dataclass(frozen=True, slots=True)
class PlaceholderMount:
    """A missing file or folder that no command may create, or the placeholder for one."""

    path: str


Mount = PinnedMount | ReadOnlyMount | PlaceholderMount


def mounts_for(policy: SandboxPolicy) -> tuple[Mount, ...]:
    """What to mount over the writable roots, outer folders first.

    Raises `UsageError` for a protected path that is a link or leads over one: it could be replaced.
    """
    mounts: dict[str, Mount] = {}
    for root, names in _below(policy.protected, policy.roots):
        for mount in _on_the_way(root, names):
            if not isinstance(mount, PinnedMount) or mount.path not in mounts:
                mounts[mount.path] = mount
    for root, names in _below(policy.hidden, policy.roots):
        for pin in _pins(root, names[:-1]):
            mounts.setdefault(pin.path, pin)
    for path in policy.hard_linked:
        if not isinstance(mounts.get(path), PlaceholderMount):
            mounts[path] = ReadOnlyMount(path)
    whole = [each.path for each in mounts.values() if not isinstance(each, PinnedMount)]
    return tuple(
        mounts[path]
        for path in sorted(mounts, key=lambda path: (path.count("/"), path))
        if not any(path != each and is_inside(path, each) for each in whole)
    )


def _below(paths: Sequence[str], roots: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """The real root that each path lies in, and the names from there."""
    for path in paths:
        for root in roots:
            if is_inside(os.path.normpath(path), os.path.normpath(root)):
                yield os.path.realpath(root), os.path.relpath(path, root).split("/")


def _pins(root: str, names: Sequence[str]) -> Iterator[PinnedMount]:
    """The existing folders of `names` below a root."""
    path = root
    for name in names:
        path = os.path.join(path, name)
        if os.path.islink(path) or not os.path.isdir(path):
            return
        yield PinnedMount(path)


def _on_the_way(root: str, names: Sequence[str]) -> Iterator[Mount]:
    """The mounts that protect the path of `names` below a root, from the outside in."""
    path = root
    for number, name in enumerate(names, 1):
        path = os.path.normpath(os.path.join(path, name))
        try:
            status = os.lstat(path)
        except OSError:
            yield PlaceholderMount(path)
            return
        if stat.S_ISLNK(status.st_mode):
            raise UsageError(
                f"{shown(path)} is protected and a link, which a command could replace.\nPut what "
                "it points to in its place, or run the command without the sandbox."
            )
        if is_placeholder(path):
            yield PlaceholderMount(path)
            return
        if number == len(names) or not stat.S_ISDIR(status.st_mode):
            yield ReadOnlyMount(path)
            return
        yield PinnedMount(path)


def is_placeholder(path: str) -> bool:
    """Whether a placeholder is at `path`. Raises `OSError` if that cannot be seen."""
    status = os.lstat(path)
    if int(status.st_mtime) != _STAMP_SECONDS:
        return False
    content = _FILES.get(os.path.basename(path))
    if content is None:
        return stat.S_ISDIR(status.st_mode) and not os.listdir(path)
    return stat.S_ISREG(status.st_mode) and status.st_size == len(content)


@contextmanager
def placeholder(path: str) -> Iterator[bool]:
    """Keep a placeholder at `path` while a command runs; False if none can be made there.

    It is an empty folder, in place of a file, too: git neither lists nor adds it, and removing it
    loses nobody's work. Git's `commondir` and `config.worktree` are files that say what holds
    without them. The modification time marks a placeholder that a crash left behind; a lock says
    whether another command, perhaps of another server, still needs it.
    """
    descriptor = _acquire(path)
    try:
        yield descriptor is not None
    finally:
        if descriptor is not None:
            _release(path, descriptor)


def remove_placeholder(path: str) -> None:
    """Remove a placeholder that a crash left behind, unless a command still needs it."""
    with suppress(OSError):
        if is_placeholder(path):
            _release(path, os.open(path, _LOOK_FLAGS))


def _acquire(path: str) -> int | None:
    """Make a placeholder, or share an existing one, and lock it."""
    for _ in range(_MAX_TRIES):
        try:
            _make(path)
        except FileExistsError:
            pass
        except OSError:
            return None
        try:
            descriptor = os.open(
                path, _LOOK_FLAGS if _is_file(path) else _LOOK_FLAGS | os.O_DIRECTORY
            )
        except FileNotFoundError:
            continue
        except OSError:
            return None  # somebody made a file there: it is looked at next time
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        if _is_at(path, descriptor):
            return descriptor
        os.close(descriptor)
    return None


def _make(path: str) -> None:
    if not _is_file(path):
        os.mkdir(path)
        os.utime(path, (_STAMP_SECONDS, _STAMP_SECONDS))
        return
    # whole and with its time from the first moment on: git may read it
    with tempfile.TemporaryDirectory(dir=os.path.dirname(path), prefix=".glossator-") as place:
        made = os.path.join(place, "made")
        with open(made, "wb") as file:
            file.write(_FILES[os.path.basename(path)])
        os.utime(made, (_STAMP_SECONDS, _STAMP_SECONDS))
        os.link(made, path)


def _is_file(path: str) -> bool:
    return os.path.basename(path) in _FILES


def _release(path: str, descriptor: int) -> None:
    """Remove a placeholder, unless another process locks it or it was replaced."""
    try:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_at(path, descriptor) and is_placeholder(path):
                (os.unlink if _is_file(path) else os.rmdir)(path)
    finally:
        os.close(descriptor)


def _is_at(path: str, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.lstat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False


@dataclass(frozen=True, slots=True)
class Covers:
    """A file and a folder without any permission, and a file of attributes for git."""

    file: str
    folder: str
    attributes: str


@contextmanager
def covers(patterns: Iterable[str] = ()) -> Iterator[Covers]:
    """Covers while a command runs. Raises `OSError` if they cannot be made.

    Of what was committed before, the attributes have git say no more than that it differs.
    """
    with tempfile.TemporaryDirectory(prefix="glossator-") as place:
        names = ("file", "folder", "attributes")
        cover = Covers(*(os.path.join(place, name) for name in names))
        os.close(os.open(cover.file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0))
        os.mkdir(cover.folder, 0)
        with open(cover.attributes, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.writelines(f"{line}\n" for line in map(_attribute, patterns))
        yield cover


def _attribute(pattern: str) -> str:
    """Lines of .gitattributes, for a folder and its contents. Source: gitattributes(5)."""
    anywhere = "**/" + pattern.rstrip("/").replace("\\", "\\\\").replace('"', '\\"')
    return f'"{anywhere}" -diff\n"{anywhere}/**" -diff'
