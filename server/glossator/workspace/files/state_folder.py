"""The folder that keeps the index of a workspace's root between two starts, and its locks.

It is `<user state folder>/index/<16 hex digits>/`, by the real path, the version of the index and
the encodings declared for files (`Roots.reading`, here `reading`), since servers that read the same
files in other encodings need an index each. It belongs to the user alone. It holds `root` (the
path, for people; its time is the last use), `lock` and the writers' files. It can be deleted at any
time.

One job at a time writes there, and a used folder is not deleted. The writer locks the file `lock`
in the folder. A server that uses the folder holds a shared lock of the folder itself; deleting it
takes an exclusive one. Locks end with their process. Other processes may delete file or folder, so
a lock counts only while the locked inode is the one at the path.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import sys
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import platformdirs

from glossator.workspace.files.roots import Roots, outermost

VERSION = 7  # of the index: its layout on disk, how texts are folded, framed and read
INDEX_LOCK = "lock"
INNER = ("segments", "quarantine", "chunks")  # the folders in it
_ROOT = "root"
_IGNORE_ALL = "*\n"  # a workspace that holds the state folder must not index it
_FOLDER = re.compile(r"[0-9a-f]{16}")
_FILE = re.compile(
    r"root|lock|(manifest|folders|troubles)\.(json|z|tmp)|(?:symbols|vectors)\.db(-wal|-shm|-journal|\.damaged|\.lock)?"
    r"|segments/[0-9a-f]{16}\.seg(\.tmp)?|quarantine/([0-9a-f]{16}\.seg|manifest\.json|folders\.z)"
    r"|chunks/(version|lock|(\.managed|meta)\.json|[0-9a-f]{32}(\.\d+)?\.\w+|\.tantivy-\w+\.lock|\.tmp\w+)"
)

if sys.platform != "win32":
    import fcntl


def index_base() -> Path:
    """The folder with a folder for each root."""
    return Path(platformdirs.user_state_dir("glossator")).absolute() / "index"


def index_folder(root: str, reading: str = "") -> Path:
    """The folder of `root`, a real path, whether or not it exists."""
    key = os.fsencode(root) + b"\0%d%s" % (VERSION, reading.encode())
    return index_base() / hashlib.sha256(key).hexdigest()[:16]


def troubles_file(roots: Roots) -> Path | None:
    """The file that names what could not be worked on in a workspace."""
    if not roots.paths:
        return None
    first = outermost(roots.paths)[0]
    return index_folder(first, roots.reading(first)) / "troubles.json"


def prepare_index_folder(root: str, reading: str = "") -> Path:
    """Make the folder of `root` if needed, and mark it as used now. Raises `OSError`."""
    folder = index_folder(root, reading)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.is_symlink():
        raise OSError(errno.ELOOP, "it is a link", str(folder))
    for private in (folder.parent, folder):
        private.chmod(0o700)
    ignore = folder.parent / ".gitignore"
    if not ignore.exists():
        ignore.write_text(_IGNORE_ALL, "utf-8")
    (folder / _ROOT).write_bytes(os.fsencode(root) + b"\n")
    return folder


def folders(base: Path) -> Iterator[Path]:
    """The folders of roots in `base`, without links. Raises `OSError`."""
    with os.scandir(base) as entries:
        for entry in entries:
            if _FOLDER.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
                yield base / entry.name


def files(folder: Path) -> Iterator[Path]:
    """The files in the folder of a root that we wrote, without links."""
    for inner in ("", *INNER):
        place = folder / inner
        if place.is_symlink():
            continue
        try:
            names = os.listdir(place)
        except OSError:
            continue  # not there; or closed to us, so that it cannot be deleted either
        for name in names:
            if _FILE.fullmatch(f"{inner}/{name}" if inner else name):
                yield place / name


def last_use(folder: Path) -> int:
    """When the folder was last used, in ns; 0 for a folder that is not whole."""
    try:
        return (folder / _ROOT).lstat().st_mtime_ns
    except OSError:
        return 0


def disk_bytes(folder: Path) -> int:
    """The space that our files in the folder take."""
    total = 0
    for path in files(folder):
        try:
            total += path.lstat().st_size
        except OSError:
            continue  # gone since it was listed
    return total


@contextmanager
def writing(folder: str) -> Iterator[bool]:
    """Make this process the folder's only writer within the block; false if another one is.

    Raises `OSError` where the folder cannot be written to.
    """
    place = os.path.join(folder, INDEX_LOCK)
    with _alone(place, os.O_RDWR | os.O_CREAT) as ours:
        yield ours


@contextmanager
def removing(folder: str) -> Iterator[bool]:
    """Keep processes from beginning to use the folder within the block; false if it is in use.

    Raises `OSError`.
    """
    with _alone(folder, os.O_RDONLY | os.O_DIRECTORY) as ours:
        yield ours


class SharedFolderLock:
    """A shared lock of a folder: no other server deletes it before `close`."""

    def __init__(self, folder: str) -> None:
        """Raises `OSError`: `FileNotFoundError` if it was deleted just now."""
        self._folder = folder
        self._descriptor = _locked(folder, os.O_RDONLY | os.O_DIRECTORY, fcntl.LOCK_SH)
        self._end = weakref.finalize(self, os.close, self._descriptor)

    @property
    def lost(self) -> bool:
        """Whether the folder was deleted all the same, or this was closed."""
        return not (self._end.alive and _is_there(self._descriptor, self._folder))

    def close(self) -> None:
        """Release the lock; safe to call again."""
        self._end()


@contextmanager
def _alone(place: str, flags: int) -> Iterator[bool]:
    try:
        descriptor = _locked(place, flags, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        yield False
        return
    try:
        yield True
    finally:
        os.close(descriptor)


def _locked(place: str, flags: int, how: int) -> int:
    """A locked descriptor of the file at `place`. Raises `BlockingIOError` if it is locked."""
    while True:
        descriptor = os.open(place, flags | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(descriptor, how)
            if _is_there(descriptor, place):
                return descriptor
        except OSError:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _is_there(descriptor: int, place: str) -> bool:
    held = os.fstat(descriptor)
    try:
        there = os.lstat(place)
    except FileNotFoundError:
        return False
    return os.path.samestat(held, there)
