"""Embeds the chunks of a workspace in the background, and questions at once.

The model runs in a worker process of its own, so that embedding holds up nothing, and which ends
after a minute of rest. Open and recent files come first; what was embedded is kept, so that it goes
on where it was.
"""

from __future__ import annotations

import asyncio
import logging
import math
import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import islice

from glossator.core.tokens import estimate_tokens
from glossator.retrieval.chunks.jobs import LoadVectors
from glossator.retrieval.chunks.requests import QuestionVector, VectorsRequest
from glossator.retrieval.embeddings.embedder import EmbedderChoice
from glossator.retrieval.embeddings.jobs import EmbedChunks, EmbedQuery
from glossator.retrieval.embeddings.vector_store import VectorPlace
from glossator.symbols import Library, read
from glossator.worker import Item, JobFailed, JobProgress, Worker, WorkerGone
from glossator.workspace import Roots, outermost, prepare_index_folder

_log = logging.getLogger(__name__)

_FILES = 16  # whose chunks are looked at in one go
_TEXTS = 64  # of one job
_FAILED_SECONDS = 60.0
_REST_SECONDS = 60.0  # without anything to embed, after which the model gives back its memory
_MAX_ENDED_PROCESSES = 3  # processes that a file ended by itself; then it is its fault
_QUESTION_SECONDS = 5.0  # that a search waits for the vector of its question
_QUESTION_PAUSE = 30.0  # after one that failed, in which searches do not wait again
_SHOWN_FROM_FILES = 200  # files; fewer show no progress
_ANNOUNCED = 100  # chunks; fewer are sent to a server without a word


def vectors_file(roots: Roots) -> str:
    """The file with the vectors of a workspace's chunks; its folder is made. Raises `OSError`."""
    first = outermost(roots.paths)[0]
    return str(prepare_index_folder(first, roots.reading(first)) / "vectors.db")


class Embedding:
    """Keeps the vectors of all chunks; for the event-loop thread."""

    def __init__(
        self,
        choice: EmbedderChoice,
        place: VectorPlace,
        indexer: Worker,
        progress: Callable[[JobProgress | None], None],
        hides: Callable[[str], bool],
        announce: Callable[[int, int], None] = lambda *_: None,
    ) -> None:
        """`place` is where vectors are kept, `indexer` the worker that holds the index of chunks.

        A server is sent nothing of a file that `hides` names, by its absolute path. `announce`
        hears about how many chunks and tokens an embedder's server will be sent, before it is sent
        many.
        """
        self._announce = announce
        self._done = self._chunks = self._tokens = 0  # files, and what they lacked, since a rest
        self._announced = False  # since a rest
        self.tokens = 0  # that a server billed since the start
        sent = choice.access is not None or place.leaves_machine
        self._hides = hides if sent else None
        self.choice, self.place = choice, place
        self._failed_at = -math.inf  # the last question that got no vector, in the loop's time
        self._of_question = self._of_chunks = ""  # problems
        self.paused = False
        self.busy = False  # files wait to be looked at, or to be embedded unless it is paused
        self.building: JobProgress | None = None
        self._indexer, self._embedder = indexer, Worker(rest=_REST_SECONDS)
        self._progress = progress
        self._waiting: dict[tuple[str, str], None] = {}  # root and relative path, in their order
        self._held: dict[tuple[str, str], None] = {}  # what lacks vectors while it is paused
        self._worked = 0  # how often texts were embedded
        self._failed: dict[tuple[str, str], int] = {}  # files, and how often it had worked before
        self._ends = Counter[tuple[str, str]]()  # processes that each of these ended by itself
        self._asking: set[asyncio.Task[object]] = set()  # questions that may take too long
        self._library: Library | None = None
        self._contexts = ""
        self._wake, self._rested = asyncio.Event(), asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin in the background."""
        self._task = asyncio.create_task(self._run(), name="glossator-embedding")

    async def close(self) -> None:
        """End the work; what was embedded stays."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
        await self._embedder.close()

    @property
    def problem(self) -> str:
        """Why chunks or questions are not embedded, with a next step, or ""."""
        return " ".join(filter(None, (self._of_question, self._of_chunks)))

    @property
    def waiting(self) -> int:
        """The number of files whose chunks are to be embedded."""
        return len(self._waiting) + len(self._held)

    def pause(self) -> None:
        """Embed nothing before `resume`, but questions; what is embedded is loaded."""
        self.paused = True

    def resume(self) -> None:
        """Continue after `pause`."""
        self.paused, self.busy = False, True
        self._waiting |= self._held
        self._held = {}
        self._wake.set()

    def embed(self, library: Library, root: str, paths: Iterable[str], contexts: str = "") -> None:
        """Embed the chunks of these files before those that wait already.

        `contexts`: the file with what a model wrote about chunks, "" for none.
        """
        self._library, self._contexts = library, contexts
        hides = self._hides
        wanted = {
            (root, path): None
            for path in paths
            if hides is None or not hides(os.path.join(root, path))
        }
        self._waiting = {**wanted, **self._waiting}
        self._held = {at: None for at in self._held if at not in wanted}
        self.busy = True
        self._rested.clear()
        self._wake.set()

    async def settle(self) -> None:
        """Wait until all chunks are embedded that are wanted."""
        await self._rested.wait()

    async def question(self, text: str) -> QuestionVector | None:
        """The vector of a question; None if there is none now, and `problem` says why."""
        now = asyncio.get_running_loop().time()
        if now - self._failed_at < _QUESTION_PAUSE:
            return None
        try:
            asking = asyncio.create_task(self._embedder.run(EmbedQuery(self.choice, text)))
            self._asking.add(asking)  # it goes on, so that one that hangs is found out
            asking.add_done_callback(self._asking.discard)
            async with asyncio.timeout(_QUESTION_SECONDS):
                embedded = await asyncio.shield(asking)
        except (WorkerGone, JobFailed, TimeoutError) as failure:
            why = str(failure) or f"the question was not embedded in {_QUESTION_SECONDS:g} s."
            self._of_question = f"Search goes by words alone: {why}"
            self._failed_at = now
            _log.warning("%s", self._of_question)
            return None
        self._of_question = ""
        self._worked += 1
        self.tokens += embedded.tokens
        return QuestionVector(embedded.vector, self.place)

    async def _run(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            try:
                await self._embed()
                self._of_chunks = ""
                if not self._waiting:
                    self.busy = False
                    self._done = self._chunks = self._tokens = 0
                    self._announced = False
                if not self.waiting:
                    self._rested.set()
            except (WorkerGone, JobFailed) as failure:
                self._of_chunks = f"Chunks are not embedded: {failure}"
                _log.warning("%s", self._of_chunks)
                await asyncio.sleep(getattr(failure, "retry_after", 0.0) or _FAILED_SECONDS)
                self._wake.set()
            finally:
                if self.building is not None:
                    self.building = None
                    self._progress(None)

    async def _embed(self) -> None:
        while self._waiting and self._library is not None:
            some = self._next()
            root = some[0][0]
            for each in some:  # one that changes meanwhile is wanted once more
                del self._waiting[each]
            failed = True
            try:
                some = [at for at in some if not await self._is_spared(self._library, *at)]
                if not await self._embed_files(self._library, root, tuple(at for _, at in some)):
                    self._held.update(dict.fromkeys(some))
                failed = False
                for at in some:
                    self._failed.pop(at, None)
                    self._ends.pop(at, None)
                    self._indexer.troubles.forget(_item(*at))
            except (WorkerGone, JobFailed) as failure:
                if not self._gives_up(some, failure):
                    raise
                failed = False
                item = await self._version(self._library, *some[0])
                self._indexer.troubles.note(item, str(failure))
            finally:
                if failed:
                    self._waiting.update(dict.fromkeys(some))  # after the others
            self._done += len(some)
            self._show(self._done + len(self._waiting))

    def _next(self) -> list[tuple[str, str]]:
        """Some files of one root; one that failed before, by itself."""
        first = next(iter(self._waiting))
        if first in self._failed:
            return [first]
        some = islice(self._waiting, _FILES)
        return [at for at in some if at[0] == first[0] and at not in self._failed]

    def _gives_up(self, some: Sequence[tuple[str, str]], failure: WorkerGone | JobFailed) -> bool:
        """Whether a failure is the fault of the file: others were embedded since it first failed.

        Or it ended too many processes. If it may be nobody's fault, all are tried again, each by
        itself.
        """
        if isinstance(failure, WorkerGone) and not failure.at_job:
            return False  # there is no process yet
        if len(some) == 1:
            at = some[0]
            self._ends[at] += isinstance(failure, WorkerGone)
            if (
                self._worked > self._failed.get(at, self._worked)
                or self._ends[at] == _MAX_ENDED_PROCESSES
            ):
                self._failed.pop(at, None)
                del self._ends[at]
                return True
        for at in some:
            self._failed.setdefault(at, self._worked)
        return False

    async def _is_spared(self, library: Library, root: str, path: str) -> bool:
        """Whether it failed with this embedder, and has not changed since then."""
        troubles = self._indexer.troubles
        known = troubles.knows(_item(root, path))
        return known and troubles.of(await self._version(library, root, path)) is not None

    async def _version(self, library: Library, root: str, path: str) -> Item:
        """The file as it is now, for this embedder."""
        text = await asyncio.to_thread(read, library, os.path.join(root, path))
        sha256 = "" if text is None else text.sha256
        return _item(root, path, f"{sha256}@{self.choice.model_id}")

    def _show(self, total: int) -> None:
        """What is announced is shown, as it can be paused there; else only what takes long."""
        if self._announced or total >= _SHOWN_FROM_FILES:
            self.building = JobProgress(self._done, total)
            self._progress(self.building)

    def _count(self, files: int, texts: Sequence[str]) -> None:
        """Announce what a server will be sent, once it is much; `files` lack these texts."""
        self._chunks += len(texts)
        self._tokens += sum(map(estimate_tokens, texts))
        if self.choice.access is None or self._announced or self._chunks < _ANNOUNCED:
            return
        self._announced = True
        looked_at = self._done + files
        total = looked_at + len(self._waiting)
        share = total / looked_at  # the others may lack as much
        self._announce(round(self._chunks * share), round(self._tokens * share))
        self._show(total)

    async def _embed_files(self, library: Library, root: str, paths: tuple[str, ...]) -> bool:
        """Whether their chunks have vectors now; false while embedding is paused."""
        asked = VectorsRequest(library, root, paths, self._contexts, self.place)
        texts = await self._indexer.run(LoadVectors(asked))
        if texts and not self.paused:
            self._count(len(paths), texts)
        for at in range(0, len(texts), _TEXTS):
            if self.paused:
                return False
            batch = texts[at : at + _TEXTS]
            job = EmbedChunks(self.choice, self.place.file, self.place.max_bytes, batch)
            self.tokens += (await self._embedder.run(job)).tokens
            self._worked += 1
        if texts:
            await self._indexer.run(LoadVectors(asked))
        return True


def _item(root: str, path: str, version: str = "") -> Item:
    return Item(os.path.join(root, path), "has no vectors", version)
