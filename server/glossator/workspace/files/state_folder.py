"""The folder that keeps the index of a workspace's root between two starts.

It is `<user state folder>/index/<16 hex digits>/`, by the real path, the version of the index and
the encodings declared for files (`Roots.reading`, here `reading`), since servers that read the same
files in other encodings need an index each. It belongs to the user alone. It holds `root` (the
path, for people; its time is the last use), `lock` (see `index/lock.py`) and the writers' files. It
can be deleted at any time.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
from collections.abc import Iterator
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


def index_base() -> Path:
    """The folder with a folder for each root."""
    return Path(platformdirs.user_state_dir("glossator")).absolute() / "index"


def index_folder(root: str, reading: str = "") -> Path:
    """The folder of `root`, a real path, whether or not it exists."""
    key = os.fsencode(root) + b"\0%d%s" % (VERSION, reading.encode())
    return index_base() / hashlib.sha256(key).hexdigest()[:16]


def troubles_file(roots: Roots) -> Path | None:
    """Where it is kept which files of a workspace could not be worked on."""
    if not roots.paths:
        return None
    first = outermost(roots.paths)[0]
    return index_folder(first, roots.reading(first)) / "troubles.json"


def prepare_index_folder(root: str, reading: str = "") -> Path:
    """The folder of `root`, made if need be and marked as used now. Raises `OSError`."""
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
    """The folders of roots in `base`; a link is none. Raises `OSError`."""
    with os.scandir(base) as entries:
        for entry in entries:
            if _FOLDER.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
                yield base / entry.name


def files(folder: Path) -> Iterator[Path]:
    """The files in the folder of a root that were written by us, none behind a link."""
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
