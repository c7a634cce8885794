"""A run ends when a folder of the workspace is deleted or replaced."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from contextlib import contextmanager

from glossator.core.errors import UsageError
from glossator.core.shown import shown
from glossator.documents import WorkspaceHost
from glossator.files import folder_identity
from glossator.sessions import Run

_GONE = (
    "The folder {} was deleted or replaced during the run, so the run was ended, and nothing more"
    " is written there. Ask again if the folder that is there now is the right one."
)


@contextmanager
def while_folders_stand(host: WorkspaceHost, run: Run) -> Iterator[None]:
    """Look at the folders whenever something changes, and whenever the run is about to act."""
    found = {root: folder_identity(root) for root in host.roots}
    known = {root: each for root, each in found.items() if each is not None}

    def check() -> None:
        for root in host.roots:
            if root in known and folder_identity(root) != known[root]:
                raise UsageError(_GONE.format(shown(root)))

    def look(_changed: AbstractSet[str]) -> None:
        try:
            check()
        except UsageError as gone:
            run.fail(gone)

    def check_before_acting() -> None:
        look(frozenset())
        check()

    run.check = check_before_acting
    unsubscribe = host.subscribe(look)
    try:
        yield
    finally:
        unsubscribe()
