"""What a command may touch, and what confines it to that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from glossator.shell.pipeline import PartCodes


@dataclass(frozen=True, slots=True)
class Quota:
    """The most that one command may take.

    `processes` are its processes and threads at one moment. `memory_bytes` is what one process may
    hold of its own. `temporary_bytes` is what each temporary folder may hold.
    """

    processes: int = 2_048
    memory_bytes: int = 8_000_000_000
    temporary_bytes: int = 2_000_000_000


@dataclass(frozen=True, slots=True)
class Policy:
    """What a command may touch; all paths are absolute.

    Below `roots` it may write if they are `writable`, but for `protected`: files and folders that
    it can neither change nor create, `shared`: files and folders that it cannot change, and
    `hidden`: those whose content it cannot see. Of what git keeps of files that fit `patterns`, as
    of .gitignore, git shows nothing by the way. `readable` are further files and folders that it
    may read. The `sockets` and FIFOs are other programs'; they can be reached with the network
    only. `git` are settings that git is given, as pairs of a key and a value.
    """

    roots: tuple[str, ...]
    protected: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    sockets: tuple[str, ...] = ()
    network: bool = False
    writable: bool = True
    shared: tuple[str, ...] = ()
    quota: Quota = Quota()
    git: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Limits:
    """What of the workspace one command is kept from; `doubt` says why that may not be all.

    `repositories` are the folders that hold a `.git`. `names` is what is there by a protected name,
    and where it leads if it is a link.
    """

    protected: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    sockets: tuple[str, ...] = ()
    doubt: str | None = None
    repositories: tuple[str, ...] = ()
    names: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Shared:
    """The files of a workspace that have other names elsewhere, as hard links.

    `sealed` are they, or folders above them, as a command is kept from changing them; None where
    they are too many for that.
    """

    files: tuple[str, ...] = ()
    sealed: tuple[str, ...] | None = ()


@dataclass(frozen=True, slots=True)
class Confined:
    """What to run instead of a command; `nested` if the command is in a session of its own there.

    Then it is a child of what is run, which ends after it and with its exit code. `input` is the
    descriptor that what is run needs as its standard input, None if it needs none. `codes` are told
    of the parts of its last pipeline.
    """

    words: tuple[str, ...]
    nested: bool = False
    input: int | None = None
    codes: PartCodes | None = None


class Sandbox(Protocol):
    """Confines commands to a policy."""

    @property
    def name(self) -> str:
        """The program that does it, for the user."""

    @property
    def temporary(self) -> tuple[str, ...]:
        """The folders that each command has for itself: empty before it, and gone after it."""

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
