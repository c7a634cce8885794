"""What a folder holds, within so many lines: its files, and those below as far as there is room.

Folders are opened level by level, so that a large one tells of its whole breadth first.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from operator import attrgetter

from glossator.core.shown import shown
from glossator.documents import WorkspaceSnapshot
from glossator.files import FileEntry, is_inside

MAX_LINES = 200

_UNITS = ("bytes", "KB", "MB", "GB")


@dataclass(frozen=True, slots=True)
class Listing:
    """The text, and in words how many files and bytes there are in all."""

    text: str
    files: str
    bytes: str


@dataclass(slots=True)
class _Folder:
    """`open`: what is in it is shown, as many lines as `shown`; else it is one line."""

    files: list[FileEntry] = field(default_factory=list)
    folders: dict[str, _Folder] = field(default_factory=dict)
    count: int = 0
    size: int = 0
    shown: int = 0
    open: bool = False


def list_folder(
    snapshot: WorkspaceSnapshot, path: str, hidden: Callable[[str], bool] | None = None
) -> Listing | None:
    """What is listed at and below a real path, but for what is hidden; None if nothing is."""
    top = _Folder()
    for entry in _files(snapshot, path):
        if hidden is None or not hidden(entry.path):
            _put(top, entry.path[len(path) :].strip(os.sep).split(os.sep)[:-1], entry)
    if not top.count:
        return None
    _open(top)
    return Listing(
        "\n".join(_lines(top, "")), _files_in_words(top.count), _bytes_in_words(top.size)
    )


def _files(snapshot: WorkspaceSnapshot, path: str) -> Iterator[FileEntry]:
    """Without looking at the files of other folders: there may be a million."""
    folders = snapshot.listing.folders
    listed = (files for folder, files in folders.items() if is_inside(folder, path))
    yield from chain.from_iterable(listed)
    yield from (entry for entry in snapshot.unsaved if is_inside(entry.path, path))


def _put(top: _Folder, names: list[str], entry: FileEntry) -> None:
    way = [top]
    for name in names:
        way.append(way[-1].folders.setdefault(name, _Folder()))
    for folder in way:
        folder.count += 1
        folder.size += entry.size
    way[-1].files.append(entry)


def _open(top: _Folder) -> None:
    """Open folders, the outermost first, while there are lines left."""
    left = MAX_LINES
    level = [top]
    while level and left > 0:
        for folder in level:
            lines = len(folder.files) + len(folder.folders)
            if folder is top or lines <= left:
                folder.open, folder.shown = True, min(lines, left)
                left -= folder.shown
        level = [below for folder in level if folder.open for below in folder.folders.values()]


def _lines(folder: _Folder, indent: str) -> Iterator[str]:
    inside = sorted(folder.folders.items())
    for name, below in inside[: folder.shown]:
        if below.open:
            yield f"{indent}{shown(name)}/"
            yield from _lines(below, indent + "  ")
        else:
            held = f"{_files_in_words(below.count)}, {_bytes_in_words(below.size)}"
            yield f"{indent}{shown(name)}/ ({held})"
    files = sorted(folder.files, key=attrgetter("path"))
    for file in files[: max(folder.shown - len(inside), 0)]:
        yield f"{indent}{shown(os.path.basename(file.path))} ({_bytes_in_words(file.size)})"
    if left_out := len(inside) + len(files) - folder.shown:
        yield f"{indent}[{left_out:,} more; Glob finds them]"


def _files_in_words(count: int) -> str:
    return f"{count:,} file{'s' * (count != 1)}"


def _bytes_in_words(size: float) -> str:
    unit = 0
    while size >= 1_000 and unit < len(_UNITS) - 1:
        size, unit = size / 1_000, unit + 1
    return f"{size:,.{int(unit > 0 and size < 10)}f} {_UNITS[unit]}"
