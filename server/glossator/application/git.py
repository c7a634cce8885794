"""What git says about the workspace, asked in the sandbox and only in a trusted folder.

It is asked when the server starts, and again when files on disk or git's own files changed since. A
question waits for git a moment, or until it can be sent (docs/decisions/0061).
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import secrets
import shlex
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from glossator.application.acting import Acting
from glossator.core.errors import UsageError
from glossator.core.permission import Permit
from glossator.core.prompts import load_prompt
from glossator.core.shown import in_tags, shown, shown_text
from glossator.sandbox import Exit, Finished, LimitedShell, Output, ShellCommand
from glossator.workspace import WorkspaceHost, git_folders

logger = logging.getLogger(__name__)

_GIT_SECONDS = 3.0
_MOMENT = 0.1  # seconds that a question waits,
_PREPARING = 2.0  # and at most after that, while nothing can be sent
_MIN_PAUSE_SECONDS = 2.0  # between two looks for changes
_PAUSE_FACTOR = 5  # the pause lasts this many times as long as git took
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
# One of these changes with a commit, a fetch, a branch, a remote or what is staged.
_STATE_FILES = (("HEAD",), ("index",), ("logs", "HEAD"), ("config",), ("FETCH_HEAD",))
_BETWEEN = f"\x1e{secrets.token_hex(8)}\x1e"  # which no commit can hold
_PRINTED = _BETWEEN.replace("\x1e", r"\036")  # a script with control characters is not understood
_COMMANDS = (
    ("branch", "--show-current"),
    ("log", f"-{_COMMITS}", "-s", "--date=short", "--format=%h %ad %an: %s"),
    ("config", "--get", "remote.origin.url"),  # silent where there is none
    ("log", f"-{_OFFERED}", "-s", f"--format=%h %<({_SUBJECT},trunc)%s"),
    # the last, as it looks at every file; in a submodule it would ask another git
    (
        *("status", "--porcelain=v1", "-z", "--branch"),
        *("--untracked-files=normal", "--ignore-submodules=dirty"),
    ),
)
# Complaints go nowhere: they name files, such as one that is hidden and cannot be read.
_LOOK = "exec 2>/dev/null; " + f"; printf '{_PRINTED}'; ".join(
    shlex.join((*_GIT, *each)) for each in _COMMANDS
)
_STATUS_BRANCH = "## "  # begins a status
_ANY_FILE = "?"  # the name of a file in a folder, for rules about all that is in it
_READS = Permit(only_reads=True)  # a repository then makes git run nothing
_HASH = re.compile(r"[0-9a-f]{4,64}")
CUT = "[cut here: "  # begins the line between the ends of a long output
_SECRET = re.compile(r"(?<=://)[^/@\s]+@")  # a name or a token in an address


async def ask_git(
    shell: LimitedShell, folder: str, *arguments: str, seconds: float = _GIT_SECONDS
) -> str | None:
    """Run git and return its output; None if it fails, is missing, or takes over `seconds`.

    Of a long output both ends are kept, with a line in brackets on how much was cut.
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
        return await shell.run(ShellCommand(line, folder, permit=_READS, only_git=True), seconds)
    except (UsageError, OSError) as error:
        logger.info("git was not asked: %s", error)
        return None


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit by its abbreviated hash, and the first line of its message."""

    revision: str
    subject: str


@dataclass(frozen=True, slots=True)
class _Said:
    """What git said about one root.

    `status` is None if it is not known; it begins with the branch. `cut`: it is not complete.
    """

    branch: str = ""
    log: str = ""
    remote: str = ""
    offered: str = ""
    status: str | None = None
    cut: bool = False

    @staticmethod
    def of(finished: Finished) -> _Said:
        """Parse what the commands printed."""
        told = finished.output.head.decode(errors="replace").split(_BETWEEN, len(_COMMANDS) - 1)
        ended = (*(part.strip("\n") for part in told[:4]), "", "", "", "")
        branch, log, remote, offered = ended[:4]
        is_here = len(told) == len(_COMMANDS) and told[-1].startswith(_STATUS_BRANCH)
        status = told[-1] if is_here and not finished.timed_out else None
        return _Said(branch, log, remote, offered, status, finished.output.omitted_bytes > 0)


class _State(NamedTuple):
    """The state whose change means that git may answer differently."""

    trusted: bool
    roots: tuple[str, ...]
    disk_changes: int
    stamps: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class _Known:
    """What git said, and for which state of the workspace."""

    state: _State
    text: str
    commits: tuple[Commit, ...]


class Git:
    """What git says about the roots; for the event-loop thread."""

    def __init__(self, host: WorkspaceHost, acting: Acting, tell: Callable[[str], object]) -> None:
        self._host, self._acting, self._tell = host, acting, tell
        self._slow = set[str]()  # the roots of which the user was told that git is slow
        self._known: _Known | None = None
        self._looking: asyncio.Task[str] | None = None
        self._following: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Ask git now, and again whenever its answer may change."""
        self._following = asyncio.create_task(self._follow(), name="glossator-git-changes")

    def known(self) -> str | None:
        """What the model is told, "" if there is nothing to tell; None: git must be asked first."""
        if not any(map(_has_repository, self._host.roots)) or not self._acting.trust.is_trusted:
            return ""
        known = self._known
        return known.text if known is not None and known.state == self._state() else None

    async def soon(
        self, later: Callable[[str], object], prepare: Callable[[], Coroutine[None, None, None]]
    ) -> str:
        """What the model is told, or was last told if git does not answer in a moment.

        Git may also take as long as `prepare`, before which nothing can be sent. `later` gets a
        later answer if it differs.
        """
        if (text := self.known()) is not None:
            return text
        look = self.look()
        await asyncio.wait({look}, timeout=_MOMENT)
        if not look.done():
            ready = asyncio.create_task(prepare())
            either = asyncio.FIRST_COMPLETED
            await asyncio.wait({look, ready}, timeout=_PREPARING, return_when=either)
            ready.cancel()
            await asyncio.gather(ready, return_exceptions=True)  # the question gets its error
        state, known = self._state(), self._known
        told = known.text if known is not None and known.state[:2] == state[:2] else ""

        def tell(ended: asyncio.Task[str]) -> None:
            if not (ended.cancelled() or ended.exception() or ended.result() == told):
                later(ended.result())

        look.add_done_callback(tell)
        return told

    def commits(self) -> tuple[tuple[Commit, ...], bool]:
        """The newest commits last seen, and whether that is still current."""
        known = self._known
        return (known.commits, known.state == self._state()) if known else ((), False)

    def look(self) -> asyncio.Task[str]:
        """Ask git, unless that is under way; returns what the model is told."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look(), name="glossator-git")
        return self._looking

    async def close(self) -> None:
        """Stop asking."""
        tasks = {task for task in (self._following, self._looking) if task is not None}
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _follow(self) -> None:
        """Look at git's own files again and again: a linked worktree's lie outside the roots."""
        while True:
            began = time.monotonic()
            if self.known() is None:
                await asyncio.wait({self.look()})
            await asyncio.sleep(max(_MIN_PAUSE_SECONDS, _PAUSE_FACTOR * (time.monotonic() - began)))

    async def _look(self) -> str:
        if not self._acting.trust.is_trusted:
            return ""
        state = self._state()
        shell = await asyncio.to_thread(self._acting.limited, self._host.snapshot())
        texts: list[str] = []
        commits: list[Commit] = []
        if shell.open_reason is None:
            for root in filter(_has_repository, self._host.roots[:ROOTS]):
                finished = await _run(shell, root, _LOOK, _GIT_SECONDS)
                if finished is None:
                    continue
                said = _Said.of(finished)
                if text := await asyncio.to_thread(_in_words, root, said, self._acting.hides):
                    texts.append(text)
                    commits += _commits(said)
                if finished.timed_out:
                    self._tell_slow(root)
        now = datetime.now().astimezone().strftime("%H:%M")
        text = "\n\n".join(texts)
        text = load_prompt("user/git").render(time=now, told=in_tags(text)) if text else ""
        self._known = _Known(state, text, tuple(commits))
        return text

    def _tell_slow(self, root: str) -> None:
        """Tell the user, once, that git is slow."""
        if root not in self._slow:
            self._slow.add(root)
            self._tell(
                f"The model is not told all that git says of {shown(root)}: git did not end within"
                f" {_GIT_SECONDS:g} s. It can still ask git itself."
            )

    def _state(self) -> _State:
        roots = tuple(self._host.roots)
        changes = self._host.disk_changes
        return _State(self._acting.trust.is_trusted, roots, changes, stamps(roots))


def _has_repository(root: str) -> bool:
    """Whether git's files are here; in the sandbox git sees no folder above."""
    return os.path.lexists(os.path.join(root, ".git"))


def stamps(roots: Iterable[str]) -> tuple[int | None, ...]:
    """When git's own files changed last."""
    folders = (folder for root in roots for folder in git_folders(root))
    return tuple(_stamp(os.path.join(folder, *file)) for folder in folders for file in _STATE_FILES)


def _stamp(path: str) -> int | None:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:  # no repository, or it has no such file
        return None


def _in_words(root: str, said: _Said, hides: Callable[[str], bool]) -> str:
    """The branch, the remote, changes and the last commits; "" if git says nothing; blocking.

    Hidden files are not named: the sandbox hides them from git, too, to which they then look
    changed.
    """
    if not (said.branch or said.log or said.status):  # no git, or no repository
        return ""
    entries = (said.status or "").split("\0")[:-1]  # each ends so, but for one that was cut
    branch = entries[0].removeprefix(_STATUS_BRANCH) if entries else said.branch or "no branch"
    lines = [f"{shown(root)} is on {branch}"]
    if said.remote:
        lines.append(f"Remote origin: {said.remote}")
    if said.status is None:
        lines.append("Not committed: not known, as git failed, took too long or said too much")
    else:
        changed = list(_changes(root, iter(entries[1:]), hides))
        lines += _section("Not committed", changed, _STATUS_LINES, cut=said.cut)
    lines += _section("Last commits", said.log.splitlines(), _COMMITS)
    return shown_text(_SECRET.sub("", "\n".join(lines)))


def _changes(root: str, entries: Iterator[str], hides: Callable[[str], bool]) -> Iterator[str]:
    """Lines such as ` M name` for files that are not hidden. Source: git-status(1), "-z"."""
    for entry in entries:
        code, name = entry[:2], entry[3:]
        before = next(entries, "") if set("RC") & set(code) else ""
        paths = [os.path.join(root, each) for each in (name, before) if each]
        paths += [os.path.join(path, _ANY_FILE) for path in paths if path.endswith(os.sep)]
        if not any(map(hides, map(os.path.normpath, paths))):
            yield f"{code} {shown(before)} -> {shown(name)}" if before else f"{code} {shown(name)}"


def _commits(said: _Said) -> Iterator[Commit]:
    for line in said.offered.splitlines():
        revision, _, subject = line.partition(" ")
        if _HASH.fullmatch(revision):  # what git says instead, where there are no commits
            yield Commit(revision, shown(subject.strip()))


def _section(title: str, lines: Sequence[str], most: int, *, cut: bool = False) -> list[str]:
    """A section of at most so many lines; `cut`: there are more."""
    if not lines:
        return [f"{title}: nothing"]
    more = [f"[{'at least ' * cut}{len(lines) - most:,} more]"] * (len(lines) > most)
    return [f"{title}:", *lines[:most], *more]
