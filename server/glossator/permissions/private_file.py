"""Small JSON files that only the user may write: texts by folder, as `file:` URI of its real path.

They are replaced as a whole, so a reader finds the old or the new one, never half of one, and
several servers may write the same file. Blocking; reading takes well under a millisecond.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from glossator.core.atomic import alone, replace_private
from glossator.core.errors import StoreUnavailable

Entries = Mapping[str, tuple[str, ...]]

_FORMAT = 1
_MAX_BYTES = 4_000_000
_NONE: Entries = {}


class DamagedFile(ValueError):
    """The file cannot be trusted; the message says why."""


class PrivateFile:
    """A private file as it is now; it is read again only when it has changed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stamp: object = ()  # of the file as it was read last
        self._entries: Entries = {}
        self._failure = ""  # of the last reading

    def now(self) -> Entries:
        """The entries, the same object while the file is; none while it cannot be used.

        Raises `OSError`, `DamagedFile`: once for a failure, and again after the file could be used.
        """
        stamp = _stamp(self.path)
        if stamp == self._stamp:
            return self._entries
        before, failure, entries = self._failure, "", _NONE
        try:
            entries = read_private(self.path)
        except (OSError, DamagedFile) as error:
            failure = str(error)
            if failure != before:
                raise
        finally:  # the stamp comes last: another thread must not take old entries for these
            self._entries, self._failure, self._stamp = entries, failure, stamp
        return self._entries


def read_private(path: Path) -> Entries:
    """Read the entries; none if there is no file. Raises `OSError`, `DamagedFile`."""
    try:
        with path.open("rb") as file:
            _check_owner(os.fstat(file.fileno()))
            return _entries(file.read(_MAX_BYTES + 1))
    except FileNotFoundError:
        return {}


def update_private(path: Path, change: Callable[[Entries], Entries]) -> Entries:
    """Replace the entries by what `change` makes of them. Raises `StoreUnavailable`.

    A damaged file is set aside with the ending `.damaged` and replaced.
    """
    try:
        return _update(path, change)
    except OSError as error:
        raise StoreUnavailable(
            f"{path} cannot be written ({error}). Check the folder's permissions and the disk's"
            " room."
        ) from error


def _update(path: Path, change: Callable[[Entries], Entries]) -> Entries:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with alone(path):
        try:
            before = read_private(path)
        except DamagedFile:
            os.replace(path, f"{path}.damaged")
            before = {}
        entries = change(before)
        if entries != before:
            content = {"version": _FORMAT, "folders": dict(sorted(entries.items()))}
            replace_private(path, json.dumps(content, indent=2).encode() + b"\n")
    return entries


def _stamp(path: Path) -> object:
    """A value that changes when the file or its mode does, or why the file cannot be read."""
    try:
        status = path.stat()
    except OSError as error:
        return error.errno
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _check_owner(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise DamagedFile("it is not a regular file")
    if sys.platform == "win32":
        return
    if status.st_uid != os.geteuid():
        raise DamagedFile("it belongs to another user")
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise DamagedFile("other users may write it")


def _entries(content: bytes) -> Entries:
    if len(content) > _MAX_BYTES:
        raise DamagedFile(f"it has more than {_MAX_BYTES:,} bytes")
    try:
        data = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise DamagedFile(f"it is not JSON: {error}") from error
    match data:
        case {"version": 1, "folders": dict() as folders} if all(map(_is_list, folders.values())):
            return {folder: tuple(texts) for folder, texts in folders.items()}
    raise DamagedFile("it does not hold what it should")


def _is_list(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)
