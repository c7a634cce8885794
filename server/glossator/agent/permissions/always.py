"""Rules that the user said always hold in a workspace.

`<user configuration folder>/grants.json` holds them by workspace folder. It can be deleted at any
time: then the user is asked again. Several servers may write it, and each sees what another one
kept or removed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

import platformdirs

from glossator.agent.permissions.private_file import (
    DamagedFile,
    Entries,
    read_private,
    update_private,
)
from glossator.agent.permissions.rules import Rule, parse_rule
from glossator.core.errors import UsageError


def grants_file() -> Path:
    """Where rules for always are kept."""
    return Path(platformdirs.user_config_dir("glossator")) / "grants.json"


class AlwaysRules:
    """The rules kept for some folders: one counts where each of them has it.

    `folders` are URIs of real paths. `warn` tells the user of what cannot be used; nothing is
    allowed by it.
    """

    def __init__(
        self, folders: tuple[str, ...], warn: Callable[[str], object], file: Path | None = None
    ) -> None:
        self._folders = folders
        self._warn = warn
        self._file = file or grants_file()
        self._read_at: object = None
        self._rules: tuple[Rule, ...] = ()
        self.now()

    def now(self) -> tuple[Rule, ...]:
        """The rules as the file holds them now; it is read again only when it has changed."""
        at = _state(self._file)
        if at != self._read_at or at is None:
            self._read_at, self._rules = at, self._read()
        return self._rules

    def add(self, rules: Iterable[Rule]) -> bool:
        """Keep rules; whether they could be."""
        texts = tuple(map(str, rules))

        def added(entries: Entries) -> Entries:
            new = {
                folder: tuple(dict.fromkeys((*entries.get(folder, ()), *texts)))
                for folder in self._folders
            }
            return {**entries, **new}

        try:
            update_private(self._file, added)
        except OSError as error:
            self._warn(
                f"The permission could not be kept in {self._file} ({error}); it holds for this"
                " session only. Check the folder's permissions and the disk's room."
            )
            return False
        return True

    def remove(self, rule: Rule) -> bool:
        """Keep a rule no more; whether it was kept. Raises `UsageError` if it cannot be removed."""
        found = rule in self.now()

        def without(entries: Entries) -> Entries:
            mine = {folder: entries[folder] for folder in self._folders if folder in entries}
            new = {
                folder: tuple(text for text in texts if not _says(text, rule))
                for folder, texts in mine.items()
            }
            return {**entries, **new}

        if found:
            try:
                update_private(self._file, without)
            except OSError as error:
                raise UsageError(
                    f"The rule could not be removed from {self._file} ({error}), so it still holds."
                    " Check the folder's permissions and the disk's room."
                ) from error
        return found

    def _read(self) -> tuple[Rule, ...]:
        try:
            entries = read_private(self._file)
        except (OSError, DamagedFile) as error:
            self._warn(
                f"Kept permissions are not used, because {self._file} cannot be ({error})."
                " Glossator asks again; the next permission for always begins the file anew."
            )
            return ()
        kept = [entries.get(folder, ()) for folder in self._folders]
        everywhere = (
            [text for text in kept[0] if all(text in texts for texts in kept)] if kept else []
        )
        return usable(everywhere, f"It stands in {self._file}.", self._warn)


def usable(texts: Iterable[str], where: str, warn: Callable[[str], object]) -> tuple[Rule, ...]:
    """The rules that kept texts say; the user is warned of each that is none."""
    rules: list[Rule] = []
    for text in texts:
        try:
            rules.append(parse_rule(text))
        except UsageError as error:
            warn(f"A kept permission is not used. {error} {where}")
    return tuple(rules)


def _says(text: str, rule: Rule) -> bool:
    try:
        return parse_rule(text) == rule
    except UsageError:
        return False


def _state(file: Path) -> tuple[int, ...] | None:
    """What changes with the file; it is always replaced as a whole. None if it is not there."""
    try:
        status = os.stat(file)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ino, status.st_size, status.st_ctime_ns
