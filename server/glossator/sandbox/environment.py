"""The environment of a command: no secrets, and git without the programs that a repository names.

`git diff` and the like run what `diff.external`, a diff driver or a filter says: programs that the
author of a repository chooses. For commands that only read, such settings of a repository get
harmless values; those of the user and of the system stay.
Source: git-config(1), gitattributes(5).
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from glossator.core.errors import UsageError
from glossator.core.shown import shown
from glossator.shell import Script, UnclearScript, possible_folders
from glossator.workspace import is_inside

_KEPT_VARIABLES = re.compile(
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
Listing = Callable[[str, float], subprocess.CompletedProcess[bytes]]

_FAILING_PROGRAM = "/bin/false"
_COPYING_PROGRAM = "/bin/cat"
_PLAIN_DIFF = 'f() { printf "diff %s\\n" "$1"; /usr/bin/diff -u -- "$2" "$5"; :; }; f'
_ALWAYS = (
    ("core.hooksPath", os.devnull),
    ("core.sshCommand", _FAILING_PROGRAM),
    ("log.showSignature", "false"),
    ("protocol.allow", "never"),
    *((f"gpg.{kind}program", _FAILING_PROGRAM) for kind in ("", "openpgp.", "x509.", "ssh.")),
)
_ENVIRONMENT = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1"}
_PROGRAM_KEYS = re.compile(
    r"diff\.external|diff\..+\.(?:command|textconv)"
    r"|filter\..+\.(?:clean|smudge|process|required)",
    re.DOTALL,
)
_REPLACEMENTS = {
    "external": _PLAIN_DIFF,
    "command": _PLAIN_DIFF,
    "textconv": _COPYING_PROGRAM,
    "required": "false",
}
_USER_SCOPES = ("system", "global")  # scopes
_LIST_SECONDS = 10.0
_MAX_REPOSITORIES = 64  # repositories, 3 ms each
_FOLDER_SCOPE = "folder"  # in place of a scope
_LIST = (
    "(cd {0} && {{ top=$(git rev-parse --show-toplevel 2>/dev/null) || top=; }}"
    rf""" && printf '{_FOLDER_SCOPE}\0%s\0%s\0' {{0}} "$top" """
    "&& git config --list -z --show-scope --show-origin)"
)
_INCLUDE = re.compile(r"include(?:if\..+)?\.path", re.DOTALL)
_PROCESS_FOLDERS = ("/proc", "/dev")  # what a process finds there, another one does not
_MAX_LINKS = 40  # as many as Linux follows
_UNKNOWN = (
    "It is unknown which programs git would run{}.\nRead the files of the repository instead, or"
    " tell the user what git says about its settings."
)


def scrubbed(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that a command gets: no names that hold secrets, no relative `PATH`."""
    kept = {name: value for name, value in environment.items() if _KEPT_VARIABLES.fullmatch(name)}
    kept["PATH"] = search_path(environment)
    return kept | _SET | dict(_git_settings(_GIT))


def git_settings(settings: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """The variables that add settings of git to an environment, given as pairs of key and value."""
    return _git_settings((*_GIT, *settings))


def _git_settings(settings: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """The variables that hand settings to git. Source: git-config(1), GIT_CONFIG_COUNT."""
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
    found += map(tools_at, search_path(environment).split(os.pathsep))
    return tuple(dict.fromkeys(each for each in found if os.path.exists(each)))


def tools_at(folder: str) -> str:
    """What the programs in a folder consist of: the folder, or the one above a `bin`."""
    home = os.path.expanduser("~")
    parent, name = os.path.split(folder.rstrip("/"))
    above, own = os.path.split(parent)
    # `~/.fly/bin` lies next to a token; what is known to hold programs only is named above
    mixed = parent == home or own in _MIXED or (above == home and own.startswith("."))
    return folder if mixed or name not in _BIN else parent


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
    listing: Listing,
) -> tuple[GitSettings, Mapping[str, str]]:
    """The settings of git for a script that only reads, and what to add to its environment.

    `repositories` are the workspace's, by the folder that holds their `.git`. `listing` runs a line
    of a shell where the script will run, and for so many seconds at most: a file of settings may be
    another one there. Blocking. Raises `UsageError` if the programs cannot be listed.
    """
    if isinstance(script, UnclearScript):
        return (), {}
    if not any(command.words[0] == "git" for command in script.commands):
        return (), {}
    folders = possible_folders((each.words for each in script.commands), cwd)
    every = tuple(repositories)
    seen: dict[str, None] = {}
    keys: dict[str, None] = {}
    concerned = _concerned(folders, every)
    while concerned:
        seen |= dict.fromkeys(concerned)
        if len(seen) > _MAX_REPOSITORIES:
            raise UsageError(
                f"More than {_MAX_REPOSITORIES} repositories would be read, too many to look at"
                " what programs they name.\nGive the folder of one of them as cwd."
            )
        named, tops = _listed(concerned, listing)
        keys |= named
        concerned = [each for each in _concerned(tops, every) if each not in seen]
    off = tuple((key, _REPLACEMENTS.get(key.rpartition(".")[2], "")) for key in keys)
    return (*_ALWAYS, *off), _ENVIRONMENT


def _concerned(folders: Iterable[str], repositories: Sequence[str]) -> list[str]:
    """The folders themselves, and what their repositories contain, such as submodules."""
    folders = tuple(folders)
    tops = {
        max((each for each in repositories if is_inside(folder, each)), key=len, default=folder)
        for folder in folders
    }
    inside = (each for each in repositories if any(is_inside(each, top) for top in tops))
    return [each for each in dict.fromkeys((*folders, *inside)) if os.path.isdir(each)]


def _listed(folders: Sequence[str], listing: Listing) -> tuple[dict[str, None], list[str]]:
    """The settings of the repositories at `folders` that name programs; none of these is run.

    Also what these repositories take for their topmost folders: `core.worktree` may be any.
    """
    try:
        listed = listing(
            " && ".join(_LIST.format(shlex.quote(each)) for each in folders), _LIST_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(_UNKNOWN.format(f": {error}")) from error
    if listed.returncode:
        said = shown(listed.stderr.decode(errors="replace").strip().rpartition("\n")[2])
        raise UsageError(_UNKNOWN.format(f", as it fails there: {said}"))
    keys, tops = dict[str, None](), list[str]()
    fields, folder = os.fsdecode(listed.stdout).split("\0"), ""
    for scope, origin, setting in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
        if scope == _FOLDER_SCOPE:
            folder = origin
            tops += [setting] if setting else []
            continue
        key, _, value = setting.partition("\n")
        file = os.path.join(folder, origin.removeprefix("file:"))
        included = [os.path.join(os.path.dirname(file), value)] if _INCLUDE.fullmatch(key) else []
        ways = (place for path in (file, *included) for place in _way(path))
        if any(is_inside(place, each) for place in ways for each in _PROCESS_FOLDERS):
            raise UsageError(_UNKNOWN.format(f": {shown(key)} is {shown(value)}, in {shown(file)}"))
        if scope not in _USER_SCOPES and _PROGRAM_KEYS.fullmatch(key):
            keys[key] = None
    return keys, tops


def _way(path: str) -> Iterator[str]:
    """A path and the paths its links lead to; a process's own links differ each time."""
    for _ in range(_MAX_LINKS):
        path = os.path.normpath(path)
        yield path
        parts = path.split("/")
        heads = ("/".join(parts[:end]) for end in range(2, len(parts) + 1))
        link = next(filter(os.path.islink, heads), None)
        if link is None:
            return
        target = os.path.join(os.path.dirname(link), os.readlink(link))
        path = target + path[len(link) :]
