"""What holds at the moment a call is decided: the mode, the rules and where they come from.

Rules from within a workspace have a type of their own, which can neither allow nor set a mode.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field

from glossator.core.permission import Mode
from glossator.files.roots import is_inside
from glossator.permissions.protected import own_folders
from glossator.permissions.rules import Rule, parse_rules


@dataclass(frozen=True, slots=True)
class Restrictions:
    """Rules that narrow: all that a workspace may say, whoever wrote it."""

    deny: tuple[Rule, ...] = ()
    ask: tuple[Rule, ...] = ()

    @staticmethod
    def parse(deny: Iterable[str], ask: Iterable[str]) -> Restrictions:
        """Raises `UsageError` for a malformed rule."""
        return Restrictions(parse_rules(deny), parse_rules(ask))


@dataclass(frozen=True, slots=True)
class Rules:
    """Rules of the user."""

    deny: tuple[Rule, ...] = ()
    ask: tuple[Rule, ...] = ()
    allow: tuple[Rule, ...] = ()

    @staticmethod
    def parse(deny: Iterable[str], ask: Iterable[str], allow: Iterable[str]) -> Rules:
        """Raises `UsageError` for a malformed rule."""
        return Rules(parse_rules(deny), parse_rules(ask), parse_rules(allow))


@dataclass(frozen=True, slots=True)
class Places:
    """What paths are told by: the workspace's folders, the user's home and our own folders."""

    roots: tuple[str, ...]
    home: str
    own: tuple[str, ...] = ()

    @staticmethod
    def of(roots: Iterable[str]) -> Places:
        """The places of this user and these workspace folders, by real path."""
        home = os.path.realpath(os.path.expanduser("~"))
        return Places(tuple(map(os.path.realpath, roots)), home, own_folders())

    def holds(self, path: str) -> bool:
        """Whether a real path lies inside the workspace."""
        return any(is_inside(path, root) for root in self.roots)


@dataclass(frozen=True, slots=True)
class Policy:
    """Everything a decision depends on, besides the subject.

    `only_reads`: what was asked for changes nothing, whatever the mode allows.
    """

    mode: Mode
    places: Places
    user: Rules = field(default_factory=Rules)
    session: Rules = field(default_factory=Rules)
    workspace: Restrictions = field(default_factory=Restrictions)
    only_reads: bool = False

    @property
    def deny(self) -> tuple[Rule, ...]:
        """The deny rules of every source."""
        return self.user.deny + self.session.deny + self.workspace.deny

    @property
    def ask(self) -> tuple[Rule, ...]:
        """The ask rules of every source."""
        return self.user.ask + self.session.ask + self.workspace.ask

    @property
    def allow(self) -> tuple[Rule, ...]:
        """The allow rules of the sources that may have some."""
        return self.user.allow + self.session.allow
