"""What a command finds in its environment, and what of the user's home it may read."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence

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
    """What of a home, and of other folders that are hidden, the programs on `PATH` consist of."""
    home = os.path.expanduser("~")
    found = [os.path.join(home, each) for each in _TOOLS.split()]
    for folder in search_path(environment).split(os.pathsep):
        parent, name = os.path.split(folder.rstrip("/"))
        above, own = os.path.split(parent)
        # `~/.fly/bin` lies next to a token; what is known to hold programs only is named above
        mixed = parent == home or own in _MIXED or (above == home and own.startswith("."))
        found.append(folder if mixed or name not in _BIN else parent)
    return tuple(dict.fromkeys(each for each in found if os.path.exists(each)))
