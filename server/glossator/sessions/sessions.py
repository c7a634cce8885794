"""The sessions of a workspace: those of this server in memory, and all that are kept on disk.

The user's state folder has the sessions of all workspaces; a workspace lists those that share a
root with it. A log keeps what was sent to the model and what it answered. Only the few sessions
used last stay open.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import platformdirs

from glossator.core.errors import SessionInUse, StoreUnavailable, UnknownSession
from glossator.core.own_process import return_free_memory
from glossator.sessions.export import questions_asked
from glossator.sessions.journal import Head, Journal, decode_head
from glossator.sessions.records import UNTITLED, Begun, Record, decode_all
from glossator.sessions.session import Session
from glossator.sessions.state import SessionState, session_state, without_rewound
from glossator.store import Contents, LogInfo, Logs, NotOpened, Retention
from glossator.undo import CHECKPOINTS, cut_off_in_notes

logger = logging.getLogger(__name__)

KEEP = Retention(days=90, count=500, bytes=1_000_000_000)
ANOTHER = "another Glossator"
_TAKING_SECONDS = 15.0  # for another server to give up a session; an undo is carried through
_LOOK_SECONDS = 0.1  # between two looks whether it has
_MAX_IDLE_SESSIONS = 8  # sessions that stay open while nobody uses them, those used last


def sessions_folder() -> Path:
    """Where sessions are kept."""
    return Path(platformdirs.user_state_dir("glossator")).absolute() / "sessions"


@dataclass(frozen=True, slots=True)
class ListedSession:
    """A session of this workspace and when something last happened in it.

    `elsewhere` says what has it open, "" unless it is another server's.
    """

    head: Head
    updated_at: datetime
    elsewhere: str = ""


class Sessions:
    """The sessions of the application's workspace; `roots` gives its current roots (real paths).

    If `keep` allows no sessions, nothing is written and sessions end with the server. `let_go` is
    asked before a session that was not used lately is closed; False: it is at work. `who` has them
    open, in words for the users of other servers. `more_roots` are those of its worktrees: sessions
    in them belong to the workspace, too.
    """

    def __init__(
        self,
        roots: Callable[[], tuple[str, ...]],
        tell: Callable[[str], None],
        keep: Retention = KEEP,
        folder: Path | None = None,
        let_go: Callable[[str], bool] = lambda _: True,
        who: str = ANOTHER,
        more_roots: Callable[[], tuple[str, ...]] = tuple,
    ) -> None:
        self._roots = roots
        self._more_roots = more_roots
        self._tell = tell
        self._keep = keep
        self._logs = Logs(str(folder or sessions_folder()), who) if keep.count else None
        self._let_go = let_go
        self._sessions: dict[str, Session] = {}  # the one used last stands last
        self._settling: list[str] = []  # sessions whose end of a run the disk does not have yet
        self._opening = asyncio.Lock()
        self._told_of_folder = False
        self._questions: dict[str, tuple[datetime, tuple[str, ...]]] = {}  # by id, as of a time
        self._working: set[asyncio.Task[None]] = set()

    @property
    def are_kept(self) -> bool:
        """Whether they are there after the server ends."""
        return self._logs is not None

    def create(self, title: str | None = None, roots: tuple[str, ...] | None = None) -> Session:
        """Begin an empty session; it is on disk from its first title, message or event on.

        It works in other `roots` than the workspace's, if some are given.
        """
        session = self.blank(roots)
        if title:
            session.rename(title)
        self._sessions[session.id] = session
        return session

    def blank(self, roots: tuple[str, ...] | None = None) -> Session:
        """A session that appears in no list, to find out what would be in a new one."""
        roots = self._roots() if roots is None else roots
        begun = Begun(secrets.token_hex(8), datetime.now(UTC), roots)
        state = SessionState(begun.id, UNTITLED, begun.at, begun.roots)
        return Session(state, Journal(self._logs, begun, self._tell))

    async def open(self, session_id: str) -> Session:
        """The session with this id, resumed from disk if need be.

        Raises `UnknownSession`, `SessionInUse` while another server has it, `StoreUnavailable`.
        """
        async with self._opening:
            session = self._sessions.pop(session_id, None)
            if session is None:
                session = await asyncio.to_thread(self._resume, session_id)
            self._sessions[session_id] = session
        self._close_unused()
        return session

    async def take_over(self, session_id: str) -> Session:
        """Have the server that has a session open give it up, and open it here.

        Raises like `open`, also if the other server does not answer.
        """
        until = time.monotonic() + _TAKING_SECONDS
        logs = self._logs
        try:
            while True:
                try:
                    return await self.open(session_id)
                except SessionInUse:
                    if logs is None or time.monotonic() > until:
                        raise
                    await asyncio.to_thread(logs.want, session_id)
                    await asyncio.sleep(_LOOK_SECONDS)
        finally:
            if logs is not None:
                await asyncio.to_thread(logs.want_no_more, session_id)

    async def wanted(self) -> dict[str, str]:
        """The sessions of this server that others ask for, and who asks, in words."""
        logs, ids = self._logs, [each.id for each in self._sessions.values() if each.on_disk]
        if logs is None or not ids:
            return {}
        asked = await asyncio.to_thread(lambda: {each: logs.wanted(each) for each in ids})
        return {session_id: who for session_id, who in asked.items() if who}

    async def give_up(self, session_id: str) -> bool:
        """Close a session, with all of it on disk; False while it is at work, or is not kept."""
        async with self._opening:  # nobody begins to work in it meanwhile
            await self._settled()
            session = self._sessions.get(session_id)
            if session is None or not session.is_kept or not self._let_go(session_id):
                return False
            del self._sessions[session_id]
            await asyncio.to_thread(session.sync)
            session.close()
        return True

    async def roots_of(self, session_id: str) -> tuple[str, ...]:
        """The folders that a session works in; none if it is not known, or cannot be read."""
        if (session := self._sessions.get(session_id)) is not None:
            return session.roots
        return await asyncio.to_thread(self._roots_on_disk, session_id)

    async def records(self, session_id: str) -> list[Record]:
        """What was kept of a session, also while another server has it open. Raises like `open`."""
        logs = self._logs
        if logs is None:
            raise _unknown(session_id)
        contents = await asyncio.to_thread(logs.read, session_id)
        if isinstance(contents, NotOpened):
            raise _unknown(session_id)
        records = decode_all(contents.records)
        self._check_roots(session_state(records))
        return records

    async def all(self) -> list[ListedSession]:
        """Every session of this workspace, the most recently active first."""
        try:
            listed = await asyncio.to_thread(self._listed)
            self._told_of_folder = False
        except StoreUnavailable as error:  # those of this server are there all the same
            listed = []
            if not self._told_of_folder:
                self._told_of_folder = True
                self._tell(f"{error} Sessions that were kept there are not listed until then.")
        found = {item.head.id: item for item in listed}
        for session in self._sessions.values():
            kept = found.get(session.id)
            updated = kept.updated_at if kept else session.created_at
            found[session.id] = ListedSession(session.head, updated)
        return sorted(found.values(), key=lambda item: item.updated_at, reverse=True)

    async def questions(self, listed: ListedSession) -> tuple[str, ...]:
        """The questions asked in a session, oldest first; none if its log cannot be read."""
        key, now = listed.head.id, listed.updated_at
        if (known := self._questions.get(key)) is None or known[0] != now:
            known = now, await asyncio.to_thread(self._asked, key)
            self._questions[key] = known
        return known[1]

    def loaded(self) -> list[Session]:
        """The sessions this server has in memory."""
        return list(self._sessions.values())

    async def delete(self, session_id: str) -> None:
        """Delete a session for good, also one that cannot be read. Raises like `open`."""
        on_disk = True
        try:
            session = await self.open(session_id)
        except StoreUnavailable as error:
            logger.info("%s is deleted unread: %s", session_id, error)
        else:
            del self._sessions[session_id]
            await self._settled()
            session.close()
            on_disk = session.on_disk
        if self._logs is not None and on_disk:
            await asyncio.to_thread(self._logs.remove, session_id)

    async def cut_off(self) -> list[str]:
        """The sessions of this workspace whose server was killed during a command or an undo.

        Sessions in which another server is at work are among them.
        """
        try:
            return await asyncio.to_thread(lambda: list(self._cut_off()))
        except StoreUnavailable as error:  # whoever uses one of them is told
            logger.warning("%s", error)
            return []

    def settle(self, session: Session) -> None:
        """Flush the session to disk in the background, now that one of its runs has ended.

        Sessions not used lately are closed then, and free memory is returned to the system.
        """
        self._settling.append(session.id)
        self._in_background(self._settle(session))

    def prune(self, spares: Callable[[tuple[str, ...]], bool]) -> None:
        """Delete sessions that are kept no longer, in the background; called at the start.

        `spares` is asked, from any thread, whether those with these roots are kept all the same.
        """
        if self._logs is not None:
            self._in_background(asyncio.to_thread(self._prune, self._logs, spares))

    async def close(self) -> None:
        """Close every session, so that other servers can open it."""
        sessions = tuple(self._sessions.values())
        self._sessions.clear()  # so that the end of a run closes none of them meanwhile
        for session in sessions:
            self._in_background(asyncio.to_thread(session.sync))
        await self._settled()
        for session in sessions:
            session.close()

    async def _settle(self, session: Session) -> None:
        try:
            await asyncio.to_thread(session.sync)
        finally:
            self._settling.remove(session.id)
        self._close_unused()
        await asyncio.to_thread(return_free_memory)

    def _close_unused(self) -> None:
        kept = [each for each in self._sessions.values() if each.is_kept]
        for session in kept[:-_MAX_IDLE_SESSIONS]:
            if session.id not in self._settling and self._let_go(session.id):
                del self._sessions[session.id]
                session.close()

    def _in_background(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._working.add(task)
        task.add_done_callback(self._working.discard)

    async def _settled(self) -> None:
        if self._working:
            await asyncio.gather(*self._working)

    def _resume(self, session_id: str) -> Session:
        opened = self._logs.open(session_id) if self._logs else NotOpened.GONE
        if opened is NotOpened.IN_USE:
            where = (self._logs.owner(session_id) if self._logs else "") or ANOTHER
            raise SessionInUse(
                f"The session is open in {where}. Take it over with /takeover (at a shell:"
                " glossator sessions take-over), or begin a new one."
            )
        if isinstance(opened, NotOpened):
            raise _unknown(session_id)
        log, contents = opened
        head = self._last_head(session_id)
        try:
            state = session_state(decode_all(contents.records))
            self._check_readable(state, contents, head)
            self._check_roots(state)
        except (StoreUnavailable, UnknownSession):
            log.close()
            raise
        self._tell_of_damage(state, contents, head)
        begun = Begun(session_id, state.created_at, state.roots)
        session = Session(state, Journal(self._logs, begun, self._tell, log))
        if session.was_repaired:
            self._tell(
                f"The conversation of “{state.title}” contained parts that models reject, such as"
                " a tool call without a result; they were left out. Check what the last answers"
                " rest on before you build on them."
            )
        return session

    def _prune(self, logs: Logs, spares: Callable[[tuple[str, ...]], bool]) -> None:
        try:
            gone = logs.prune(self._keep, lambda key: spares(self._roots_on_disk(key)))
        except StoreUnavailable as error:
            logger.warning("%s", error)
        else:
            logger.info("%d old sessions were deleted", len(gone))

    def _roots_on_disk(self, session_id: str) -> tuple[str, ...]:
        if (head := self._last_head(session_id)) is not None:
            return head.roots
        try:
            contents = self._logs.read(session_id) if self._logs else NotOpened.GONE
        except StoreUnavailable as error:
            logger.warning("%s: %s", session_id, error)
            return ()
        if isinstance(contents, NotOpened):
            return ()
        return session_state(decode_all(contents.records)).roots

    def _asked(self, session_id: str) -> tuple[str, ...]:
        try:
            contents = self._logs.read(session_id) if self._logs else NotOpened.GONE
            if isinstance(contents, NotOpened):
                return ()
            told = [
                line
                for line in contents.records
                if b'"run.started"' in line or b'"rewound"' in line  # few of many, and long ones
            ]
            return tuple(questions_asked(without_rewound(decode_all(told))).values())
        except StoreUnavailable as error:
            logger.warning("%s: %s", session_id, error)
            return ()

    def _listed(self) -> list[ListedSession]:
        if self._logs is None:
            return []
        found, ours = [], self._ours()
        for info in self._logs.all():
            head = self._head(self._logs, info)
            if head is not None and not ours.isdisjoint(head.roots):
                updated = datetime.fromtimestamp(info.modified, UTC)
                elsewhere = "" if head.id in self._sessions else self._logs.owner(head.id)
                found.append(ListedSession(head, updated, elsewhere))
        return found

    def _cut_off(self) -> Iterator[str]:
        for info in self._logs.all() if self._logs else ():
            contents = self._logs.read(info.key) if self._logs and info.head is None else None
            if isinstance(contents, Contents) and contents.records:
                lines = [line for line in contents.records[1:] if CHECKPOINTS.encode() in line]
                state = session_state(decode_all([contents.records[0], *lines]))
                notes = state.kept.get(CHECKPOINTS, ())
                if self._is_ours(state.roots) and cut_off_in_notes(notes):
                    yield info.key

    def _head(self, logs: Logs, info: LogInfo) -> Head | None:
        """The head kept beside a log; without one it is made from the log itself."""
        if info.head is not None and (head := decode_head(info.head)):
            return head
        try:
            contents = logs.read(info.key)
            if isinstance(contents, NotOpened):
                return None
            state = session_state(decode_all(contents.records))
        except StoreUnavailable as error:
            logger.warning("%s: %s", info.key, error)
            return None
        if not state.id:  # nothing can be read any more
            return decode_head(info.last_head or b"")
        created = state.created_at.isoformat(timespec="seconds")
        return Head(info.key, state.title, created, state.roots, state.turns, state.listed)

    def _is_ours(self, roots: tuple[str, ...]) -> bool:
        return not self._ours().isdisjoint(roots)

    def _ours(self) -> frozenset[str]:
        return frozenset((*self._roots(), *self._more_roots()))

    def _check_roots(self, state: SessionState) -> None:
        if not self._is_ours(state.roots):
            where = ", ".join(state.roots) or "an unknown folder"
            raise UnknownSession(
                f"The session {state.id} belongs to another workspace ({where}); open that one."
            )

    def _check_readable(self, state: SessionState, contents: Contents, head: Head | None) -> None:
        if not state.id and head is not None and self._is_ours(head.roots):
            raise StoreUnavailable(
                f"Nothing of the session “{head.title}” can be read: its file was damaged, and is"
                f" kept as {contents.damaged}. Delete the session, or put the file right."
            )

    def _last_head(self, session_id: str) -> Head | None:
        kept = self._logs.head(session_id) if self._logs else None
        return None if kept is None else decode_head(kept)

    def _tell_of_damage(self, state: SessionState, contents: Contents, head: Head | None) -> None:
        if not contents.damaged:
            return
        missing = f"its last {contents.lost:,} bytes are missing"
        if head is not None and head.turns > state.turns:
            count = head.turns - state.turns
            missing = f"{count:,} of its {head.turns:,} replies are missing"
        self._tell(
            f"The session “{state.title}” was damaged on disk: {missing}, and undo does not know"
            " what was changed there. It continues from what comes before. The damaged file is kept"
            f" as {contents.damaged}."
        )


def _unknown(session_id: str) -> UnknownSession:
    return UnknownSession(
        f"There is no session {session_id!r} in this workspace; list the sessions, or leave the id"
        " out to begin a new one."
    )
