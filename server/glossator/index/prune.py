"""A job that keeps the indexes of all workspaces within the disk space they may take."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

from glossator.files import state_folder
from glossator.index.lock import removing
from glossator.worker import Job, Slices

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Prune(Job[tuple[str, ...]]):
    """Deletes the folders in `base` that were used longest ago, until all take `limit` bytes.

    Those in `spare` stay, and those another server uses. Returns the deleted folders.
    """

    base: str
    spare: frozenset[str]
    limit: int

    def run(self) -> Slices[tuple[str, ...]]:
        """Look at the sizes, most recently used first, and delete what is over the limit."""
        by_use = sorted(
            state_folder.folders(Path(self.base)),
            key=lambda folder: (str(folder) not in self.spare, -state_folder.last_use(folder)),
        )
        total, deleted = 0, []
        for folder in by_use:
            yield None
            over = total + state_folder.disk_bytes(folder) > self.limit
            if over and str(folder) not in self.spare and _delete(folder):
                deleted.append(str(folder))
            else:
                total += state_folder.disk_bytes(folder)
        return tuple(deleted)


def _delete(folder: Path) -> bool:
    """Delete what is ours in the folder, and then the folder, unless it is in use."""
    try:
        with removing(str(folder)) as unused:
            if not unused:
                return False
            for file in state_folder.files(folder):
                file.unlink(missing_ok=True)
            for inner in state_folder.INNER:
                if (folder / inner).exists():
                    (folder / inner).rmdir()
            folder.rmdir()
    except OSError as error:
        _log.warning("%s, an index that is not needed any more, is not deleted: %s", folder, error)
        return False
    return True
