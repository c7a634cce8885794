"""What a command may touch, and the sandbox that confines it to that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from glossator.sandbox.idle import IdleTimes
from glossator.shell import PartCodes


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
class SandboxPolicy:
    """What a command may touch; all paths are absolute.

    Below `roots` it may write if they are `writable`. Exceptions are files and folders that are
    `protected` (it can neither change nor create them), `hard_linked` (it cannot change them) or
    `hidden` (it cannot read them). Git shows no committed content of files that match `patterns`
    (of .gitignore). `readable` are more files and folders that it may read. `sockets`, and FIFOs,
    are other programs'; only with the network can they be reached. `git` are settings for git.
    `searched`: whether further sockets and FIFOs are looked for, which can take seconds; not for a
    command of ours that would use none. `written` are folders outside the roots that it may write.
    """

    roots: tuple[str, ...]
    protected: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    sockets: tuple[str, ...] = ()
    network: bool = False
    writable: bool = True
    hard_linked: tuple[str, ...] = ()
    quota: Quota = Quota()
    git: tuple[tuple[str, str], ...] = ()
    searched: bool = True
    written: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CommandLimits:
    """What of the workspace one command may not touch; `doubt` says why that may not be all.

    `repositories` are the folders that hold a `.git`. `readable` is more that it may read: git's
    files of linked worktrees. `names` are the existing paths with protected names, and where they
    lead if they are links.
    """

    protected: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    sockets: tuple[str, ...] = ()
    doubt: str | None = None
    repositories: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()
    names: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HardLinkedFiles:
    """The files of a workspace that have other names elsewhere.

    `read_only` are the files, or folders above them, to mount read-only; None if they are too many.
    """

    files: tuple[str, ...] = ()
    read_only: tuple[str, ...] | None = ()


@dataclass(frozen=True, slots=True)
class Confined:
    """What to run instead of a command; `nested` if the command is in a session of its own there.

    Then it is a child of what is run, which ends after it and with its exit code. `input` is the
    descriptor for the standard input of what is run, None if it needs none. `codes` receives the
    exit codes of its last pipeline. `given` is a descriptor that the command itself reads,
    `inherited` are those that what is run needs. `idle` is told of its process. In the folders
    `touched` the sandbox itself removes something after the command.
    """

    words: tuple[str, ...]
    nested: bool = False
    input: int | None = None
    codes: PartCodes | None = None
    given: int | None = None
    idle: IdleTimes | None = None
    inherited: tuple[int, ...] = ()
    touched: tuple[str, ...] = ()


class Sandbox(Protocol):
    """Confines commands to a policy."""

    @property
    def name(self) -> str:
        """The program that does it, for the user."""

    @property
    def temporary(self) -> tuple[str, ...]:
        """The folders that each command has for itself: empty before it, and gone after it."""

    def confine(
        self, command: Sequence[str], cwd: str, policy: SandboxPolicy
    ) -> AbstractContextManager[Confined]:
        """What to run instead of `command`, to run it in `cwd`, until the `with` is left.

        Raises `UsageError` for a policy that cannot be kept.
        """


@dataclass(frozen=True, slots=True)
class Unavailable:
    """There is no sandbox; `reason` is for the user, with what to do about it."""

    reason: str
