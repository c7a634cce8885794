"""Two servers on one Redis lose nothing, whatever becomes of it."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from glossator.core.errors import StoreUnavailable
from glossator.ledger import SessionSummary, team
from glossator.settings.model import WorkspaceSettings
from glossator.store import RedisStore
from glossator.workspace.documents.host import WorkspaceHost
from glossator.workspace.documents.overlays import Opened
from tests.ledger.support import Kept, kept
from tests.patience import SECONDS
from tests.redis_server import RedisServer, black_hole, redis_server
from tests.workspaces import MakeWorkspace, Workspace, idle_indexing

TEXT = "".join(f"line {number}\n" for number in range(1, 201))
SUMMARY = SessionSummary(("Prices",), (), ())


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(team, "_PAUSE", 0.01)
    monkeypatch.setattr(team, "_LONGEST_PAUSE", 0.05)


async def brought(k: Kept) -> set[str]:
    """What it knows once it has looked."""
    await k.ledger.look()
    await k.ledger.settled()
    return {each.statement for each in k.ledger.all()}


async def until_known(k: Kept, statements: set[str]) -> None:
    """Wait until it knows these, without asking again."""
    news = asyncio.Event()
    end = k.ledger.subscribe(lambda _: news.set())
    async with asyncio.timeout(SECONDS):
        await k.ledger.look()
        while {each.statement for each in k.ledger.all()} != statements:
            await news.wait()
            news.clear()
    end()


async def until_shared(server: RedisServer, k: Kept, statements: set[str]) -> None:
    """Wait until the server has these: its own client asks when it tries again."""
    async with asyncio.timeout(SECONDS):
        while await asyncio.to_thread(_on, server, k.ledger.workspace) != statements:
            await k.ledger.settled()


def _on(server: RedisServer, workspace: str) -> set[str]:
    value = server.command("GET", f"workspace:{workspace}")
    assert isinstance(value, bytes | None)
    facts = json.loads(value or b"{}").get("facts", {})
    return {each["statement"] for each in facts.values()}


def redis_value(server: RedisServer, key: str) -> bytes:
    value = server.command("GET", key)
    assert isinstance(value, bytes)
    return value


async def test_two_servers_at_once_lose_nothing(workspace: MakeWorkspace, tmp_path: Path) -> None:
    ws = await workspace({"a.py": TEXT})
    with redis_server(tmp_path / "redis") as redis:
        async with (
            kept(ws, tmp_path / "one", redis=redis.url, most=1_000) as one,
            kept(ws, tmp_path / "two", redis=redis.url, most=1_000) as two,
        ):
            said = {f"Number {line}." for line in range(1, 101)}
            for line in range(1, 101, 2):
                await asyncio.gather(
                    one.add(f"Number {line}.", "a.py", line),
                    two.add(f"Number {line + 1}.", "a.py", line + 1),
                )
            await until_shared(redis, one, said)
            assert await brought(one) == await brought(two) == said
            gone = one.ledger.all()[0]
            await one.ledger.forget([gone.id])
            pinned = two.ledger.all()[1]
            await two.ledger.pin(pinned.id, on=True)
            await until_shared(redis, one, said - {gone.statement})
            assert await brought(two) == await brought(one) == said - {gone.statement}
            kept_pin = one.ledger.get(pinned.id)
            assert kept_pin is not None
            assert kept_pin.pinned


async def test_a_server_that_was_away_is_caught_up(
    workspace: MakeWorkspace, tmp_path: Path
) -> None:
    ws = await workspace({"a.py": TEXT})
    with redis_server(tmp_path / "redis") as redis:
        async with kept(ws, tmp_path / "one", redis=redis.url) as one:
            await one.add("Number 1.", "a.py", 1)
            await until_shared(redis, one, {"Number 1."})
            redis.kill()
            await one.add("Number 2.", "a.py", 2)
            await one.ledger.cores.keep("s1", summary=SUMMARY)
            await one.ledger.settled()
            assert await one.fresh() == ["Number 2.", "Number 1."]
            (told,) = one.told
            assert "Facts stay on this machine and are shared" in told
            redis.start()  # and it has lost all it had
            await until_shared(redis, one, {"Number 1.", "Number 2."})
            await one.ledger.settled()
            memory = json.loads(str(redis.command("GET", "session:s1"), "utf-8"))  # type: ignore[call-overload]
            assert memory["session_summary"]["main_topics"] == ["Prices"]
            assert one.told == [told]
        async with kept(ws, tmp_path / "two", redis=redis.url) as two:
            assert await brought(two) == {"Number 1.", "Number 2."}
            await two.ledger.cores.load("s1", two.told.append)
            assert two.ledger.cores.of("s1").session_summary == SUMMARY


async def test_what_waited_at_the_end_is_shared_by_the_next_server(
    workspace: MakeWorkspace, tmp_path: Path
) -> None:
    ws = await workspace({"a.py": TEXT})
    with redis_server(tmp_path / "redis") as redis:
        redis.kill()
        async with kept(ws, tmp_path / "one", redis=redis.url) as one:
            await one.add("Number 1.", "a.py", 1)
            await one.ledger.cores.keep("s1", summary=SUMMARY)
        redis.start()
        async with kept(ws, tmp_path / "one", redis=redis.url) as again:
            await until_shared(redis, again, {"Number 1."})
            await again.ledger.settled()
            assert redis.command("EXISTS", "session:s1") == 1
            assert await again.ledger.cores.remove("s1") == ["s1"]
            await again.ledger.settled()
            assert redis.command("EXISTS", "session:s1") == 0


async def test_what_the_team_says_of_a_session_late_counts(
    workspace: MakeWorkspace, tmp_path: Path
) -> None:
    """Also if a run here ended before, and wrote a memory without a summary."""
    ws = await workspace({"a.py": TEXT})
    with redis_server(tmp_path / "redis") as redis:
        async with kept(ws, tmp_path / "one", redis=redis.url) as one:
            await one.add("Number 1.", "a.py", 1)
            await one.ledger.cores.keep("s1", summary=SUMMARY)
            await one.ledger.settled()
        redis.command("DEL", f"workspace:{one.ledger.workspace}")
        async with kept(ws, tmp_path / "two", redis=redis.url) as two:
            cores = two.ledger.cores
            assert (await cores.load("s1", two.told.append, seconds=0)).session_summary.text == ""
            await cores.keep("s1")
            await two.ledger.settled()
            assert cores.of("s1").session_summary == SUMMARY
            assert {each.statement for each in two.ledger.all()} == {"Number 1."}
            await cores.keep("s1")
        async with kept(ws, tmp_path / "two") as again:
            core = await again.ledger.cores.load("s1", again.told.append)
            assert core.session_summary == SUMMARY


async def test_kills_in_the_middle_lose_nothing(workspace: MakeWorkspace, tmp_path: Path) -> None:
    """A seeded slice: whatever is killed when, every fact that was added is there at the end."""
    ws, random = await workspace({"a.py": TEXT}), Random(1)
    with redis_server(tmp_path / "redis", "--appendonly", "yes") as redis:
        async with (
            kept(ws, tmp_path / "one", redis=redis.url, most=1_000) as one,
            kept(ws, tmp_path / "two", redis=redis.url, most=1_000) as two,
        ):
            said = set()
            for line in range(1, 61):
                k = random.choice((one, two))
                said.add((await k.add(f"Number {line}.", "a.py", line)).statement)
                if random.random() < 0.1:
                    redis.kill()
                    redis.start()
            await until_shared(redis, one, said)
            await until_shared(redis, two, said)
            await until_known(one, said)
            await until_known(two, said)


async def test_a_server_that_never_answers_holds_nothing_up(
    workspace: MakeWorkspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_READ_SECONDS", "_WRITE_SECONDS", "_CONNECT_SECONDS"):
        monkeypatch.setattr(f"glossator.store.shared.{name}", 0.05)
    ws = await workspace({"a.py": TEXT})
    async with black_hole() as url, kept(ws, tmp_path / "one", redis=url) as k:
        await k.add("Number 1.", "a.py", 1)
        assert await k.fresh() == ["Number 1."]
        await k.ledger.settled()
        assert "did not answer in time" in k.told[0]


async def test_what_is_forgotten_goes_from_the_memories_there(
    workspace: MakeWorkspace, tmp_path: Path
) -> None:
    ws = await workspace({"a.py": TEXT})
    with redis_server(tmp_path / "redis") as redis:
        async with (
            kept(ws, tmp_path / "one", redis=redis.url) as one,
            kept(ws, tmp_path / "two", redis=redis.url) as two,
        ):
            fact = await one.add("It is told.", "a.py", 1)
            await one.ledger.cores.keep("s1", summary=SUMMARY)
            await one.ledger.settled()
            before = redis_value(redis, "session:s1")
            assert b"It is told." in before
            assert await brought(two) == {"It is told."}
            await two.ledger.forget([fact.id])  # its memory of that session is nowhere but there
            await two.ledger.settled()
            assert json.loads(redis_value(redis, "session:s1"))["fact_ledger"] == {}
            redis.command("SET", "session:s1", before)
            assert await brought(one) == set()
            await one.ledger.settled()
            assert json.loads(redis_value(redis, "session:s1"))["fact_ledger"] == {}


@asynccontextmanager
async def another_working_copy(ws: Workspace, text: str) -> AsyncIterator[WorkspaceHost]:
    """A colleague's, in which `a.py` reads otherwise."""
    host = WorkspaceHost((str(ws.root),), WorkspaceSettings(), idle_indexing(ws.worker))
    await host.start()
    await host.ready()
    host.apply(Opened(ws.uri("a.py"), 1, text))
    yield host
    await host.close()


async def test_what_is_stated_again_in_another_working_copy_replaces_nothing(
    workspace: MakeWorkspace, tmp_path: Path
) -> None:
    ws = await workspace({"a.py": TEXT})
    with redis_server(tmp_path / "redis") as redis:
        async with (
            another_working_copy(ws, TEXT.replace("line 2\n", "line two\n")) as elsewhere,
            kept(ws, tmp_path / "one", redis=redis.url) as one,
            kept(elsewhere, tmp_path / "two", redis=redis.url) as two,
        ):
            said = "It is there."
            await one.add(said, "a.py", 2)
            await one.ledger.settled()
            await brought(two)
            assert await two.fresh() == []
            await two.add(said, "a.py", 2)
            await two.ledger.settled()
            await brought(one)
            assert await one.fresh() == await two.fresh() == [said]


async def test_what_is_stated_again_in_another_class_replaces_nothing(
    workspace: MakeWorkspace, tmp_path: Path
) -> None:
    """There only the lines around it differ, not its own."""
    text = "class Pool:\n    def swim(self):\n        return 1\n"
    ws = await workspace({"a.py": text})
    with redis_server(tmp_path / "redis") as redis:
        async with (
            another_working_copy(ws, text.replace("Pool", "Lake")) as elsewhere,
            kept(ws, tmp_path / "one", redis=redis.url) as one,
            kept(elsewhere, tmp_path / "two", redis=redis.url) as two,
        ):

            async def add(k: Kept) -> None:
                head = k.new("", "a.py", 1).span
                new = replace(k.new("It is there.", "a.py", 3), context=(head,))
                await k.ledger.remember("s1", "r1", [new])
                await k.ledger.settled()

            await add(one)
            await brought(two)
            assert await two.fresh() == []
            await add(two)
            await brought(one)
            assert len(one.ledger.all()) == 2
            assert await one.fresh() == await two.fresh() == ["It is there."]


async def test_what_is_stale_in_one_working_copy_is_not_lost_for_all(
    workspace: MakeWorkspace, tmp_path: Path
) -> None:
    """Where there are too many, the oldest go; which ones are stale differs among colleagues."""
    ws = await workspace({"a.py": TEXT})
    branch = TEXT.replace("line 2\n", "line two\n").replace("line 3\n", "line three\n")
    with redis_server(tmp_path / "redis") as redis:
        async with (
            another_working_copy(ws, branch) as elsewhere,
            kept(ws, tmp_path / "one", redis=redis.url, most=3) as one,
            kept(elsewhere, tmp_path / "two", redis=redis.url, most=3) as two,
        ):
            for line in (1, 2, 3):
                await one.add(f"Number {line}.", "a.py", line)
            await one.ledger.settled()
            assert len(await brought(two)) == 3
            assert await two.fresh() == ["Number 1."]
            await two.add("Number 4.", "a.py", 4)
            await two.ledger.settled()
            assert await brought(one) == {"Number 2.", "Number 3.", "Number 4."}
            assert await two.fresh() == ["Number 4."]


async def test_what_was_forgotten_long_ago_is_not_kept_for_ever(
    workspace: MakeWorkspace, tmp_path: Path
) -> None:
    ws = await workspace({"a.py": TEXT})
    with redis_server(tmp_path / "redis") as redis:
        async with kept(ws, tmp_path / "one", redis=redis.url) as k:
            name = f"workspace:{k.ledger.workspace}"
            await k.ledger.settled()
            old = {f"f{at:010x}": 5.0 for at in range(100)}
            redis.command("SET", name, json.dumps({"schema": 1, "facts": {}, "forgotten": old}))
            fact = await k.add("Number 1.", "a.py", 1)
            await k.ledger.forget([fact.id])
            await k.ledger.settled()
            assert list(json.loads(redis_value(redis, name))["forgotten"]) == [fact.id]
            assert list(k.ledger.rows) == [fact.id]


async def test_what_a_newer_version_shares_is_left_alone(
    workspace: MakeWorkspace, tmp_path: Path
) -> None:
    ws = await workspace({"a.py": TEXT})
    with redis_server(tmp_path / "redis") as redis:
        async with kept(ws, tmp_path / "one", redis=redis.url) as k:
            name = f"workspace:{k.ledger.workspace}"
            await k.ledger.settled()
            redis.command("SET", name, '{"schema": 7}')
            await k.add("Number 1.", "a.py", 1)
            await k.ledger.settled()
            assert redis.command("GET", name) == b'{"schema": 7}'
            assert ["newer Glossator (schema 7" in each for each in k.told] == [True]


async def test_a_stranger_s_values_are_refused(workspace: MakeWorkspace, tmp_path: Path) -> None:
    ws = await workspace({"a.py": TEXT})
    with redis_server(tmp_path / "redis") as redis:
        store = RedisStore(redis.url, {}, 100)
        redis.command("SET", "workspace:x", b"x" * 101)
        redis.command("RPUSH", "workspace:y", "a list")
        with pytest.raises(StoreUnavailable, match="too long to be ours"):
            await store.update("workspace:x", lambda _: b"")
        with pytest.raises(StoreUnavailable, match="WRONGTYPE"):
            await store.update("workspace:y", lambda _: b"")
        threads = []

        def change(value: bytes | None) -> bytes:
            threads.append(threading.current_thread())
            return b"one" if value is None else b"other"

        await store.update("workspace:z", change)
        assert threading.main_thread() not in threads
        assert redis.command("GET", "workspace:z") == b"one"
        await store.close()
        async with kept(ws, tmp_path / "one", redis=redis.url) as k:
            elsewhere = {
                "id": "f100000000a",
                "statement": "Outside.",
                "source_doc_id": "passwd",
                "source_chunk_id": {
                    "sha256": "00",
                    "passage": {
                        "path": "/etc/passwd",
                        "first_line": 1,
                        "last_line": 1,
                        "lines": ["a"],
                        "before": [],
                        "after": [],
                    },
                },
                "confidence": 1.0,
                "basis": "checks",
                "created_at": "2026-01-02T03:04:05+00:00",
                "session": "s",
                "run": "r",
                "pinned": True,
                "changed": 5.0,
            }
            document = json.dumps(
                {"schema": 1, "facts": {"f100000000a": elsewhere}, "forgotten": {}}
            )
            await k.ledger.settled()
            redis.command("SET", f"workspace:{k.ledger.workspace}", document)
            assert await brought(k) == set()


async def test_nothing_is_shared_that_may_not_be(workspace: MakeWorkspace, tmp_path: Path) -> None:
    ws = await workspace({"a.py": TEXT})
    with redis_server(tmp_path / "redis") as redis:
        async with kept(ws, tmp_path / "one", redis=redis.url, allowed=lambda: False) as k:
            await k.add("Number 1.", "a.py", 1)
            await k.ledger.cores.keep("s1", summary=SUMMARY)
            await k.ledger.cores.load("s2", k.told.append)
            await k.ledger.settled()
        other = await workspace({"b.py": TEXT})
        async with kept(other, tmp_path / "one", redis=redis.url) as k:
            await k.ledger.settled()  # what another workspace left waits for that one
        assert redis.command("KEYS", "*") == []
