"""Where what we know of a workspace's root is kept between two starts.

`<user state folder>/index/<16 hex digits of the real path's SHA-256>/` belongs to the user alone
and holds `root` (the path, for people; its time is that of the last use), `lock` (held by the one
process that writes) and what the writers put there. Nothing in it is needed: it can be deleted.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import platformdirs

LOCK = "lock"
_ROOT = "root"
_IGNORE_ALL = "*\n"  # a workspace that holds the state folder must not index it


def index_base() -> Path:
    """The folder with a folder for each root."""
    return Path(platformdirs.user_state_dir("glossator")).absolute() / "index"


def root_folder(root: str) -> Path:
    """The folder of `root`, a real path, whether or not it exists."""
    return index_base() / hashlib.sha256(os.fsencode(root)).hexdigest()[:16]


def prepare(root: str) -> Path:
    """The folder of `root`, made if need be and marked as used now. Raises `OSError`."""
    folder = root_folder(root)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for private in (folder.parent, folder):
        private.chmod(0o700)
    ignore = folder.parent / ".gitignore"
    if not ignore.exists():
        ignore.write_text(_IGNORE_ALL, "utf-8")
    (folder / _ROOT).write_bytes(os.fsencode(root) + b"\n")
    return folder


def last_use(folder: Path) -> int:
    """When the folder was last used, in ns; 0 for a folder that is not whole."""
    try:
        return (folder / _ROOT).stat().st_mtime_ns
    except OSError:
        return 0


def disk_bytes(folder: Path) -> int:
    """The space that the files of the folder take."""
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(path, name)).st_size
            except OSError:
                continue  # gone since it was listed
    return total
