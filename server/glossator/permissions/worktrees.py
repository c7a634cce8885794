"""The git worktrees that sessions work in, and the folder of the user's that each was made from.

What is trusted, adopted, allowed or turned off in that folder counts in its worktrees, too. Only
`<user state folder>/worktrees.json` says so, which Glossator writes as it makes one: what a folder
says of itself, by a `.git` that names a repository, proves nothing (docs/decisions/0076).
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

import platformdirs

from glossator.core.uri import to_path, to_uri
from glossator.permissions.private_file import DamagedFile, Entries, PrivateFile, update_private
from glossator.workspace import is_inside

_log = logging.getLogger(__name__)

_PATH_GOES_ON_OR_ENDS = r"""(?=[/\\\s"'`;|&<>(){}\[\]=,:]|\Z)"""  # after a folder, in a text


class WorktreeState(StrEnum):
    """What became of a worktree."""

    OPEN = "open"
    MERGED = "merged"
    DISCARDED = "discarded"


@dataclass(frozen=True, slots=True)
class Worktree:
    """A worktree's folder, the `origin` it was made from, its own folder in `.git`, its branch.

    All are real paths; `origin` is the top of the user's work tree.
    """

    folder: str
    origin: str
    git: str
    branch: str
    state: WorktreeState = WorktreeState.OPEN

    @property
    def name(self) -> str:
        """How the user calls it."""
        return os.path.basename(self.folder)

    @property
    def is_open(self) -> bool:
        """Whether it can be worked in: it is there, and neither merged nor thrown away."""
        return self.state is WorktreeState.OPEN and os.path.isdir(self.folder)

    def mirrored(self, path: str) -> str:
        """The path in the worktree of what is at `path` in its origin."""
        return self.folder + path[len(self.origin) :]


def worktrees_folder() -> Path:
    """Where worktrees are made: no folder that is Glossator's own, since those are protected."""
    return Path(platformdirs.user_state_dir("glossator-worktrees")).absolute()


def known_worktrees() -> tuple[Worktree, ...]:
    """Every worktree that was made, and what became of it; none while the file cannot be used."""
    file = _file(_path())
    try:
        entries = file.now()
    except (OSError, DamagedFile) as error:
        _log.warning("No worktree is known, because %s cannot be used (%s).", file.path, error)
        return ()
    return tuple(found for uri, told in entries.items() if (found := _read(uri, told)) is not None)


def worktree_at(path: str) -> Worktree | None:
    """The worktree that a real path is in, or was."""
    return next((each for each in known_worktrees() if is_inside(path, each.folder)), None)


def in_open_worktree(paths: Iterable[str]) -> bool:
    """Whether one of these real paths is in a worktree that can be worked in."""
    return any(tree is not None and tree.is_open for tree in map(worktree_at, paths))


def roots_in_worktrees(roots: Iterable[str]) -> tuple[str, ...]:
    """What folders, by real path, are or were in the worktrees that were made from them."""
    known = known_worktrees()
    return tuple(
        tree.mirrored(root) for root in roots for tree in known if is_inside(root, tree.origin)
    )


def keep_worktree(tree: Worktree) -> None:
    """Remember a worktree, or what became of it. Raises `StoreUnavailable`."""
    told = (to_uri(tree.origin), to_uri(tree.git), tree.branch, tree.state.value)
    _update(lambda before: {**before, to_uri(tree.folder): told})


def forget_worktree(tree: Worktree) -> None:
    """Remember it no more. Raises `StoreUnavailable`."""
    gone = to_uri(tree.folder)
    _update(lambda before: {uri: told for uri, told in before.items() if uri != gone})


def counts_as(path: str) -> str:
    """The real path by which a real path is known: of one in a worktree that in its origin."""
    tree = worktree_at(path)
    if tree is None or tree.state is not WorktreeState.OPEN:
        return path
    return counts_as(tree.origin + path[len(tree.folder) :])


def as_in_origin(text: str) -> str:
    """A JSON text in which the folders of worktrees are called as their origins."""
    folders = sorted({tree.folder for tree in known_worktrees()}, key=len, reverse=True)
    if not folders:
        return text
    named = re.compile(f"(?:{'|'.join(map(re.escape, folders))}){_PATH_GOES_ON_OR_ENDS}")
    return named.sub(lambda found: counts_as(found[0]), text)


def _path() -> Path:
    return Path(platformdirs.user_state_dir("glossator")) / "worktrees.json"


@cache
def _file(path: Path) -> PrivateFile:
    return PrivateFile(path)


def _update(change: Callable[[Entries], Entries]) -> None:
    update_private(_path(), change)


def _read(uri: str, told: tuple[str, ...]) -> Worktree | None:
    try:
        origin, git, branch, state = told
        became = WorktreeState(state)
    except ValueError:  # an entry of another form
        return None
    match to_path(uri), to_path(origin), to_path(git):
        case str(folder), str(top), str(own):
            return Worktree(folder, top, own, branch, became)
    return None
