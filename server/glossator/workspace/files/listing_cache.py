"""What folders held when they were last listed, so that a start need not list them again.

A folder with the same inode and times holds the same names, unless it was racy when it was listed.
Its files are checked nevertheless. What was left out counts only while the same rules apply.
"""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Collection, Iterable
from itertools import chain
from typing import TYPE_CHECKING

from glossator.workspace.files import state_folder
from glossator.workspace.files.entries import ripe_at
from glossator.workspace.files.folder_file import (
    CorruptFolders,
    FolderFile,
    ListedFolder,
    Memory,
    Stamp,
    divided,
    read_folders,
)
from glossator.workspace.files.mounts import trusted_devices
from glossator.workspace.files.roots import Roots, is_inside, outermost

if TYPE_CHECKING:
    from glossator.workspace.files.ignore import IgnoreRules

_OF_RULES = "ignore"  # in the name of every file with rules; `.git` is always left out

_log = logging.getLogger(__name__)


def recall(roots: Roots) -> ListingCache | None:
    """The cache for these roots as it is on disk; None if there is nothing of use."""
    known: dict[str, ListedFolder] = {}
    tops = outermost(roots.paths)
    for top in tops:
        try:
            folders = read_folders(state_folder.index_folder(top, roots.reading(top)), top)
        except CorruptFolders as error:  # who writes the next one tells the user
            _log.warning("The folders of %s are listed again: %s", top, error)
            continue
        if folders.roots == roots.paths:
            known.update(folders.known)
    return ListingCache(known, tops) if known else None


class ListingCache(Memory):
    """Folders as an earlier run listed them, by absolute path; each is recalled once."""

    def __init__(self, known: dict[str, ListedFolder], roots: Iterable[str]) -> None:
        self._known = known
        self._devices = trusted_devices(roots)

    def recall(self, folder: str, rules: IgnoreRules, /) -> ListedFolder | None:
        """As `Memory`; rules that the folder holds are read again."""
        known = self._known.pop(folder, None)
        if known is None or _stamp(folder, self._devices) != known[:3]:
            return None
        names: Iterable[str] = known.left_out
        if _OF_RULES in known.files:
            names = chain(names, divided(known.files))
        here = rules.entered(folder, names)
        return None if isinstance(here, str) or here.fingerprint != known.rules else known


class Recording(Memory):
    """Puts what is listed from `now` (ns) on into a file for each of the outermost roots."""

    def __init__(self, roots: Roots, now: int) -> None:
        tops = outermost(roots.paths)
        self.files = {top: FolderFile(top, roots.paths) for top in tops}
        self._now = now
        self._devices = trusted_devices(tops)

    def stamp(self, folder: str, /) -> Stamp | None:
        """As `Memory`; a later change must not be able to leave the same one."""
        stamp = _stamp(folder, self._devices)
        return None if stamp is None or ripe_at(*stamp[1:]) > self._now else stamp

    def keep(self, folder: str, known: ListedFolder, /) -> None:
        """As `Memory`."""
        for top, file in self.files.items():
            if is_inside(folder, top):
                file.add(folder, known)


def _stamp(folder: str, devices: Collection[int]) -> Stamp | None:
    """Of a directory on one of the devices."""
    try:
        status = os.lstat(folder)
    except OSError:
        return None
    if not stat.S_ISDIR(status.st_mode) or status.st_dev not in devices:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_ctime_ns
