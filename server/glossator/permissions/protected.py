"""Protected paths: a change of them asks in every mode, whatever a rule allows.

Programs obey them unasked (an editor that opens the folder, a shell that enters it, git on commit),
or they say how much an agent may do. What runs only when somebody runs it (a Makefile, a test) is
not protected: there the command is asked about. Creating such a file counts as a change, and so
does touching a folder that may hold one. Names are compared as the most generous file system does.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

import platformdirs

from glossator.workspace import is_inside

# why -> the last names of paths, in any folder; `*` stands for anything within a name
_TABLE: dict[str, str] = {
    "editors may run what it says": """
        .vscode .idea .zed .helix .fleet .vs .theia .settings .nvim .emacs.d
        .exrc .vimrc .nvimrc .gvimrc .lvimrc .nvim.lua .nvimrc.lua .vim .emacs
        .dir-locals.el .dir-locals-2.el .spacemacs *.code-workspace *.sublime-project
        *.sublime-workspace .devcontainer .devcontainer.json .config/nvim .config/helix .config/zed
        .config/code .config/emacs""",
    "git may run it, or what it names": """
        .git *.git .gitconfig .gitmodules .config/git .husky .githooks .hg .svn .jj
        .pre-commit-config.yaml .lefthook.* lefthook.yml lefthook.yaml lefthook.toml lefthook.json
        .overcommit.yml .lintstagedrc .lintstagedrc.*""",
    "shells run it when they start or enter the folder": """
        .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv
        .zprofile .zlogin .zlogout .zsh .kshrc .mkshrc .cshrc .tcshrc .login .logout .inputrc
        .config/fish .envrc .direnvrc .mise.toml .mise.*.toml mise.toml mise.*.toml .mise .xprofile
        .xinitrc .xsession .config/autostart .config/systemd .tmux.conf .screenrc""",
    "other programs may run what it names": """
        .npmrc .yarnrc .yarnrc.yml .yarn .pnpmfile.cjs .pnpmfile.mjs .pnp.cjs .pnp.loader.mjs
        .cargo .pypirc .pdbrc .gdbinit .lldbinit .ripgreprc .wgetrc .curlrc .netrc .ssh .gnupg
        .docker .kube .aws""",
    "it runs with the repository's secrets as soon as it is pushed": """
        .github/workflows .github/actions .gitlab-ci.yml .circleci .woodpecker .woodpecker.yml
        .drone.yml .buildkite""",
    "it tells agents what they may do, or starts their servers": """
        .mcp.json mcp.json .mcp mcp_config.json claude_desktop_config.json .claude .claude.json
        .cursor .cursorignore .windsurf .codeium .cline .clineignore .roo .rooignore .roomodes
        .kilocode .continue .continuerc.json .gemini .codex .opencode opencode.json opencode.jsonc
        .aider* .kiro .amazonq .junie .goose .goosehints .agents .augment .trae .crush .crush.json
        crush.json .copilot .qwen .factory""",
    "agents follow it in every later session": """
        claude.md claude.local.md agents.md agents.override.md gemini.md .clinerules .cursorrules
        .windsurfrules .roorules .rules crush.md qwen.md .github/copilot-instructions.md
        .github/instructions .github/prompts .github/agents""",
    "it is Glossator's own configuration": ".glossator* .glossator.toml",
}
_OWN = "it is Glossator's own folder"
# an editor, an agent, or git for a shell's prompt may obey these as soon as they are there
_AT_ONCE = ".git .vscode .idea .zed .fleet .vs .claude .cursor .gemini .codex"
# git may obey `config.worktree` where there is none yet: the repository's configuration says so
_ALWAYS = ("config", "hooks", "commondir", "config.worktree")


@dataclass(frozen=True, slots=True)
class ProtectedPath:
    """A row of the table: the names at the end of a path, folded, and why they are protected."""

    names: tuple[str, ...]
    reason: str


@cache
def protected_table() -> tuple[ProtectedPath, ...]:
    """Every protected path."""
    return tuple(
        ProtectedPath(tuple(path.split("/")), reason)
        for reason, paths in _TABLE.items()
        for path in paths.split()
    )


def own_folders() -> tuple[str, ...]:
    """Where Glossator keeps this user's configuration and state, by real path."""
    folders = (
        platformdirs.user_config_dir("glossator"),
        platformdirs.user_state_dir("glossator"),
        platformdirs.user_data_dir("glossator"),
    )
    return tuple(dict.fromkeys(map(os.path.realpath, folders)))


def why_protected(path: str, own: tuple[str, ...] = ()) -> str | None:
    """Why changing `path` (absolute, one of a target's names) always asks; None if it need not.

    `own` are the folders of `own_folders`.
    """
    plain = folded(path)
    for folder in map(folded, own):
        if is_inside(plain, folder) or is_inside(folder, plain):
            return _OWN
    names = _plain(path)
    if _expression(protected_table()).search(names) is None:
        return None
    rows = (row for row in protected_table() if _expression((row,)).search(names))
    return next(rows).reason


def fixed_paths(root: str) -> tuple[str, ...]:
    """The protected paths directly in a folder, existing or not, without those by patterns."""
    fixed = ("/".join(row.names) for row in protected_table())
    return tuple(os.path.join(root, *name.split("/")) for name in fixed if "*" not in name)


def obeyed_at_once(root: str) -> tuple[str, ...]:
    """The paths in a folder that no command may create even for a moment."""
    return tuple(os.path.join(root, name) for name in _AT_ONCE.split())


def protected_entry(path: str, root: str) -> str | None:
    """The outermost protected path at or above `path`, below `root`; None if there is none."""
    if _expression(protected_table()).search(_plain(path[len(root) :])) is None:
        return None
    folder = root
    for name in path[len(root) :].strip(os.sep).split(os.sep):
        above = _bare(folded(os.path.basename(folder)))
        folder = os.path.join(folder, name)
        if _is_row(above, name):
            return folder
    return None


def protected_in(folder: str, names: Iterable[str], root: str) -> tuple[str, ...]:
    """Like `protected_entry`, for entries of one folder at or below `root`: faster for many."""
    within = None if folder == root else protected_entry(folder, root)
    if within is not None:
        return (within,)
    above = _bare(folded(os.path.basename(folder)))
    above = above if above in _first_names() else ""  # so that more of it is known
    return tuple(os.path.join(folder, name) for name in names if _is_row(above, name))


@cache
def _expression(rows: tuple[ProtectedPath, ...]) -> re.Pattern[str]:
    """An expression that is found in a plain path at or below a row, or that may hold one."""
    return re.compile(f"(?:^|/)(?:{'|'.join(_row(row.names) for row in rows)})(?:/|$)")


@lru_cache(20_000)
def _is_row(above: str, name: str) -> bool:
    """Whether an entry of a folder whose plain name is `above` is a row of the table."""
    return _last_names().search(f"{above}/{_bare(folded(name))}") is not None


@cache
def _last_names() -> re.Pattern[str]:
    """An expression that is found in a plain path that is a row."""
    rows = ("/".join(map(_name, row.names)) for row in protected_table())
    return re.compile(f"(?:^|/)(?:{'|'.join(rows)})$")


@cache
def _first_names() -> frozenset[str]:
    """The first names of rows that have several."""
    return frozenset(row.names[0] for row in protected_table() if len(row.names) > 1)


def _row(names: tuple[str, ...]) -> str:
    first, *rest = names
    return f"{_name(first)}(?:/{_row(tuple(rest))}|$)" if rest else _name(first)


def _name(name: str) -> str:
    return "[^/]*".join(map(re.escape, name.split("*")))


def _plain(path: str) -> str:
    """A path with its letters folded, for comparing it with the table."""
    return "/".join(map(_bare, folded(path).replace(os.sep, "/").split("/")))


def _bare(name: str) -> str:
    """A name as Windows reads it: without a stream, and without blanks and dots at its end."""
    return name.partition(":")[0].rstrip(". ") or name


def folded(text: str) -> str:
    """`text` without letter case, unicode form and invisible characters.

    For denying and asking only; what allows compares names as they are.
    Source: APFS and NTFS ignore case; HFS+ takes composed and decomposed letters for one, and
    ignores some format characters (`.g\u200cit`, CVE-2014-9390).
    """
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKC", text)
    plain = "".join(letter for letter in plain if unicodedata.category(letter) != "Cf")
    return unicodedata.normalize("NFKC", plain.casefold())


def git_protected_paths(folder: str) -> Iterator[str]:
    """The paths in a `.git` that name programs which git runs, or say where that stands.

    Those of its worktrees and submodules, too. Commands that commit may write the rest.
    Source: gitrepository-layout(5).
    """
    yield from (os.path.join(folder, name) for name in _ALWAYS)
    for worktree in _folders(os.path.join(folder, "worktrees")):
        yield os.path.join(worktree, "config.worktree")
        commondir = os.path.join(worktree, "commondir")  # without one it is no worktree
        if os.path.isfile(commondir) and not os.path.islink(commondir):
            yield commondir
    modules = _folders(os.path.join(folder, "modules"))
    while modules:
        module = modules.pop()
        if os.path.isfile(os.path.join(module, "HEAD")):
            yield from git_protected_paths(module)
        else:  # a part of a name, as of libs/one
            modules += _folders(module)


def _folders(path: str) -> list[str]:
    try:
        with os.scandir(path) as entries:
            return [each.path for each in entries if each.is_dir(follow_symlinks=False)]
    except OSError:  # there are none, or they are closed to us
        return []
