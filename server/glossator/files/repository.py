"""Where a git repository is. Source: gitrepository-layout(5)."""

from __future__ import annotations

import os

from glossator.core.document import Missing
from glossator.files.disk import load
from glossator.files.roots import Roots, real_path

_MAX_NAME_BYTES = 10_000  # of a file that holds a path


def repository_top(folder: str) -> str:
    """The nearest folder at or above `folder` that holds .git; `folder` itself if there is none."""
    top = folder
    while not os.path.lexists(os.path.join(top, ".git")):
        above = os.path.dirname(top)
        if above == top:
            return folder
        top = above
    return top


def shared_git(git: str) -> str | None:
    """The real path of what is shared with other worktrees, where `.git` is a file that names it.

    A submodule's file names a repository that it shares with none.
    """
    own = _named_in(git, "gitdir: ")
    return own and (_named_in(os.path.join(own, "commondir")) or own)


def _named_in(path: str, key: str = "") -> str | None:
    """The real path that is named in a file, behind a `key`; None if there is no such file."""
    folder, name = os.path.split(path)
    loaded = load(Roots((folder,)), name, _MAX_NAME_BYTES)
    if isinstance(loaded, Missing) or not loaded.text.startswith(key):
        return None
    return real_path(os.path.join(folder, loaded.text[len(key) :].rstrip("\r\n")))
