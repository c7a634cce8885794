"""Generated contexts: estimate and question before anything is sent, and what comes of it."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from glossator.application import ContextMaterial
from glossator.commands.contexts import (
    EndBatchesRequest,
    EstimateContextsRequest,
    GenerateContextsRequest,
    ImportContextsRequest,
    end_batches,
    estimate_contexts,
    generate_contexts,
    share_contexts,
    take_contexts,
)
from glossator.commands.doctor import DoctorRequest, doctor
from glossator.commands.index import IndexMode, IndexRequest, rebuild_index
from glossator.commands.search import SearchRequest, search
from glossator.commands.status import StatusRequest, status
from glossator.core.errors import StoreUnavailable, UsageError
from glossator.core.question import QuestionAnswer
from glossator.worker import JobFailed
from tests.patience import SECONDS
from tests.redis_server import redis_server
from tests.stage import Stage, stage
from tests.standin import Text, Turn

BODY = "".join(f"    total += {n}  # a line of some length, so that it is cut\n" for n in range(90))
FILES = {
    "src/herd.py": f"def zebra(total):\n{BODY}    return total\n",
    "src/lone.py": "def gnu():\n    return 1\n",
    "secret.txt": "the password of the zoo\n",
    "package-lock.json": '{"name": "zoo"}\n',
    "ignored.txt": "never listed\n",
    ".gitignore": "ignored.txt\n",
}
SETTINGS = {"permissions": {"deny": ["Read(secret.txt)"]}}
INDEXED = {"contexts": "generated", "embedder": "none"}  # so that hits are by words alone
ONE_BY_ONE = QuestionAnswer(("One by one",))


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def tell(_body: dict[str, Any]) -> Turn:
    return Turn(Text("It counts animals."))


def sent(s: Stage) -> str:
    return str([request.body for request in s.api.requests])


async def test_nothing_is_sent_before_a_yes(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, tell, settings=SETTINGS) as s:
        estimate = await estimate_contexts(s.app, EstimateContextsRequest())
        assert (estimate.files, estimate.left_out, estimate.kept) == (3, 2, 0)
        assert estimate.chunks >= 4
        assert estimate.dollars is not None
        assert "claude-haiku-5-5 would read 3 files" in estimate.in_words
        assert "It stops at $5.00" in estimate.in_words
        unasked = await generate_contexts(s.app, GenerateContextsRequest())
        assert unasked.stopped == "Nothing was sent, because nobody said yes to the estimate."
        s.port.answers = [QuestionAnswer(("No",))]
        refused = await generate_contexts(s.app, GenerateContextsRequest())
        assert (refused.made, refused.stopped) == (0, "Nothing was sent.")
        assert [each.text for each in s.port.questions] == [
            f"{estimate.in_words}\nMake the contexts?"
        ] * 2
        assert s.api.requests == []


async def test_what_may_be_sent_is_sent_once(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, tell, settings=SETTINGS) as s:
        s.port.answers = [ONE_BY_ONE]
        done = await generate_contexts(s.app, GenerateContextsRequest())
        assert (done.made, done.failed, done.stopped) == (done.estimate.chunks, 0, "")
        assert "estimated" in done.cost
        assert "password" not in sent(s)
        assert "zoo" not in sent(s)
        assert "never listed" not in sent(s)
        (shown,) = [each for each in s.port.activities if "contexts" in each.title]
        assert shown.ended
        assert shown.reports[-1][1] == 100
        count = len(s.api.requests)
        again = await generate_contexts(s.app, GenerateContextsRequest(confirmed=True))
        assert (again.made, len(s.api.requests)) == (0, count)
        assert again.estimate.in_words.startswith("Every chunk has its context")


async def test_search_finds_chunks_by_what_a_model_wrote(tmp_path: Path) -> None:
    settings = {**SETTINGS, "retrieval": INDEXED}
    async with stage(tmp_path / "ws", FILES, tell, settings=settings) as s:
        await s.app.ready()
        await s.app.retriever.index.settle()
        before = await search(s.app, SearchRequest("counting animals"))
        assert before.hits == ()
        s.port.answers = [ONE_BY_ONE]
        await generate_contexts(s.app, GenerateContextsRequest())
        await s.app.retriever.index.settle()
        after = await search(s.app, SearchRequest("counting animals"))
        assert {hit.path for hit in after.hits} == {"src/herd.py", "src/lone.py", ".gitignore"}
        assert not any("animals" in hit.text for hit in after.hits)
        (s.root / "src/lone.py").write_text("# new\n\n" + FILES["src/lone.py"])
        s.touched("src/lone.py")
        await s.app.retriever.index.settle()
        again = await search(s.app, SearchRequest("counting animals"))
        assert "src/herd.py" in {hit.path for hit in again.hits}


async def test_a_limit_that_the_settings_allow(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, tell, settings=SETTINGS) as s:
        with pytest.raises(UsageError, match=re.escape("allows $5.00 for one build")):
            await generate_contexts(s.app, GenerateContextsRequest(confirmed=True, dollars=6))
        tiny = GenerateContextsRequest(confirmed=True, dollars=0.000001)
        stopped = await generate_contexts(s.app, tiny)
        assert stopped.made == 0
        assert stopped.stopped
        assert s.api.requests == []


async def test_only_some_files(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, tell) as s:
        one = await estimate_contexts(s.app, EstimateContextsRequest("src", "lone.py"))
        assert (one.files, one.chunks) == (1, 1)
        with pytest.raises(UsageError, match="nowhere"):
            await estimate_contexts(s.app, EstimateContextsRequest("nowhere"))


async def test_contexts_are_shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only = EstimateContextsRequest("src", "lone.py")
    async with stage(tmp_path / "one", FILES, tell) as s:
        await generate_contexts(s.app, GenerateContextsRequest(confirmed=True, path="src"))
        exported = await share_contexts(s.app, only)
        assert exported.count == 1
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "colleague"))
    async with stage(tmp_path / "two", FILES, tell) as s:
        assert (await estimate_contexts(s.app, only)).chunks == 1
        assert (await take_contexts(s.app, ImportContextsRequest(exported.text))).count == 1
        assert (await estimate_contexts(s.app, only)).chunks == 0
        with pytest.raises(UsageError, match="no exported contexts"):
            await take_contexts(s.app, ImportContextsRequest("nonsense"))


async def test_colleagues_pay_once_and_search_finds_by_what_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with redis_server(tmp_path / "redis") as server:
        settings = {**SETTINGS, "retrieval": INDEXED, "store": {"url": server.url}}
        async with stage(tmp_path / "one", FILES, tell, settings=settings) as s:
            done = await generate_contexts(s.app, GenerateContextsRequest(confirmed=True))
            assert done.made >= 4
            assert "0 here came from there" in done.estimate.sharing
            assert server.command("DBSIZE") == done.made
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "colleague"))
        async with stage(tmp_path / "two", FILES, tell, settings=settings) as s:
            index = await rebuild_index(s.app, IndexRequest(IndexMode.UPDATE))
            where = f"shared through Redis at 127.0.0.1:{server.port}"
            assert index.sharing == f"{where}; {done.made} here came from there"
            assert (await status(s.app, StatusRequest())).sharing == index.sharing
            found = await search(s.app, SearchRequest("counting animals"))
            assert {hit.path for hit in found.hits} == {"src/herd.py", "src/lone.py", ".gitignore"}
            estimate = await estimate_contexts(s.app, EstimateContextsRequest())
            assert (estimate.chunks, estimate.kept) == (0, done.made)
            assert f"Contexts are {index.sharing}." in estimate.in_words
            assert s.api.requests == []
            checks = {check.name: check for check in (await doctor(s.app, DoctorRequest())).checks}
            assert checks["Sharing"].state == "ok"
            assert s.port.told == []


@pytest.mark.parametrize("shared_key", [False, True])
async def test_equal_chunks_of_several_documents_settle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared_key: bool
) -> None:
    monkeypatch.setattr("glossator.application.search_support._FILES_AT_ONCE", 1)
    if shared_key:  # as two roots or work trees with files of one path have it
        below = "glossator.application.context_source._below"
        monkeypatch.setattr(below, lambda _roots, path: Path(path).name)
    same = f"def zebra(total):\n{BODY}    return total\n"
    names = {"one": "okapi", "two": "tapir"}
    files = {f"src/{at}/herd.py": f"{same}\n\n{same.replace('zebra', at)}" for at in names}

    def situate(body: dict[str, Any]) -> Turn:
        (about,) = [name for at, name in names.items() if f"def {at}(" in str(body)]
        return Turn(Text(f"It is about the {about}."))

    with redis_server(tmp_path / "redis") as server:
        settings = {"retrieval": INDEXED, "store": {"url": server.url}}
        async with stage(tmp_path / "a", files, situate, settings=settings) as s:
            await generate_contexts(s.app, GenerateContextsRequest(confirmed=True))
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "colleague"))
        async with stage(tmp_path / "b", files, situate, settings=settings) as s:
            async with asyncio.timeout(SECONDS):
                await rebuild_index(s.app, IndexRequest(IndexMode.UPDATE))
                await s.app.team.settle()
            assert s.api.requests == []
            if not shared_key:
                for at, name in names.items():
                    found = await search(s.app, SearchRequest(name))
                    assert {hit.path for hit in found.hits} == {f"src/{at}/herd.py"}


async def test_contexts_come_when_the_store_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glossator.retrieval.contexts.sharing._PAUSE", 0.01)
    with redis_server(
        tmp_path / "redis", "--appendonly", "yes", "--appendfsync", "always"
    ) as server:
        settings = {**SETTINGS, "retrieval": INDEXED, "store": {"url": server.url}}
        async with stage(tmp_path / "one", FILES, tell, settings=settings) as s:
            await generate_contexts(s.app, GenerateContextsRequest(confirmed=True))
        server.kill()
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "colleague"))
        async with stage(tmp_path / "two", FILES, tell, settings=settings) as s:
            await rebuild_index(s.app, IndexRequest(IndexMode.UPDATE))
            assert (await search(s.app, SearchRequest("counting animals"))).hits == ()
            assert len(s.port.told) == 1
            server.start()
            async with asyncio.timeout(SECONDS):
                while not (await search(s.app, SearchRequest("counting animals"))).hits:
                    await s.app.team.settle()
            assert s.api.requests == []


async def test_nothing_is_paid_twice_while_the_store_is_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glossator.retrieval.contexts.sharing._PAUSE", 3_600.0)
    with redis_server(
        tmp_path / "redis", "--appendonly", "yes", "--appendfsync", "always"
    ) as server:
        settings = {**SETTINGS, "store": {"url": server.url}}
        async with stage(tmp_path / "one", FILES, tell, settings=settings) as s:
            await generate_contexts(s.app, GenerateContextsRequest(confirmed=True))
        server.kill()
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "colleague"))
        async with stage(tmp_path / "two", FILES, tell, settings=settings) as s:
            with pytest.raises(UsageError, match=r"paid for again\. Try again later, or unset"):
                await generate_contexts(s.app, GenerateContextsRequest(confirmed=True))
            await generate_contexts(s.app, GenerateContextsRequest())
            assert "would be paid for again.\nMake" in s.port.questions[-1].text
            server.start()
            done = await generate_contexts(s.app, GenerateContextsRequest(confirmed=True))
            assert (done.made, done.estimate.chunks) == (0, 0)
            assert s.api.requests == []


@pytest.mark.parametrize("error", [StoreUnavailable("It is full."), JobFailed("It broke.")])
async def test_files_are_looked_up_again_after_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    monkeypatch.setattr("glossator.application.search_support._RETRY_SECONDS", 0.01)
    with redis_server(tmp_path / "redis") as server:
        settings = {**SETTINGS, "retrieval": INDEXED, "store": {"url": server.url}}
        async with stage(tmp_path / "one", FILES, tell, settings=settings) as s:
            await generate_contexts(s.app, GenerateContextsRequest(confirmed=True))
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "colleague"))
        failing = [error]
        take_in = ContextMaterial.take_in

        async def once(source: ContextMaterial) -> None:
            if failing:
                raise failing.pop()
            await take_in(source)

        monkeypatch.setattr(ContextMaterial, "take_in", once)
        async with stage(tmp_path / "two", FILES, tell, settings=settings) as s:
            async with asyncio.timeout(SECONDS):
                while not (await search(s.app, SearchRequest("counting animals"))).hits:
                    await s.app.team.settle()
            assert failing == []


async def test_without_a_model_there_are_none(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, tell, settings={"models": {"offline": True}}) as s:
        with pytest.raises(UsageError, match="need a model"):
            await estimate_contexts(s.app, EstimateContextsRequest())


async def test_no_batch_is_under_way(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, tell) as s:
        assert (await end_batches(s.app, EndBatchesRequest(forget=True))).count == 0


async def test_an_untrusted_folder_is_not_sent(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, tell, trusted=False) as s:
        with pytest.raises(UsageError, match="not trusted"):
            await generate_contexts(s.app, GenerateContextsRequest(confirmed=True))
        assert s.api.requests == []
