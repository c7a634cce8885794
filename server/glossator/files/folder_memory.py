"""What a walk may know of a folder from before, and what it tells of one for later."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:  # the worker needs only what is listed here
    from glossator.files.ignore import IgnoreRules

Stamp: TypeAlias = tuple[int, int, int]  # of a folder: inode, mtime and ctime in ns
BETWEEN = "/"  # names in one text, which takes less memory and time; no name holds it


class Known(NamedTuple):
    """A folder as it was listed; `files` and `folders` as `joined`, links among the files.

    `rules`: the fingerprint of those by which names were left out; `left_out`: name -> rule.
    """

    inode: int
    mtime_ns: int
    ctime_ns: int
    rules: str
    files: str
    folders: str
    left_out: dict[str, str]


class Memory:
    """Of before and for later; this one remembers nothing. One thread at a time uses it."""

    def recall(self, _folder: str, _rules: IgnoreRules, /) -> Known | None:
        """What the folder holds now, if that is known."""
        return None

    def stamp(self, _folder: str, /) -> Stamp | None:
        """Of a folder that is about to be listed; None: it will not be remembered."""
        return None

    def keep(self, _folder: str, _known: Known, /) -> None:
        """A folder that had the stamp was listed."""


def joined(names: Iterable[str]) -> str:
    """Names of entries as one text."""
    return BETWEEN.join(sorted(names))


def divided(names: str) -> list[str]:
    """What was joined."""
    return names.split(BETWEEN) if names else []
