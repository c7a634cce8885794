"""Has Search index contexts that colleagues made, as soon as their files are indexed.

Nothing is sent to a model and nothing is paid. The store is asked by keys, which are hashes; what
it has is kept on this machine and indexed like what was made here.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING

from glossator.core.errors import ModelError, StoreUnavailable, UsageError
from glossator.worker import JobFailed, WorkerGone

if TYPE_CHECKING:  # it imports what spends money
    from glossator.application.context_source import Workplace
    from glossator.retrieval import SharedContexts

_log = logging.getLogger(__name__)

_FILES_AT_ONCE = 200  # that are looked at in one go
_RETRY_SECONDS = 60.0  # after which is looked again


class TeamContexts:
    """Looks up the contexts of files in the team's store; for the event-loop thread."""

    def __init__(self, app: Workplace) -> None:
        self._app = app
        self._sharing: SharedContexts | None = None
        self._waiting: dict[str, None] = {}  # absolute paths, in their order
        self._task: asyncio.Task[None] | None = None
        self._later: asyncio.TimerHandle | None = None

    def start(self, sharing: SharedContexts) -> None:
        """Follow the index, if Search indexes contexts."""
        self._sharing = sharing
        if self._app.retriever.index.contexts:
            self._app.retriever.on_indexed = self._look

    async def settle(self) -> None:
        """Wait until everything is indexed that the store can give now."""
        while self._task is not None and not self._task.done():
            await asyncio.wait({self._task})
            await self._app.retriever.index.settle()  # which may find more to look up

    async def close(self) -> None:
        """Stop."""
        if self._later is not None:
            self._later.cancel()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    def _look(self, root: str, paths: Iterable[str]) -> None:
        self._waiting.update(dict.fromkeys(os.path.join(root, path) for path in paths))
        if self._waiting and self._later is None:
            self._begin()

    def _begin(self) -> None:
        self._later = None
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="glossator-team-contexts")
            self._task.add_done_callback(_log_failure)

    async def _run(self) -> None:
        from glossator.application.context_source import source_of  # noqa: PLC0415 - rarely needed

        sharing = self._sharing
        while self._waiting and sharing is not None:
            if self._app.acting.trust.said is False:
                return  # they wait for trust
            some = list(islice(self._waiting, _FILES_AT_ONCE))
            for path in some:  # one that changes meanwhile is looked up once more
                del self._waiting[path]
            try:
                await (await source_of(self._app, some)).take_in()
            except UsageError as error:  # there is no model, by whose name contexts are kept
                _log.info("Contexts of colleagues are not looked up: %s", error)
                continue
            except (ModelError, StoreUnavailable, WorkerGone, JobFailed) as error:
                _log.warning("Contexts of colleagues are not looked up for now: %s", error)
                pause = _RETRY_SECONDS
            else:
                pause = sharing.rest
            if pause:
                self._waiting.update(dict.fromkeys(some))  # last, so that none holds up all
                self._later = asyncio.get_running_loop().call_later(pause, self._begin)
                return


def _log_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.error("Contexts of colleagues are not looked up for now", exc_info=error)
