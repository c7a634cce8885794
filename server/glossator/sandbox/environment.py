"""The environment of a command: no secrets, and git without the programs that a repository names.

`git diff` and the like run what `diff.external`, a diff driver or a filter says: programs that the
author of a repository chooses. For commands that only read, such settings of a repository get
harmless values; those of the user and of the system stay.
Source: git-config(1), gitattributes(5).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence

from glossator.core.errors import UsageError
from glossator.core.shown import shown
from glossator.files import is_inside
from glossator.shell import Script, UnclearScript, possible_folders

_KEPT = re.compile(
    r"PATH|HOME|LANG|LANGUAGE|LC_\w+|TZ|USER|LOGNAME|SHELL|TMPDIR|VIRTUAL_ENV|CONDA_PREFIX"
    r"|JAVA_HOME|GOPATH|GOROOT|CARGO_HOME|RUSTUP_HOME|NVM_DIR|PYENV_ROOT|SSL_CERT_(FILE|DIR)"
)
_SET = {
    "CI": "1",  # no prompts, no watching, no spinners
    "TERM": "dumb",
    "NO_COLOR": "1",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",  # `git status` writes nothing
}
# a repository that was put into the workspace names no program to run
_GIT = (("core.fsmonitor", "false"), ("safe.bareRepository", "explicit"))
_BIN = {"bin", "sbin", "shims"}
_MIXED = {".cargo", ".local", ".config"}  # folders with credentials next to programs
_TOOLS = (
    ".asdf .bun .deno .nvm .pyenv .rbenv .rustup .sdkman .volta .gitconfig .config/git/config"
    " .config/git/ignore .cargo/bin .cargo/config.toml .cargo/registry .cargo/git .m2/repository"
    " .local/bin .local/lib .local/pipx .local/share/fnm .local/share/mise .local/share/pipx"
    " .local/share/pnpm .local/share/uv go/bin go/pkg"
)
GitSettings = tuple[tuple[str, str], ...]

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


def scrubbed(environment: Mapping[str, str]) -> dict[str, str]:
    """What a command gets of `environment`: names that hold no secret, and no relative `PATH`."""
    kept = {name: value for name, value in environment.items() if _KEPT.fullmatch(name)}
    kept["PATH"] = search_path(environment)
    return kept | _SET | dict(_git_settings(_GIT))


def git_settings(settings: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """What to add to such an environment for more settings of git: pairs of a key and a value."""
    return _git_settings((*_GIT, *settings))


def _git_settings(settings: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Source: git-config(1), GIT_CONFIG_COUNT."""
    numbered = (
        pair
        for number, (key, value) in enumerate(settings)
        for pair in ((f"GIT_CONFIG_KEY_{number}", key), (f"GIT_CONFIG_VALUE_{number}", value))
    )
    return (("GIT_CONFIG_COUNT", str(len(settings))), *numbered)


def search_path(environment: Mapping[str, str]) -> str:
    """The absolute folders of `PATH`."""
    folders = environment.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(each for each in folders if os.path.isabs(each))


def home_tools(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The folders and files of a home that the programs on `PATH` consist of."""
    home = os.path.expanduser("~")
    found = [os.path.join(home, each) for each in _TOOLS.split()]
    for folder in search_path(environment).split(os.pathsep):
        parent, name = os.path.split(folder.rstrip("/"))
        above, own = os.path.split(parent)
        # `~/.fly/bin` lies next to a token; what is known to hold programs only is named above
        mixed = parent == home or own in _MIXED or (above == home and own.startswith("."))
        found.append(folder if mixed or name not in _BIN else parent)
    return tuple(dict.fromkeys(each for each in found if os.path.exists(each)))


def git_tools(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Those of `home_tools` that git needs: its configuration, programs, and what it is part of.

    All of them are looked through before each command, which takes longer than git does.
    """
    git = shutil.which("git", path=search_path(environment))
    return tuple(
        each
        for each in home_tools(environment)
        if not os.path.isdir(each)
        or os.path.basename(each) in _BIN
        or (git is not None and is_inside(os.path.realpath(git), os.path.realpath(each)))
    )


def read_only_git_settings(
    script: Script | UnclearScript,
    cwd: str,
    repositories: Iterable[str],
    environment: Mapping[str, str],
) -> tuple[GitSettings, Mapping[str, str]]:
    """The settings of git for a script that only reads, and what to add to its environment.

    `repositories` are the workspace's, by the folder that holds their `.git`. Blocking. Raises
    `UsageError` if the programs cannot be listed.
    """
    git = shutil.which("git", path=environment["PATH"])
    if git is None or isinstance(script, UnclearScript):
        return (), {}
    if not any(command.words[0] == "git" for command in script.commands):
        return (), {}
    folders = possible_folders((each.words for each in script.commands), cwd)
    concerned = _concerned(folders, tuple(repositories))
    if len(concerned) > _MOST:
        raise UsageError(
            f"More than {_MOST} repositories would be read, too many to look at what programs they"
            " name.\nGive the folder of one of them as cwd."
        )
    named = (key for folder in concerned for key in _named(git, folder, environment))
    keys = dict.fromkeys(named)
    off = tuple((key, _INSTEAD.get(key.rpartition(".")[2], "")) for key in keys)
    return (*_ALWAYS, *off), _ENVIRONMENT


def _concerned(folders: Sequence[str], repositories: Sequence[str]) -> list[str]:
    """The folders themselves, and what lies in their repositories: submodules for one."""
    tops = {
        max((each for each in repositories if is_inside(folder, each)), key=len, default=folder)
        for folder in folders
    }
    inside = (each for each in repositories if any(is_inside(each, top) for top in tops))
    return [each for each in dict.fromkeys((*folders, *inside)) if os.path.isdir(each)]


def _named(git: str, folder: str, environment: Mapping[str, str]) -> Iterator[str]:
    """The settings of the repository at `folder` that name programs; nothing is run for them."""
    failed = UsageError(
        f"It is unknown which programs git would run in {shown(folder)}.\nRead its files instead."
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
