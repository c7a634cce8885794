"""What git knows of the workspace, asked in the sandbox, and only where the folder is trusted.

Nothing waits for it: what it said last counts as long as neither the workspace nor git's own files
changed since.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from glossator.core.errors import UsageError
from glossator.core.permission import Permit
from glossator.core.shown import in_tags, shown, shown_text
from glossator.documents import WorkspaceHost, WorkspaceSnapshot
from glossator.permissions import TrustQuestion
from glossator.prompts import load_prompt
from glossator.sandbox import Exit, Finished, LimitedShell, Output, ShellCommand

logger = logging.getLogger(__name__)

_SECONDS = 3.0
ROOTS = 3  # that git is asked about
_STATUS_LINES = 20
_COMMITS = 5
_OFFERED = 20  # commits that a question can be completed with
_SUBJECT = 70  # characters of them
_GIT = (
    "git",
    "--no-pager",
    "--no-optional-locks",
    "--literal-pathspecs",
    *("-c", "core.fsmonitor=false", "-c", "log.showSignature=false"),
)
# Of these one changes with a commit, a fetch, a branch, a remote or what is staged.
_FILES = (("HEAD",), ("index",), ("logs", "HEAD"), ("config",), ("FETCH_HEAD",))
_BETWEEN = "\x1e"
_LOOK = f"; printf '{_BETWEEN}'; ".join(
    shlex.join((*_GIT, *arguments))
    for arguments in (
        ("status", "--porcelain=v1", "--branch", "--untracked-files=normal"),
        ("log", f"-{_COMMITS}", "-s", "--date=short", "--format=%h %ad %an: %s"),
        ("config", "--get", "remote.origin.url"),  # silent where there is none
        ("log", f"-{_OFFERED}", "-s", f"--format=%h %<({_SUBJECT},trunc)%s"),
    )
)
_READS = Permit(only_reads=True)  # a repository then makes git run nothing
_HASH = re.compile(r"[0-9a-f]{4,64}")
CUT = "[cut here: "  # begins the line between the ends of a long output
_SECRET = re.compile(r"(?<=://)[^/@\s]+@")  # a name or a token in an address


async def ask_git(
    shell: LimitedShell, folder: str, *arguments: str, seconds: float = _SECONDS
) -> str | None:
    """What git prints; None if it fails, is not there, or takes longer than `seconds`.

    Of much both ends are given, and between them a line in brackets says how much was cut.
    """
    finished = await _run(shell, folder, shlex.join((*_GIT, *arguments)), seconds)
    return _both_ends(finished.output) if finished and finished.exit == Exit(0) else None


def _both_ends(output: Output) -> str:
    head = output.head.decode(errors="replace")
    if not output.omitted_bytes:
        return head
    cut = f"{CUT}{output.omitted_bytes:,} bytes, {output.omitted_lines:,} lines]"
    return f"{head}\n{cut}\n{output.tail.decode(errors='replace')}"


async def _run(shell: LimitedShell, folder: str, line: str, seconds: float) -> Finished | None:
    try:
        return await shell.run(ShellCommand(line, folder, permit=_READS), seconds)
    except (UsageError, OSError) as error:
        logger.info("git was not asked: %s", error)
        return None


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit by its abbreviated hash, and the first line of its message."""

    revision: str
    subject: str


@dataclass(frozen=True, slots=True)
class _Known:
    """What git said, and about which state of the workspace."""

    state: object
    text: str
    commits: tuple[Commit, ...]


class Git:
    """What git says about the roots; for the event-loop thread."""

    def __init__(
        self,
        host: WorkspaceHost,
        trust: TrustQuestion,
        shell: Callable[[WorkspaceSnapshot], LimitedShell],
    ) -> None:
        self._host, self._trust, self._shell = host, trust, shell
        self._known: _Known | None = None
        self._looking: asyncio.Task[str] | None = None

    def known(self) -> str | None:
        """What the model is told, "" if there is nothing to tell; None if it has to be asked."""
        if not any(map(has_repository, self._host.roots)):
            return ""
        known = self._known
        return known.text if known is not None and known.state == self._state() else None

    def commits(self) -> tuple[tuple[Commit, ...], bool]:
        """The newest commits as they were last known, and whether they still count."""
        known = self._known
        return (known.commits, known.state == self._state()) if known else ((), False)

    def look(self) -> asyncio.Task[str]:
        """Ask git, unless that is under way; gives what the model is told."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look(), name="glossator-git")
        return self._looking

    async def close(self) -> None:
        """End what is under way."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait({self._looking})

    async def _look(self) -> str:
        if not self._trust.is_trusted:
            return ""
        state = self._state()
        shell = await asyncio.to_thread(self._shell, self._host.snapshot())
        texts: list[str] = []
        commits: list[Commit] = []
        if shell.open_reason is None:
            for root in filter(has_repository, self._host.roots[:ROOTS]):
                finished = await _run(shell, root, _LOOK, _SECONDS)
                # the last of several commands may fail: a repository without a remote
                told = "" if finished is None else finished.output.head.decode(errors="replace")
                if text := _in_words(root, told):
                    texts.append(text)
                    commits += _commits(told)
        now = datetime.now().astimezone().strftime("%H:%M")
        text = "\n\n".join(texts)
        text = load_prompt("user/git").render(time=now, told=in_tags(text)) if text else ""
        self._known = _Known(state, text, tuple(commits))
        return text

    def _state(self) -> object:
        """What changes when git may say something else."""
        roots = tuple(self._host.roots)
        return self._trust.is_trusted, self._host.snapshot().revision, roots, stamps(roots)


def has_repository(root: str) -> bool:
    """Whether the root, or a folder above it, is a work tree of git."""
    here = Path(root)
    return any((folder / ".git").exists() for folder in (here, *here.parents))


def stamps(roots: Iterable[str]) -> list[int | None]:
    """When git's own files last changed."""
    return [_stamp(os.path.join(root, ".git", *file)) for root in roots for file in _FILES]


def _stamp(path: str) -> int | None:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:  # no repository, or a work tree of another one
        return None


def _in_words(root: str, told: str) -> str:
    """The branch, the remote, what changed and the last commits, in words; "" if there is none."""
    status, log, remote, _ = _parts(told)
    if not status.startswith("## "):
        return ""
    branch, *changed = status.splitlines()
    lines = [f"{shown(root)} is on {branch.removeprefix('## ')}"]
    if remote:
        lines.append(f"Remote origin: {_SECRET.sub('', remote)}")
    lines += _section("Not committed", changed, _STATUS_LINES)
    lines += _section("Last commits", log.splitlines(), _COMMITS)
    return shown_text("\n".join(lines))


def _commits(told: str) -> Iterator[Commit]:
    for line in _parts(told)[3].splitlines():
        revision, _, subject = line.partition(" ")
        if _HASH.fullmatch(revision):  # what git says instead, where there are no commits
            yield Commit(revision, shown(subject.strip()))


def _parts(told: str) -> list[str]:
    """What each of the commands of `_LOOK` said."""
    return [part.strip("\n") for part in (*told.split(_BETWEEN), "", "", "")[:4]]


def _section(title: str, lines: Sequence[str], most: int) -> list[str]:
    if not lines:
        return [f"{title}: nothing"]
    more = [f"[{len(lines) - most:,} more]"] * (len(lines) > most)
    return [f"{title}:", *lines[:most], *more]
