"""The shell of some folders: it confines commands, runs them, and owns the jobs."""

from __future__ import annotations

import asyncio
import fcntl
import os
import shutil
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from tempfile import TemporaryFile

from glossator.core.errors import UsageError
from glossator.core.own_process import open_file_limit_of_commands
from glossator.core.permission import Permit
from glossator.core.shown import shown
from glossator.sandbox.confinement import (
    CommandLimits,
    Confined,
    Sandbox,
    SandboxPolicy,
    Unavailable,
)
from glossator.sandbox.environment import (
    GitSettings,
    git_settings,
    git_tools,
    home_tools,
    read_only_git_settings,
    scrubbed,
)
from glossator.sandbox.idle import IdleTimes
from glossator.sandbox.jobs import Jobs, Polled
from glossator.sandbox.process import Finished, Process, Show, run
from glossator.sandbox.served import ServedProgram, start_served
from glossator.shell import CommandContext, is_installed, parse, part_codes
from glossator.workspace import is_inside, real_path

_NO_LIMITS = CommandLimits()
_FIRST_DESCRIPTOR = 40  # a script, its shell and what reports exit codes take lower ones
_LOWER = 'ulimit -S -n "$0"; exec "$@"'
_BASH_PLACES = "/bin:/usr/bin:/usr/local/bin:/run/current-system/sw/bin"


@dataclass(frozen=True, slots=True)
class ShellCommand:
    """A command line, the folder to run it in (the first root if None), and if with network.

    Its `permit` names the paths that it may write although they are protected: the user allowed it.
    `input` is its standard input, which takes bash; None: it has none. With `only_git` it runs git
    alone and sees fewer tools, so it starts sooner. `idle` notes when it rests.
    """

    text: str
    cwd: str | None = None
    network: bool = False
    permit: Permit = field(default_factory=Permit)
    input: bytes | None = None
    only_git: bool = False
    idle: IdleTimes | None = None


@dataclass(frozen=True, slots=True)
class Served:
    """A program that only reads the workspace, without network, and a folder of its own.

    `words` begin with its absolute path. It writes below `written` alone, and reads `readable`
    besides what commands may read. `environment` is added to that of commands.
    """

    words: tuple[str, ...]
    cwd: str
    written: str
    readable: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


class ShellContext(ABC):
    """Runs the commands of the tool Bash; see `Shell`."""

    @property
    @abstractmethod
    def unconfined(self) -> str | None:
        """Why there is no sandbox; None if there is one."""

    @abstractmethod
    async def run(
        self, command: ShellCommand, seconds: float, show: Show | None = None
    ) -> Finished:
        """Run a command to its end, or to the end of its time. Raises `UsageError`, `OSError`.

        `show` gets the end of its output now and then while it runs.
        """

    @abstractmethod
    async def start(self, command: ShellCommand) -> str:
        """Run a command in the background; its job's name. Raises `UsageError`, `OSError`."""

    @abstractmethod
    async def poll(self, job: str, seconds: float) -> Polled:
        """What is new of a job, after waiting so long for its end. Raises `UsageError`."""

    @abstractmethod
    async def stop(self, job: str) -> Polled:
        """End a job. Raises `UsageError`."""


class Shell(ShellContext):
    """Runs commands below `policy.roots`; its callers have the user's permission.

    Without a sandbox it refuses, unless `unconfined_after_asking` is set: only for an owner
    that asks the user about each command. `environment` is the server's own; it is scrubbed.
    """

    def __init__(
        self,
        sandbox: Sandbox | Unavailable,
        policy: SandboxPolicy,
        environment: Mapping[str, str],
        *,
        unconfined_after_asking: bool = False,
        jobs: Jobs | None = None,
    ) -> None:
        """`jobs` are those of its owner, who then closes them."""
        self._sandbox = sandbox
        self._policy = replace(policy, readable=tuple({*policy.readable, *home_tools(environment)}))
        self._readable_of_git = tuple({*policy.readable, *git_tools(environment)})
        self._environment = scrubbed(environment)
        self._open = unconfined_after_asking
        self._jobs = Jobs() if jobs is None else jobs

    @property
    def unconfined(self) -> str | None:
        """Why there is no sandbox; None if there is one."""
        return self._sandbox.reason if isinstance(self._sandbox, Unavailable) else None

    @property
    def readable(self) -> tuple[str, ...]:
        """What commands may read outside the workspace, beside the system's folders."""
        whole = "/"  # above `/bin`; no sandbox shows it
        return tuple(path for path in self._policy.readable if path != whole)

    def place(self, cwd: str | None = None) -> CommandContext:
        """Where a command would run, for `read_only_commands`. Raises `UsageError`; see `run`."""
        return CommandContext(self._folder(cwd), self._policy.roots, self._environment["PATH"])

    def is_temporary(self, path: str) -> bool:
        """Whether what a command writes at `path` (absolute) is its own, and ends with it."""
        if isinstance(self._sandbox, Unavailable):
            return False
        own = self._sandbox.temporary
        if not any(is_inside(path, folder) for folder in own):
            return False
        roots, readable = map(_with_real, (self._policy.roots, self._policy.readable))
        hidden = {each for each in readable if any(is_inside(folder, each) for folder in own)}
        return not any(is_inside(path, each) for each in roots | (readable - hidden))

    async def run(
        self,
        command: ShellCommand,
        seconds: float,
        show: Show | None = None,
        limits: CommandLimits = _NO_LIMITS,
    ) -> Finished:
        """Run a command to its end, or to the end of its time.

        `show` gets the end of its output now and then while it runs.
        Raises `UsageError` for a folder outside the workspace and for a policy that cannot be
        kept, `OSError` if nothing can be started.
        """
        confined, cwd, environment = await asyncio.to_thread(self._prepared, command, limits)
        return await run(confined, cwd, environment, seconds, show)

    async def start(self, command: ShellCommand, limits: CommandLimits = _NO_LIMITS) -> str:
        """Run a command in the background; its job's name. Raises as `run`."""
        self._jobs.check_room()
        confined, cwd, environment = await asyncio.to_thread(self._prepared, command, limits)
        return self._jobs.add(command.text, Process(confined, cwd, environment))

    async def serve(self, served: Served, limits: CommandLimits = _NO_LIMITS) -> ServedProgram:
        """Start a program to speak to; without a sandbox it is not confined. Raises as `run`."""
        cwd = self._folder(served.cwd)
        policy = replace(
            self._policy,
            network=False,
            writable=False,
            readable=(*self._policy.readable, *limits.readable, *served.readable),
            hidden=(*self._policy.hidden, *limits.hidden),
            patterns=limits.patterns,
            sockets=limits.sockets,
            written=(served.written,),
        )
        environment = {**self._environment, **served.environment}
        return await start_served(
            lambda words: self._confined(words, cwd, policy), served.words, cwd, environment
        )

    async def poll(self, job: str, seconds: float) -> Polled:
        """What is new of a job, after waiting so long for its end. Raises `UsageError`."""
        return await self._jobs.poll(job, seconds)

    async def stop(self, job: str) -> Polled:
        """End a job. Raises `UsageError`."""
        return await self._jobs.stop(job)

    async def close(self) -> None:
        """End all jobs."""
        await self._jobs.close()

    def _prepared(
        self, command: ShellCommand, limits: CommandLimits
    ) -> tuple[AbstractContextManager[Confined], str, Mapping[str, str]]:
        """What runs a command, in which folder and environment; blocking."""
        cwd, environment = self._folder(command.cwd), self._environment
        git: GitSettings = ()
        if command.only_git and not is_installed("git", self.place(command.cwd)):
            raise UsageError("The git on the PATH lies in the workspace, so it is not asked.")
        if command.permit.only_reads:
            repositories = limits.repositories

            def listing(text: str, seconds: float) -> subprocess.CompletedProcess[bytes]:
                ours = replace(self._policy_for(command, limits, ()), searched=False)
                with self._confined(_shell(text), cwd, ours) as confined:
                    return subprocess.run(  # noqa: S603 - as the command itself
                        confined.words,
                        cwd=cwd,
                        env=environment,
                        stdin=subprocess.DEVNULL if confined.input is None else confined.input,
                        pass_fds=confined.inherited,
                        capture_output=True,
                        timeout=seconds,
                        check=False,
                    )

            git, more = read_only_git_settings(parse(command.text), cwd, repositories, listing)
            environment = {**environment, **more, **dict(git_settings(git))}
        return self._reporting(command, cwd, limits, git), cwd, environment

    @contextmanager
    def _reporting(
        self, command: ShellCommand, cwd: str, limits: CommandLimits, git: GitSettings
    ) -> Iterator[Confined]:
        """A confined command that reports the exit codes of its last pipeline if bash runs it."""
        reports = part_codes(command.text) if _bash() else nullcontext()
        with reports as codes, _kept_input(command.input) as given:
            text = codes.prelude + command.text if codes else command.text
            if given is not None:
                text = f"exec <&{given} {given}<&-\n{text}"
            policy = self._policy_for(command, limits, git)
            with self._confined(_shell(text), cwd, policy) as confined:
                idle = None if self.unconfined else command.idle  # who escapes cannot be followed
                yield replace(confined, codes=codes, given=given, idle=idle)

    def _confined(
        self, words: tuple[str, ...], cwd: str, policy: SandboxPolicy
    ) -> AbstractContextManager[Confined]:
        if not isinstance(self._sandbox, Unavailable):
            return self._sandbox.confine(words, cwd, policy)
        if not self._open:
            raise UsageError(f"Commands cannot be run. {self._sandbox.reason}")
        return nullcontext(Confined(words))

    def _policy_for(
        self, command: ShellCommand, limits: CommandLimits, git: GitSettings
    ) -> SandboxPolicy:
        protected = [
            part
            for path in (*self._policy.protected, *limits.protected)
            for part in _without(path, command.permit.paths)
        ]
        readable = self._readable_of_git if command.only_git else self._policy.readable
        return replace(
            self._policy,
            network=command.network or self._policy.network,
            writable=not command.permit.only_reads,
            protected=tuple(protected),
            readable=(*readable, *limits.readable),
            hidden=(*self._policy.hidden, *limits.hidden),
            patterns=limits.patterns,
            sockets=limits.sockets,
            hard_linked=command.permit.hard_linked,
            git=git,
        )

    def _folder(self, cwd: str | None) -> str:
        """The real path of the folder to run in. Raises `UsageError`."""
        roots = [os.path.realpath(root) for root in self._policy.roots]
        if not roots:
            raise UsageError("No folder is open, so there is nowhere to run a command.")
        folder = real_path(os.path.join(roots[0], cwd or ""))
        if folder is None:  # no file can have this name
            raise UsageError(f"{shown(cwd or '')} is no folder.\nGive one, or none.")
        if not any(is_inside(folder, root) for root in roots):
            raise UsageError(
                f"{shown(cwd or '')} is outside the workspace.\nGive a folder in it, or none."
            )
        if not os.path.isdir(folder):
            raise UsageError(f"{shown(cwd or '')} is no folder.\nGive one, or none.")
        return folder


@dataclass(frozen=True, slots=True)
class LimitedShell:
    """A shell, and the limits of its next command."""

    shell: Shell
    limits: CommandLimits

    @property
    def open_reason(self) -> str | None:
        """Why a command would not be fully confined; None if it would be."""
        return self.shell.unconfined or self.limits.doubt

    async def run(
        self, command: ShellCommand, seconds: float, show: Show | None = None
    ) -> Finished:
        """See `Shell`."""
        return await self.shell.run(command, seconds, show, self.limits)

    async def start(self, command: ShellCommand) -> str:
        """See `Shell`."""
        return await self.shell.start(command, self.limits)

    async def serve(self, served: Served) -> ServedProgram:
        """See `Shell`."""
        return await self.shell.serve(served, self.limits)


@contextmanager
def _kept_input(data: bytes | None) -> Iterator[int | None]:
    """A descriptor at which a command can read `data`; None without any."""
    if data is None:
        yield None
        return
    with TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        given = fcntl.fcntl(file.fileno(), fcntl.F_DUPFD_CLOEXEC, _FIRST_DESCRIPTOR)
        try:
            yield given
        finally:
            os.close(given)


def _with_real(paths: Iterable[str]) -> set[str]:
    return {name for path in paths for name in (path, os.path.realpath(path))}


def _bash() -> str | None:
    return shutil.which("bash", path=_BASH_PLACES)


def _without(path: str, targets: Collection[str]) -> Iterator[str]:
    """A protected path, or if targets lie in it, everything else that is in it now."""
    if not any(is_inside(target, path) for target in targets):
        yield path
    elif path not in targets and os.path.isdir(path) and not os.path.islink(path):
        for name in os.listdir(path):
            yield from _without(os.path.join(path, name), targets)


def _shell(text: str) -> tuple[str, ...]:
    if text.startswith(("-", "+")):
        text = f" {text}"  # not an option of the shell
    bash = _bash()
    words = (os.path.realpath(bash) if bash else "/bin/sh", "-c", text)
    limit = open_file_limit_of_commands()
    return words if limit is None else ("/bin/sh", "-c", _LOWER, str(limit), *words)
