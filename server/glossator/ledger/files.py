"""The ledger on this machine's disk, used by a thread of its own.

What cannot be kept counts until the server ends, with one message to the user.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

import platformdirs

from glossator.core.errors import StoreUnavailable
from glossator.core.tool_result import counted
from glossator.ledger.rows import Rows, parsed, rescued, without_facts
from glossator.store import Damage, LedgerRow, LedgerStore, Retention, unavailable

logger = logging.getLogger(__name__)

T = TypeVar("T")

_FILE = "ledger.db"
_DAMAGED = (
    "The file of facts was damaged on disk. {} and the memory of {} could be read and are kept;"
    " the others are missing. The damaged file is kept as {}."
)


def ledger_folder() -> Path:
    """The folder of the file."""
    return Path(platformdirs.user_state_dir("glossator")).absolute()


class LedgerFiles:
    """Reads and writes the ledger's files; for the event loop.

    Every method returns nothing, or does nothing, while the disk fails.
    """

    def __init__(
        self, keep: Retention, tell: Callable[[str], None], folder: Path | None = None
    ) -> None:
        self._keep = keep
        self.tell = tell
        self._told = False
        self._folder = folder
        self._thread = ThreadPoolExecutor(1, "glossator-ledger")
        self._store: LedgerStore | None = None  # of the thread
        self._taken: tuple[int, str] | None = None  # the version that was read, the workspace
        self._damage = ""  # what to tell of it

    async def facts(self, workspace: str) -> dict[str, LedgerRow]:
        """The rows of a workspace; none if nothing changed since they were read."""
        found = await self._try(None, self._facts, workspace, self._taken)
        if found is None:
            return {}
        rows, self._taken = found
        return rows

    def read_again(self) -> None:
        """Make `facts` read all rows again, because some on disk did not arrive."""
        self._taken = None

    async def put(self, workspace: str, rows: Rows) -> bool:
        """Keep rows; whether they are on disk when it returns."""
        try:
            return await self._try(False, self._put, workspace, rows)
        except asyncio.CancelledError:  # they may be there for all that
            self.read_again()
            raise

    async def memory(self, session: str) -> bytes | None:
        """The memory kept for a session."""
        return await self._try(None, lambda store: store.memory(session))

    async def put_memory(self, session: str, workspace: str, value: bytes, *, shared: bool) -> None:
        """Keep a session's memory; it waits for the team's server unless it is `shared`.

        Where no session is kept on disk, neither is its memory.
        """
        if not self._keep.count:
            return
        await self._try(
            None, lambda store: store.put_memory(session, workspace, value, shared=shared)
        )

    async def unshared(self, workspace: str) -> list[tuple[str, bytes]]:
        """The sessions whose memory the team's server does not have, and what is kept of them."""
        return await self._try([], lambda store: store.unshared(workspace))

    async def mark_shared(self, session: str, value: bytes) -> None:
        """Note that the team's server has this value."""
        await self._try(None, lambda store: store.mark_shared(session, value))

    async def drop_facts(self, workspace: str, ids: Collection[str], *, shared: bool) -> None:
        """Take forgotten facts out of the memories of a workspace's sessions."""
        await self._try(
            None,
            lambda store: store.change_memories(
                workspace, lambda value: without_facts(value, ids), shared=shared
            ),
        )

    async def remove_memories(self, workspace: str | None, *sessions: str) -> list[str]:
        """Delete the memory of these sessions and of a workspace's; returns their ids."""
        return await self._try([], lambda store: store.remove_memories(workspace, sessions))

    async def close(self) -> None:
        """Close the file."""
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._thread, self._close)
        self._thread.shutdown(wait=False)

    async def _try(self, nothing: T, work: Callable[..., T], *arguments: object) -> T:
        loop = asyncio.get_running_loop()
        try:
            found = await loop.run_in_executor(
                self._thread, self._done, lambda: partial(work, self._opened())(*arguments)
            )
            if self._damage:
                self.tell(self._damage)
                self._damage = ""
                self.read_again()
        except (OSError, StoreUnavailable) as problem:
            logger.warning("%s", problem)
            self.read_again()
            if not self._told:
                self._told = True
                self.tell(f"Facts are kept only until the server ends: {problem}")
            return nothing
        return found

    # What follows is for the thread.

    def _done(self, work: Callable[[], T]) -> T:
        """The result of `work`; if the file was damaged, also what could be read of it."""
        found = work()
        store = self._opened()
        if (damage := store.take_damage()) is None:
            return found
        self._damage = _rescue(store, damage)
        return work()

    def _opened(self) -> LedgerStore:
        if self._store is None:
            folder = self._folder or ledger_folder()
            try:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            except OSError as error:
                raise unavailable(str(folder), error) from error
            self._store = LedgerStore(str(folder / _FILE), self._keep)
            self._store.prune()
        return self._store

    def _facts(
        self, store: LedgerStore, workspace: str, taken: tuple[int, str] | None
    ) -> tuple[dict[str, LedgerRow], tuple[int, str]] | None:
        now = store.version(), workspace
        return None if now == taken else (store.facts(workspace), now)

    def _put(self, store: LedgerStore, workspace: str, rows: Rows) -> bool:
        store.put(workspace, rows)
        return True

    def _close(self) -> None:
        if self._store is not None:
            self._store.close()


def _rescue(store: LedgerStore, damage: Damage) -> str:
    """Keep what was read of a damaged file, and say what that is."""
    facts, sessions = 0, set[str]()
    for workspace, rows in rescued(damage.facts).items():
        store.put(workspace, rows)
        facts += sum(row.value is not None for row in rows.values())
    for memory in damage.memories:
        match memory:
            case str(session), str(workspace), bytes(value), int(shared) if parsed(value):
                store.put_memory(session, workspace, value, shared=bool(shared))
                sessions.add(session)
    return _DAMAGED.format(counted(facts, "facts"), counted(len(sessions), "sessions"), damage.path)
