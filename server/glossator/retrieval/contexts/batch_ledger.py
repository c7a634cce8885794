"""Which batches are under way, on disk before and after each is created.

An append-only log that one process owns. A batch is *intended*, with the keys of its contexts and
the newest batch that the provider had then; it is *made* when the provider has named it; it is
*done* when its results are kept. A process that dies between the first two leaves an intention
without a name: the next one looks for the batch among those the provider has got since.
"""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Iterable
from dataclasses import dataclass

from glossator.core.errors import UsageError
from glossator.store import Contents, Log, Logs, NotOpened

_KEY = "batches"
_IN_USE = (
    "Another Glossator server is making contexts for this workspace. Wait until it is ready, or"
    " stop it there."
)


@dataclass(slots=True)
class PendingBatch:
    """A batch whose results are not kept yet.

    `most` is what it can cost, in dollars; `after` the provider's newest batch before it; `batch`
    its id, None while that is not known. `resumed` from an earlier process.
    """

    name: str
    keys: tuple[bytes, ...]
    most: float
    after: str | None
    batch: str | None = None
    resumed: bool = False
    waited_for: bool = False  # for a POST that may still have been on its way

    @staticmethod
    def of(keys: Iterable[bytes], most: float, after: str | None) -> PendingBatch:
        """One that is about to be created."""
        return PendingBatch(uuid.uuid4().hex, tuple(keys), most, after)


class Ledger:
    """The batches of one folder, owned from `open` to `close`. Raises `StoreUnavailable`."""

    def __init__(self, folder: str) -> None:
        self._logs = Logs(folder)
        self._log: Log | None = None
        self.ids: set[str] = set()  # of all batches in it, done or not

    async def open(self) -> list[PendingBatch]:
        """Own it; gives what is pending. Raises `UsageError` if another process owns it."""
        return await asyncio.to_thread(self._open)

    async def intend(self, pending: PendingBatch) -> None:
        """Before a batch is created."""
        keys = [key.hex() for key in pending.keys]
        await self._append(
            {"intended": pending.name, "keys": keys, "most": pending.most, "after": pending.after}
        )

    async def made(self, pending: PendingBatch, batch: str) -> None:
        """The batch was created, or found, under this id."""
        pending.batch = batch
        self.ids.add(batch)
        await self._append({"made": pending.name, "batch": batch})

    async def done(self, pending: PendingBatch) -> None:
        """Its results are kept, or there is no such batch."""
        await self._append({"done": pending.name})

    def pending(self) -> list[PendingBatch]:
        """What is pending, also while another process owns the ledger."""
        contents = self._logs.read(_KEY)
        return _fold(contents)[0] if isinstance(contents, Contents) else []

    def close(self) -> None:
        """Give it back; safe to call again."""
        if self._log is not None:
            self._log.close()
            self._log = None

    def forget(self) -> None:
        """Drop all that is pending: its results are not collected, and are paid for again.

        Raises `UsageError` if a process owns the ledger.
        """
        if self._logs.remove(_KEY) is NotOpened.IN_USE:
            raise UsageError(_IN_USE)

    def _open(self) -> list[PendingBatch]:
        opened = self._logs.open(_KEY)
        if opened is NotOpened.IN_USE:
            raise UsageError(_IN_USE)
        if isinstance(opened, NotOpened):
            self._log = self._logs.create(_KEY)
            return []
        log, contents = opened
        pending, self.ids = _fold(contents)
        if not pending and contents.records:  # nothing in it is needed any more
            log.close()
            self._logs.remove(_KEY)
            log = self._logs.create(_KEY)
        self._log = log
        return pending

    async def _append(self, record: dict[str, object]) -> None:
        if self._log is None:
            raise UsageError("The ledger of batches is not open.")
        log = self._log

        def write() -> None:
            log.append([json.dumps(record).encode()])
            log.sync()

        await asyncio.shield(asyncio.to_thread(write))


def _fold(contents: Contents) -> tuple[list[PendingBatch], set[str]]:
    pending: dict[str, PendingBatch] = {}
    ids: set[str] = set()
    for record in map(json.loads, contents.records):
        match record:
            case {"intended": name, "keys": keys, "most": most, "after": after}:
                hashes = tuple(bytes.fromhex(key) for key in keys)
                pending[name] = PendingBatch(name, hashes, most, after, resumed=True)
            case {"made": name, "batch": batch}:
                ids.add(batch)
                if name in pending:
                    pending[name].batch = batch
            case {"done": name}:
                pending.pop(name, None)
    return list(pending.values()), ids
