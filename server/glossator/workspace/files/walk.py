"""Walking the workspace: what is listed, and what is left out and why.

Links to files inside the workspace are listed; links to directories are not descended, so the
walk cannot loop. A directory that is a root of its own is left to that root.
"""

from __future__ import annotations

import os
import stat
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Self

from glossator.core.own_process import refuse_if_exhausted
from glossator.workspace.files.entries import (
    STAMP,
    FileEntry,
    Files,
    FolderFiles,
    divided,
    joined,
    new_entry,
)
from glossator.workspace.files.ignore import IgnoreRules
from glossator.workspace.files.listing_cache import ListedFolder, Memory
from glossator.workspace.files.roots import Roots, is_inside, real_path

if TYPE_CHECKING:
    from glossator.settings import WorkspaceSettings

LINK_OUT = "link that leaves the workspace"
LINK_TO_FOLDER = "link to a directory"
LINK_BROKEN = "link to nothing"
SPECIAL = "not a regular file"
UNREADABLE = "unreadable"
_FOLDERS_A_STEP = 16  # directories, about 1 ms of work
_MAX_LAZY_FILES = 5_000  # files of a directory, whose entries take 5 ms to make
_by_path = attrgetter("path")
_NO_MEMORY = Memory()


@dataclass(frozen=True, slots=True)
class Found:
    """Files by directory, and paths left out with the rule or reason.

    Each directory's files are sorted by path, which no two of them share.
    """

    folders: dict[str, Sequence[FileEntry]] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, files: Iterable[FileEntry], skipped: Mapping[str, str] | None = None) -> Self:
        """Make it of files in any order; of several with one path the last counts."""
        return cls(dict(Files.of(files).folders), dict(skipped or {}))

    def __len__(self) -> int:
        return sum(map(len, self.folders.values())) + len(self.skipped)

    @property
    def files(self) -> Iterator[FileEntry]:
        """All files."""
        return chain.from_iterable(self.folders.values())

    def extend(self, other: Found) -> None:
        """Take in what `other` found."""
        for folder, files in other.folders.items():
            mine = self.folders.setdefault(folder, files)
            if mine is not files:  # files of it were looked at one by one
                both = [*mine, *files]
                if mine[-1].path >= files[0].path:
                    both = sorted({entry.path: entry for entry in both}.values(), key=_by_path)
                self.folders[folder] = both
        self.skipped.update(other.skipped)


def list_once(folder: str, settings: WorkspaceSettings) -> tuple[FileEntry, ...]:
    """The files that a workspace with this one root lists, by relative path; nothing is watched."""
    roots = Roots.of([folder])
    rules = IgnoreRules(roots, settings)
    found = (entry for part in walk(roots.paths[0], roots, rules) for entry in part.files)
    return tuple(sorted(found, key=lambda entry: entry.relative))


def examine(
    path: str,
    roots: Roots,
    rules: IgnoreRules,
    enter: Callable[[str], None] = lambda _: None,
    memory: Memory = _NO_MEMORY,
) -> Iterator[Found]:
    """The files at and below the absolute path `path`, a few directories at a time.

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
    memory: Memory = _NO_MEMORY,
) -> Iterator[Found]:
    """Every directory at and below `start`, which is not left out itself."""
    begin = _begin(start, roots)
    pending = [start]
    while pending:
        found = Found()
        for _ in range(_FOLDERS_A_STEP):
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
    except OSError as error:
        refuse_if_exhausted(error, folder)
        found.skipped[folder] = UNREADABLE
        return []
    names = sorted(by_name)
    folder_rules = rules.entered(folder, names)
    if isinstance(folder_rules, str):
        found.skipped[folder] = folder_rules
        return []
    deeper, others = [], []
    for name in names:
        entry = by_name[name]
        if not entry.is_dir(follow_symlinks=False):
            others.append(entry)
        elif entry.path not in roots.paths:
            deeper.append(entry)
    marked = [*[entry.name for entry in others], *[entry.name + "/" for entry in deeper]]
    left_out = folder_rules.left_out(folder, marked)
    if left_out:
        found.skipped.update((by_name[name].path, rule) for name, rule in left_out.items())
        deeper = [entry for entry in deeper if entry.name not in left_out]
        others = [entry for entry in others if entry.name not in left_out]
    looks = ((each.path, partial(each.stat, follow_symlinks=False)) for each in others)
    if entries := list(_entries(looks, begin, roots, found.skipped)):
        found.folders[folder] = entries
    if stamp is not None:
        files, folders = (joined([entry.name for entry in kind]) for kind in (others, deeper))
        memory.keep(
            folder, ListedFolder(*stamp, folder_rules.fingerprint, files, folders, left_out)
        )
    return [entry.path for entry in deeper]


def _entries(
    looks: Iterable[tuple[str, Callable[[], os.stat_result]]],
    begin: int | None,
    roots: Roots,
    skipped: dict[str, str],
) -> Iterator[FileEntry]:
    """The files at these paths, each with its stamp read."""
    for path, look in looks:
        try:
            status = look()
        except OSError:
            continue  # gone since it was listed
        if entry := _entry_of(path, begin, status, roots, skipped):
            yield entry


def _revisit(
    folder: str, begin: int | None, known: ListedFolder, roots: Roots, found: Found
) -> list[str]:
    """Like `_walk_folder`, for a directory whose contents are known."""
    inside = folder if folder.endswith(os.sep) else folder + os.sep
    names = divided(known.files)
    stamps = None if begin is None or len(names) > _MAX_LAZY_FILES else _stamps(inside, names)
    if begin is not None and stamps is not None:
        if stamps:
            found.folders[folder] = FolderFiles(inside, begin, known.files, stamps)
    else:
        paths = [inside + name for name in names]
        looks = ((path, partial(os.lstat, path)) for path in paths)
        if files := list(_entries(looks, begin, roots, found.skipped)):
            found.folders[folder] = files
    for name, rule in known.left_out.items():
        found.skipped[inside + name] = rule
    return [inside + name for name in divided(known.folders)]


def _stamps(inside: str, names: Iterable[str]) -> bytes | None:
    """The `STAMP`s of a directory's files; None if there is none of one of them.

    Such a file is gone, not a regular one, or has a time that is not among `TIMES`.
    """
    stamps: list[bytes] = []
    lstat, is_regular, pack = os.lstat, stat.S_ISREG, STAMP.pack
    try:
        for name in names:
            status = lstat(inside + name)
            if not is_regular(status.st_mode):
                return None
            times = status.st_mtime_ns, status.st_ctime_ns
            stamps.append(pack(status.st_size, *times, status.st_ino))
    except (OSError, struct.error):
        return None
    return b"".join(stamps)


def _entry_of(
    path: str, begin: int | None, status: os.stat_result, roots: Roots, skipped: dict[str, str]
) -> FileEntry | None:
    """The file at a path that is no directory; or None, with the reason among the skipped paths."""
    is_link = False
    if not stat.S_ISREG(status.st_mode):
        is_link = stat.S_ISLNK(status.st_mode)
        target = _follow(path, roots) if is_link else SPECIAL
        if isinstance(target, str):
            skipped[path] = target
            return None
        status = target
    shown = roots.relative(path) if begin is None else begin
    times = status.st_mtime_ns, status.st_ctime_ns
    return new_entry(path, shown, status.st_size, *times, status.st_ino, is_link)


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
