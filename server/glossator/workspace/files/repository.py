"""Where git keeps what belongs to a folder. Source: gitrepository-layout(5)."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator

from glossator.core.document import Missing
from glossator.workspace.files.disk import load
from glossator.workspace.files.roots import Roots, is_inside, real_path

_MAX_NAME_BYTES = 10_000  # of a file that holds a path
_SHARED = "HEAD config info logs objects packed-refs refs reftable shallow".split()  # by worktrees


def repository_top(folder: str) -> str:
    """The nearest folder at or above `folder` that holds .git; `folder` itself if there is none."""
    top = folder
    while not os.path.lexists(os.path.join(top, ".git")):
        above = os.path.dirname(top)
        if above == top:
            return folder
        top = above
    return top


def git_folders(top: str) -> tuple[str, ...]:
    """The folders with git's files: `.git`, or those that it names where it is a file.

    A linked worktree has one of its own, then the one that it shares with others.
    """
    git = os.path.join(top, ".git")
    own = _named_in(git, "gitdir: ")
    if own is None:
        return (git,)
    shared = _named_in(os.path.join(own, "commondir"))
    return (own, shared) if shared else (own,)


def shared_git(git: str) -> str | None:
    """The real path of what is shared with other worktrees, where `.git` is a file that names it.

    A submodule's file names a repository that it shares with none.
    """
    named = git_folders(os.path.dirname(git))[-1]
    return None if named == git else named


def git_outside(tops: Iterable[str], roots: Collection[str]) -> Iterator[str]:
    """What git reads outside the roots for those of these work trees that are linked.

    Any file may name any folder. This one counts where the folder names the file, too, and stands
    where `git worktree add` makes it, outside the roots: who may only write in these cannot have
    linked the two. The hooks of the repository, and its other work trees, are not needed.
    """
    for top in tops:
        match git_folders(top):
            case (own, shared) if _is_linked(top, own, shared):
                if not any(is_inside(own, root) for root in roots):
                    yield own
                    yield from (os.path.join(shared, name) for name in _SHARED)


def _is_linked(top: str, own: str, shared: str) -> bool:
    if os.path.dirname(own) != os.path.join(shared, "worktrees"):
        return False
    return _named_in(os.path.join(own, "gitdir")) == real_path(os.path.join(top, ".git"))


def _named_in(path: str, key: str = "") -> str | None:
    """The real path that is named in a file, behind a `key`; None if there is no such file."""
    folder, name = os.path.split(path)
    loaded = load(Roots((folder,)), name, _MAX_NAME_BYTES)
    if isinstance(loaded, Missing) or not loaded.text.startswith(key):
        return None
    return real_path(os.path.join(folder, loaded.text[len(key) :].rstrip("\r\n")))
