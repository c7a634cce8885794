"""What the user adopted of the programs that a workspace proposes to run.

A workspace can bring things that run programs (servers of tools, hooks). Each runs only after the
user adopted exactly this one, known by the SHA-256 of all that decides what will run, in
this workspace folder, known by its real path; any change asks again. They are remembered in
`<user state folder>/approvals.json`, which several servers share.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import platformdirs

from glossator.core.errors import StoreUnavailable, UsageError
from glossator.core.shown import shown
from glossator.core.uri import to_uri
from glossator.permissions.private_file import DamagedFile, Entries, PrivateFile, update_private
from glossator.permissions.trust import real_folder


def approvals_file() -> Path:
    """Where adoptions are remembered."""
    return Path(platformdirs.user_state_dir("glossator")) / "approvals.json"


class Approvals:
    """What was adopted, by kind (a word such as `mcp`), name and workspace folder; blocking.

    `warn` reports a file that cannot be used; then nothing counts as adopted.
    """

    def __init__(self, warn: Callable[[str], object], file: Path | None = None) -> None:
        self._warn = warn
        self._file = PrivateFile(file or approvals_file())

    def is_adopted(self, kind: str, name: str, folder: str, sha256: str) -> bool:
        """Whether exactly this was adopted in the folder."""
        return self._hash(kind, name, folder) == sha256

    def has_changed(self, kind: str, name: str, folder: str, sha256: str) -> bool:
        """Whether something else was adopted by this name."""
        return self._hash(kind, name, folder) not in (None, sha256)

    def adopt(self, kind: str, name: str, folder: str, sha256: str) -> None:
        """Adopt this in place of what had the name. Raises `UsageError`, `StoreUnavailable`."""
        path = real_folder(folder)
        if path is None:
            raise UsageError(f"There is no folder {shown(folder)}. Check the name.")
        uri, text = to_uri(path), f"{_prefix(kind, name)}{sha256}"

        def change(before: Entries) -> Entries:
            return {**before, uri: (*_without(before.get(uri, ()), kind, name), text)}

        self._change(change)

    def forget(self, kind: str, name: str, folder: str) -> bool:
        """Take an adoption back; False if there was none. Raises `StoreUnavailable`."""
        path = real_folder(folder) or folder
        if self._hash(kind, name, path) is None:
            return False
        uri = to_uri(path)

        def change(before: Entries) -> Entries:
            left = _without(before.get(uri, ()), kind, name)
            others = {key: value for key, value in before.items() if key != uri}
            return {**others, uri: left} if left else others

        self._change(change)
        return True

    def _hash(self, kind: str, name: str, folder: str) -> str | None:
        path = real_folder(folder)
        if path is None:
            return None
        try:
            texts = self._file.now().get(to_uri(path), ())
        except (OSError, DamagedFile) as error:
            self._warn(
                f"Nothing counts as adopted, because {self._file.path} cannot be used ({error})."
                " Adopt again what you want to run: that starts a new file."
            )
            return None
        prefix = _prefix(kind, name)
        return next((t.removeprefix(prefix) for t in texts if t.startswith(prefix)), None)

    def _change(self, change: Callable[[Entries], Entries]) -> None:
        try:
            update_private(self._file.path, change)
        except OSError as error:
            raise StoreUnavailable(
                f"{self._file.path} cannot be written ({error}). Check the folder's permissions and"
                " the disk's room."
            ) from error


def _prefix(kind: str, name: str) -> str:
    return f"{kind} {name} "


def _without(texts: tuple[str, ...], kind: str, name: str) -> tuple[str, ...]:
    return tuple(text for text in texts if not text.startswith(_prefix(kind, name)))
