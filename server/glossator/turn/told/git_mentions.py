"""What `@git:diff` and `@git:COMMIT` attach: asked in the sandbox, where the folder is trusted.

Files that permission rules hide are left out; a note says how many. Lines that a patch shows as
they are in the workspace can be cited.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from glossator.application import CUT, ROOTS, Acting, ask_git
from glossator.core.attached import Exhibit
from glossator.core.document import Document
from glossator.core.errors import UsageError
from glossator.core.prompts import load_prompt
from glossator.core.shown import in_tags, shown, shown_text, some_of
from glossator.core.span import Span, runs
from glossator.permissions import HiddenFiles, how_to_trust
from glossator.sandbox import LimitedShell
from glossator.turn.told.mentions import GIT, GIT_DIFF
from glossator.workspace import WorkspaceSnapshot, repository_top

_REVISION = re.compile(r"(?!-)[\w./^~@{}-]+")
_PLAIN = ("--no-color", "--no-ext-diff", "--no-textconv", "--relative")
_SHOW = ("show", "-m", "--first-parent", *_PLAIN)
_HEAD = "--format=commit %H%nAuthor: %an%nDate: %ad%n%n%B"
_PATCH = ("--stat", "--patch")
_NEW_FILES = 20  # that are named
_FILE = re.compile(r"\+\+\+ b/(.+?)\t?")
_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


async def git_exhibit(acting: Acting, snapshot: WorkspaceSnapshot, mentioned: str) -> Exhibit:
    """What a mention of `git:…` attaches. Raises `UsageError`, with the reason, if nothing."""
    roots = snapshot.roots[:ROOTS]
    if not acting.trust.is_trusted:
        how = " ".join(map(how_to_trust, roots))
        raise UsageError(f"git is asked only in a workspace that is trusted. {how}".strip())
    shell = await asyncio.to_thread(acting.limited, snapshot)
    if shell.open_reason is not None:
        raise UsageError(f"git is asked only in a sandbox: {shell.open_reason}")
    repositories = await asyncio.to_thread(_repositories, roots)
    hidden = acting.hidden()
    if mentioned == GIT_DIFF:
        told = [await _diff(_Repository(shell, root, hidden)) for root in repositories]
        text = in_tags(shown_text("\n\n".join(told)))
        citable = await asyncio.to_thread(_spans, snapshot, zip(repositories, told, strict=True))
        return Exhibit(load_prompt("user/git_diff").render(told=text), mentioned, citable=citable)
    revision = mentioned.removeprefix(GIT)
    if not _REVISION.fullmatch(revision):
        raise UsageError(f"{shown(revision)} is no revision; name a commit, such as git:HEAD~1")
    for root in repositories:
        if commit := await _commit(_Repository(shell, root, hidden), revision):
            text = in_tags(shown_text(commit))
            rendered = load_prompt("user/git_commit").render(revision=shown(revision), told=text)
            citable = await asyncio.to_thread(_spans, snapshot, [(root, commit)])
            return Exhibit(rendered, mentioned, citable=citable)
    raise UsageError("git knows no such commit here")


def _spans(snapshot: WorkspaceSnapshot, told: Iterable[tuple[str, str]]) -> tuple[Span, ...]:
    return tuple(span for root, patch in told for span in spans_shown(snapshot, root, patch))


def _repositories(roots: tuple[str, ...]) -> tuple[str, ...]:
    """The roots that are the top of a work tree. Raises `UsageError` if there is none."""
    if tops := tuple(filter(_is_top, roots)):
        return tops
    if any(map(_is_in_repository, roots)):
        raise UsageError(
            "the repository begins above the workspace, where git sees nothing; open its top folder"
        )
    raise UsageError("no folder of this workspace is in a repository of git")


def _is_in_repository(root: str) -> bool:
    return os.path.lexists(os.path.join(repository_top(root), ".git"))


def _is_top(root: str) -> bool:
    """Whether git's files are here; while a command runs, an empty `.git` of the sandbox is."""
    git = Path(root) / ".git"
    try:
        return (git / "HEAD").exists() or (git.is_file() and git.stat().st_size > 0)
    except OSError:  # it went meanwhile
        return False


class _Repository:
    """One root, seen through git as far as the model may see it."""

    def __init__(self, shell: LimitedShell, root: str, hidden: HiddenFiles | None) -> None:
        self.root = root
        self._shell, self._hidden = shell, hidden

    async def said(self, *arguments: str) -> str:
        """The output of a git command. Raises `UsageError` if git cannot be run."""
        told = await ask_git(self._shell, self.root, *arguments)
        if told is None:
            there = await ask_git(self._shell, self.root, "--version")
            why = "git is not installed" if there is None else "git failed, or took too long"
            raise UsageError(f"{why}, so {shown(self.root)} could not be looked at")
        return told

    async def asked(self, *arguments: str) -> str | None:
        """The output of a git command; None if it fails."""
        return await ask_git(self._shell, self.root, *arguments)

    async def patch(self, *command: str) -> str:
        """The patch that a git command prints, without hidden files. Raises `UsageError`."""
        if self._hidden is None:
            return await self.said(*command, *_PATCH)
        listed = await self.said(*command, "--name-only", "-z", "--no-renames")
        names, left_out = await asyncio.to_thread(self.seen, listed)
        patch = ""
        if names:
            patch = await self.said(*command, *_PATCH, "--no-renames", "--", *names)
        return "\n".join(filter(None, (patch, left_out)))

    def seen(self, listed: str) -> tuple[list[str], str]:
        """The names that are not hidden among those git lists, and a note on the others."""
        names = [name for name in listed.split("\0") if name and CUT not in name]
        hides: Callable[[str], bool] = self._hidden or (lambda _: False)
        seen = [name for name in names if not hides(os.path.join(self.root, name))]
        count = len(names) - len(seen)
        notes = (
            f"[{count:,} more, which the user's permission rules hide]" * (count > 0),
            "[more, which are too many to list]" * (CUT in listed),
        )
        return seen, "\n".join(filter(None, notes))


async def _diff(repository: _Repository) -> str:
    """The staged and unstaged changes, and the names of new files."""
    staged = await repository.patch("diff", *_PLAIN, "--cached")
    unstaged = await repository.patch("diff", *_PLAIN)
    listed = await repository.said("ls-files", "-z", "--others", "--exclude-standard")
    new, left_out = await asyncio.to_thread(repository.seen, listed)
    names = "\n".join(filter(None, (some_of([shown(name) for name in new], _NEW_FILES), left_out)))
    parts = {"Staged": staged, "Not staged": unstaged, "New files, not shown": names}
    told = [f"{title}:\n{text.strip()}" for title, text in parts.items() if text.strip()]
    return "\n\n".join((f"In {shown(repository.root)}:", *(told or ["Nothing."])))


async def _commit(repository: _Repository, revision: str) -> str:
    """The commit's message, stat and patch; "" if there is no such commit."""
    named = f"{revision}^{{commit}}"
    found = await repository.asked("rev-parse", "--verify", "-q", "--end-of-options", named)
    if found is None:
        await repository.said("--version")
        return ""
    commit = found.strip()
    message = await repository.said("show", "-s", "--no-color", _HEAD, commit)
    patch = await repository.patch(*_SHOW, "--format=", commit)
    return f"{message.strip()}\n\n{patch.strip()}".strip()


def spans_shown(snapshot: WorkspaceSnapshot, root: str, patch: str) -> tuple[Span, ...]:
    """The lines that the patch shows as they stand in the workspace now; blocking."""
    shown: dict[str, set[int]] = {}
    documents: dict[str, Document] = {}
    for path, number, text in _new_lines(patch):
        if path not in documents:
            found = snapshot.read(os.path.join(root, path))
            if not isinstance(found, Document):
                continue
            documents[path] = found
        lines = documents[path].lines
        if number <= len(lines) and lines[number - 1] == text:
            shown.setdefault(path, set()).add(number)
    return tuple(
        Span(documents[path].uri, documents[path].sha256, first, last)
        for path, numbers in shown.items()
        for first, last in runs(sorted(numbers))
    )


def _new_lines(patch: str) -> Iterator[tuple[str, int, str]]:
    """Path, number and text of each line that a patch keeps or adds.

    After a cut, lines are skipped until the head of the next file.
    """
    path, number, old, new = "", 0, 0, 0
    for line in patch.split("\n"):
        if old > 0 or new > 0:
            sign, text = line[:1], line[1:]
            if sign not in {" ", "+", "-", "\\"}:  # the patch was cut here
                path, old, new = "", 0, 0
                continue
            old -= sign in {" ", "-"}
            if sign in {" ", "+"}:
                new -= 1
                if path:
                    yield path, number, text.removesuffix("\r")
                number += 1
        elif found := _FILE.fullmatch(line):
            path = found[1]
        elif found := _HUNK.match(line):
            old, number, new = int(found[1] or 1), int(found[2]), int(found[3] or 1)
        elif line.startswith("diff --git "):
            path = ""
