"""What the user allowed: once, for the session, or always in this workspace.

Rules for a session are kept with it. Rules for always are kept by workspace folder in
`<user configuration folder>/grants.json`. Several servers may write that file, and each sees what
another one kept or removed. It can be deleted at any time; then the user is asked again. Each
session has a mode of its own (`Modes`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

import platformdirs

from glossator.core.errors import StoreUnavailable, UsageError
from glossator.core.permission import Choice, Mode, PermissionAnswer
from glossator.core.shown import shown
from glossator.core.uri import to_uri
from glossator.permissions.decide import Allow, Ask, Deny
from glossator.permissions.policy import Rule, UserRules, parse_rule
from glossator.permissions.private_file import DamagedFile, Entries, PrivateFile, update_private
from glossator.permissions.worktrees import counts_as

_REFUSED = (
    "The user refused this.\nDo not try to get the same result another way. Ask how to go on."
)


class Grants:
    """One session's answers and those kept for its workspace; belongs to the event loop.

    `roots` are the workspace's folders: a rule is kept for each, and counts where all have it.
    `warn` reports to the user what cannot be used. `kept` is everything that an earlier object of
    the same session gave to `keep`, as JSON: it counts for exactly the folders of the question.
    """

    def __init__(
        self,
        roots: Iterable[str],
        warn: Callable[[str], object],
        file: PrivateFile | None = None,
        kept: Iterable[object] = (),
        keep: Callable[[object], object] = lambda _: None,
    ) -> None:
        real = (counts_as(os.path.realpath(root)) for root in roots)
        self._folders = tuple(dict.fromkeys(map(to_uri, real)))
        self._warn = warn
        self._keep_in_session = keep
        self._session = self._restored(kept)
        self._always = AlwaysRules(self._folders, warn, file or PrivateFile(grants_file()))

    @property
    def rules(self) -> UserRules:
        """The rules that the answers allow from now on."""
        return UserRules(allow=tuple(dict.fromkeys((*self.of_session, *self.for_always))))

    @property
    def of_session(self) -> tuple[Rule, ...]:
        """The rules allowed for this session."""
        return tuple(self._session)

    @property
    def for_always(self) -> tuple[Rule, ...]:
        """The rules always allowed in this workspace."""
        return self._always.now()

    def settle(self, ask: Ask, answer: PermissionAnswer) -> Allow | Deny:
        """Keep the answer for as long as it is meant to hold, and act on it.

        Rules that the user wrote are kept instead of those suggested. Raises `UsageError` for one
        that cannot be used; nothing is kept then.
        """
        match answer.choice:
            case Choice.DENY:
                said = answer.message.strip()
                if not answer.asked:
                    return Deny(_unasked(said, ask))
                if said:
                    return Deny(f"The user refused: {said}", f"You refused: {said}")
                return Deny(_REFUSED, "You refused this.")
            case Choice.SESSION | Choice.ALWAYS if ask.suggestions:
                rules = ask.suggestions if answer.rules is None else _written(answer.rules)
                always = answer.choice is Choice.ALWAYS
                if rules and not (always and self._always.add(rules)):
                    self._session.update(dict.fromkeys(rules))
                    texts = tuple(map(str, rules))
                    self._keep_in_session({"folders": self._folders, "rules": texts})
        return Allow()

    def remove_from_session(self, rule: Rule) -> bool:
        """Remove a rule from this session; whether it was there."""
        found = rule in self._session
        if found:
            del self._session[rule]
            self._keep_in_session({"folders": self._folders, "removed": (str(rule),)})
        return found

    def remove_from_always(self, rule: Rule) -> bool:
        """Remove a rule that always counts; whether it was there.

        Raises `UsageError` if it cannot be removed.
        """
        return self._always.remove(rule)

    def _restored(self, kept: Iterable[object]) -> dict[Rule, None]:
        rules: dict[Rule, None] = {}
        for entry in kept:
            match entry:
                case {"folders": [*folders], "rules": [*texts]} if _are_texts(folders, texts):
                    if set(folders) == set(self._folders):
                        rules |= dict.fromkeys(self._parsed(texts))
                case {"folders": [*folders], "removed": [*texts]} if _are_texts(folders, texts):
                    if set(folders) == set(self._folders):
                        for rule in self._parsed(texts):
                            rules.pop(rule, None)
                case _:
                    self._warn(
                        "A permission that was given in this session is damaged and is not used."
                        " Glossator asks again."
                    )
        return rules

    def _parsed(self, texts: Iterable[str]) -> tuple[Rule, ...]:
        return usable(texts, "It was given in this session.", self._warn)


def _unasked(said: str, ask: Ask) -> str:
    """A note for the model that nobody could be asked, with the reasons, so that it goes on."""
    first, *rest = said.split("\n")
    reasons = (f"The user would be told: {reason}" for reason in ask.reasons)
    return "\n".join((first, *reasons, *rest))


def _written(texts: Iterable[str]) -> tuple[Rule, ...]:
    """The rules that the user wrote. Raises `UsageError` for what is none or looks otherwise."""
    texts = tuple(texts)
    for text in texts:
        if shown(text) != text:
            raise UsageError(
                f"The permission rule {shown(text)} has characters that cannot be seen or that pass"
                " for others; a rule is kept only without such."
            )
    return tuple(map(parse_rule, texts))


def _are_texts(*lists: Iterable[object]) -> bool:
    return all(isinstance(each, str) for values in lists for each in values)


def grants_file() -> Path:
    """The file of rules that always count."""
    return Path(platformdirs.user_config_dir("glossator")) / "grants.json"


class AlwaysRules:
    """The rules kept for some folders: one counts where each of them has it.

    `folders` are URIs of real paths. `warn` reports to the user what cannot be used; for a shared
    `file` only one object reports it.
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
        """Keep rules; whether that worked."""
        texts = tuple(map(str, rules))

        def added(entries: Entries) -> Entries:
            new = {
                folder: tuple(dict.fromkeys((*entries.get(folder, ()), *texts)))
                for folder in self._folders
            }
            return {**entries, **new}

        try:
            update_private(self._file.path, added)
        except StoreUnavailable as error:
            self._warn(f"The permission holds for this session only. {error}")
            return False
        return True

    def remove(self, rule: Rule) -> bool:
        """Remove a rule; whether it was kept. Raises `UsageError` if it cannot be removed."""
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
            except StoreUnavailable as error:
                raise UsageError(f"The rule was not removed, so it still holds. {error}") from error
        return found

    def _read(self) -> Entries:
        try:
            return self._file.now()
        except (OSError, DamagedFile) as error:
            self._warn(
                f"Kept permissions are not used, because {self._file.path} cannot be ({error})."
                " Glossator asks again; the next permission for always starts a new file."
            )
            return {}

    def _parsed(self, entries: Entries) -> tuple[Rule, ...]:
        kept = [entries.get(folder, ()) for folder in self._folders]
        everywhere = (
            [text for text in kept[0] if all(text in texts for texts in kept)] if kept else []
        )
        return usable(everywhere, f"It stands in {self._file.path}.", self._warn)


def usable(texts: Iterable[str], where: str, warn: Callable[[str], object]) -> tuple[Rule, ...]:
    """Parse kept rules, and warn the user of each that is none."""
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


class Modes:
    """The mode of each session: that of its first run here, or the one set since.

    Plan mode, and what was chosen `once`, is that of the next session that is made here and nothing
    else; all others have the usual.
    """

    def __init__(self, mode: Mode) -> None:
        self._setting = self._new = mode
        self._once = False  # the mode of new sessions is that of the next one only
        self._of: dict[str, Mode] = {}

    def of(self, session_id: str | None = None) -> Mode:
        """The mode of a session: the usual before its first run; without one that of the next."""
        return self._new if session_id is None else self._of.get(session_id, self.usual)

    @property
    def usual(self) -> Mode:
        """The mode of sessions for which none was chosen."""
        return self._setting if self._is_once else self._new

    @property
    def known(self) -> dict[str, Mode]:
        """The sessions that have a mode of their own."""
        return dict(self._of)

    def made(self, session_id: str) -> None:
        """A session was made for the user: it takes what is chosen for the next one."""
        if self._is_once:
            self._of[session_id], self._new, self._once = self._new, self._setting, False

    def begin(self, session_id: str, mode: Mode | None = None) -> None:
        """Begin a run in `mode` or its session's, whatever the mode of new sessions becomes."""
        self._of[session_id] = mode or self.of(session_id)

    def change(self, mode: Mode, session_id: str | None = None, *, once: bool = False) -> None:
        """Set a session's mode from its next tool call on, or without one that of new sessions."""
        if session_id is None:
            self._new, self._once = mode, once
        else:
            self._of[session_id] = mode

    def forget(self, session_id: str) -> None:
        """Forget a session that was deleted."""
        self._of.pop(session_id, None)

    @property
    def _is_once(self) -> bool:
        return self._once or self._new is Mode.PLAN
