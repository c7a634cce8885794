"""Walking the workspace: what is listed, and what is left out and why.

Links to files inside the workspace are listed; links to directories are not descended, so the
walk cannot loop. A directory that is a root of its own is left to that root.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Self

from glossator.workspace.entries import FileEntry
from glossator.workspace.memory import Known, Memory, divided, joined
from glossator.workspace.roots import Roots, folder_of, is_inside, real_path

if TYPE_CHECKING:  # the worker needs only what is listed here
    from glossator.workspace.ignore import IgnoreRules

LINK_OUT = "link that leaves the workspace"
LINK_TO_FOLDER = "link to a directory"
LINK_BROKEN = "link to nothing"
SPECIAL = "not a regular file"
UNREADABLE = "unreadable"
_FEW = 16  # directories, about 1 ms of work
_by_path = attrgetter("path")
_new_tuple = tuple.__new__
_FORGETFUL = Memory()


@dataclass(frozen=True, slots=True)
class Found:
    """Files by directory, and paths left out with the rule or reason.

    Each directory's files are sorted by path, which no two of them share.
    """

    folders: dict[str, list[FileEntry]] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, files: Iterable[FileEntry], skipped: Mapping[str, str] | None = None) -> Self:
        """These files in any order; of several with one path the last."""
        found = cls(skipped=dict(skipped or {}))
        by_path = {entry.path: entry for entry in files}
        for path in sorted(by_path):
            found.folders.setdefault(folder_of(path), []).append(by_path[path])
        return found

    def __len__(self) -> int:
        return sum(map(len, self.folders.values())) + len(self.skipped)

    @property
    def files(self) -> Iterator[FileEntry]:
        """All files."""
        return chain.from_iterable(self.folders.values())

    def extend(self, other: Found) -> None:
        """Take in what `other` found, whose lists become this one's."""
        for folder, files in other.folders.items():
            mine = self.folders.setdefault(folder, files)
            if mine is not files:  # files of it were looked at one by one
                in_order = mine[-1].path < files[0].path
                mine += files
                if not in_order:
                    mine[:] = sorted({entry.path: entry for entry in mine}.values(), key=_by_path)
        self.skipped.update(other.skipped)


def examine(
    path: str,
    roots: Roots,
    rules: IgnoreRules,
    enter: Callable[[str], None] = lambda _: None,
    memory: Memory = _FORGETFUL,
) -> Iterator[Found]:
    """What is there now at and below the absolute path `path`, a few directories at a time.

    `enter` is called with each directory before it is listed, or recalled by `memory`.
    """
    if path in roots.paths:
        yield from walk(path, roots, rules, enter, memory)
    elif roots.owner(path) is not None:
        yield from _examine_entry(path, roots, rules, enter)
    for root in roots.paths:
        if root != path and is_inside(root, path):
            yield from walk(root, roots, rules, enter, memory)


def _examine_entry(
    path: str, roots: Roots, rules: IgnoreRules, enter: Callable[[str], None]
) -> Iterator[Found]:
    folder = os.path.dirname(path)
    if isinstance(rules.within(folder), str):
        return  # counted where the directory above is left out
    if real_path(folder) != folder:
        return  # a link has taken the place of a directory above
    try:
        status = os.lstat(path)
    except OSError:
        return
    is_dir = stat.S_ISDIR(status.st_mode)
    rule = rules.excluding(path, is_dir=is_dir)
    if rule is not None:
        yield Found(skipped={path: rule})
    elif is_dir:
        yield from walk(path, roots, rules, enter)
    else:
        found = Found()
        if entry := _entry_of(path, _begin(folder, roots), status, roots, found.skipped):
            found.folders[folder] = [entry]
        yield found


def walk(
    start: str,
    roots: Roots,
    rules: IgnoreRules,
    enter: Callable[[str], None] = lambda _: None,
    memory: Memory = _FORGETFUL,
) -> Iterator[Found]:
    """Every directory at and below `start`, which is not left out itself."""
    begin = _begin(start, roots)
    pending = [start]
    while pending:
        found = Found()
        for _ in range(_FEW):
            folder = pending.pop()
            enter(folder)
            known = memory.recall(folder, rules)
            if known is None:
                pending += _walk_folder(folder, begin, roots, rules, found, memory)
            else:
                pending += _revisit(folder, begin, known, roots, found)
            if not pending:
                break
        yield found


def _begin(folder: str, roots: Roots) -> int | None:
    """Where relative paths begin in the paths below `folder`; None when they are no part."""
    path = os.path.join(folder, "_")
    shown = roots.relative(path)
    return len(path) - len(shown) if path.endswith(shown) else None


def _walk_folder(
    folder: str, begin: int | None, roots: Roots, rules: IgnoreRules, found: Found, memory: Memory
) -> list[str]:
    """List one directory into `found`; returns the directories to go on with."""
    stamp = memory.stamp(folder)
    try:
        with os.scandir(folder) as listing:
            by_name = {entry.name: entry for entry in listing}  # some systems give one twice
    except OSError:
        found.skipped[folder] = UNREADABLE
        return []
    names = sorted(by_name)
    folder_rules = rules.entered(folder, names)
    if isinstance(folder_rules, str):
        found.skipped[folder] = folder_rules
        return []
    suspects = folder_rules.suspects(folder, names)
    deeper, others, left_out = [], [], {}
    for entry in map(by_name.__getitem__, names):
        path, is_dir = entry.path, entry.is_dir(follow_symlinks=False)
        if is_dir and path in roots.paths:
            continue
        rule = None
        if suspects and entry.name in suspects:
            rule = folder_rules.excluding(path, is_dir=is_dir)
        if rule is not None:
            found.skipped[path] = left_out[entry.name] = rule
        elif is_dir:
            deeper.append(path)
        else:
            others.append(entry)
    if files := list(_entries(others, begin, roots, found.skipped)):
        found.folders[folder] = files
    if stamp is not None:
        folders = joined(path.rpartition(os.sep)[2] for path in deeper)
        names = [entry.name for entry in others]
        known = Known(*stamp, folder_rules.fingerprint, joined(names), folders, left_out)
        memory.keep(folder, known)
    return deeper


def _entries(
    listed: Iterable[os.DirEntry[str]], begin: int | None, roots: Roots, skipped: dict[str, str]
) -> Iterator[FileEntry]:
    for each in listed:
        try:
            status = each.stat(follow_symlinks=False)
        except OSError:
            continue  # gone since it was listed
        if entry := _entry_of(each.path, begin, status, roots, skipped):
            yield entry


def _revisit(folder: str, begin: int | None, known: Known, roots: Roots, found: Found) -> list[str]:
    """As `_walk_folder`, for a directory of which is known what it holds."""
    inside = folder if folder.endswith(os.sep) else folder + os.sep
    files: list[FileEntry] = []
    lstat, is_regular = os.lstat, stat.S_ISREG
    for name in divided(known.files):
        path = inside + name
        try:
            status = lstat(path)
        except OSError:
            continue  # gone since just now
        if begin is not None and is_regular(status.st_mode):
            files.append(_entry(path, begin, status))  # as mostly, and there may be a million
        elif file := _entry_of(path, begin, status, roots, found.skipped):
            files.append(file)
    if files:
        found.folders[folder] = files
    for name, rule in known.left_out.items():
        found.skipped[inside + name] = rule
    return [inside + name for name in divided(known.folders)]


def _entry_of(
    path: str, begin: int | None, status: os.stat_result, roots: Roots, skipped: dict[str, str]
) -> FileEntry | None:
    """The file at a path that is no directory; or None, and the reason is among the skipped."""
    is_link = False
    if not stat.S_ISREG(status.st_mode):
        is_link = stat.S_ISLNK(status.st_mode)
        target = _follow(path, roots) if is_link else SPECIAL
        if isinstance(target, str):
            skipped[path] = target
            return None
        status = target
    shown = roots.relative(path) if begin is None else begin
    return _entry(path, shown, status, is_link)


def _entry(path: str, shown: int | str, status: os.stat_result, is_link: bool = False) -> FileEntry:
    mtime_ns, ctime_ns = status.st_mtime_ns, status.st_ctime_ns
    if ctime_ns == mtime_ns:
        ctime_ns = mtime_ns  # as mostly: one number in memory
    fields = (path, shown, status.st_size, mtime_ns, ctime_ns, status.st_ino, is_link)
    return _new_tuple(FileEntry, fields)


def _follow(path: str, roots: Roots) -> os.stat_result | str:
    """The file a link leads to, or why it is not listed."""
    try:
        status = os.stat(path)
    except OSError:
        return LINK_BROKEN
    if roots.owner(real_path(path) or "") is None:
        return LINK_OUT
    if stat.S_ISDIR(status.st_mode):
        return LINK_TO_FOLDER
    return status if stat.S_ISREG(status.st_mode) else SPECIAL
