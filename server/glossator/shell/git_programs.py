"""git without the programs that a repository's configuration names, for commands that only read.

`git diff` and the like run what `diff.external`, a driver for differences or a filter says, and who
puts a repository into a workspace chooses all three. Such settings of a repository get harmless
values; those of the user and of the system are theirs. Source: git-config(1), gitattributes(5).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence

from glossator.core.errors import UsageError
from glossator.core.shown import shown
from glossator.shell.paths import path_within
from glossator.shell.script import MOVES, Script, Unclear, moved

Settings = tuple[tuple[str, str], ...]

_NONE = "/bin/false"
_SAME = "/bin/cat"
_PLAIN = 'f() { printf "diff %s\\n" "$1"; /usr/bin/diff -u -- "$2" "$5"; :; }; f'
_ALWAYS = (
    ("core.hooksPath", os.devnull),
    ("core.sshCommand", _NONE),
    ("log.showSignature", "false"),
    ("protocol.allow", "never"),
    *((f"gpg.{kind}program", _NONE) for kind in ("", "openpgp.", "x509.", "ssh.")),
)
_ENVIRONMENT = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1"}
_NAMED = re.compile(
    r"diff\.external|diff\..+\.(?:command|textconv)"
    r"|filter\..+\.(?:clean|smudge|process|required)",
    re.DOTALL,
)
_INSTEAD = {"external": _PLAIN, "command": _PLAIN, "textconv": _SAME, "required": "false"}
_THEIRS = ("system", "global")  # scopes
_SECONDS = 10.0
_BROKEN = 128  # git's exit code where it would not work at all
_MOST = 64  # repositories, 3 ms each


def reading_settings(
    script: Script | Unclear,
    cwd: str,
    repositories: Iterable[str],
    environment: Mapping[str, str],
) -> tuple[Settings, Mapping[str, str]]:
    """The settings of git for a script that only reads, and what to add to its environment.

    `repositories` are the workspace's, by the folder that holds their `.git`. Blocking. Raises
    `UsageError` if it cannot be told what they name.
    """
    git = shutil.which("git", path=environment["PATH"])
    if git is None or isinstance(script, Unclear):
        return (), {}
    if not any(command.words[0] == "git" for command in script.commands):
        return (), {}
    concerned = _concerned(_folders(script, cwd), tuple(repositories))
    if len(concerned) > _MOST:
        raise UsageError(
            f"More than {_MOST} repositories would be read, too many to look at what programs they"
            " name.\nGive the folder of one of them as cwd."
        )
    named = (key for folder in concerned for key in _named(git, folder, environment))
    keys = dict.fromkeys(named)
    off = tuple((key, _INSTEAD.get(key.rpartition(".")[2], "")) for key in keys)
    return (*_ALWAYS, *off), _ENVIRONMENT


def _folders(script: Script, cwd: str) -> list[str]:
    """Where the shell may be by the time it runs git."""
    folders = [cwd]
    for command in script.commands:
        if command.words[0] in MOVES:
            folders = moved(folders, command.words)
    return folders


def _concerned(folders: Sequence[str], repositories: Sequence[str]) -> list[str]:
    """The folders themselves, and what lies in their repositories: submodules for one."""
    tops = {
        max((each for each in repositories if path_within(folder, each)), key=len, default=folder)
        for folder in folders
    }
    inside = (each for each in repositories if any(path_within(each, top) for top in tops))
    return [each for each in dict.fromkeys((*folders, *inside)) if os.path.isdir(each)]


def _named(git: str, folder: str, environment: Mapping[str, str]) -> Iterator[str]:
    """The settings of the repository at `folder` that name programs; nothing is run for them."""
    failed = UsageError(
        f"What programs git would run in {shown(folder)} cannot be told.\nRead its files instead."
    )
    try:
        listed = subprocess.run(  # noqa: S603 - the git that the command would run
            (git, "config", "--list", "-z", "--show-scope"),
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise failed from error
    if listed.returncode == _BROKEN:
        return
    if listed.returncode:
        raise failed
    fields = os.fsdecode(listed.stdout).split("\0")
    for scope, setting in zip(fields[::2], fields[1::2], strict=False):
        key = setting.partition("\n")[0]
        if scope not in _THEIRS and _NAMED.fullmatch(key):
            yield key
