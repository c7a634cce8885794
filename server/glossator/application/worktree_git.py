"""Git for the worktrees of sessions: making one, what it changed, committing, merging, removing.

Git runs outside the sandbox, since it writes the repository's own files, and only in a folder that
is trusted. It runs no hooks and no monitor, asks nobody, and goes by the repository that was found
when the worktree was made: what `.git` in the worktree names by then is not read. All is blocking.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from glossator.core.errors import UsageError
from glossator.core.shown import shown, shown_text, some_of
from glossator.permissions import Worktree, known_worktrees, worktrees_folder
from glossator.sandbox import search_path
from glossator.workspace import is_inside

_log = logging.getLogger(__name__)

_SECONDS = 600.0  # after which a git that does not end is ended: large checkouts take long
_COUNT_SECONDS = 3.0  # the same for one that only counts: the list of sessions waits for it
_SAFE = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.quotePath": "false",
    "commit.gpgSign": "false",
    "merge.autoStash": "false",
    "submodule.recurse": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
}
_WHO = ("GIT_AUTHOR_", "GIT_COMMITTER_")  # others may say where the repository is
_UNDER_WAY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*")
_MAX_NAME = 50
_CONFLICTS = 1  # the exit code of `git merge-tree`, other failures have others
_PREFIX = "glossator/"  # of branches
_REPOSITORY = "160000"  # the mode of an entry that stands for a repository
_NO_REPOSITORY = (
    "{} is in no git repository, or git does not work in it ({}), so the session cannot have a"
    " worktree. Begin a session without one, or make a repository with `git init` and a commit."
)
_NO_COMMIT = (
    "The repository {} has no commit yet, and a worktree begins at one. Make a commit, then try"
    " again."
)
_EXISTS = (
    "There is a worktree or a branch of the name {} already, or a session that had one. Choose"
    " another name, or go on with its session; the list of sessions names it."
)
_NO_NAME = (
    "{} is no name for a worktree: take letters, digits, `-`, `_` and single dots, at most"
    f" {_MAX_NAME} characters."
)


@dataclass(frozen=True, slots=True)
class Place:
    """A work tree, and the folder with its git files. Every git runs in one, with `environment`."""

    top: str
    git: str
    environment: Mapping[str, str]
    seconds: float = _SECONDS

    def run(self, *arguments: str) -> str:
        """What git prints. Raises `UsageError` with its last words if it fails."""
        code, output, said = self.ended(*arguments)
        if code:
            raise UsageError(f"git {arguments[0]} failed: {shown_text(said.strip() or output)}")
        return output.rstrip("\n")

    def ended(self, *arguments: str) -> tuple[int, str, str]:
        """Its exit code, what it prints, and what it complains of. Raises `UsageError`."""
        named = {"GIT_DIR": self.git, "GIT_WORK_TREE": self.top} if self.git else {}
        return _ended(self, arguments, named)


def _ended(
    place: Place, arguments: Sequence[str], named: Mapping[str, str]
) -> tuple[int, str, str]:
    kept = {
        name: value
        for name, value in place.environment.items()
        if name.startswith(_WHO) or not name.startswith("GIT_")
    }
    settings = [word for each in _SAFE.items() for word in ("-c", "=".join(each))]
    path = search_path(place.environment)
    quiet = {
        "PATH": path,
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_EDITOR": "true",
        "GIT_OPTIONAL_LOCKS": "0",  # one that is ended leaves none behind
    }
    try:
        done = subprocess.run(  # noqa: S603 - git with our own words; see the module
            ["git", "--no-pager", "--literal-pathspecs", *settings, *arguments],  # noqa: S607 - by PATH's absolute folders
            cwd=place.top,
            env={**kept, **quiet, **named},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=place.seconds,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"git cannot be run: {error}. Check that it is installed.") from error
    return done.returncode, os.fsdecode(done.stdout), os.fsdecode(done.stderr)


def repository_of(folder: str, environment: Mapping[str, str]) -> Place:
    """The work tree that a trusted folder is in. Raises `UsageError` if it is in none."""
    asking = Place(folder, "", environment)
    code, output, said = asking.ended("rev-parse", "--show-toplevel", "--absolute-git-dir")
    if code:
        why = said.strip().partition("\n")[0].removeprefix("fatal: ")
        raise UsageError(_NO_REPOSITORY.format(shown(folder), why))
    top, git = map(os.path.realpath, output.splitlines())
    return Place(top, git, environment)


def place_of(tree: Worktree, environment: Mapping[str, str]) -> Place:
    """The worktree, whatever its `.git` says by now."""
    return Place(tree.folder, tree.git, environment)


def make_worktree(folder: str, name: str, environment: Mapping[str, str]) -> tuple[Worktree, str]:
    """Make a worktree of the repository of a trusted folder, and say what it lacks.

    It has a branch at the current commit. `name` "" chooses one. Raises `UsageError`.
    """
    origin = repository_of(folder, environment)
    if (origin.ended("rev-parse", "--verify", "--quiet", "HEAD^{commit}"))[0]:
        raise UsageError(_NO_COMMIT.format(shown(origin.top)))
    known = set((origin.run("for-each-ref", "--format=%(refname)", "refs/heads")).split())
    key = sha256(os.fsencode(origin.top)).hexdigest()[:8]
    base = worktrees_folder() / f"{os.path.basename(origin.top) or 'root'}-{key}"

    used = {tree.folder for tree in known_worktrees()}

    def is_free(name: str) -> bool:
        """Whether none has it or had it: an ended session must not get another's worktree."""
        folder = base / name
        is_known = os.path.realpath(folder) in used or os.path.lexists(folder)
        return f"refs/heads/{_PREFIX}{name}" not in known and not is_known

    if not name:
        name = next(each for n in range(1, 10_000) if is_free(each := f"work-{n}"))
    elif len(name) > _MAX_NAME or not _NAME.fullmatch(name) or name.endswith(".lock"):
        raise UsageError(_NO_NAME.format(shown(name)))
    elif not is_free(name):
        raise UsageError(_EXISTS.format(name))
    _prepare(base)
    folder, branch = os.path.realpath(base / name), f"{_PREFIX}{name}"
    origin.run("worktree", "add", "--no-track", "-b", branch, folder, "HEAD")
    git = Place(folder, "", origin.environment).run("rev-parse", "--absolute-git-dir")
    tree = Worktree(folder, origin.top, os.path.realpath(git), branch)
    changed = uncommitted(origin)
    count = _counted(len(changed), "file")
    lacks = [f"what you did not commit ({count})"] if changed else []
    if os.path.lexists(os.path.join(folder, ".gitmodules")):
        lacks.append("the files of submodules")
    return tree, " and ".join(lacks)


def _prepare(base: Path) -> None:
    base.mkdir(mode=0o700, parents=True, exist_ok=True)
    ignore = base.parent / ".gitignore"
    if not ignore.exists():  # where somebody works in a folder that holds all of them
        ignore.write_text("*\n", "utf-8")


def uncommitted(place: Place) -> list[str]:
    """The files that differ from the last commit, new ones among them."""
    said = place.run("status", "--porcelain=v1", "-z", "--no-renames", "-uall")
    return [entry[3:] for entry in said.split("\0") if entry]


@dataclass(frozen=True, slots=True)
class Standing:
    """How many files a worktree changed, and the branch that it would be merged into.

    None and "" where git does not say, or the origin is on no branch.
    """

    changed: int | None = None
    into: str = ""


def standing(tree: Worktree, environment: Mapping[str, str]) -> Standing:
    """How a worktree stands; what it changed counts whether it is committed or not.

    Raises `UsageError`, also if git takes longer than anybody should wait for a list.
    """
    origin = Place(tree.origin, "", environment, _COUNT_SECONDS)
    head, into = origin.run("rev-parse", "HEAD"), _branch_of(origin)
    place = replace(place_of(tree, environment), seconds=_COUNT_SECONDS)
    told = place.run("diff", "--name-only", "-z", "--no-ext-diff", "--merge-base", head)
    new = place.run("ls-files", "-z", "--others", "--exclude-standard")
    names = {name for name in (*told.split("\0"), *new.split("\0")) if name}
    return Standing(len(names), into)


def _branch_of(place: Place) -> str:
    """The branch that a work tree is on; "" for none."""
    return place.ended("symbolic-ref", "--quiet", "--short", "HEAD")[1].strip()


def lost_with(tree: Worktree, environment: Mapping[str, str]) -> str:
    """What is nowhere else: files that are not committed, and commits; "" if there is nothing."""
    if not os.path.isdir(tree.git):
        return "files whose repository is gone" if _files_in(tree.folder) else ""
    place = place_of(tree, environment)
    files = uncommitted(place)
    others = (f"--exclude={tree.branch}", "--branches", "--tags", "--remotes")
    tips = ["HEAD"]
    if not (place.ended("show-ref", "--quiet", f"refs/heads/{tree.branch}"))[0]:
        tips.append(f"refs/heads/{tree.branch}")
    commits = int(place.run("rev-list", "--count", *tips, "--not", *others))
    found = ((len(files), "changed file"), (commits, "commit"))
    return " and ".join(_counted(number, what) for number, what in found if number)


def _files_in(folder: str) -> bool:
    return any(name != ".git" for name in os.listdir(folder))


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


@dataclass(frozen=True, slots=True)
class Merged:
    """The branch that a worktree was merged into, its commits before and now, and the files."""

    into: str
    before: str
    commit: str
    files: tuple[str, ...]


def merge(tree: Worktree, title: str, environment: Mapping[str, str], expected: str = "") -> Merged:
    """Commit what is not committed, and merge that into the user's current branch.

    That has to be the one `expected`, if any is. If it did not move meanwhile, it gets the commits
    of the worktree alone; else a merge of them, too. If it cannot be done, the user's work tree is
    as it was, and the work is on its branch. Raises `UsageError`.
    """
    origin, place = repository_of(tree.origin, environment), place_of(tree, environment)
    into = _branch_of(origin)
    if not into:
        raise UsageError(
            f"{shown(origin.top)} is on no branch (its HEAD is detached), so there is nothing to"
            " merge into. Switch to a branch with `git switch`, then merge again."
        )
    if expected and into != expected:
        raise UsageError(
            f"{shown(origin.top)} is on {shown(into)} by now, and no longer on {shown(expected)}."
            " Nothing was merged. Merge again to merge into that."
        )
    if any(os.path.lexists(os.path.join(origin.git, name)) for name in _UNDER_WAY):
        raise UsageError(
            f"{shown(origin.top)} is in the middle of a merge, a rebase or the like. End it, then"
            " merge again."
        )
    place.run("add", "--all")
    _check_inner(origin, place)
    if (place.ended("diff", "--cached", "--quiet"))[0]:
        place.run("commit", "--quiet", "--no-verify", "-m", title)
    ours, theirs = origin.run("rev-parse", "HEAD"), place.run("rev-parse", "HEAD")
    files = origin.run("diff", "--name-only", "-z", "--no-ext-diff", f"{ours}...{theirs}")
    if not files:
        raise UsageError(
            f"The worktree changed nothing that {into} does not have. Throw it away instead."
        )
    _check_conflicts(origin, ours, theirs, tree.branch, into)
    _check_overwriting(origin, ours, theirs)
    message = f"Merge branch '{tree.branch}': {title}"
    code, output, said = origin.ended(
        *("merge", "--ff", "--no-squash", "--commit", "--no-edit", "--no-verify", "--quiet"),
        *("-m", message, theirs),
    )
    if code:
        if os.path.lexists(os.path.join(origin.git, "MERGE_HEAD")):  # ours: there was none before
            origin.run("merge", "--abort")
        raise UsageError(_not_merged(output + said, tree.branch))
    commit = origin.run("rev-parse", "HEAD")
    return Merged(into, ours, commit, tuple(filter(None, files.split("\0"))))


def _check_overwriting(origin: Place, ours: str, theirs: str) -> None:
    """Raises `UsageError` for a file of the user's that git ignores, and would write over."""
    words = ("diff", "--name-only", "-z", "--no-renames", "--diff-filter=A", f"{ours}...{theirs}")
    added = filter(None, origin.run(*words).split("\0"))
    there = [each for each in added if os.path.lexists(os.path.join(origin.top, each))]
    if there:
        raise UsageError(
            f"The merge would write over {some_of(list(map(shown, there)), 5)}, which git does not"
            " have. Nothing was merged. Move it away, then merge again."
        )


def _check_inner(origin: Place, place: Place) -> None:
    """Raises `UsageError` for a repository in the worktree: git merges its commit's name alone."""
    begun = place.run("merge-base", origin.run("rev-parse", "HEAD"), "HEAD")
    said = place.run(
        *("diff-index", "--cached", "-z", "--no-renames", "--ignore-submodules=none", begun, "--")
    )
    told = said.split("\0")
    inner = [
        name
        for modes, name in zip(told[::2], told[1::2], strict=False)
        if modes.split()[1] == _REPOSITORY != modes.split()[0].removeprefix(":")
    ]
    if inner:
        place.run("reset", "--quiet", "--", *inner)  # what was staged just now
        raise UsageError(
            f"{some_of(list(map(shown, inner)), 5)} in the worktree holds a git repository of its"
            " own, which would be lost: a merge takes none of its files. Nothing was merged. Move"
            " it out of the worktree, or remove its `.git` to have its files merged, then merge"
            " again."
        )


def _check_conflicts(origin: Place, ours: str, theirs: str, branch: str, into: str) -> None:
    """Try the merge where it touches no file; a git before 2.38 finds out by merging."""
    words = ("merge-tree", "--write-tree", "--name-only", "--no-messages", ours, theirs)
    code, output, _ = origin.ended(*words)
    if code == _CONFLICTS and (names := output.splitlines()[1:]):
        raise UsageError(
            f"{branch} and {into} changed the same lines of {some_of(list(map(shown, names)), 5)},"
            " so nothing was merged, and your files are as they were. The work is committed on"
            f" {branch}. Merge it yourself with `git merge {branch}`, or commit on {into} what it"
            " lacks and ask again."
        )


def _not_merged(said: str, branch: str) -> str:
    names = [line.strip() for line in said.splitlines() if line.startswith("\t")]
    kept = f"Nothing was merged; the work is committed on {branch}."
    if names:
        return (
            f"Changes of your own to {some_of(list(map(shown, names)), 5)} would be overwritten."
            f" {kept} Commit or stash yours, then merge again."
        )
    return f"git would not merge: {shown_text(said.strip())}\n{kept}"


def remove_worktree(tree: Worktree, environment: Mapping[str, str], *, force: bool) -> str:
    """Remove the folder, and the branch if it is merged or `force`; why something stays, or "".

    With `force` also where its repository is gone, or cannot be used. Raises `UsageError`.
    """
    if force and not os.path.isdir(tree.git):
        return _remove_folder(tree.folder)
    try:
        origin, left = repository_of(tree.origin, environment), []
    except UsageError:
        if force:
            return _remove_folder(tree.folder)
        raise
    if os.path.lexists(tree.folder):
        # twice, as it may be locked
        code, _, said = origin.ended("worktree", "remove", "--force", "--force", tree.folder)
        left += [said.strip()] * bool(code)
    else:
        origin.run("worktree", "prune")
    code, _, said = origin.ended("branch", "-D" if force else "-d", tree.branch)
    if code and "not found" not in said:
        left.append(said.strip())
    return shown_text("\n".join(left))


def _remove_folder(folder: str) -> str:
    """Remove a worktree without git, if it is where they are made; why it stays, or ""."""
    base = os.path.realpath(worktrees_folder())
    real = os.path.realpath(folder)
    if real != folder or real == base or not is_inside(real, base):
        return f"{shown(folder)} is not where worktrees are made. Remove it yourself."
    try:
        shutil.rmtree(real)
    except FileNotFoundError:
        return ""
    except OSError as error:
        return f"{shown(folder)} cannot be removed: {error}."
    return ""
