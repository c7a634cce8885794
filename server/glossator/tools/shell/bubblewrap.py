"""The sandbox on Linux: bubblewrap, with namespaces of its own for each command.

The disk is read-only but for the workspace; homes, `/tmp` and `/run`, where credentials and the
sockets of other programs are, are empty. No network, no other processes, no capabilities, and no
further namespaces in which to get them back.
"""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from glossator.core.errors import UsageError
from glossator.tools.shell.covers import Unreadable, unreadable
from glossator.tools.shell.environment import git_setting
from glossator.tools.shell.guards import guard
from glossator.tools.shell.paths import path_within
from glossator.tools.shell.policy import Confined, Policy, Unavailable
from glossator.tools.shell.protection import Guard, Pin, protection

_PLACES = ("/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin")
_PRIVATE = ("/tmp", "/var/tmp", "/run", "/home", "/root")  # noqa: S108 - emptied, not used
_ISOLATED = ("--unshare-all", "--unshare-user")
_NO_NESTING = "--disable-userns"  # since 0.8
_BASE = (
    *("--cap-drop", "ALL", "--die-with-parent", "--new-session", "--as-pid-1"),
    *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
    # the kernel's settings are root's, with or without capabilities
    *(
        word
        for name in "sys sysrq-trigger irq bus acpi asound driver dynamic_debug fs scsi".split()
        for word in ("--ro-bind-try", f"/proc/{name}", f"/proc/{name}")
    ),
)
_SOCKETS = "/proc/net/unix"
_ATTRIBUTES = "/dev/glossator-attributes"  # in a folder that is the sandbox's own
_GIT = git_setting("core.attributesFile", _ATTRIBUTES)
# The first process of the namespace: when it ends, the kernel ends all others before bubblewrap
# learns of it. Of bubblewrap's own first process it does not wait for the end. What this
# shell has to say about signals is not part of the output.
_FIRST = ("/bin/sh", "-c", 'exec 3>&2 2>/dev/null; ("$@" 2>&3 3>&-); exit $?', "sh")
_TRIAL = 10.0  # seconds


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """A `bwrap` that works, and how it is told to isolate."""

    name: ClassVar[str] = "bubblewrap"
    program: str
    isolation: tuple[str, ...]

    def confine(
        self, command: Sequence[str], cwd: str, policy: Policy
    ) -> AbstractContextManager[Confined]:
        """See `Sandbox`."""
        return self._confined(command, cwd, policy)

    @contextmanager
    def _confined(self, command: Sequence[str], cwd: str, policy: Policy) -> Iterator[Confined]:
        with ExitStack() as guards:
            arguments = [self.program, *self.isolation, *_BASE]
            if policy.network:
                arguments.append("--share-net")
            arguments += _disk(policy)
            for mount in protection(policy):
                if isinstance(mount, Guard) and not guards.enter_context(guard(mount.path)):
                    continue  # we may not create it, so no command of ours may either
                how = "--bind" if isinstance(mount, Pin) else "--ro-bind"
                arguments += how, mount.path, mount.path
            sockets = _sockets(policy)
            if policy.hidden or policy.patterns or sockets:
                cover = guards.enter_context(unreadable(policy.patterns))
                arguments += ("--ro-bind", cover.attributes, _ATTRIBUTES)
                arguments += (word for each in _GIT for word in ("--setenv", *each))
                arguments += _covered((*policy.hidden, *sockets), cover)
            words = (*arguments, "--chdir", cwd, "--", *_FIRST, *command)
            yield Confined(words, nested=True)


def _sockets(policy: Policy) -> list[str]:
    """Other programs' sockets that could be connected to: a read-only mount does not keep that.

    Those of the workspace serve as the network does. Elsewhere may be a service that acts for root.
    """
    roots = [os.path.realpath(root) for root in policy.roots]
    private, shown = _private(), [path for path, _ in _reopened(policy)]

    def is_seen(path: str) -> bool:
        places = shown if any(path_within(path, each) for each in private) else ("/",)
        return any(path_within(path, each) for each in places) and not any(
            path_within(path, each) for each in (*roots, "/proc", "/dev")
        )

    try:
        lines = Path(_SOCKETS).read_text("utf-8", "surrogateescape").splitlines()
    except OSError:  # a system without /proc
        lines = []
    bound = {os.path.realpath(line[line.index("/") :]) for line in lines if "/" in line}
    ours = () if policy.network else policy.sockets
    return [*ours, *(path for path in sorted(bound) if is_seen(path) and _is_socket(path))]


def _is_socket(path: str) -> bool:
    try:
        return stat.S_ISSOCK(os.stat(path).st_mode)
    except OSError:
        return False


def _covered(paths: Iterable[str], cover: Unreadable) -> Iterator[str]:
    """A cover over each file and folder; a link gets none: it leads to one that does."""
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
    found = Bubblewrap(program, (*_ISOLATED, _NO_NESTING))
    failure = _try(found)
    if failure is not None:
        found = Bubblewrap(program, _ISOLATED)
        failure = _try(found)
    if failure is None:
        return found
    return Unavailable(
        f"bubblewrap does not work here ({failure}), so every command is asked about. Containers "
        "and some distributions forbid user namespaces: allow them to have a sandbox."
    )


def _try(sandbox: Bubblewrap) -> str | None:
    """What is wrong with a sandbox; None if it works."""
    with sandbox.confine(("true",), "/", Policy(())) as confined:
        try:
            result = subprocess.run(  # noqa: S603 - a program of the system
                confined.words,
                env={"PATH": os.defpath},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_TRIAL,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
    if result.returncode == 0:
        return None
    return result.stderr.decode("utf-8", "replace").strip() or f"exit code {result.returncode}"


def _private() -> list[str]:
    """What is emptied: where credentials and other programs' sockets are, outer folders first."""
    home = os.path.realpath(os.path.expanduser("~"))
    private = [each for each in (*_PRIVATE, home) if each != "/" and os.path.isdir(each)]
    return sorted({os.path.realpath(each) for each in private}, key=len)


def _reopened(policy: Policy) -> Iterator[tuple[str, str]]:
    """What is shown of folders that are emptied: a path, and the real one behind it."""
    private = _private()
    for each in (*policy.readable, "/etc/resolv.conf"):
        real = os.path.realpath(each)
        if any(path_within(folder, real) for folder in private):
            continue  # it would show what is hidden
        for path in sorted({each, real}):
            if any(path_within(path, folder) for folder in private):
                yield path, real


def _disk(policy: Policy) -> list[str]:
    """What is hidden, what of it is shown nevertheless, and what may be written."""
    roots = sorted(map(os.path.realpath, policy.roots), key=len)
    if "/" in roots:
        raise UsageError("The workspace is the whole disk, so no sandbox can confine commands.")
    arguments = []
    for each in _private():
        arguments += ["--tmpfs", each]
    for path, real in _reopened(policy):
        arguments += ["--ro-bind-try", real, path]
    for each in roots:
        arguments += ["--bind", each, each]
    return [*arguments, "--setenv", "TMPDIR", "/tmp"]  # noqa: S108 - the sandbox's own
