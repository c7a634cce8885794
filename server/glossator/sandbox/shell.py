"""The shell of a workspace: it owns the sandbox, what commands may touch, and the jobs."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace

from glossator.core.descriptors import limit_of_commands
from glossator.core.errors import UsageError
from glossator.core.shown import shown
from glossator.sandbox.environment import git_settings, home_tools, scrubbed
from glossator.sandbox.jobs import Jobs, Polled
from glossator.sandbox.policy import Confined, Limits, Policy, Sandbox, Unavailable
from glossator.sandbox.process import Finished, Process, run
from glossator.shell.git_programs import Settings, reading_settings
from glossator.shell.judge import Place
from glossator.shell.paths import path_within
from glossator.shell.pipeline import part_codes
from glossator.shell.syntax import parse

_NO_LIMITS = Limits()
_LOWER = 'ulimit -S -n "$0"; exec "$@"'
_BASH_PLACES = "/bin:/usr/bin:/usr/local/bin:/run/current-system/sw/bin"


@dataclass(frozen=True, slots=True)
class Command:
    """A command line, the folder to run it in (the first root if None), and if with network.

    `only_reads`: it was allowed as one that changes nothing, so it is kept from changing anything.
    `shared` are the files and folders that it may not change for the sake of their other names,
    `targets` those that it may write whatever protects them: the user was asked about them.
    """

    text: str
    cwd: str | None = None
    network: bool = False
    only_reads: bool = False
    shared: tuple[str, ...] = ()
    targets: frozenset[str] = frozenset()


class Shell:
    """Runs commands below `policy.roots`, for whoever has the user's permission.

    Without a sandbox it refuses, unless `unconfined_after_asking` is set: only for an owner
    that asks the user about each command. `environment` is the server's own; it is scrubbed.
    """

    def __init__(
        self,
        sandbox: Sandbox | Unavailable,
        policy: Policy,
        environment: Mapping[str, str],
        *,
        unconfined_after_asking: bool = False,
        jobs: Jobs | None = None,
    ) -> None:
        """`jobs` are those of its owner, who then closes them."""
        self._sandbox = sandbox
        self._policy = replace(policy, readable=tuple({*policy.readable, *home_tools(environment)}))
        self._environment = scrubbed(environment)
        self._open = unconfined_after_asking
        self._jobs = Jobs() if jobs is None else jobs

    @property
    def unconfined(self) -> str | None:
        """Why there is no sandbox; None if there is one."""
        return self._sandbox.reason if isinstance(self._sandbox, Unavailable) else None

    def place(self, cwd: str | None = None) -> Place:
        """Where a command would run, for `is_read_only`. Raises `UsageError`; see `run`."""
        return Place(self._folder(cwd), self._policy.roots, self._environment["PATH"])

    def is_temporary(self, path: str) -> bool:
        """Whether what a command writes at `path` (absolute) is its own, and ends with it."""
        if isinstance(self._sandbox, Unavailable):
            return False
        own = self._sandbox.temporary
        if not any(path_within(path, folder) for folder in own):
            return False
        roots, readable = map(_with_real, (self._policy.roots, self._policy.readable))
        hidden = {each for each in readable if any(path_within(folder, each) for folder in own)}
        return not any(path_within(path, each) for each in roots | (readable - hidden))

    async def run(self, command: Command, seconds: float, limits: Limits = _NO_LIMITS) -> Finished:
        """Run a command to its end, or to the end of its time.

        Raises `UsageError` for a folder outside the workspace and for a policy that cannot be
        kept, `OSError` if nothing can be started.
        """
        confined, cwd, environment = await asyncio.to_thread(self._prepared, command, limits)
        return await run(confined, cwd, environment, seconds)

    async def start(self, command: Command, limits: Limits = _NO_LIMITS) -> str:
        """Run a command in the background; its job's name. Raises as `run`."""
        self._jobs.check_room()
        confined, cwd, environment = await asyncio.to_thread(self._prepared, command, limits)
        return self._jobs.add(command.text, Process(confined, cwd, environment))

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
        self, command: Command, limits: Limits
    ) -> tuple[AbstractContextManager[Confined], str, Mapping[str, str]]:
        """What runs a command, in which folder and environment; blocking."""
        cwd, environment = self._folder(command.cwd), self._environment
        git: Settings = ()
        if command.only_reads:
            repositories = limits.repositories
            git, more = reading_settings(parse(command.text), cwd, repositories, environment)
            environment = {**environment, **more, **dict(git_settings(git))}
        return self._telling(command, cwd, limits, git), cwd, environment

    @contextmanager
    def _telling(
        self, command: Command, cwd: str, limits: Limits, git: Settings
    ) -> Iterator[Confined]:
        """A command, confined, that tells the exit codes of its last pipeline if it can."""
        with part_codes(command.text) if _bash() else nullcontext() as codes:
            telling = codes.prelude + command.text if codes else command.text
            with self._confined(replace(command, text=telling), cwd, limits, git) as confined:
                yield replace(confined, codes=codes)

    def _confined(
        self, command: Command, cwd: str, limits: Limits, git: Settings
    ) -> AbstractContextManager[Confined]:
        words = _shell(command.text)
        if not isinstance(self._sandbox, Unavailable):
            protected = [
                kept
                for path in (*self._policy.protected, *limits.protected)
                for kept in _but_for(path, command.targets)
            ]
            policy = replace(
                self._policy,
                network=command.network or self._policy.network,
                writable=not command.only_reads,
                protected=tuple(protected),
                hidden=(*self._policy.hidden, *limits.hidden),
                patterns=limits.patterns,
                sockets=limits.sockets,
                shared=command.shared,
                git=git,
            )
            return self._sandbox.confine(words, cwd, policy)
        if not self._open:
            raise UsageError(f"Commands cannot be run. {self._sandbox.reason}")
        return nullcontext(Confined(words))

    def _folder(self, cwd: str | None) -> str:
        """The real path of the folder to run in."""
        roots = [os.path.realpath(root) for root in self._policy.roots]
        if not roots:
            raise UsageError("No folder is open, so there is nowhere to run a command.")
        folder = os.path.realpath(os.path.join(roots[0], cwd or ""))
        if not any(path_within(folder, root) for root in roots):
            raise UsageError(
                f"{shown(cwd or '')} is outside the workspace.\nGive a folder in it, or none."
            )
        if not os.path.isdir(folder):
            raise UsageError(f"{shown(cwd or '')} is no folder.\nGive one, or none.")
        return folder


@dataclass(frozen=True, slots=True)
class LimitedShell:
    """A shell and what the next command is kept from besides."""

    shell: Shell
    limits: Limits

    @property
    def open_reason(self) -> str | None:
        """Why a command would not be confined to all that it should be; None if it would."""
        return self.shell.unconfined or self.limits.doubt

    async def run(self, command: Command, seconds: float) -> Finished:
        """See `Shell`."""
        return await self.shell.run(command, seconds, self.limits)

    async def start(self, command: Command) -> str:
        """See `Shell`."""
        return await self.shell.start(command, self.limits)


def _with_real(paths: Iterable[str]) -> set[str]:
    return {name for path in paths for name in (path, os.path.realpath(path))}


def _bash() -> str | None:
    return shutil.which("bash", path=_BASH_PLACES)


def _but_for(path: str, targets: Collection[str]) -> Iterator[str]:
    """A protected path; where targets lie in it, what else is in it now."""
    if not any(path_within(target, path) for target in targets):
        yield path
    elif path not in targets and os.path.isdir(path) and not os.path.islink(path):
        for name in os.listdir(path):
            yield from _but_for(os.path.join(path, name), targets)


def _shell(text: str) -> tuple[str, ...]:
    if text.startswith(("-", "+")):
        text = f" {text}"  # not an option of the shell
    bash = _bash()
    words = (os.path.realpath(bash) if bash else "/bin/sh", "-c", text)
    limit = limit_of_commands()
    return words if limit is None else ("/bin/sh", "-c", _LOWER, str(limit), *words)
