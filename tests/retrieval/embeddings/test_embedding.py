"""Embedding in the background: what is embedded, found by meaning, paused, and never sent."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from glossator.core.tokens import estimate_tokens
from glossator.retrieval import EmbedderChoice, VectorPlace
from glossator.retrieval.chunks.candidate import chunk_key
from glossator.retrieval.chunks.cutting import Chunk
from glossator.retrieval.chunks.jobs import KeepContexts, LoadVectors
from glossator.retrieval.chunks.requests import LOADING, Stages, VectorsRequest
from glossator.retrieval.embeddings.choice import choose
from glossator.retrieval.embeddings.embedder import Access
from glossator.retrieval.embeddings.embedding import Embedding, vectors_file
from glossator.settings.model import Settings
from glossator.worker.client import Worker, WorkerPhase
from glossator.worker.jobs import JobProgress
from glossator.workspace.files.roots import Roots
from tests.patience import until
from tests.retrieval.conftest import MakeKept
from tests.retrieval.embeddings.servers import Asked, Reply, serving, static_files
from tests.retrieval.searching import EVERYTHING, Kept

_SECONDS = 60.0


def shown(_path: str) -> bool:
    return False


def place_in(root: Path, choice: EmbedderChoice) -> VectorPlace:
    return VectorPlace(choice.model_id, vectors_file(Roots((str(root),))), 10**9)


async def embedding(
    server: Kept,
    root: Path,
    hides: Callable[[str], bool] = shown,
    *,
    by_server: bool = False,
    milvus: Access | None = None,
) -> Embedding:
    """Embeds the chunks of a workspace; `by_server`: as if they were sent to one."""
    choice = choose(Settings.model_validate({"retrieval": {"embedder": "local"}}), {})
    assert choice is not None
    if by_server:
        choice = replace(choice, access=Access("http://127.0.0.1:9", "KEY"))
    place = replace(place_in(root, choice), milvus=milvus)
    made = Embedding(choice, place, server.worker, lambda _: None, hides)
    made.start()
    server.retriever.embedding = made
    paths = [entry.relative for entry in server.snapshot.files()]
    made.embed(server.index.library_of(server.snapshot), str(root), paths)
    await asyncio.wait_for(made.settle(), _SECONDS)
    return made


async def test_a_question_that_shares_no_word_is_answered(kept: MakeKept, tree: Path) -> None:
    server = await kept(tree)
    assert (await server.search("partition a string")).hits == ()
    await embedding(server, tree)
    found = await server.search("partition a string")
    assert server.name(found.hits[0]) == "src/lines.py"
    assert set(found.hits[0].places) == {"lexical", "vectors", "fusion", "rerank"}
    without = await server.retriever.search(
        server.snapshot, "partition a string", EVERYTHING, None, Stages(vectors=False)
    )
    assert without.hits == ()


async def test_what_has_nothing_to_do_with_a_question_is_no_hit(kept: MakeKept, tree: Path) -> None:
    """However few chunks there are, the vectors add none that is about something else."""
    server = await kept(tree)
    await embedding(server, tree)
    assert (await server.search("xylophone zeppelin marzipan")).hits == ()


async def test_an_edited_file_is_embedded_again_and_others_are_not(
    kept: MakeKept, tree: Path
) -> None:
    server = await kept(tree)
    made = await embedding(server, tree)
    (tree / "src" / "lines.py").write_text("def measure_distance(a, b):\n    return abs(a - b)\n")
    server.host.sweep("test")
    await server.host.ready()
    await server.index.settle()
    await asyncio.wait_for(made.settle(), _SECONDS)
    found = await server.search("how far apart")
    assert server.name(found.hits[0]) == "src/lines.py"
    assert "src/lines.py" not in await server.paths("partition a string")


async def test_what_a_model_wrote_about_a_chunk_is_found_by_meaning(
    kept: MakeKept, tree: Path, tmp_path: Path
) -> None:
    code = "def zq(a):\n    return a * 7"
    (tree / "src" / "zq.py").write_text(f"{code}\n")
    server = await kept(tree)
    made = await embedding(server, tree)
    await server.paths("how warm is it outside")
    key = chunk_key("src/zq.py", Chunk(1, 2, (), ("zq",), ("function",)), code)
    server.index.contexts = str(tmp_path / "contexts.sqlite")
    contexts = {key: "Converts a temperature measured by the weather station."}
    await server.worker.run(KeepContexts(server.index.contexts, contexts))
    server.index.refresh([str(tree / "src" / "zq.py")])
    await server.index.settle()
    await asyncio.wait_for(made.settle(), _SECONDS)
    found = await server.search("how warm is it outside")
    first = min(found.hits, key=lambda hit: hit.places["vectors"].rank)
    assert server.name(first) == "src/zq.py"
    assert first.places["lexical"].score == 0


async def test_what_rules_hide_is_sent_to_no_server(kept: MakeKept, tree: Path) -> None:
    server = await kept(tree)
    made = await embedding(server, tree, lambda path: not path.endswith("nothing"), by_server=True)
    assert made.waiting == 0


async def test_before_much_is_sent_to_a_server_it_is_announced(
    kept: MakeKept, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once, with what is missing; and what the server billed is added up."""
    monkeypatch.setattr("glossator.retrieval.embeddings.embedding._ANNOUNCED", 2)
    server = await kept(tree)
    paths = [entry.relative for entry in server.snapshot.files()]
    announced: list[tuple[int, int]] = []
    with serving() as embedder:
        embedder.tokens = 5

        def announce(chunks: int, tokens: int) -> None:
            assert embedder.asked == []
            announced.append((chunks, tokens))

        choice = embedder.choice()
        place = VectorPlace(choice.model_id, vectors_file(Roots((str(tree),))), 10**9)
        made = Embedding(choice, place, server.worker, lambda _: None, shown, announce)
        made.start()
        server.retriever.embedding = made
        for _ in range(2):
            made.embed(server.index.library_of(server.snapshot), str(tree), paths)
            await asyncio.wait_for(made.settle(), _SECONDS)
        ((chunks, tokens),) = announced  # all files were looked at, so it is exact
        sent = [text for asked in embedder.asked for text in asked.texts]
        assert chunks == len(sent) > 2
        assert tokens == sum(map(estimate_tokens, sent))
        assert made.tokens == 5 * chunks
        await made.question("what is split?")
        assert made.tokens == 5 * (chunks + 1)


async def test_nothing_of_what_rules_hide_is_sent_to_a_milvus(kept: MakeKept, tree: Path) -> None:
    server = await kept(tree)
    nowhere = Access("http://127.0.0.1:9", "KEY")
    made = await embedding(server, tree, lambda path: True, milvus=nowhere)
    assert (made.waiting, made.problem) == (0, "")


@pytest.mark.parametrize("known", [False, True])
async def test_paused_and_resumed(kept: MakeKept, tree: Path, known: bool) -> None:
    """What is embedded already is loaded though it is paused."""
    server = await kept(tree)
    if known:
        await (await embedding(server, tree)).close()
        os.kill(server.worker.state.process_id or 0, signal.SIGKILL)
        await until(lambda: server.worker.state.phase is WorkerPhase.OFF)
    choice = choose(Settings.model_validate({"retrieval": {"embedder": "local"}}), {})
    assert choice is not None
    made = Embedding(choice, place_in(tree, choice), server.worker, lambda _: None, shown)
    made.pause()
    made.start()
    server.retriever.embedding = made
    made.embed(server.index.library_of(server.snapshot), str(tree), ["src/lines.py"])
    await until(lambda: not made.busy)
    assert made.waiting == (0 if known else 1)
    assert len((await server.search("partition a string")).hits) == (1 if known else 0)
    made.resume()
    await asyncio.wait_for(made.settle(), _SECONDS)
    async with asyncio.timeout(_SECONDS):  # a search does not wait long for its question's vector
        while not (await server.search("partition a string")).hits:  # noqa: ASYNC110 - it has no event
            await asyncio.sleep(0.05)


async def test_how_much_is_sent_is_estimated_and_can_be_paused_before(
    kept: MakeKept, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glossator.retrieval.embeddings.embedding._ANNOUNCED", 2)
    monkeypatch.setattr("glossator.retrieval.embeddings.embedding._FILES", 1)
    for number in range(8):
        (tree / f"more{number}.py").write_text(f"def more{number}():\n    return {number}\n")
    server = await kept(tree)
    paths = [f"more{number}.py" for number in range(8)]
    announced: list[int] = []
    progress: list[JobProgress | None] = []
    with serving() as embedder:
        choice = embedder.choice()
        place = VectorPlace(choice.model_id, vectors_file(Roots((str(tree),))), 10**9)

        def announce(chunks: int, _tokens: int) -> None:
            announced.append(chunks)
            made.pause()

        made = Embedding(choice, place, server.worker, progress.append, shown, announce)
        made.start()
        made.embed(server.index.library_of(server.snapshot), str(tree), paths)
        await until(lambda: not made.busy)
        assert announced == [8]  # after two files
        assert progress[0] == JobProgress(1, 8)
        assert progress[-1] is None
        assert (made.waiting, len(embedder.asked)) == (7, 1)
        await made.close()


async def test_an_embedder_that_fails_is_told(kept: MakeKept, tree: Path) -> None:
    server = await kept(tree)
    made = await embedding(server, tree, lambda _: True, by_server=True)
    made.choice = replace(made.choice, kind="static", path=str(tree / "missing"))
    found = await server.search("split lines")
    assert server.name(found.hits[0]) == "src/lines.py"
    assert "Search goes by words alone" in found.problem
    assert "missing" in found.problem


def test_the_index_needs_no_extra() -> None:
    """Without the packages of the extras there are no vectors, and everything else works."""
    program = (
        "import sys\n"
        "for name in 'numkong usearch onnxruntime tokenizers safetensors pymilvus'.split():\n"
        "    sys.modules[name] = None\n"
        "import glossator.retrieval.chunks.work\n"
        "from glossator.retrieval import choose\n"
        "from glossator.settings import Settings\n"
        "assert choose(Settings(), {}) is None\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


async def test_vectors_are_loaded_again_when_the_worker_was_killed(
    kept: MakeKept, tree: Path
) -> None:
    server = await kept(tree)
    made = await embedding(server, tree)
    assert (await server.search("partition a string")).problem == ""
    await until(lambda: server.retriever._making is not None and server.retriever._making.done())
    await asyncio.wait_for(made.settle(), _SECONDS)
    os.kill(server.worker.state.process_id or 0, signal.SIGKILL)
    await until(lambda: server.worker.state.phase is WorkerPhase.OFF)
    found = await server.search("partition a string")
    assert (found.hits, found.problem) == ((), LOADING)
    await until(lambda: server.retriever._making is not None and server.retriever._making.done())
    await asyncio.wait_for(made.settle(), _SECONDS)
    found = await server.search("partition a string")
    assert (server.name(found.hits[0]), found.problem) == ("src/lines.py", "")


async def test_without_the_worker_a_search_says_that_vectors_are_missing(
    kept: MakeKept, tree: Path
) -> None:
    server = await kept(tree)
    await embedding(server, tree)
    await server.worker.close()
    found = await server.search("partition a string")
    assert (found.hits, found.problem) == ((), LOADING)


HANGS = """
import time
from glossator.retrieval.embeddings import jobs, local

def embed(self, texts):
    while any("poison" in text for text in texts):
        time.sleep(1)
    return real(self, texts)

jobs._CALL = 0.3
real, local.StaticEmbedder.embed_documents = local.StaticEmbedder.embed_documents, embed
"""


@pytest.fixture
def hanging(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers of embedders that hang at poison, and are ended soon."""
    (tmp_path / "hangs").mkdir()
    (tmp_path / "hangs" / "sitecustomize.py").write_text(HANGS)
    server = Path(__file__).parents[3] / "server"
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(tmp_path / "hangs"), str(server))))
    quick = partial(Worker, first_wait=0.01, longest_wait=0.05, patience=2.0)
    monkeypatch.setattr("glossator.retrieval.embeddings.embedding.Worker", quick)
    monkeypatch.setattr("glossator.retrieval.embeddings.embedding._FAILED_SECONDS", 0.01)


@pytest.mark.usefixtures("hanging")
@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("remote", [False, True])
async def test_an_embedder_that_hangs_at_a_file_is_replaced(
    kept: MakeKept, tree: Path, tmp_path: Path, remote: bool, alone: bool
) -> None:
    """The file is named, the others are embedded, and it is not tried again before it changes."""
    (tree / "odd.txt").write_text("poison config\n")
    with serving() as embedder:
        never, hung = threading.Event(), list[Asked]()

        def hang(asked: Asked) -> threading.Event | None:
            if not any("poison" in text for text in asked.texts):
                return None
            hung.append(asked)
            return never

        embedder.hold = hang
        choice = embedder.choice()
        if not remote:
            place = str(static_files(tmp_path / "model"))
            choice = EmbedderChoice("static", "static", path=place)

        async def embedded(server: Kept) -> Embedding:
            made = Embedding(choice, place_in(tree, choice), server.worker, lambda _: None, shown)
            made.start()
            every = [entry.relative for entry in server.snapshot.files()]
            paths = ["odd.txt"] if alone else every
            made.embed(server.index.library_of(server.snapshot), str(tree), paths)
            await asyncio.wait_for(made.settle(), _SECONDS)
            return made

        server = await kept(tree)
        made = await embedded(server)
        assert (made.problem, made.waiting) == ("", 0)
        (trouble,) = server.worker.troubles.listed
        assert trouble.in_words.startswith(
            f"{tree}/odd.txt has no vectors: The worker process gave"
        )
        asked = VectorsRequest(
            server.index.library_of(server.snapshot), str(tree), ("src/lines.py",), "", made.place
        )
        assert await server.worker.run(LoadVectors(asked)) == () or alone
        await made.close()
        await server.close()

        times = len(hung)
        server = await kept(tree)
        made = await embedded(server)
        assert made._embedder.state.failures == 0
        assert len(hung) == times
        assert len(server.worker.troubles.listed) == 1
        (tree / "odd.txt").write_text("cured config\n")
        await (await embedded(server)).close()
        assert [*server.worker.troubles.listed] == []
        never.set()
        await made.close()


@pytest.mark.usefixtures("hanging")
async def test_an_embedder_that_hangs_at_a_question_is_replaced(
    kept: MakeKept, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glossator.retrieval.embeddings.embedding._QUESTION_SECONDS", 0.1)
    server = await kept(tree)
    with serving() as embedder:
        embedder.hold = lambda _: threading.Event()
        made = Embedding(
            embedder.choice(), place_in(tree, embedder.choice()), server.worker, print, shown
        )
        assert await made.question("why?") is None
        await until(lambda: made._embedder.state.failures > 0)
        await made.close()


async def test_a_file_whose_text_is_refused_does_not_hold_up_the_others(
    kept: MakeKept, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glossator.retrieval.embeddings.embedding._FAILED_SECONDS", 0.01)
    (tree / "odd.txt").write_text("poison\n")
    server = await kept(tree)
    paths = [entry.relative for entry in server.snapshot.files()]

    with serving() as embedder:

        def refuse(asked: Asked) -> None:
            if any("poison" in text for text in asked.texts):
                embedder.replies.insert(0, Reply(400, {"error": "cannot be tokenized"}))

        embedder.hold = refuse
        choice = embedder.choice()
        made = Embedding(choice, place_in(tree, choice), server.worker, lambda _: None, shown)
        made.start()
        server.retriever.embedding = made
        made.embed(server.index.library_of(server.snapshot), str(tree), paths)
        await asyncio.wait_for(made.settle(), _SECONDS)
        assert (made.problem, made.waiting) == ("", 0)
        (trouble,) = server.worker.troubles.listed
        assert trouble.in_words.startswith(f"{tree}/odd.txt has no vectors: ")
        assert "cannot be tokenized" in trouble.why
        sent = {text for asked in embedder.asked for text in asked.texts}
        assert len(sent) == 4

        (tree / "odd.txt").write_text("cured\n")
        server.host.sweep("test")
        await server.host.ready()
        await server.index.settle()
        await asyncio.wait_for(made.settle(), _SECONDS)
        assert server.worker.troubles.listed == ()
        await made.close()
