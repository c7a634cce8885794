"""What in the folder of a git repository names programs that git runs, or says where that stands.

Source: gitrepository-layout(5). The rest must be free for commands that commit.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

# git may obey `config.worktree` where there is none yet: the repository's configuration says so
_ALWAYS = ("config", "hooks", "commondir", "config.worktree")


def of_repository(folder: str) -> Iterator[str]:
    """The paths in a repository, its worktrees and its submodules, that are kept from commands."""
    yield from (os.path.join(folder, name) for name in _ALWAYS)
    for worktree in _folders(os.path.join(folder, "worktrees")):
        yield os.path.join(worktree, "config.worktree")
        commondir = os.path.join(worktree, "commondir")  # without one it is no worktree
        if os.path.isfile(commondir) and not os.path.islink(commondir):
            yield commondir
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
