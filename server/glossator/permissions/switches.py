"""What the user turned off in a workspace: instruction files, memories, skills, hooks, servers.

They are remembered in `<user state folder>/turned-off.json`, by the real path of each workspace
folder, so that nothing in a workspace can change them. Several servers share the file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import platformdirs

from glossator.core.errors import UsageError
from glossator.core.uri import to_uri
from glossator.permissions.private_file import DamagedFile, Entries, PrivateFile, update_private
from glossator.permissions.trust import real_folder


def switches_file() -> Path:
    """Where it is remembered what is off."""
    return Path(platformdirs.user_state_dir("glossator")) / "turned-off.json"


class Switches:
    """What is off in the folders that are open (`roots`), by kind and id; blocking.

    What is off in one folder is off in a workspace of several. `warn` reports a file that cannot be
    used; then nothing is off.
    """

    def __init__(
        self,
        warn: Callable[[str], object],
        roots: Callable[[], tuple[str, ...]],
        file: Path | None = None,
    ) -> None:
        self._warn = warn
        self._roots = roots
        self._file = PrivateFile(file or switches_file())

    def off(self, kind: str) -> frozenset[str]:
        """The ids of all of a kind that the user turned off here."""
        return self.now().get(kind, frozenset())

    def now(self) -> Mapping[str, frozenset[str]]:
        """The ids of all that the user turned off here, by kind."""
        try:
            entries = self._file.now()
        except (OSError, DamagedFile) as error:
            self._warn(
                f"What you turned off is on again, because {self._file.path} cannot be used"
                f" ({error}). Turn off again what should be: that starts a new file."
            )
            return {}
        if not entries:
            return {}
        texts = (text for uri in self._folders() for text in entries.get(uri, ()))
        found: dict[str, set[str]] = {}
        for kind, _, key in (text.partition(" ") for text in texts):
            found.setdefault(kind, set()).add(key)
        return {kind: frozenset(keys) for kind, keys in found.items()}

    def turn(self, kind: str, key: str, *, on: bool) -> None:
        """Turn it on or off in each folder. Raises `UsageError`, `StoreUnavailable`."""
        folders, text = self._folders(), _text(kind, key)
        if not folders:
            raise UsageError("No folder is open, so there is nowhere to turn it off. Open one.")

        def change(before: Entries) -> Entries:
            after = dict(before)
            for uri in folders:
                others = tuple(each for each in before.get(uri, ()) if each != text)
                after[uri] = others if on else (*others, text)
            return {uri: texts for uri, texts in after.items() if texts}

        update_private(self._file.path, change)

    def _folders(self) -> tuple[str, ...]:
        real = map(real_folder, self._roots())
        return tuple(to_uri(path) for path in real if path is not None)


def _text(kind: str, key: str) -> str:
    return f"{kind} {key}"
