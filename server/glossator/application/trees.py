"""The worktrees of a workspace's sessions: for each an application of its own, opened when needed.

It shares with that of the workspace what belongs to no folder: the sessions and their runs, the
model, trust, modes, the shell, memories and the worker. Everything else (documents, index, undo,
MCP servers, git) is the worktree's own, so that a turn in one is like any other
(docs/decisions/0076).
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from glossator.application.worktree_git import (
    Merged,
    Standing,
    lost_with,
    make_worktree,
    merge,
    remove_worktree,
    standing,
)
from glossator.core.errors import UsageError
from glossator.core.permission import Access
from glossator.core.shown import shown, some_of
from glossator.permissions import (
    Worktree,
    WorktreeState,
    forget_worktree,
    keep_worktree,
    roots_in_worktrees,
    worktree_at,
)
from glossator.workspace import Change, is_inside

if TYPE_CHECKING:
    from collections.abc import Mapping

    from glossator.application.acting import Acting
    from glossator.core.ports import EditorPort
    from glossator.sessions import ListedSession, Runs, Session, Sessions
    from glossator.workspace import WorkspaceHost

_log = logging.getLogger(__name__)

_COUNTED_SECONDS = 5.0  # for which the files of a worktree are not counted again
_NO_FOLDER = "No folder is open, so there is nothing to make a worktree of. Open one."
_NOT_KEPT = (
    "No session is kept, since `sessions.count` is 0, so its worktree would be left without one."
    " Keep sessions, or begin one without a worktree."
)
_FROM_INSIDE = (
    "This server works in the worktree itself. Do that from {}, where the worktree was made from."
)
_NO_WORKTREE = "This session has no worktree of its own: it works in your own files."
_IS_OVER = (
    "The worktree of this session was {}, so nothing can be done in it any more. It can be read;"
    " begin a new session to go on."
)


class Working(Protocol):
    """What is known here of an `Application`."""

    host: WorkspaceHost
    sessions: Sessions
    runs: Runs
    acting: Acting
    port: EditorPort
    environment: Mapping[str, str]

    async def start(self) -> None:
        """Begin to ready it."""

    async def close(self) -> None:
        """Close it."""


A = TypeVar("A", bound=Working)


class Trees(Generic[A]):
    """The worktrees of one workspace; `main` is its application, `opening` makes that of one."""

    def __init__(self, main: A, opening: Callable[[tuple[str, ...]], A]) -> None:
        self._main = main
        self._opening = opening
        self._opened: dict[str, A] = {}  # by folder
        # by folder and replies, each with until when it is believed, in monotonic seconds
        self._standings: dict[tuple[str, int], tuple[Standing, float]] = {}
        self._turn = asyncio.Lock()

    @property
    def applications(self) -> tuple[A, ...]:
        """That of the workspace, then those of the worktrees that are open."""
        return (self._main, *self._opened.values())

    def roots(self) -> tuple[str, ...]:
        """The workspace's roots as they are, or were, in its worktrees."""
        return roots_in_worktrees(self._main.host.roots)

    def at(self, path: str) -> A:
        """The application of the worktree that a path is in, else that of the workspace."""
        found = (app for folder, app in self._opened.items() if is_inside(path, folder))
        return next(found, self._main)

    def apply(self, change: Change) -> None:
        """Apply what the editor tells of a document or the disk. Raises `UsageError`."""
        for app in self.applications:
            app.host.apply(change)

    def moved(self, paths: frozenset[str]) -> None:
        """Note that the editor deleted or renamed these files."""
        for app in self.applications:
            app.host.moved(paths)

    async def serving(self, session_id: str | None, run_id: str | None = None) -> A:
        """The application that a session works in, or that of a run. Raises `UsageError`."""
        await self._close_ended()
        session_id = session_id or self._main.runs.session_of(run_id)
        if session_id is None or not self.roots():
            return self._main
        roots = await self._main.sessions.roots_of(session_id)
        tree = self.of_roots(roots)
        if tree is None or not tree.is_open:
            return self._main
        async with self._turn:
            if not self._is_open(tree.folder):  # it ended meanwhile
                return self._main
            if tree.folder not in self._opened:
                app = self._opened[tree.folder] = self._opening(self._ours(roots))
                for opened in self._main.host.opened:
                    app.host.apply(opened)
                await app.start()
            return self._opened[tree.folder]

    async def of(self, session_id: str) -> Worktree | None:
        """The worktree of a session; None for one that works in the workspace itself."""
        return self.of_roots(await self._main.sessions.roots_of(session_id))

    def of_roots(self, roots: tuple[str, ...]) -> Worktree | None:
        """The worktree of a session with these roots, if it was made from the workspace."""
        ours = self._ours(roots)
        return worktree_at(ours[0]) if ours else None

    def _ours(self, roots: tuple[str, ...]) -> tuple[str, ...]:
        """Those of a session's roots that are the workspace's, as they are in a worktree.

        None of a session that works in the workspace itself, or belongs to another workspace: what
        is trusted here does not count there.
        """
        if not set(roots).isdisjoint(self._main.host.roots):
            return ()
        mirrored = self.roots()
        return tuple(root for root in roots if root in mirrored)

    def check(self, session: Session) -> None:
        """Raises `UsageError` if the session's worktree is gone, so that it cannot go on."""
        tree = self.of_roots(session.roots)
        if tree is not None and not tree.is_open:
            raise UsageError(over(tree))

    async def make(self, name: str) -> tuple[str, ...]:
        """Make a worktree, tell the user what it lacks, and give its roots. Raises `UsageError`."""
        if not (roots := self._main.host.roots):
            raise UsageError(_NO_FOLDER)
        if not self._main.sessions.are_kept:
            raise UsageError(_NOT_KEPT)
        await self._check_trust()
        tree, lacks = await asyncio.to_thread(make_worktree, roots[0], name, self._main.environment)
        await asyncio.to_thread(keep_worktree, tree)
        if lacks:
            self._main.port.tell(f"The new worktree {tree.name} lacks {lacks}.")
        if beside := [each for each in roots if not is_inside(each, tree.origin)]:
            self._main.port.tell(
                f"The session works in a worktree of {shown(tree.origin)} alone, and does not see"
                f" {some_of(list(map(shown, beside)), 5)}. To work in all your folders, begin one"
                " without a worktree."
            )
        return tuple(tree.mirrored(each) for each in roots if is_inside(each, tree.origin))

    async def standing(self, tree: Worktree, replies: int) -> Standing:
        """How many files it changed, and what it would be merged into, where git is asked.

        Git is not asked again within a few seconds while its session has as many `replies`.
        """
        if not tree.is_open or not self._main.acting.trust.is_trusted:
            return Standing()
        now = time.monotonic()
        self._standings = {key: each for key, each in self._standings.items() if now < each[1]}
        if known := self._standings.get((tree.folder, replies)):
            return known[0]
        now_so = Standing()
        try:
            now_so = await asyncio.to_thread(standing, tree, self._main.environment)
        except UsageError as error:
            _log.info("It is not known what %s changed: %s", tree.folder, error)
        self._standings[tree.folder, replies] = now_so, time.monotonic() + _COUNTED_SECONDS
        return now_so

    def recount(self) -> None:
        """Ask git again what changed, since that was no reply's doing."""
        self._standings.clear()

    async def merge(self, session: Session, into: str = "") -> tuple[Worktree, Merged]:
        """Merge the worktree of a session into the user's branch, and remove it.

        If `into` is named, only into that. Raises `UsageError`; then the user's files are as they
        were.
        """
        async with self._claimed(session) as tree:
            given = tree, session.title, self._main.environment, into
            merged = await asyncio.to_thread(merge, *given)
            await self._end(tree, WorktreeState.MERGED)
        return tree, merged

    async def discard(self, session: Session, *, anyway: bool) -> tuple[Worktree, str]:
        """Throw the worktree of a session away; or say what would be lost, if not `anyway`."""
        async with self._claimed(session) as tree:
            if not anyway and (lost := await self._lost(tree)):
                return tree, lost
            await self._end(tree, WorktreeState.DISCARDED)
        return tree, ""

    async def check_deleting(self, tree: Worktree | None, session_id: str) -> None:
        """Raises `UsageError` if the worktree of a session to delete holds what would be lost."""
        if tree is None or not tree.is_open:
            return
        if any(each.head.listed for each in await self._others(tree, session_id)):
            return
        await self._check_trust()
        if lost := await self._lost(tree):
            raise UsageError(
                f"The worktree of this session holds {lost} that would be lost. Merge it or throw"
                " it away first, then delete the session."
            )

    async def forget(self, tree: Worktree | None, session_id: str) -> None:
        """Its session was deleted, and it goes, too, unless another session is in it."""
        if tree is None:
            return
        others = await self._others(tree, session_id)
        if any(each.head.listed for each in others):
            return
        if tree.is_open:
            await self._end(tree, WorktreeState.DISCARDED)
        if not others:
            await asyncio.to_thread(forget_worktree, tree)

    async def close(self) -> None:
        """Close the applications of all worktrees."""
        async with self._turn:
            while self._opened:
                _, app = self._opened.popitem()
                await app.close()

    async def _close_ended(self) -> None:
        """Close the applications whose worktree is gone, unless a session is at work in them."""
        for folder in [each for each in self._opened if not self._is_open(each)]:
            sessions, busy = self._main.sessions.loaded(), self._main.runs.busy
            inside = (each for each in sessions if any(is_inside(r, folder) for r in each.roots))
            if not any(busy(each.id) for each in inside):
                await self._close(folder)

    async def _close(self, folder: str) -> None:
        async with self._turn:
            if (app := self._opened.pop(folder, None)) is not None:
                await app.close()

    def _is_open(self, folder: str) -> bool:
        tree = worktree_at(folder)
        return tree is not None and tree.is_open

    @asynccontextmanager
    async def _claimed(self, session: Session) -> AsyncIterator[Worktree]:
        """Keep all runs out of the session's worktree. Raises `UsageError` where one is at work."""
        async with AsyncExitStack() as claims:
            await claims.enter_async_context(self._main.runs.claim(session.id))
            tree = await self._changing(session)
            for other in await self._others(tree, session.id):
                if other.elsewhere:
                    raise UsageError(
                        f"“{shown(other.head.title)}” works in this worktree, too, and is open in"
                        f" {shown(other.elsewhere)}. Close it there, then try again."
                    )
                await claims.enter_async_context(self._main.runs.claim(other.head.id))
            yield tree

    async def _others(self, tree: Worktree, session_id: str) -> list[ListedSession]:
        """The other sessions in a worktree, such as those of a window that has it open."""
        return [
            each
            for each in await self._main.sessions.all()
            if each.head.id != session_id
            and any(is_inside(root, tree.folder) for root in each.head.roots)
        ]

    async def _changing(self, session: Session) -> Worktree:
        """The session's worktree, if it may be merged or thrown away. Raises `UsageError`."""
        tree = self.of_roots(session.roots)
        if tree is None:
            inside = worktree_at(session.roots[0]) if session.roots else None
            message = _FROM_INSIDE.format(shown(inside.origin)) if inside else _NO_WORKTREE
            raise UsageError(message)
        if not tree.is_open:
            raise UsageError(over(tree))
        await self._check_trust()
        self.recount()
        return tree

    async def _check_trust(self) -> None:
        """Raises `UsageError` unless git may be run, which obeys what the repository says."""
        if refusal := await self._main.acting.trust.refusal(Access.EXECUTE):
            raise UsageError(refusal)

    async def _lost(self, tree: Worktree) -> str:
        return await asyncio.to_thread(lost_with, tree, self._main.environment)

    async def _end(self, tree: Worktree, state: WorktreeState) -> None:
        """Note how it ended, so that nobody opens it any more, close it, then remove it."""
        await asyncio.to_thread(keep_worktree, replace(tree, state=state))
        await self._close(tree.folder)
        force = state is WorktreeState.DISCARDED
        environment = self._main.environment
        left = await asyncio.to_thread(remove_worktree, tree, environment, force=force)
        if left:
            self._main.port.tell(f"Something of the worktree is left: {left}")


def over(tree: Worktree) -> str:
    """Why nothing can be done any more in a worktree."""
    match tree.state:
        case WorktreeState.MERGED:
            how = "merged"
        case WorktreeState.DISCARDED:
            how = "thrown away"
        case _:
            how = "removed"
    return _IS_OVER.format(how)
