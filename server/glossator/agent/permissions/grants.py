"""What the user answered: for this once, for the session, or always in this workspace.

`<user configuration folder>/grants.json` holds the rules of the last kind by workspace folder. It
can be deleted at any time: then the user is asked again. What holds for a session is kept with it.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import platformdirs

from glossator.agent.permissions.decide import Allow, Ask, Deny
from glossator.agent.permissions.policy import Rules
from glossator.agent.permissions.private_file import (
    DamagedFile,
    Entries,
    read_private,
    update_private,
)
from glossator.agent.permissions.rules import Rule, parse_rule
from glossator.core.errors import UsageError
from glossator.core.permission import Choice, PermissionAnswer
from glossator.core.uri import to_uri

logger = logging.getLogger(__name__)

_NO = "The user does not allow this.\n"
_WITHOUT_WORDS = "Do not try to reach the same in another way. Ask how to go on."


def grants_file() -> Path:
    """Where rules for always are kept."""
    return Path(platformdirs.user_config_dir("glossator")) / "grants.json"


class Grants:
    """One session's answers and those kept for its workspace; belongs to the event loop.

    `roots` are the workspace's folders: a rule is kept for each, and counts where all have it.
    `warn` tells the user of what cannot be used; nothing is allowed by it. `kept` is all that an
    earlier object of the same session gave to `keep`, as JSON: it counts for the very folders that
    it was answered about.
    """

    def __init__(
        self,
        roots: Iterable[str],
        warn: Callable[[str], object],
        file: Path | None = None,
        kept: Iterable[object] = (),
        keep: Callable[[object], object] = lambda _: None,
    ) -> None:
        self._folders = tuple(dict.fromkeys(to_uri(os.path.realpath(root)) for root in roots))
        self._warn = warn
        self._file = file or grants_file()
        self._keep_in_session = keep
        self._session: dict[Rule, None] = dict.fromkeys(self._restored(kept))
        self._always = self._read()

    @property
    def rules(self) -> Rules:
        """What the answers allow from now on."""
        return Rules(allow=tuple(dict.fromkeys((*self._session, *self._always))))

    def settle(self, ask: Ask, answer: PermissionAnswer) -> Allow | Deny:
        """Keep the answer for as long as it is meant to hold, and act on it."""
        match answer.choice:
            case Choice.DENY:
                said = answer.message.strip()
                if not answer.asked:
                    return Deny(said)
                return Deny(_NO + (f"The user says: {said}" if said else _WITHOUT_WORDS))
            case Choice.SESSION | Choice.ALWAYS if ask.suggestions:
                self._session.update(dict.fromkeys(ask.suggestions))
                texts = tuple(map(str, ask.suggestions))
                if answer.choice is Choice.SESSION or not self._keep_always(texts):
                    self._keep_in_session({"folders": self._folders, "rules": texts})
        return Allow()

    def _keep_always(self, texts: tuple[str, ...]) -> bool:
        """Whether the rules could be kept."""

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

    def _restored(self, kept: Iterable[object]) -> Iterator[Rule]:
        for entry in kept:
            match entry:
                case {"folders": [*folders], "rules": [*texts]} if _are_texts(folders, texts):
                    if set(folders) == set(self._folders):
                        yield from self._parsed(texts, "It was given in this session.")
                case _:
                    self._warn(
                        "A permission that was given in this session is damaged and is not used."
                        " Glossator asks again."
                    )

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
        return tuple(self._parsed(everywhere, f"It stands in {self._file}."))

    def _parsed(self, texts: Iterable[str], where: str) -> Iterator[Rule]:
        for text in texts:
            try:
                yield parse_rule(text)
            except UsageError as error:
                self._warn(f"A kept permission is not used. {error} {where}")


def _are_texts(*lists: Iterable[object]) -> bool:
    return all(isinstance(each, str) for values in lists for each in values)
