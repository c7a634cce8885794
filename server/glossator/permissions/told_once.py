"""What the user was told about a workspace, so that nobody is told twice.

It is remembered in `<user state folder>/told.json`, which several servers share.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import platformdirs

from glossator.core.errors import StoreUnavailable
from glossator.core.uri import to_uri
from glossator.permissions.private_file import DamagedFile, Entries, PrivateFile, update_private
from glossator.permissions.trust import real_folder


class ToldOnce:
    """What was told in the folders that are open (`roots`), one text a topic; blocking.

    `warn` reports a file that cannot be used; then it is told again.
    """

    def __init__(
        self,
        warn: Callable[[str], object],
        roots: Callable[[], tuple[str, ...]],
        file: Path | None = None,
    ) -> None:
        self._warn = warn
        self._roots = roots
        state = Path(platformdirs.user_state_dir("glossator"))
        self._file = PrivateFile(file or state / "told.json")

    def is_new(self, topic: str, text: str) -> bool:
        """Whether anything else was told last of the topic here; from now on it was this."""
        real = map(real_folder, self._roots())
        folders = [to_uri(path) for path in real if path is not None]
        told = f"{topic} {text}"
        try:
            entries = self._file.now()
            if folders and all(told in entries.get(uri, ()) for uri in folders):
                return False
            update_private(self._file.path, lambda before: _with(before, folders, topic, told))
        except (OSError, DamagedFile, StoreUnavailable) as error:
            self._warn(
                f"What you were told is not remembered, because {self._file.path} cannot be used"
                f" ({error}). You may delete it."
            )
        return True


def _with(before: Entries, folders: list[str], topic: str, told: str) -> Entries:
    after = dict(before)
    for uri in folders:
        others = (each for each in before.get(uri, ()) if not each.startswith(f"{topic} "))
        after[uri] = (*others, told)
    return after
