"""Facts are kept, known again, followed as their lines change, and forgotten."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from glossator.core.errors import UsageError
from glossator.core.fact import Fact
from glossator.ledger import FactKey
from glossator.ledger.files import LedgerFiles
from glossator.ledger.rows import row_of
from glossator.store import Retention
from glossator.store.tables import FORGOTTEN_DAYS, LedgerRow, LedgerStore
from tests.ledger.support import KEEP, kept
from tests.patience import SECONDS
from tests.workspaces import MakeWorkspace

TEXT = "".join(f"line {number}\n" for number in range(1, 31))
SECRET = f"The token is ghp_{'a1B2' * 8}."


async def test_a_fact_outlives_the_server(workspace: MakeWorkspace, tmp_path: Path) -> None:
    ws = await workspace({"a.py": TEXT})
    async with kept(ws, tmp_path / "state") as first:
        fact = await first.add("It starts.", "a.py", 1, 2)
        assert first.ledger.get(fact.id) == fact
    async with kept(ws, tmp_path / "state") as again:
        assert again.ledger.all() == (fact,)
        assert await again.states() == {"It starts.": "fresh 1-2"}
        assert again.told == []


async def test_what_is_known_is_not_added_again(workspace: MakeWorkspace, tmp_path: Path) -> None:
    ws = await workspace({"a.py": TEXT, "b.py": TEXT})
    async with kept(ws, tmp_path / "state") as k:
        both = [k.new("The **start** is here.", "a.py", 1, 3), k.new("Start is here", "a.py", 2)]
        assert len(await k.ledger.remember("s1", "r1", both)) == 1
        assert await k.ledger.remember("s2", "r2", both) == ()
        elsewhere = [k.new("Start is here", "a.py", 9), k.new("Start is here", "b.py", 1)]
        assert len(await k.ledger.remember("s2", "r2", elsewhere)) == 2


async def test_a_fact_goes_with_every_question_that_it_answered(
    workspace: MakeWorkspace, tmp_path: Path
) -> None:
    """Also when it is stated again in other words, and after the server was started again."""
    ws = await workspace({"a.py": TEXT})
    heard: list[Fact] = []
    async with kept(ws, tmp_path / "state") as k:
        k.ledger.subscribe(heard.extend)
        new = k.new("`start` begins here.", "a.py", 2)
        assert len(await k.ledger.remember("s1", "r1", [new], "What goes on?")) == 1
        again = k.new("`start` begins here, also.", "a.py", 2)
        assert await k.ledger.remember("s2", "r2", [again], "Where is the zebra?") == ()
        assert await k.ledger.remember("s2", "r3", [again], "Where is the zebra?") == ()
    assert len(heard) == 1
    async with kept(ws, tmp_path / "state") as k:
        for question in ("what goes on", "Where is a zebra"):
            assert len(await k.ledger.relevant(question)) == 1
        assert await k.ledger.relevant("Where is the lion?") == ()


async def test_moved_lines_are_followed_and_changed_ones_are_stale_at_once(
    workspace: MakeWorkspace, tmp_path: Path
) -> None:
    ws = await workspace({"a.py": TEXT})
    async with kept(ws, tmp_path / "state") as k:
        await k.add("Ten is ten.", "a.py", 10)
        await k.add("Twenty is twenty.", "a.py", 20)
        ws.open("a.py", "new\nnew\n" + TEXT.replace("line 20", "line x"))
        assert [each for each in k.ledger.all() if k.ledger.is_fresh(each)] == []  # in doubt
        assert await k.states() == {
            "Ten is ten.": "fresh 12-12",
            "Twenty is twenty.": "stale 20-20",
        }
        assert await k.fresh() == ["Ten is ten."]
        assert await k.ledger.relevant("What is twenty?") == ()
        ws.edit("a.py", TEXT)
        assert await k.fresh() == ["Twenty is twenty.", "Ten is ten."]  # undone


async def test_a_stale_fact_holds_again_when_it_is_stated_again(
    workspace: MakeWorkspace, tmp_path: Path
) -> None:
    ws = await workspace({"a.py": TEXT})
    async with kept(ws, tmp_path / "state") as k:
        fact = await k.add("It is there.", "a.py", 5)
        await k.ledger.pin(fact.id, on=True)
        ws.write("a.py", TEXT.replace("line 5\n", "line five\n"))
        assert await k.fresh() == []
        again = await k.add("It is there", "a.py", 5)
        assert (again.id, again.pinned) == (fact.id, True)
        assert await k.states() == {"It is there": "fresh 5-5"}


async def test_facts_go_with_renamed_files(workspace: MakeWorkspace, tmp_path: Path) -> None:
    ws = await workspace({"src/a.py": TEXT})
    async with kept(ws, tmp_path / "state") as k:
        fact = await k.add("It is there.", "src/a.py", 5)
        (ws.root / "src").rename(ws.root / "lib")
        for name in ("src", "src/a.py", "lib", "lib/a.py"):
            ws.touched(name)
        k.anchors.renamed({str(ws.root / "src"): str(ws.root / "lib")})
        assert await k.fresh() == ["It is there."]
        view = k.ledger.view(k.ledger.all()[0])
        assert (view.id, view.path, view.uri) == (fact.id, "lib/a.py", ws.uri("lib/a.py"))
    async with kept(ws, tmp_path / "state") as again:
        assert [each.path for each in again.ledger.all()] == ["lib/a.py"]


async def test_what_must_not_be_kept_is_not(workspace: MakeWorkspace, tmp_path: Path) -> None:
    ws = await workspace({"a.py": TEXT, "b.py": TEXT})
    async with kept(ws, tmp_path / "state") as k:
        k.hidden.add(str(ws.root / "b.py"))
        old = k.new("It was so.", "a.py", 1)
        ws.write("a.py", TEXT.upper())
        refused = [
            old,
            k.new(SECRET, "a.py", 2),
            k.new("  ", "a.py", 2),
            k.new("x" * 2_000, "a.py", 2),
            k.new("It is hidden.", "b.py", 2),
        ]
        assert await k.ledger.remember("s1", "r1", refused) == ()
        assert k.ledger.every() == ()


async def test_a_file_that_becomes_hidden_takes_its_facts_along(
    workspace: MakeWorkspace, tmp_path: Path
) -> None:
    ws = await workspace({"a.py": TEXT})
    async with kept(ws, tmp_path / "state") as k:
        fact = await k.add("It is there.", "a.py", 5)
        k.hidden.add(str(ws.root / "a.py"))
        assert (k.ledger.all(), k.ledger.get(fact.id), await k.fresh()) == ((), None, [])
        assert await k.ledger.clear() == (fact,)


async def test_forgotten_facts_stay_so_until_they_are_stated_again(
    workspace: MakeWorkspace, tmp_path: Path
) -> None:
    ws = await workspace({"a.py": TEXT})
    async with kept(ws, tmp_path / "state") as k, kept(ws, tmp_path / "state") as other:
        fact, pinned = await k.add("One.", "a.py", 1), await k.add("Two.", "a.py", 2)
        await k.ledger.pin(pinned.id, on=True)
        assert await k.ledger.forget([fact.id, "unknown"]) == (fact,)
        await other.ledger.look()
        assert [(each.statement, each.pinned) for each in other.ledger.all()] == [("Two.", True)]
        with pytest.raises(UsageError, match="There is no fact"):
            await k.ledger.pin(fact.id, on=True)
        assert (await other.add("One.", "a.py", 1)).id == fact.id
        ws.write("a.py", TEXT.replace("line 2\n", "line two\n"))
        await k.ledger.look()
        assert [each.statement for each in await k.ledger.clear(stale=True)] == ["Two."]
        assert [each.statement for each in await k.ledger.clear()] == ["One."]
        assert k.ledger.all() == ()


async def test_too_many_facts_go_stale_ones_first(workspace: MakeWorkspace, tmp_path: Path) -> None:
    ws = await workspace({"a.py": TEXT})
    async with kept(ws, tmp_path / "state", most=3) as k:
        first = await k.add("One.", "a.py", 1)
        await k.ledger.pin(first.id, on=True)
        for line in (2, 3):
            await k.add(f"Number {line}.", "a.py", line)
        ws.write("a.py", TEXT.replace("line 3\n", "line three\n"))
        await k.add("Number 4.", "a.py", 4)
        assert set(await k.states()) == {"One.", "Number 2.", "Number 4."}
        await k.add("Number 5.", "a.py", 5)
        assert set(await k.states()) == {"One.", "Number 4.", "Number 5."}
    async with kept(ws, tmp_path / "state", most=0) as off:
        assert await off.ledger.remember("s1", "r1", [off.new("Six.", "a.py", 6)]) == ()


async def test_pinned_facts_come_first_and_others_by_their_words(
    workspace: MakeWorkspace, tmp_path: Path
) -> None:
    ws = await workspace({"a.py": TEXT, "shop.py": TEXT})
    async with kept(ws, tmp_path / "state") as k:
        await k.add("`swim` needs a pool.", "a.py", 1)
        pinned = await k.add("Amounts are integers in cents.", "a.py", 2)
        await k.add("`price` doubles the net amount.", "shop.py", 3)
        await k.ledger.pin(pinned.id, on=True)
        found = await k.ledger.relevant("How does `price` get its amount?")
        assert [each.statement.split()[0] for each in found] == ["Amounts", "`price`"]
        assert len(await k.ledger.relevant("How does price get its amount?", 1)) == 1


async def test_what_others_bring_is_bounded(workspace: MakeWorkspace, tmp_path: Path) -> None:
    ws = await workspace({"a.py": TEXT})
    async with kept(ws, tmp_path / "state", most=40) as k:
        fact = await k.add("It is so.", "a.py", 1)
        theirs = [
            replace(fact, id=f"f{at:010x}", created_at=fact.created_at + timedelta(seconds=at))
            for at in range(1, 101)
        ]
        rows = {each.id: row_of(replace(each, pinned=True), time.time()) for each in theirs}
        await k.ledger.take(k.ledger.workspace, rows)
        newest = [each.id for each in reversed(theirs)]
        assert [each.id for each in k.ledger.all()] == newest[:40]
        told = await k.ledger.relevant("What is so?")
        assert [each.id for each in told] == newest[:20]
        assert [key for key, row in k.ledger.rows.items() if row.value is None] == [fact.id]
    async with kept(ws, tmp_path / "state", most=0) as off:  # it keeps what is there
        await off.ledger.take(off.ledger.workspace, rows)
        assert len(off.ledger.all()) == 40


async def test_what_a_cancelled_look_read_is_not_lost(
    workspace: MakeWorkspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ws = await workspace({"a.py": TEXT})
    async with kept(ws, tmp_path / "state") as k, kept(ws, tmp_path / "state") as other:
        fact = await k.add("It is there.", "a.py", 5)

        def cancelled(_row: object) -> None:
            loop.call_soon_threadsafe(looking.cancel)
            has_ended.wait(SECONDS)

        loop, has_ended = asyncio.get_running_loop(), threading.Event()
        with monkeypatch.context() as patch:
            patch.setattr("glossator.ledger.ledger.fact_of", cancelled)
            looking = asyncio.create_task(other.ledger.look())
            await asyncio.wait({looking})
        has_ended.set()
        assert looking.cancelled()
        await other.ledger.look()
        assert other.ledger.all() == (fact,)


async def test_what_a_cancelled_write_kept_is_not_lost(
    workspace: MakeWorkspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ws = await workspace({"a.py": TEXT})
    async with kept(ws, tmp_path / "state") as k:
        put = LedgerStore.put

        def cancelled(store: LedgerStore, name: str, rows: Mapping[str, LedgerRow]) -> None:
            put(store, name, rows)
            loop.call_soon_threadsafe(adding.cancel)
            has_ended.wait(SECONDS)

        loop, has_ended = asyncio.get_running_loop(), threading.Event()
        with monkeypatch.context() as patch:
            patch.setattr(LedgerStore, "put", cancelled)
            adding = asyncio.create_task(k.add("It is there.", "a.py", 5))
            await asyncio.wait({adding})
        has_ended.set()
        assert adding.cancelled()
        await k.ledger.look()
        assert await k.fresh() == ["It is there."]


async def test_listeners_hear_of_every_change(workspace: MakeWorkspace, tmp_path: Path) -> None:
    ws = await workspace({"a.py": TEXT})
    heard: list[str] = []
    async with kept(ws, tmp_path / "state") as k:

        def listen(facts: tuple[Fact, ...]) -> None:
            heard.extend(f"{each.statement} {k.ledger.state(each).value}" for each in facts)

        end = k.ledger.subscribe(listen)
        fact = await k.add("One.", "a.py", 1)
        assert heard[-1] == "One. fresh"
        ws.write("a.py", "x\n")
        await k.anchors.settled()
        assert heard[-1] == "One. stale"
        heard.clear()
        await k.ledger.forget([fact.id])
        assert heard == ["One. stale"]
        assert k.anchors.freshness(FactKey(fact.id)) is None
        end()
        await k.add("Two.", "a.py", 1)
        assert heard == ["One. stale"]


async def test_another_workspace_has_facts_of_its_own(
    workspace: MakeWorkspace, tmp_path: Path
) -> None:
    one, two = await workspace({"a.py": TEXT}), await workspace({"a.py": TEXT})
    async with kept(one, tmp_path / "state") as k, kept(two, tmp_path / "state") as other:
        await k.add("One.", "a.py", 1)
        await other.ledger.look()
        assert other.ledger.all() == ()


async def test_without_a_disk_facts_end_with_the_server(
    workspace: MakeWorkspace, tmp_path: Path
) -> None:
    ws = await workspace({"a.py": TEXT})
    (tmp_path / "state").write_text("in the way")
    async with kept(ws, tmp_path / "state") as k:
        await k.add("One.", "a.py", 1)
        assert await k.fresh() == ["One."]
        assert [each.partition(":")[0] for each in k.told] == [
            "Facts are kept only until the server ends"
        ]


async def test_a_memory_brings_no_fact_back_that_may_have_been_forgotten_long_ago(
    workspace: MakeWorkspace, tmp_path: Path
) -> None:
    ws = await workspace({"a.py": TEXT})
    async with kept(ws, tmp_path / "state") as k, kept(ws, tmp_path / "other") as other:
        one, two, three = [await k.add(f"{n}.", "a.py", 1) for n in ("One", "Two", "Three")]
        now = datetime.now(UTC)
        old = replace(two, created_at=now - timedelta(days=FORGOTTEN_DAYS + 1))
        young = replace(three, created_at=now - timedelta(days=FORGOTTEN_DAYS - 1))
        await other.ledger.adopt([one, old, young])
        assert {each.id for each in other.ledger.every()} == {one.id, young.id}


@pytest.mark.parametrize("part", range(10))
async def test_facts_that_a_cut_file_loses_are_spoken_of(tmp_path: Path, part: int) -> None:
    told: list[str] = []
    keep = Retention(90, 500, 10**9)
    files = LedgerFiles(keep, told.append, tmp_path)
    rows = {f"{n:03}": LedgerRow(n + 1.0, bytes([n]) * 600) for n in range(60)}
    await files.put("ws", rows)
    await files.close()
    path = tmp_path / "ledger.db"
    os.truncate(path, path.stat().st_size * part // 10)
    again = LedgerFiles(keep, told.append, tmp_path)
    assert await again.facts("ws") == {}
    (said,) = told
    assert "are missing" in said
    assert f"{path}.damaged" in said
    await again.put("ws", rows)
    again.read_again()
    assert (await again.facts("ws")).keys() == rows.keys()
    await again.close()
    assert len(told) == 1


@pytest.mark.parametrize("page", [1, 3, 10, 40])
async def test_of_a_damaged_file_what_can_be_read_is_kept(
    workspace: MakeWorkspace, tmp_path: Path, page: int
) -> None:
    """Half of a page is overwritten: pages are those of a file of some hundred facts."""
    ws = await workspace({"a.py": TEXT})
    async with kept(ws, tmp_path / "state") as k:
        one = await k.add("One.", "a.py", 1)
        now = time.time()
        ids = [f"{one.id[:-4]}{n:04x}" for n in range(300)]
        rows = {each: row_of(replace(one, id=each), now) for each in ids}
        rows[ids[0]] = LedgerRow(now, None)
        rows[ids[1]] = LedgerRow(now, b"no fact")
        files = LedgerFiles(KEEP, k.told.append, tmp_path / "state")
        await files.put(k.ledger.workspace, rows)
        for session in ("s1", "s2"):
            await files.put_memory(session, "w", b'{"schema": 1}', shared=True)
        await files.close()
    path = tmp_path / "state" / "ledger.db"
    with path.open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(os.urandom(2048))
    async with kept(ws, tmp_path / "state", most=1_000) as k:
        found = k.ledger.rows
        assert found.items() <= {**rows, one.id: found.get(one.id)}.items()
        (said,) = k.told
        facts = sum(row.value is not None for row in found.values())
        assert f"{facts:,} facts and the memory of " in said
        assert f"kept as {path}.damaged." in said
        assert ids[1] not in found
        assert (len(found) > 200) == (page > 3)  # before that the schema, and the root of all facts
    async with kept(ws, tmp_path / "state", most=1_000) as k:
        assert (k.told, k.ledger.rows.keys()) == ([], found.keys())
