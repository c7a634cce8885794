"""The sandbox on macOS: `sandbox-exec` with a profile made for each command.

Writing is limited to the workspace and temporary folders, there is no network, and well-known
folders of credentials cannot be read. Other processes can be seen, there are no namespaces, but
neither looked into nor signalled, nor may others be made to run something outside the sandbox.
Source: the profiles in /System/Library/Sandbox/Profiles; the language has no documentation.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import ClassVar

import platformdirs

from glossator.sandbox.confinement import Confined, SandboxPolicy, Unavailable
from glossator.workspace import is_inside

_PROGRAM = "/usr/bin/sandbox-exec"
_TRIAL_SECONDS = 10.0  # seconds
_DEVICES = "/dev/null /dev/zero /dev/tty /dev/stdout /dev/stderr /dev/dtracehelper".split()
_TEMPORARY = ("/private/tmp", "/private/var/tmp")
_CONFINED = (
    "(deny signal)",
    "(allow signal (target same-sandbox))",
    "(deny process-info*)",
    "(allow process-info* (target same-sandbox))",
    '(deny sysctl-read (sysctl-name-prefix "kern.procargs"))',  # the environment of the server
    "(deny job-creation)",
    "(deny lsopen)",
    "(deny appleevent-send)",
)
_SECRETS = (
    ".ssh .aws .azure .gnupg .kube .netrc .docker .config/gcloud .config/gh Library/Keychains"
)
_LOGINS = "mcp-logins.json"  # of ours, in the state folder


@dataclass(frozen=True, slots=True)
class Seatbelt:
    """The system's `sandbox-exec`."""

    name: ClassVar[str] = "sandbox-exec"
    temporary: ClassVar[tuple[str, ...]] = ()  # those of the system are everybody's
    program: str = _PROGRAM

    def confine(
        self, command: Sequence[str], cwd: str, policy: SandboxPolicy
    ) -> AbstractContextManager[Confined]:
        """See `Sandbox`; the caller starts the command in `cwd`."""
        del cwd
        return nullcontext(Confined((self.program, "-p", profile(policy), *command)))


def find_seatbelt() -> Seatbelt | Unavailable:
    """`sandbox-exec`, if it works."""
    found = Seatbelt()
    with found.confine(("/usr/bin/true",), "/", SandboxPolicy(())) as confined:
        try:
            result = subprocess.run(  # noqa: S603 - a program of the system
                confined.words, env={}, capture_output=True, timeout=_TRIAL_SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return Unavailable(
                f"sandbox-exec does not work ({error}); every command is asked about."
            )
    if result.returncode:
        failure = result.stderr.decode("utf-8", "replace").strip()
        return Unavailable(f"sandbox-exec does not work ({failure}); every command is asked about.")
    return found


def profile(policy: SandboxPolicy) -> str:
    """The profile for a policy, in the language of `sandbox-exec`; what comes later wins."""
    home = os.path.expanduser("~")
    temporary = [*_TEMPORARY, os.path.realpath(os.environ.get("TMPDIR", _TEMPORARY[0]))]
    roots = [os.path.realpath(each) for each in policy.roots]
    own = map(os.path.realpath, policy.written)
    written = [*temporary, *own, *(roots if policy.writable else ())]
    secrets = [os.path.join(home, each) for each in _SECRETS.split()]
    secrets.append(os.path.join(platformdirs.user_state_dir("glossator"), _LOGINS))
    protected = [_real_parent(each) for each in (*policy.protected, *policy.hard_linked)]
    hidden = [_real_parent(each) for each in policy.hidden]
    lines = ["(version 1)", "(allow default)", *_CONFINED]
    if not policy.network:
        lines.append("(deny network*)")
    lines += [
        "(deny file-write*)",
        f"(allow file-write* {_all('literal', _DEVICES)} {_all('subpath', written)})",
        f"(deny file* {_all('subpath', secrets)})",
    ]
    if hidden:  # nor be linked or cloned; `file-read*` alone lets them be renamed, then read
        lines.append(f"(deny file* {_all('subpath', hidden)})")
    if protected:
        lines.append(f"(deny file-write* {_all('subpath', protected)})")
    if pinned := sorted({each for path in (*protected, *hidden) for each in _between(path, roots)}):
        lines.append(f"(deny file-write-unlink {_all('literal', pinned)})")  # nor be renamed
    return "\n".join(lines)


def _real_parent(path: str) -> str:
    folder, name = os.path.split(path.rstrip("/"))
    return os.path.join(os.path.realpath(folder), name)


def _between(path: str, roots: Iterable[str]) -> Iterator[str]:
    """The folders from a root to `path`, which must stay where they are."""
    folder = os.path.dirname(path)
    while any(is_inside(folder, root) for root in roots):
        yield folder
        folder = os.path.dirname(folder)


def _all(kind: str, paths: Iterable[str]) -> str:
    return " ".join(f"({kind} {_quoted(path)})" for path in paths)


def _quoted(path: str) -> str:
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
