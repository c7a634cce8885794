"""What in the folder of a git repository names programs that git runs, or says where that stands.

Source: gitrepository-layout(5). The rest must be free for commands that commit.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

_ALWAYS = ("config", "hooks", "commondir")
_OF_WORKTREES = ("config.worktree", "commondir")  # where git obeys them they are there


def of_repository(folder: str) -> Iterator[str]:
    """The paths in a repository, its worktrees and its submodules, that are kept from commands."""
    yield from (os.path.join(folder, name) for name in _ALWAYS)
    worktrees = _folders(os.path.join(folder, "worktrees"))
    for each in (folder, *worktrees):
        paths = (os.path.join(each, name) for name in _OF_WORKTREES)
        yield from (path for path in paths if os.path.isfile(path) and not os.path.islink(path))
    modules = _folders(os.path.join(folder, "modules"))
    while modules:
        module = modules.pop()
        if os.path.isfile(os.path.join(module, "HEAD")):
            yield from of_repository(module)
        else:  # a part of a name, as of libs/one
            modules += _folders(module)


def _folders(path: str) -> list[str]:
    try:
        with os.scandir(path) as entries:
            return [each.path for each in entries if each.is_dir(follow_symlinks=False)]
    except OSError:  # there are none, or they are closed to us
        return []
