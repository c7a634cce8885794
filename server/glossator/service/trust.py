"""Which workspaces the user trusts: before that, nothing of theirs is obeyed and nothing started.

A folder is trusted if it, or a folder above it, was remembered in `<user state folder>/trust.json`,
or is trusted for this session. All that counts is its real path: neither what lies in the folder
nor what it says about itself, such as a `.git` that points into another repository, is looked at.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

import platformdirs

from glossator.agent.permissions.private_file import (
    DamagedFile,
    read_private,
    update_private,
)
from glossator.core.uri import to_path, to_uri
from glossator.workspace.roots import is_inside


def trust_file() -> Path:
    """Where trusted folders are remembered."""
    return Path(platformdirs.user_state_dir("glossator")) / "trust.json"


class Trust:
    """What one server knows of the user's trust; blocking, but short.

    `warn` tells the user of a file that cannot be used; then nothing is trusted by it.
    """

    def __init__(self, warn: Callable[[str], object], file: Path | None = None) -> None:
        self._warn = warn
        self._file = file or trust_file()
        self._session: set[str] = set()
        self._remembered: frozenset[str] | None = None  # until the file was read

    def trusted(self, roots: Iterable[str]) -> bool:
        """Whether every one of these folders is there and trusted.

        Without any there is nothing to obey. Ask with the paths that will be used afterwards, links
        resolved, and again when they change.
        """
        return all(map(self._is_trusted, roots))

    def trust_for_session(self, roots: Iterable[str]) -> None:
        """The client, which asked its user, says that these folders are trusted."""
        self._session.update(path for root in roots if (path := _real(root)) is not None)

    def distrust_for_session(self) -> None:
        """The client takes back what it said."""
        self._session.clear()

    def remember(self, root: str) -> bool:
        """Trust a folder and all below it from now on; whether it will be known next time.

        The top of the file system and the home folder count for this session only: everything that
        is unpacked there later would be trusted, too.
        """
        self.trust_for_session((root,))
        path = _real(root)
        home = os.path.realpath(os.path.expanduser("~"))
        if path is None or is_inside(home, path):
            return False
        uri = to_uri(path)
        try:
            entries = update_private(self._file, lambda before: {**before, uri: ()})
        except OSError as error:
            self._warn(
                f"{root} is trusted for this session only, because {self._file} cannot be written"
                f" ({error}). Check the folder's permissions and the disk's room."
            )
            return False
        self._remembered = _paths(entries)
        return True

    def _is_trusted(self, root: str) -> bool:
        path = _real(root)
        if path is None:
            return False
        return any(is_inside(path, folder) for folder in self._session | self._known())

    def _known(self) -> frozenset[str]:
        if self._remembered is None:
            try:
                self._remembered = _paths(read_private(self._file))
            except (OSError, DamagedFile) as error:
                self._remembered = frozenset()
                self._warn(
                    f"No folder is known as trusted, because {self._file} cannot be used ({error})."
                    " Glossator asks again; the next folder you trust begins the file anew."
                )
        return self._remembered


def _real(root: str) -> str | None:
    """Where a folder is; None if it is not there now: what comes there later is not known."""
    try:
        return os.path.realpath(root, strict=True)
    except (OSError, ValueError):
        return None


def _paths(uris: Iterable[str]) -> frozenset[str]:
    return frozenset(path for uri in uris if (path := to_path(uri)) is not None)
