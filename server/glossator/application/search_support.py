"""What Search needs around its indexes: progress bars, an embedder, a reranker, others' contexts.

The contexts that colleagues had made are asked for when files were indexed. Nothing is sent to a
model and nothing is paid for them. The store is asked by keys, which are hashes; what it has is
kept on this machine and indexed as what was made here is.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from glossator.core.errors import EmbeddingFailed, ModelError, StoreUnavailable, UsageError
from glossator.core.ports import Activity, EditorPort
from glossator.core.tokens import Price, in_dollars
from glossator.llm import Meter, Model
from glossator.retrieval import Hit, Reordered, Rerank
from glossator.settings import Settings
from glossator.worker import JobFailed, JobProgress, WorkerGone
from glossator.workspace import WorkspaceSnapshot

if TYPE_CHECKING:
    from glossator.application.context_source import Workplace
    from glossator.retrieval import EmbedderChoice, SharedContexts, VectorPlace
    from glossator.settings import ModelSettings
    from glossator.workspace import Roots

_log = logging.getLogger(__name__)

_FILES_AT_ONCE = 200  # that are looked at in one go
_RETRY_SECONDS = 60.0  # after which is looked again
_VECTORS_SHARE = 1 / 4  # of the disk space for indexes, at most, for vectors


class BuildProgress:
    """Shows the progress of an index build, percent by percent; None ends it."""

    def __init__(self, port: EditorPort, title: str, cancel: Callable[[], object]) -> None:
        self._port = port
        self._title = title
        self._cancel = cancel
        self._activity: Activity | None = None
        self._percentage = -1

    def __call__(self, progress: JobProgress | None) -> None:
        """Show a step, or None for the end."""
        if progress is None:
            if self._activity is not None:
                self._activity.end()
            self._activity, self._percentage = None, -1
            return
        if self._activity is None:
            self._activity = self._port.begin(self._title, self._cancel)
        percentage = 100 * progress.done // max(progress.total, 1)
        if percentage != self._percentage:
            self._percentage = percentage
            self._activity.report(f"{progress.done:,} of {progress.total:,} files", percentage)


def chosen_embedding(
    settings: Settings, environment: Mapping[str, str], roots: Roots, *, distrusted: bool
) -> tuple[EmbedderChoice, VectorPlace] | None:
    """Choose what embeds chunks, and where vectors are kept; None for nothing. Asks no server.

    Raises `OSError`, and `EmbeddingFailed`, also where chunks would be sent although the user
    distrusts the folder.
    """
    # numpy, which these need, takes long to import
    from glossator.retrieval import (  # noqa: PLC0415
        choose,
        place_of,
        vectors_file,
    )

    choice = choose(settings, environment)
    if choice is None:
        return None
    most = int(settings.workspace.index_bytes * _VECTORS_SHARE)
    place = place_of(settings, environment, choice.model_id, vectors_file(roots), most)
    if distrusted and (choice.access is not None or place.leaves_machine):
        raise EmbeddingFailed("This folder is not trusted, so its chunks are sent nowhere.")
    return choice, place


def embedding_notice(
    models: ModelSettings, choice: EmbedderChoice, chunks: int, tokens: int
) -> str:
    """A notice of what is about to be sent; the tokens are estimated."""
    return (
        f"About {chunks:,} chunks of this workspace are sent to {_server(choice)} for Search, to be"
        f" embedded by {choice.model}: about {_tokens(models, choice, tokens)}. Cancel its progress"
        " to pause it, or set retrieval.embedder to local to send nothing."
    )


def embedding_bill(models: ModelSettings, choice: EmbedderChoice, tokens: int) -> str:
    """What was embedded since the server started; "" if nothing was counted."""
    if not tokens:
        return ""
    return f"{_tokens(models, choice, tokens)} embedded at {_server(choice)} in this session"


def _server(choice: EmbedderChoice) -> str:
    return choice.access.server if choice.access is not None else "this machine"


def _tokens(models: ModelSettings, choice: EmbedderChoice, tokens: int) -> str:
    """A number of tokens, with the price if `models.prices` has one: services list no prices."""
    price = models.prices.get(choice.model)
    dollars = "" if price is None else f" ({in_dollars(tokens * price.input / 1_000_000)})"
    return f"{tokens:,} tokens{dollars}"


def rerank_by(
    settings: Settings,
    fast: Callable[[], Model],
    environment: Mapping[str, str],
    hidden: Callable[[], Callable[[str], bool] | None],
    snapshot: Callable[[], WorkspaceSnapshot],
    trusted: Callable[[], bool],
    meter: Meter | None,
) -> Rerank | None:
    """The reranker, whose costs count in `meter`; None if the settings name none to ask.

    It is sent the question and excerpts of chunks, but none of files that permission rules hide.
    """
    if settings.retrieval.reranker in ("linear", "none") or settings.models.offline:
        return None
    from glossator.retrieval import Candidate, create_reranker  # noqa: PLC0415 - rarely needed

    prices = {name: Price(each.input, each.output) for name, each in settings.models.prices.items()}
    reranker = create_reranker(settings.retrieval, fast(), environment, prices)
    if reranker is None:
        return None

    async def rerank(question: str, hits: Sequence[Hit], best: int) -> Reordered:
        hides, relative = hidden(), snapshot().relative
        shown = [at for at, hit in enumerate(hits) if not (hides and hides(hit.document.path))]
        candidates = [
            Candidate(
                " > ".join((relative(hits[at].document.path), *hits[at].chunk.within)),
                "\n".join(hits[at].lines),
            )
            for at in shown
        ]
        if not trusted():
            return Reordered((), "", "This folder is not trusted, so nothing was sent to rerank.")
        result = await reranker.rerank(question, candidates, best, meter)
        order = list(range(len(hits)))  # hits that are not sent keep their places
        for place, at in zip(shown, result.order, strict=True):
            order[place] = shown[at]
        return Reordered(tuple(order), result.by, result.problem)

    return rerank


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
