"""What the user adopted of the programs that a workspace proposes to run.

A workspace can bring things that run programs (servers of tools, hooks). Each runs only after the
user adopted exactly this one, known by the SHA-256 of all that decides what will run, in
this workspace folder, known by its real path; any change asks again. They are remembered in
`<user state folder>/approvals.json`, which several servers share.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path

import platformdirs

from glossator.core.errors import UsageError
from glossator.core.shown import shown
from glossator.core.uri import to_uri
from glossator.permissions.private_file import DamagedFile, Entries, PrivateFile, update_private
from glossator.permissions.trust import real_folder

_Adopted = tuple[str, str, str]  # kind, name, SHA-256; an entry is their JSON


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

    def was_adopted(self, kind: str, name: str, folder: str) -> bool:
        """Whether this was adopted, or what stood in its place."""
        return self._hash(kind, name, folder) is not None

    def names(self, kind: str, folder: str) -> frozenset[str]:
        """The names of all of a kind that was adopted in the folder, as it is now or as it was."""
        return frozenset(name for of, name, _ in self._adopted(folder) if of == kind)

    def any_of(self, kind: str, folders: Iterable[str]) -> bool:
        """Whether any of a kind was adopted in one of the folders."""
        return any(self.names(kind, folder) for folder in folders)

    def adopt(self, kind: str, name: str, folder: str, sha256: str) -> None:
        """Adopt this in place of what had the name. Raises `UsageError`, `StoreUnavailable`."""
        path = real_folder(folder)
        if path is None:
            raise UsageError(f"There is no folder {shown(folder)}. Check the name.")
        uri, text = to_uri(path), json.dumps([kind, name, sha256])

        def change(before: Entries) -> Entries:
            return {**before, uri: (*_without(before.get(uri, ()), kind, name), text)}

        update_private(self._file.path, change)

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

        update_private(self._file.path, change)
        return True

    def _hash(self, kind: str, name: str, folder: str) -> str | None:
        adopted = self._adopted(folder)
        return next((sha256 for *what, sha256 in adopted if what == [kind, name]), None)

    def _adopted(self, folder: str) -> list[_Adopted]:
        path = real_folder(folder)
        if path is None:
            return []
        try:
            texts = self._file.now().get(to_uri(path), ())
        except (OSError, DamagedFile) as error:
            self._warn(
                f"Nothing counts as adopted, because {self._file.path} cannot be used ({error})."
                " Adopt again what you want to run: that starts a new file."
            )
            return []
        return [adopted for text in texts if (adopted := _read(text)) is not None]


def _read(text: str) -> _Adopted | None:
    """What an entry says; None for one of another form, which adopts nothing."""
    try:
        kind, name, sha256 = map(str, json.loads(text))
    except (ValueError, TypeError):
        return None
    return kind, name, sha256


def _without(texts: tuple[str, ...], kind: str, name: str) -> tuple[str, ...]:
    return tuple(text for text in texts if (_read(text) or ())[:2] != (kind, name))
