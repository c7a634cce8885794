"""A job that keeps the indexes of all workspaces within the disk space they may take."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

from glossator.workspace.state_folder import LOCK, disk_bytes, last_use
from glossator.workspace.worker.jobs import Job, Slices
from glossator.workspace.worker.lock import release, try_lock

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Prune(Job[tuple[str, ...]]):
    """Deletes the folders in `base` that were used longest ago, until all take `limit` bytes.

    Those in `spare` stay, and those another process writes to. Returns the deleted folders.
    """

    base: str
    spare: frozenset[str]
    limit: int

    def run(self) -> Slices[tuple[str, ...]]:
        """Look at the sizes, most recently used first, and delete what is over the limit."""
        folders = [str(path) for path in Path(self.base).iterdir() if path.is_dir()]
        folders.sort(key=lambda path: (path not in self.spare, -last_use(Path(path))))
        total, deleted = 0, []
        for folder in folders:
            yield None
            size = disk_bytes(Path(folder))
            if total + size > self.limit and folder not in self.spare and _delete(folder):
                deleted.append(folder)
            else:
                total += size
        return tuple(deleted)


def _delete(folder: str) -> bool:
    """Delete the folder unless another process is its writer; the lock goes last."""
    try:
        if not try_lock(folder):
            return False
        for path in sorted(Path(folder).rglob("*"), reverse=True):  # what is inside comes first
            if path.is_dir() and not path.is_symlink():
                path.rmdir()
            elif path != Path(folder, LOCK):
                path.unlink()
        Path(folder, LOCK).unlink()
        Path(folder).rmdir()
    except OSError as error:
        _log.warning("%s, an index that is not needed any more, is not deleted: %s", folder, error)
        return False
    finally:
        release(folder)
    return True
