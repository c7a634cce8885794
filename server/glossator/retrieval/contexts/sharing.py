"""Contexts that a team shares: this machine's file first, then a store that colleagues use, too.

What was paid for is always kept here. What is new here is noted until the store has it, in the same
file, so that nothing is lost to a server that is away; it is asked again after a pause.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from glossator.core.errors import StoreUnavailable
from glossator.retrieval.contexts.context_file import MAX_CHARACTERS, ContextFile, clean_context
from glossator.store import SharedStore

_log = logging.getLogger(__name__)

KIND = "contexts:1"  # of the keys; the version is that of the values, which are texts in UTF-8
MAX_VALUE_BYTES = 4 * MAX_CHARACTERS

_UNSHARED, _BROUGHT = "unshared", "brought"  # notes in the file: not yet there, from there
_TOGETHER = 250  # contexts in one request: decoding its answers takes some 15 ms
_PAUSE, _LONGEST_PAUSE = 5.0, 300.0  # seconds; doubled after each failure
_CLOSING_SECONDS = 2.0  # for what is being shared at the end
_MEANWHILE = (
    "Until then generated contexts stay on this machine; they are shared when it works again."
)


class SharedContexts:
    """A `ContextStore` of a file and a store of the team, for one event loop.

    `tell` is given a message when the store cannot be used, each only once.
    """

    def __init__(self, file: ContextFile, shared: SharedStore, tell: Callable[[str], None]) -> None:
        self._file, self._shared = file, shared
        self._tell, self._told = tell, set[str]()
        self._reading, self._writing = _Way(), _Way()
        self._pushing: asyncio.Task[None] | None = None
        self._later: asyncio.TimerHandle | None = None
        self.missed = ""
        """Why some contexts were not asked for since `ask_anew`, or ""."""

    def ask_anew(self) -> None:
        """Ask the store for contexts from now on, though it could not be used a moment ago."""
        self._reading.retry()
        self.missed = ""

    @property
    def rest(self) -> float:
        """The seconds until the store is asked for contexts again; 0 while it can be."""
        return self._reading.rest

    async def get(self, keys: Iterable[bytes]) -> dict[bytes, str]:
        """The contexts there are for `keys`, here or there; the latter are kept here."""
        wanted = list(dict.fromkeys(keys))
        found = await self._file.get(wanted)
        for some in _batches(key for key in wanted if key not in found):
            if self._reading.rest:
                self.missed = self._reading.problem
                break
            try:
                brought = await self._shared.get(some)
            except StoreUnavailable as error:
                self._failed(self._reading, error)
                self.missed = self._reading.problem
                break
            self._worked(self._reading)
            cleaned = {
                key: clean_context(value.decode("utf-8", "ignore"))
                for key, value in brought.items()
            }
            texts = {key: text for key, text in cleaned.items() if text}
            if texts:
                await self._file.put(texts, _BROUGHT)
                found |= texts
        return found

    async def put(self, contexts: Mapping[bytes, str]) -> None:
        """Keep contexts here, all or none; they are shared soon."""
        await self._file.put(contexts, _UNSHARED)
        self.push()

    async def share(self, keys: Iterable[bytes]) -> None:
        """Share those that are here and not there: made before there was a store, or lost there."""
        found = await self._file.get(keys)
        for some in _batches(found):
            if self._reading.rest:
                return
            try:
                there = await self._shared.known(some)
            except StoreUnavailable as error:
                self._failed(self._reading, error)
                return
            await self._file.put({key: found[key] for key in some if key not in there}, _UNSHARED)
        self.push()

    def push(self) -> None:
        """Share in the background what is not yet there, unless the store is away."""
        if not self._writing.rest:
            self._begin()

    async def settle(self) -> None:
        """Wait until all is shared that can be now."""
        while self._pushing is not None and not self._pushing.done():
            await asyncio.wait({self._pushing})

    async def described(self) -> str:
        """Where contexts are shared, how many came from there and how many wait, in words.

        Raises `StoreUnavailable` if this machine's own file cannot be read.
        """
        brought, waiting = await self._file.count(_BROUGHT), await self._file.count(_UNSHARED)
        words = [f"shared through {self._shared.place}", f"{brought:,} here came from there"]
        if waiting:
            words.append(f"{waiting:,} wait to be shared")
        problems = dict.fromkeys(filter(None, (self._reading.problem, self._writing.problem)))
        return "; ".join((*words, *problems))

    async def problem(self) -> str:
        """Ask the store now; why it cannot be used, with a next step, or ""."""
        try:
            await self._shared.get([bytes(32)])
        except StoreUnavailable as error:
            return str(error)
        return self._writing.problem

    async def close(self) -> None:
        """End the work; what is not yet shared is noted. Safe to call again."""
        if self._pushing is not None and not self._pushing.done():
            await asyncio.wait({self._pushing}, timeout=_CLOSING_SECONDS)
            self._pushing.cancel()
            await asyncio.wait({self._pushing})
        if self._later is not None:
            self._later.cancel()
        await self._shared.close()
        await self._file.close()

    def _begin(self) -> None:
        if self._pushing is None or self._pushing.done():
            self._pushing = asyncio.create_task(self._push(), name="glossator-sharing")
            self._pushing.add_done_callback(_log_failure)

    async def _push(self) -> None:
        while keys := await self._file.noted(_UNSHARED, _TOGETHER):
            texts = await self._file.get(keys)
            try:
                await self._shared.put({key: text.encode() for key, text in texts.items()})
            except StoreUnavailable as error:
                self._failed(self._writing, error)
                loop = asyncio.get_running_loop()
                self._later = loop.call_later(self._writing.rest, self._begin)
                return
            self._worked(self._writing)
            await self._file.forget(_UNSHARED, keys)

    def _worked(self, way: _Way) -> None:
        if way.problem:  # it is back: so may the other be
            self._reading.worked()
            self._writing.worked()
        way.worked()

    def _failed(self, way: _Way, error: StoreUnavailable) -> None:
        way.failed(str(error))
        _log.warning("Generated contexts are not shared: %s", error)
        if str(error) not in self._told:
            self._told.add(str(error))
            self._tell(f"{error} {_MEANWHILE}")


class _Way:
    """One way, to the store or from it; after a failure it is not used for a while.

    Reading and writing have one each, because some may only read.
    """

    def __init__(self) -> None:
        self._pause, self._until = _PAUSE, 0.0
        self.problem = ""

    @property
    def rest(self) -> float:
        """The seconds until it may be tried again; 0 for now."""
        return max(0.0, self._until - asyncio.get_running_loop().time())

    def failed(self, problem: str) -> None:
        self.problem = problem
        self._until = asyncio.get_running_loop().time() + self._pause
        self._pause = min(2 * self._pause, _LONGEST_PAUSE)

    def retry(self) -> None:
        self._until = 0.0

    def worked(self) -> None:
        self.problem, self._until, self._pause = "", 0.0, _PAUSE


def _batches(keys: Iterable[bytes]) -> Iterator[Sequence[bytes]]:
    left = iter(keys)
    while some := list(islice(left, _TOGETHER)):
        yield some


def _log_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.warning("Generated contexts are not shared for now: %s", error)
