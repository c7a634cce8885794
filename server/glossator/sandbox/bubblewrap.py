"""The sandbox on Linux: bubblewrap, with new namespaces for each command.

A command sees the workspace, the system's programs and those on `PATH`, and nothing else of the
disk: no credentials of a home, no sockets and FIFOs of other programs. Only the workspace is
writable. It has no network, no other processes, no capabilities, and no further namespaces in which
to get them back.
"""

from __future__ import annotations

import os
import platform
import re
import stat
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from glossator.core.errors import UsageError
from glossator.sandbox.confinement import Confined, Quota, SandboxPolicy, Unavailable
from glossator.sandbox.environment import git_settings
from glossator.sandbox.hard_links import find_below
from glossator.sandbox.mounts import (
    Covers,
    PinnedMount,
    PlaceholderMount,
    covers,
    mounts_for,
    placeholder,
)
from glossator.workspace import is_inside

_PLACES = ("/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin")
# what programs consist of, and what they read to run
_SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/sys"),
    *("/nix", "/gnu", "/snap", "/var/cache/fontconfig"),
    *(f"/var/lib/{name}" for name in ("ca-certificates", "gems", "ghc", "snapd", "texmf")),
)
_TEMPORARY = ("/tmp", "/var/tmp", "/run", "/dev/shm")  # noqa: S108 - the sandbox's own
_ISOLATED = ("--unshare-all", "--unshare-user")
_NO_NESTING = "--disable-userns"  # since 0.8
_BASE = (
    *("--cap-drop", "ALL", "--die-with-parent", "--new-session", "--as-pid-1"),
    *("--dev", "/dev", "--proc", "/proc"),
    # the kernel's settings are root's, with or without capabilities
    *(
        word
        for name in "sys sysrq-trigger irq bus acpi asound driver dynamic_debug fs scsi".split()
        for word in ("--ro-bind-try", f"/proc/{name}", f"/proc/{name}")
    ),
)
_SOCKETS = "/proc/net/unix"
_OPEN = ("(", "-type", "s", "-o", "-type", "p", ")")  # what another program may listen at
_FIND_SECONDS = 20.0  # seconds: half a million files of a cold disk take 12
_UNSEEN = (
    "Which sockets and FIFOs of other programs are in the folders that commands may read could not"
    " be found out: {}, so the command was not run.\nAsk the user to name fewer or smaller folders"
    " in the setting shell.readable, or to run the command."
)
_ATTRIBUTES = "/dev/glossator-attributes"  # in a folder that is the sandbox's own
_PLAIN_SHELL = "/bin/sh"
# The shell of the first process. Nobody may read it, so Linux lets no command trace the process or
# write to its memory, and have it forget to die with its parent. Source: ptrace(2), prctl(2).
_SHELL = "/dev/glossator/sh"
# The first process of the namespace: when it ends, the kernel ends all others before bubblewrap
# notices. (It does not wait for the end of bubblewrap's own first process.) What this shell says
# about signals is not part of the output. Its input is a pipe that only the server can write to:
# at its end the server is dead, and a child kills everything that runs here or is about to, even
# if bubblewrap has not yet asked the kernel to do so.
_FIRST = """
exec 3>&2 2>/dev/null 4<&0 </dev/null
(trap '' TERM INT HUP; read -r _ <&4; until kill -s KILL -- -1; do :; done) >/dev/null 3>&- &
exec 4<&-
{limits}
("$@" 2>&3 3>&-)
exit $?
"""
_COUNTED_APART = (5, 14)  # Linux that counts the processes of a user namespace by themselves
_TRIAL_SECONDS = 10.0  # seconds


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """A `bwrap` that works, and its options for isolation.

    `modern`: it limits temporary folders, and keeps its first process from being traced.
    """

    name: ClassVar[str] = "bubblewrap"
    temporary: ClassVar[tuple[str, ...]] = _TEMPORARY
    program: str
    isolation: tuple[str, ...]
    modern: bool

    @contextmanager
    def confine(
        self, command: Sequence[str], cwd: str, policy: SandboxPolicy
    ) -> Iterator[Confined]:
        """See `Sandbox`."""
        with ExitStack() as guards:
            arguments = [self.program, *self.isolation, *_BASE]
            if policy.network:
                arguments.append("--share-net")
            arguments += _disk(policy, policy.quota.temporary_bytes if self.modern else None)
            touched: list[str] = []
            for mount in mounts_for(policy) if policy.writable else ():
                if isinstance(mount, PlaceholderMount):
                    if not guards.enter_context(placeholder(mount.path)):
                        continue  # we may not create it, so no command of ours may either
                    touched.append(os.path.dirname(mount.path))
                how = "--bind" if isinstance(mount, PinnedMount) else "--ro-bind"
                arguments += how, mount.path, mount.path
            sockets = _sockets(policy) if policy.searched else []
            if policy.hidden or policy.patterns or sockets:
                cover = guards.enter_context(covers(policy.patterns))
                arguments += ("--ro-bind", cover.attributes, _ATTRIBUTES)
                settings = git_settings((*policy.git, ("core.attributesFile", _ATTRIBUTES)))
                arguments += (word for each in settings for word in ("--setenv", *each))
                arguments += _covered((*policy.hidden, *sockets), cover)
            shell = os.open(_PLAIN_SHELL, os.O_RDONLY)
            guards.callback(os.close, shell)
            if self.modern:
                arguments += ("--perms", "0111", "--file", str(shell), _SHELL)
            arguments += ("--remount-ro", "/dev", "--remount-ro", "/")
            name = _SHELL if self.modern else _PLAIN_SHELL
            first = (name, "-c", _FIRST.format(limits=_limits(policy.quota)), "sh")
            words = (*arguments, "--chdir", cwd, "--", *first, *command)
            reading, writing = os.pipe()
            guards.callback(os.close, reading)
            guards.callback(os.close, writing)
            yield Confined(
                words, nested=True, input=reading, inherited=(shell,), touched=tuple(touched)
            )


def _limits(quota: Quota) -> str:
    """The shell's commands that limit the processes it starts; `ulimit` counts in kB.

    The option for the number of processes differs between shells. Linux before 5.14 also counts
    the user's processes outside the sandbox, which may be more already.
    """
    limits = f"ulimit -d {quota.memory_bytes // 1_024}"
    if _kernel() >= _COUNTED_APART:
        limits += f"; ulimit -u {quota.processes} || ulimit -p {quota.processes}"
    return limits


def _kernel() -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", platform.release())[:2]))


def _sockets(policy: SandboxPolicy) -> list[str]:
    """Other programs' sockets and FIFOs: they can be used in spite of a read-only mount.

    Those of the workspace count as network. Others may lead to a service that acts for root.
    Raises `UsageError` if there are too many files to search.
    """
    roots = [os.path.realpath(root) for root in policy.roots]
    there = (*_listening(), *_open_in(policy))
    ours = () if policy.network else policy.sockets
    elsewhere = {path for path in there if not any(is_inside(path, root) for root in roots)}
    return [*ours, *sorted(elsewhere)]


def _listening() -> Iterator[str]:
    """The sockets in the system's folders whose whole path the kernel knows."""
    try:
        lines = Path(_SOCKETS).read_text("utf-8", "surrogateescape").splitlines()
    except OSError:  # a system without /proc
        return
    for path in {os.path.realpath(line[line.index("/") :]) for line in lines if "/" in line}:
        if any(is_inside(path, folder) for folder in _SYSTEM) and _is_socket(path):
            yield path


def _open_in(policy: SandboxPolicy) -> Iterator[str]:
    """The sockets and FIFOs in what is mounted besides the system's folders, by each name.

    The kernel knows a socket by the path that it was bound by, which may be relative.
    """
    mounted = list(_reopened(policy))
    try:
        found = find_below(sorted({real for _, real in mounted}), _OPEN, _FIND_SECONDS)
    except UsageError as error:
        raise UsageError(_UNSEEN.format(error)) from error
    for place, real in mounted:
        for path in found:
            if is_inside(path, real):
                yield place + path[len(real) :]


def _is_socket(path: str) -> bool:
    try:
        return stat.S_ISSOCK(os.stat(path).st_mode)
    except OSError:
        return False


def _covered(paths: Iterable[str], cover: Covers) -> Iterator[str]:
    """Mounts of covers over files and folders; links get none, since their targets are covered."""
    for path in paths:
        if os.path.lexists(path) and not os.path.islink(path):
            yield from ("--ro-bind", cover.folder if os.path.isdir(path) else cover.file, path)


def find_bubblewrap() -> Bubblewrap | Unavailable:
    """Bubblewrap, if it is installed and works for this user on this system."""
    program = next(filter(os.path.isfile, (f"{each}/bwrap" for each in _PLACES)), None)
    if program is None:
        return Unavailable(
            "bubblewrap is not installed, so every command is asked about. Install the package "
            "bubblewrap to have commands run in a sandbox."
        )
    failure = None
    for nesting, modern in (((_NO_NESTING,), True), ((), True), ((), False)):
        found = Bubblewrap(program, (*_ISOLATED, *nesting), modern)
        failure = _try(found)
        if failure is None:
            return found
    return Unavailable(
        f"bubblewrap does not work here ({failure}), so every command is asked about. Containers "
        "and some distributions forbid user namespaces: allow them to have a sandbox."
    )


def _try(sandbox: Bubblewrap) -> str | None:
    """Try a sandbox; returns what is wrong with it, None if it works."""
    with sandbox.confine(("true",), "/", SandboxPolicy(())) as confined:
        try:
            result = subprocess.run(  # noqa: S603 - a program of the system
                confined.words,
                env={"PATH": os.defpath},
                stdin=confined.input,
                pass_fds=confined.inherited,
                capture_output=True,
                timeout=_TRIAL_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
    if result.returncode == 0:
        return None
    return result.stderr.decode("utf-8", "replace").strip() or f"exit code {result.returncode}"


def _reopened(policy: SandboxPolicy) -> Iterator[tuple[str, str]]:
    """What is mounted besides the system's folders: paths, and the real ones behind them."""
    home = _home()
    for each in (*policy.readable, "/etc/resolv.conf"):
        real = os.path.realpath(each)
        if any(is_inside(folder, real) for folder in (home, *_TEMPORARY)):
            continue  # it would uncover what is hidden
        for path in sorted({each, real}):
            if not any(is_inside(path, folder) for folder in _SYSTEM):
                yield path, real


def _home() -> str:
    return os.path.realpath(os.path.expanduser("~"))


def _disk(policy: SandboxPolicy, most: int | None) -> list[str]:
    """The mounts of the disk, writable or not; `most` is the size of a temporary folder."""
    roots = sorted(map(os.path.realpath, policy.roots), key=len)
    if "/" in roots:
        raise UsageError("The workspace is the whole disk, so no sandbox can confine commands.")
    size = [] if most is None else ["--size", str(most)]
    arguments = []
    for each in _SYSTEM:
        if os.path.islink(each):
            arguments += ["--symlink", os.readlink(each), each]
        elif os.path.exists(each):
            arguments += ["--ro-bind", each, each]
    home = _home()
    for each in (*_TEMPORARY, *([] if home == "/" else [home])):
        arguments += [*size, "--tmpfs", each]
    arguments += ["--symlink", "/run", "/var/run"]
    for path, real in _reopened(policy):
        arguments += ["--ro-bind-try", real, path]
    for each in map(os.path.realpath, policy.written):
        arguments += ["--bind", each, each]
    for each in roots:
        arguments += ["--bind" if policy.writable else "--ro-bind", each, each]
    return [*arguments, "--setenv", "TMPDIR", "/tmp"]  # noqa: S108 - the sandbox's own
