"""Makes contexts through the Message Batches API, so that a kill at any moment pays nothing twice.

The custom id of a request is its context's key, so results belong to their contexts whoever reads
them. The ledger knows each batch before it is sent. Where the answer to a POST was lost, by a kill
or on the network, the batch is looked for among those the provider has got since: only one of the
same number of requests can be it, and once it has ended the custom ids of its results tell. Until
that is settled, its contexts are not sent again.
"""

from __future__ import annotations

import asyncio
import json
import logging
import uuid
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from glossator.core.errors import ModelError, ModelRefused, StoreUnavailable, UsageError
from glossator.llm import BATCH_SHARE, Batch, BatchResult, MessageBatches
from glossator.retrieval.contexts.costs import Purse, Tally
from glossator.retrieval.contexts.direct import (
    LIMIT_REACHED,
    NO_CONTEXT,
    Means,
    context_in,
    most_of,
    tokens_of,
)
from glossator.retrieval.contexts.passages import ContextRequest, Passage, model_request
from glossator.store import Contents, Log, Logs, NotOpened

_log = logging.getLogger(__name__)
BATCH_BYTES = 64_000_000  # of the provider's 256 MB, since a batch is put together in memory
BATCH_REQUESTS = 20_000  # of the provider's 100,000
TRIES = 3  # of a request that failed through no fault of its own
FIRST_LOOK, LONGEST_LOOK, SLOWER = 5.0, 120.0, 1.5  # seconds between looks; grows by the factor
FAILED_LOOKS = 20  # in a row, after which a run ends
SETTLED = 30.0  # seconds after which a POST is sure to have arrived, or never will

_ID = "context-"
_ID_DIGITS = 56  # of the key, so that an id has the 64 characters it may have
_STAYS = "What the provider has is collected by the next start; nothing is paid for twice."
_CANCELLED = "The batch was cancelled. What was answered before is kept; start again for the rest."
_KEY = "batches"
_IN_USE = (
    "Another Glossator server is making contexts for this workspace. Wait until it is ready, or"
    " stop it there."
)


def custom_id(key: bytes) -> str:
    """The custom id of the request for a context."""
    return _ID + key.hex()[:_ID_DIGITS]


@dataclass(slots=True)
class QueuedRequest:
    """A request that waits for a batch."""

    passage: Passage
    request: ContextRequest
    cached: bool
    tries: int = 0


@dataclass(frozen=True, slots=True)
class Pace:
    """How a run waits: `sleep` by seconds; `settled` as `SETTLED`."""

    sleep: Callable[[float], Awaitable[object]]
    settled: float = SETTLED


class BatchRun:
    """Sends what is queued in batches, and collects these and what was pending before."""

    def __init__(
        self,
        means: Means,
        batches: MessageBatches,
        log: BatchLog,
        tally: Tally,
        purse: Purse,
        pace: Pace,
    ) -> None:
        self._means = means
        self._batches = batches
        self._batch_log = log
        self._tally = tally
        self._purse = purse
        self._pace = pace
        self._pending: list[PendingBatch] = []
        self._queue: deque[QueuedRequest] = deque()
        self._known: dict[bytes, QueuedRequest] = {}  # all that may have to be sent again
        self._look_after = FIRST_LOOK
        self._failed_looks = 0

    async def collect(self, pending: Iterable[PendingBatch]) -> None:
        """Wait for batches of an earlier process and keep what they give."""
        await self.make((), pending)

    async def make(self, passages: Iterable[Passage], pending: Iterable[PendingBatch]) -> None:
        """All contexts of `passages` but those that are `pending`, whose results are kept, too."""
        self._pending = list(pending)
        under_way = {key for each in self._pending for key in each.keys}
        for each in self._pending:
            self._purse.hold(each.most)
        for passage in passages:
            cached = self._means.tariff.is_cached(tokens_of(passage))
            for request in passage.requests:
                queued = QueuedRequest(passage, request, cached)
                self._known[request.key] = queued
                if request.key not in under_way:
                    self._queue.append(queued)
        try:
            while True:
                await self._submit()
                if not self._pending:
                    return
                await self._look_at_all()
        except (ModelError, StoreUnavailable) as error:
            self._tally.stop(f"{error} {_STAYS}" if self._pending else str(error))

    async def _submit(self) -> None:
        """Send as many batches as the limit allows for."""
        while self._queue and not self._tally.stopped:
            # In a thread: a batch may be 64 MB of JSON. Nobody else touches the queue meanwhile.
            chosen, bodies, most = await asyncio.to_thread(self._slice)
            if not chosen:
                if not self._pending:  # else there may be room when those are settled
                    self._tally.stop(LIMIT_REACHED)
                return
            await self._send(chosen, bodies, most)
        if self._tally.stopped:
            self._queue.clear()

    def _slice(self) -> tuple[list[QueuedRequest], list[bytes], float]:
        """The next requests that fit into one batch, with their bodies, and the most they cost.

        None where the limit is what cuts it and pending batches may leave more of it.
        """
        left = self._purse.left
        chosen: list[QueuedRequest] = []
        bodies: list[bytes] = []
        size, most = 0, 0.0
        while self._queue and len(chosen) < BATCH_REQUESTS:
            queued = self._queue[0]
            shared, chunk = queued.passage.shared, queued.request.chunk
            asked = model_request(shared, chunk, self._means.max_output, cached=queued.cached)
            body = self._batches.body_of(asked)
            cost = most_of(self._means, queued.passage, queued.request, cached=queued.cached)
            more = most + cost * BATCH_SHARE
            if chosen and size + len(body) > BATCH_BYTES:
                break
            if left is not None and more > left:
                if self._pending:
                    self._queue.extendleft(reversed(chosen))
                    return [], [], 0.0
                break
            most, size = more, size + len(body)
            chosen.append(self._queue.popleft())
            bodies.append(body)
        return chosen, bodies, most

    async def _send(self, chosen: list[QueuedRequest], bodies: list[bytes], most: float) -> None:
        """Create one batch. What may have been created stays pending, whatever happens."""
        keys = [queued.request.key for queued in chosen]
        pending = PendingBatch.of(keys, most, await self._batches.newest())
        for queued in chosen:
            queued.tries += 1
        # Before the request leaves: a process that dies from here on finds the batch again, and
        # pays for nothing twice (docs/decisions/0037).
        await self._batch_log.intend(pending)
        self._purse.hold(most)
        self._pending.append(pending)
        requests = [(custom_id(key), body) for key, body in zip(keys, bodies, strict=True)]
        try:
            batch = await self._batches.create(requests)
        except ModelRefused:  # there is none
            await self._drop(pending)
            raise
        except ModelError as error:
            _log.warning("Whether a batch was created is not known (%s); it is looked for.", error)
        else:
            await self._batch_log.made(pending, batch.id)
            self._look_after = FIRST_LOOK

    async def _look_at_all(self) -> None:
        self._tally.wait(
            f"{sum(len(each.keys) for each in self._pending):,} contexts are with the provider, in"
            f" {len(self._pending)} batch{'es' if len(self._pending) > 1 else ''}."
        )
        ended = False
        for pending in tuple(self._pending):
            try:
                if pending.batch is not None:
                    batch: Batch | None = await self._batches.look(pending.batch)
                else:
                    batch = await self._find(pending)
                self._failed_looks = 0
                if batch is not None and batch.ended:
                    await self._keep(pending, batch)
                ended = ended or pending not in self._pending
            except ModelError as error:
                self._failed_looks += 1
                if not error.retryable or self._failed_looks >= FAILED_LOOKS:
                    raise
        if ended:
            self._tally.wait("")
        elif self._pending:
            await self._pace.sleep(self._look_after)
            self._look_after = min(LONGEST_LOOK, self._look_after * SLOWER)

    async def _find(self, pending: PendingBatch) -> Batch | None:
        """Look for a batch whose POST was never answered; None while that is not settled."""
        ids = {custom_id(key) for key in pending.keys}
        maybe = False
        for batch in reversed(await self._batches.newer_than(pending.after)):
            if batch.id in self._batch_log.ids or batch.requests != len(ids) or batch.archived:
                continue
            if not batch.ended:
                maybe = True
            elif any(r.custom_id in ids for r in await self._batches.results(batch.id)):
                await self._batch_log.made(pending, batch.id)
                return batch
        if maybe:
            return None
        if not pending.waited_for:
            pending.waited_for = True
            await self._pace.sleep(self._pace.settled)
            return await self._find(pending)
        await self._drop(pending)
        for key in pending.keys:
            self._again(key, "the provider did not take the batch")
        return None

    async def _keep(self, pending: PendingBatch, batch: Batch) -> None:
        """Keep the results of a batch that has ended."""
        if batch.archived:
            await self._drop(pending)
            self._tally.fail("the provider no longer has the results", len(pending.keys))
            return
        results = await self._batches.results(batch.id)
        ids = {custom_id(key): key for key in pending.keys}
        answered = {ids[each.custom_id]: each for each in results if each.custom_id in ids}
        made = {
            key: text
            for key, each in answered.items()
            if each.reply is not None and (text := context_in(each.reply))
        }
        if made:
            await self._means.contexts.put(made)
        await self._drop(pending, self._count(answered.values()))
        self._tally.batches += 1
        self._tally.keep(len(made))
        if batch.canceled and not pending.resumed:
            self._tally.stop(_CANCELLED)
        for key in pending.keys:
            self._check(key, answered.get(key), is_made=key in made)

    def _count(self, results: Iterable[BatchResult]) -> float:
        """Count what was billed; returns the dollars."""
        paid = 0.0
        for reply in (each.reply for each in results if each.reply is not None):
            self._tally.meter.count(reply, "contexts", self._means.model.id)
            paid += reply.dollars or 0.0
        return paid

    def _check(self, key: bytes, result: BatchResult | None, *, is_made: bool) -> None:
        """Send again, or count as failed, requests that gave no context."""
        if is_made:
            return
        if result is None:
            self._again(key, "the provider gave no result")
        elif result.reply is not None:
            self._tally.fail(NO_CONTEXT)
        else:
            self._again(key, result.problem, hopeless=not result.again)

    async def _drop(self, pending: PendingBatch, paid: float = 0.0) -> None:
        """Note that the batch is done, or does not exist."""
        await self._batch_log.done(pending)
        self._pending.remove(pending)
        await self._purse.settle(pending.most, paid)

    def _again(self, key: bytes, problem: str, *, hopeless: bool = False) -> None:
        """Queue a request once more, if that may help."""
        queued = self._known.get(key)
        if hopeless or queued is None or queued.tries >= TRIES or self._tally.stopped:
            self._tally.fail(problem)
        else:
            self._queue.append(queued)


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


class BatchLog:
    """Which batches of a folder are under way, on disk before and after each is created.

    An append-only log that one process owns from `open` to `close`. A batch is *intended*, with the
    keys of its contexts and the newest batch that the provider had then; it is *made* when the
    provider has named it; it is *done* when its results are kept. A process that dies between the
    first two leaves an intention without a name: the next one looks for the batch among those the
    provider has got since. Raises `StoreUnavailable`.
    """

    def __init__(self, folder: str) -> None:
        self._logs = Logs(folder)
        self._log: Log | None = None
        self.ids: set[str] = set()  # of all batches in it, done or not

    async def open(self) -> list[PendingBatch]:
        """Own it; gives what is pending. Raises `UsageError` if another process owns it."""
        return await asyncio.to_thread(self._open)

    async def intend(self, pending: PendingBatch) -> None:
        """Note a batch before it is created."""
        keys = [key.hex() for key in pending.keys]
        await self._append(
            {"intended": pending.name, "keys": keys, "most": pending.most, "after": pending.after}
        )

    async def made(self, pending: PendingBatch, batch: str) -> None:
        """Note that the batch was created, or found, under this id."""
        pending.batch = batch
        self.ids.add(batch)
        await self._append({"made": pending.name, "batch": batch})

    async def done(self, pending: PendingBatch) -> None:
        """Note that its results are kept, or that there is no such batch."""
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
