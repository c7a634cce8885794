"""What is known of a listed file."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import NamedTuple, Self

_by_path = attrgetter("path")
_by_shown = attrgetter("shown")


class _Fields(NamedTuple):
    path: str  # absolute
    shown: int | str  # where in `path` the relative path begins, or that path if it is no part
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    is_link: bool


class FileEntry(_Fields):
    """A listed file: absolute and workspace-relative path, size in bytes, times in ns.

    What a link leads to may change without an event for the link itself; `is_link` tells.
    A tuple, because there may be a million; `relative` may be given as its place in `path`.
    """

    __slots__ = ()

    def __new__(
        cls,
        path: str,
        relative: int | str,
        size: int,
        mtime_ns: int,
        ctime_ns: int = 0,
        inode: int = 0,
        is_link: bool = False,
    ) -> Self:
        """Keep `relative` as a part of `path` where it is one."""
        if isinstance(relative, str) and path.endswith(relative):
            relative = len(path) - len(relative)
        return super().__new__(cls, path, relative, size, mtime_ns, ctime_ns, inode, is_link)

    @property
    def relative(self) -> str:
        """The path as shown to the model and the user, with "/" between its parts."""
        shown = self.shown
        return self.path[shown:] if isinstance(shown, int) else shown


def relative_paths(files: Sequence[FileEntry]) -> list[str]:
    """The relative path of each file, faster than one by one."""
    begins = set(map(_by_shown, files))
    begin = begins.pop() if len(begins) == 1 else None
    if isinstance(begin, int):
        return [path[begin:] for path in map(_by_path, files)]
    return [entry.relative for entry in files]
