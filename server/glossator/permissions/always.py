"""Rules that the user said always hold in a workspace.

`<user configuration folder>/grants.json` holds them by workspace folder. It can be deleted at any
time: then the user is asked again. Several servers may write it, and each sees what another one
kept or removed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import platformdirs

from glossator.core.errors import UsageError
from glossator.permissions.private_file import DamagedFile, Entries, PrivateFile, update_private
from glossator.permissions.rules import Rule, parse_rule


def grants_file() -> Path:
    """Where rules for always are kept."""
    return Path(platformdirs.user_config_dir("glossator")) / "grants.json"


class AlwaysRules:
    """The rules kept for some folders: one counts where each of them has it.

    `folders` are URIs of real paths. `warn` tells the user of what cannot be used; nothing is
    allowed by it. Who shares a `file` hears once that it cannot be used.
    """

    def __init__(
        self, folders: tuple[str, ...], warn: Callable[[str], object], file: PrivateFile
    ) -> None:
        self._folders = folders
        self._warn = warn
        self._file = file
        self._entries: Entries | None = None  # that the rules are of
        self._rules: tuple[Rule, ...] = ()
        self.now()

    def now(self) -> tuple[Rule, ...]:
        """The rules as the file holds them now."""
        entries = self._read()
        if entries is not self._entries:
            self._entries, self._rules = entries, self._parsed(entries)
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
            update_private(self._file.path, added)
        except OSError as error:
            self._warn(
                f"The permission could not be kept in {self._file.path} ({error}); it holds for"
                " this session only. Check the folder's permissions and the disk's room."
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
                update_private(self._file.path, without)
            except OSError as error:
                raise UsageError(
                    f"The rule could not be removed from {self._file.path} ({error}), so it still"
                    " holds. Check the folder's permissions and the disk's room."
                ) from error
        return found

    def _read(self) -> Entries:
        try:
            return self._file.now()
        except (OSError, DamagedFile) as error:
            self._warn(
                f"Kept permissions are not used, because {self._file.path} cannot be ({error})."
                " Glossator asks again; the next permission for always begins the file anew."
            )
            return {}

    def _parsed(self, entries: Entries) -> tuple[Rule, ...]:
        kept = [entries.get(folder, ()) for folder in self._folders]
        everywhere = (
            [text for text in kept[0] if all(text in texts for texts in kept)] if kept else []
        )
        return usable(everywhere, f"It stands in {self._file.path}.", self._warn)


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
