"""Walking the workspace: what is listed, and what is left out and why.

Links to files inside the workspace are listed; links to directories are not descended, so the
walk cannot loop. A directory that is a root of its own is left to that root.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field

from glossator.workspace.ignore import IgnoreRules
from glossator.workspace.roots import Roots, is_inside, real_path

LINK_OUT = "link that leaves the workspace"
LINK_TO_FOLDER = "link to a directory"
LINK_BROKEN = "link to nothing"
SPECIAL = "not a regular file"
UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A listed file: absolute and workspace-relative path, size in bytes, times in ns.

    What a link leads to may change without an event for the link itself; `is_link` tells.
    """

    path: str
    relative: str
    size: int
    mtime_ns: int
    ctime_ns: int = 0
    inode: int = 0
    is_link: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """Files, and paths left out with the rule or reason."""

    files: list[FileEntry] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)

    def extend(self, other: Found) -> None:
        """Take in what `other` found."""
        self.files.extend(other.files)
        self.skipped.update(other.skipped)


def examine(path: str, roots: Roots, rules: IgnoreRules) -> Iterator[Found]:
    """What is there now at and below the absolute path `path`, a directory at a time."""
    if path in roots.paths:
        yield from walk(path, roots, rules)
    elif roots.owner(path) is not None:
        yield from _examine_entry(path, roots, rules)
    for root in roots.paths:
        if root != path and is_inside(root, path):
            yield from walk(root, roots, rules)


def _examine_entry(path: str, roots: Roots, rules: IgnoreRules) -> Iterator[Found]:
    if isinstance(rules.within(os.path.dirname(path)), str):
        return  # counted where the directory above is left out
    try:
        status = os.lstat(path)
    except OSError:
        return
    is_dir = stat.S_ISDIR(status.st_mode)
    rule = rules.excluding(path, is_dir=is_dir)
    if rule is not None:
        yield Found(skipped={path: rule})
    elif is_dir:
        yield from walk(path, roots, rules)
    else:
        found = Found()
        _place(path, roots.relative(os.path.dirname(path)), status, roots, found)
        yield found


def walk(start: str, roots: Roots, rules: IgnoreRules) -> Iterator[Found]:
    """Every directory at and below `start`, which is not left out itself."""
    pending = [start]
    while pending:
        folder = pending.pop()
        found = Found()
        pending.extend(_walk_folder(folder, roots, rules, found))
        yield found


def _walk_folder(folder: str, roots: Roots, rules: IgnoreRules, found: Found) -> list[str]:
    """List one directory into `found`; returns the directories to go on with."""
    try:
        with os.scandir(folder) as listing:
            entries = list(listing)
    except OSError:
        found.skipped[folder] = UNREADABLE
        return []
    folder_rules = rules.within(folder)
    if isinstance(folder_rules, str):
        found.skipped[folder] = folder_rules
        return []
    shown = roots.relative(folder)
    deeper = []
    for entry in entries:
        path, is_dir = entry.path, entry.is_dir(follow_symlinks=False)
        if is_dir and path in roots.paths:
            continue
        rule = folder_rules.excluding(path, is_dir=is_dir)
        if rule is not None:
            found.skipped[path] = rule
        elif is_dir:
            deeper.append(path)
        else:
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                continue  # gone since it was listed
            _place(path, shown, status, roots, found)
    return deeper


def _place(path: str, folder: str, status: os.stat_result, roots: Roots, found: Found) -> None:
    """Put a path that is no directory among the files, or among the skipped with the reason."""
    is_link = stat.S_ISLNK(status.st_mode)
    if is_link:
        try:
            status = os.stat(path)
        except OSError:
            found.skipped[path] = LINK_BROKEN
            return
        if roots.owner(real_path(path) or "") is None:
            found.skipped[path] = LINK_OUT
            return
        if stat.S_ISDIR(status.st_mode):
            found.skipped[path] = LINK_TO_FOLDER
            return
    if not stat.S_ISREG(status.st_mode):
        found.skipped[path] = SPECIAL
        return
    name = os.path.basename(path)
    relative = name if folder == "." else f"{folder}/{name}"
    found.files.append(
        FileEntry(
            path,
            relative,
            status.st_size,
            status.st_mtime_ns,
            status.st_ctime_ns,
            status.st_ino,
            is_link,
        )
    )
