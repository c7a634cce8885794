"""Notes for the model on what the sandbox kept a command from, and why."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from glossator.core.shown import shown, some_of
from glossator.sandbox.output import Output

_MOST_NAMED = 5
_REFUSALS = (
    *(b"read-only file system", b"device or resource busy", b"cross-device link"),
    *(b"erofs", b"ebusy", b"exdev"),
)
_NO_REPOSITORY = b"not a git repository"
_ABOVE = (
    "[Commands see nothing above the workspace, so not its repository. The user can open the"
    " repository's top folder.]"
)


@dataclass(frozen=True, slots=True)
class Closed:
    """What a command could not change, by absolute path.

    `shared` goes by other names elsewhere (hard links); `protected` is asked about in every mode.
    """

    shared: Sequence[str] = ()
    protected: Sequence[str] = ()


def refused(
    output: Output, closed: Closed, roots: Sequence[str], relative: Callable[[str], str]
) -> Iterator[str]:
    """The notes; `relative` is a path as the model knows it."""
    said = output.head + output.tail
    lowered = said.lower()
    if any(words in lowered for words in _REFUSALS):
        named = [path for path in closed.protected if _is_named(path, said)]
        if named:
            names = some_of([shown(relative(path)) for path in named], _MOST_NAMED)
            yield f"[Protected, so that no command changes it unasked: {names}]"
        if closed.shared:
            first = sorted(closed.shared, key=lambda path: not _is_named(path, said))
            names = some_of([shown(relative(path)) for path in first], _MOST_NAMED)
            told = f"Read-only here, for other files share it by hard links: {names}"
            yield f"[{told}. Only the user can run what changes that.]"
    if _NO_REPOSITORY in lowered and any(map(_lies_in_repository, roots)):
        yield _ABOVE


def _is_named(path: str, said: bytes) -> bool:
    return os.fsencode(os.path.basename(path)) in said


def _lies_in_repository(root: str) -> bool:
    """Whether the repository of a folder is a folder above it, or elsewhere as a worktree's."""
    if os.path.isfile(os.path.join(root, ".git")):
        return True
    above = os.path.dirname(root)
    while not os.path.isdir(os.path.join(above, ".git")):
        if above == (above := os.path.dirname(above)):
            return False
    return True
