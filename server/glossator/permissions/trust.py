"""Which workspaces the user trusts: before that, nothing of theirs is obeyed and nothing started.

A folder is trusted if it, or a folder above it, was remembered in `<user state folder>/trust.json`,
or is trusted for this session. All that counts is its real path: neither what lies in the folder
nor what it says about itself, such as a `.git` that points into another repository, is looked at.
The file is read again when it was changed: several servers and `glossator trust` share it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from glossator.core.errors import StoreUnavailable, UsageError
from glossator.core.shown import shown
from glossator.core.uri import to_path, to_uri
from glossator.files.roots import is_inside
from glossator.permissions.private_file import (
    DamagedFile,
    Entries,
    PrivateFile,
    read_private,
    update_private,
)


def trust_file() -> Path:
    """Where trusted folders are remembered."""
    return Path(platformdirs.user_state_dir("glossator")) / "trust.json"


def real_folder(folder: str) -> str | None:
    """Where a folder is; None if it is not there now: what comes there later is not known."""
    try:
        return os.path.realpath(folder, strict=True)
    except (OSError, ValueError):
        return None


def why_never_remembered(path: str) -> str:
    """Why a folder, by real path, is trusted for one session at most; "" if it can be remembered.

    Folders are compared as the file system does, so no spelling of a name makes a difference.
    """
    home = Path(os.path.realpath(os.path.expanduser("~")))
    if not any(_is_same(path, folder) for folder in (home, *home.parents)):
        return ""
    what = "is" if _is_same(path, home) else "holds"
    return (
        f"{shown(path)} {what} your home folder, so it is never remembered as trusted: whatever is"
        " unpacked there later would be trusted, too."
    )


def remembered_folders(file: Path | None = None) -> frozenset[str]:
    """The folders that are trusted with all below them. Raises `StoreUnavailable`."""
    file = file or trust_file()
    try:
        return _paths(read_private(file))
    except (OSError, DamagedFile) as error:
        raise StoreUnavailable(_unusable(file, error)) from error


def remember_folder(folder: str, file: Path | None = None) -> str:
    """Trust a folder and all below it from now on; gives its real path.

    Raises `UsageError` for one that is not there or is never remembered, `StoreUnavailable`.
    """
    path = real_folder(folder)
    if path is None or not os.path.isdir(path):
        raise UsageError(f"There is no folder {shown(folder)}. Check the name.")
    if reason := why_never_remembered(path):
        raise UsageError(f"{reason} Trust a folder in it, or pass --trust for one run.")
    _change(file or trust_file(), lambda before: {**before, to_uri(path): ()})
    return path


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What came of forgetting a folder: whether it was remembered, and what still is.

    `above` are the folders that it is still trusted by, `below` those inside it that still are.
    """

    known: bool
    above: tuple[str, ...]
    below: tuple[str, ...]


def forget_folder(folder: str, file: Path | None = None) -> Forgotten:
    """Do not trust a folder any more, be it there or gone. Raises `StoreUnavailable`.

    It is forgotten both as it is named and where links lead now.
    """
    file = file or trust_file()
    named = {os.path.abspath(folder), os.path.realpath(folder)}
    before = remembered_folders(file)
    if before & named:
        gone = set(map(to_uri, before & named))
        _change(file, lambda entries: {u: v for u, v in entries.items() if u not in gone})
    left = sorted(before - named)
    return Forgotten(
        known=bool(before & named),
        above=tuple(each for each in left if any(is_inside(name, each) for name in named)),
        below=tuple(each for each in left if any(is_inside(each, name) for name in named)),
    )


@dataclass(frozen=True, slots=True)
class Trusted:
    """Why a folder is trusted: by which folder, and whether that one is remembered."""

    by: str
    remembered: bool


class Trust:
    """What one server knows of the user's trust; blocking, but short.

    `warn` tells the user of a file that cannot be used; then nothing is trusted by it.
    """

    def __init__(self, warn: Callable[[str], object], file: Path | None = None) -> None:
        self._warn = warn
        self._file = PrivateFile(file or trust_file())
        self._session: set[str] = set()

    def trusted(self, roots: Iterable[str]) -> bool:
        """Whether every one of these folders is there and trusted.

        Without any there is nothing to obey. Ask with the paths that will be used afterwards, links
        resolved, and again when they change.
        """
        return all(self.why_trusted(root) is not None for root in roots)

    def why_trusted(self, root: str) -> Trusted | None:
        """What a folder is trusted by; None if it is not."""
        path = real_folder(root)
        if path is None:
            return None
        for folders, remembered in ((self._known(), True), (self._session, False)):
            above = [folder for folder in folders if is_inside(path, folder)]
            if above:
                return Trusted(max(above, key=len), remembered)
        return None

    def trust_for_session(self, roots: Iterable[str]) -> None:
        """The client, which asked its user, says that these folders are trusted."""
        self._session.update(path for root in roots if (path := real_folder(root)) is not None)

    def distrust_for_session(self) -> None:
        """The client takes back what it said."""
        self._session.clear()

    def remember(self, root: str) -> bool:
        """Trust a folder and all below it from now on; whether it will be known next time.

        The top of the file system and the home folder count for this session only, and others do
        where the file cannot be written.
        """
        try:
            remember_folder(root, self._file.path)
        except UsageError:
            self.trust_for_session((root,))
            return False
        except StoreUnavailable as error:
            self.trust_for_session((root,))
            self._warn(f"{shown(root)} is trusted for this session only. {error}")
            return False
        return True

    def _known(self) -> frozenset[str]:
        try:
            return _paths(self._file.now())
        except (OSError, DamagedFile) as error:
            self._warn(_unusable(self._file.path, error))
            return frozenset()


def _unusable(file: Path, error: Exception) -> str:
    return (
        f"No folder is known as trusted, because {file} cannot be used ({error}). Glossator"
        " asks again; the next folder you trust begins the file anew."
    )


def _change(file: Path, change: Callable[[Entries], Entries]) -> None:
    try:
        update_private(file, change)
    except OSError as error:
        raise StoreUnavailable(
            f"{file} cannot be written ({error}). Check the folder's permissions and the disk's"
            " room."
        ) from error


def _is_same(path: str, folder: Path) -> bool:
    try:
        return os.path.samefile(path, folder)
    except OSError:  # one of them is not there
        return False


def _paths(uris: Iterable[str]) -> frozenset[str]:
    return frozenset(path for uri in uris if (path := to_path(uri)) is not None)
