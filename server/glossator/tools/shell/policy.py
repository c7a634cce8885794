"""What a command may touch, and what confines it to that."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from glossator.tools.shell.pipeline import PartCodes


@dataclass(frozen=True, slots=True)
class Policy:
    """What a command may touch; all paths are absolute.

    Below `roots` it may write, but for `protected`: files and folders that it can neither change
    nor create, and `hidden`: those whose content it cannot see. Of what git keeps of files that fit
    `patterns`, as of .gitignore, git shows nothing by the way. `readable` are further files and
    folders, of the user's home for one, that it may read. The `sockets` are other programs'; they
    can be reached with the network only.
    """

    roots: tuple[str, ...]
    protected: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    sockets: tuple[str, ...] = ()
    network: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """What of the workspace one command is kept from; `doubt` says why that may not be all."""

    protected: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    sockets: tuple[str, ...] = ()
    doubt: str | None = None


@dataclass(frozen=True, slots=True)
class Confined:
    """What to run instead of a command; `nested` if the command is in a session of its own there.

    Then it is a child of what is run, which ends after it and with its exit code. `codes` are told
    of the parts of its last pipeline.
    """

    words: tuple[str, ...]
    nested: bool = False
    codes: PartCodes | None = None


class Sandbox(Protocol):
    """Confines commands to a policy."""

    @property
    def name(self) -> str:
        """The program that does it, for the user."""

    def confine(
        self, command: Sequence[str], cwd: str, policy: Policy
    ) -> AbstractContextManager[Confined]:
        """What to run instead of `command`, to run it in `cwd`, until the `with` is left.

        Raises `UsageError` for a policy that cannot be kept.
        """


@dataclass(frozen=True, slots=True)
class Unavailable:
    """There is no sandbox; `reason` is for the user, with what to do about it."""

    reason: str
