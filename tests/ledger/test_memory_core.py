"""The memory core of a session: kept, migrated, and never written over by older versions."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from glossator.core.errors import StoreUnavailable
from glossator.core.fact import FactState
from glossator.ledger import SessionSummary, SystemProfile, WorkingBench
from glossator.ledger.memory_core import MemoryCore, core_from_json
from glossator.ledger.team import merged_memory
from glossator.store.tables import LedgerStore
from tests.ledger.support import KEEP, Kept, kept
from tests.workspaces import MakeWorkspace

_LATELY = (datetime.now(UTC) - timedelta(days=30)).isoformat()
OLD = (
    (Path(__file__).parent / "schema_0.json")
    .read_text()
    .replace("2026-01-02T03:04:05+00:00", _LATELY)
)
SESSION = "0123456789abcdef"
FILES = {"shop.py": "def price(net):\n    return net * 2\n"}
SUMMARY = SessionSummary(("Prices",), ("They are doubled.",), ("Why?",))


def stored(folder: Path, value: str | None = None) -> dict[str, object]:
    """What is on disk of the session, which is put there first if a value is given."""
    folder.mkdir(exist_ok=True)
    store = LedgerStore(str(folder / "ledger.db"), KEEP)
    if value is not None:
        store.put_memory(SESSION, "w", value.encode(), shared=True)
    found = store.memory(SESSION)
    store.close()
    fields: dict[str, object] = json.loads(found or b"{}")
    return fields


async def load(k: Kept) -> None:
    await k.ledger.cores.load(SESSION, k.told.append)


async def test_it_is_written_back_with_all_its_parts(
    workspace: MakeWorkspace, tmp_path: Path
) -> None:
    ws = await workspace(FILES)
    profile = SystemProfile("a reviewer", "", ("Be brief.",))
    async with kept(ws, tmp_path / "state", profile=profile) as k:
        (fact,) = await k.ledger.remember(
            SESSION, "r1", [k.new("`price` doubles the net.", "shop.py", 1, 2)]
        )
        bench = WorkingBench(("shop.py:1-2",), ("Explore: nothing",))
        await k.ledger.cores.keep(SESSION, bench=bench)
        await k.ledger.cores.keep(SESSION, summary=SUMMARY)
    core = stored(tmp_path / "state")
    assert core.pop("updated_at")
    assert core == {
        "schema": 1,
        "session_id": SESSION,
        "system_profile": {"role": "a reviewer", "persona": "", "rules": ["Be brief."]},
        "fact_ledger": {fact.id: json.loads(json.dumps(fact.to_json() | {"status": "fresh"}))},
        "session_summary": {
            "main_topics": ["Prices"],
            "key_conclusions": ["They are doubled."],
            "unresolved_questions": ["Why?"],
        },
        "working_bench": {"retrieved": ["shop.py:1-2"], "task_results": ["Explore: nothing"]},
    }
    async with kept(ws, tmp_path / "state") as again:
        await load(again)
        core_again = again.ledger.cores.of(SESSION)
        assert (core_again.session_summary, core_again.working_bench) == (SUMMARY, bench)
        assert list(core_again.fact_ledger) == [fact.id]
        assert core_again.system_profile == SystemProfile()  # the user's own, as it is now


async def test_a_document_of_schema_0_is_migrated(workspace: MakeWorkspace, tmp_path: Path) -> None:
    ws = await workspace(FILES)
    stored(tmp_path / "state", OLD)
    async with kept(ws, tmp_path / "state") as k:
        await load(k)
        core = k.ledger.cores.of(SESSION)
        assert core.session_summary == SessionSummary(("Prices",), ("Prices are doubled.",))
        assert core.working_bench == WorkingBench()
        assert await k.states() == {"`price` doubles the net.": "stale 1-2"}  # no hashes of lines
        await k.add("`price` doubles the net.", "shop.py", 1, 2)
        assert await k.fresh() == ["`price` doubles the net."]
        assert len(k.ledger.all()) == 1
        await k.ledger.cores.keep(SESSION)
    assert stored(tmp_path / "state")["schema"] == 1


async def test_forgotten_facts_do_not_come_back_with_a_session(
    workspace: MakeWorkspace, tmp_path: Path
) -> None:
    ws = await workspace(FILES)
    stored(tmp_path / "state", OLD)
    async with kept(ws, tmp_path / "state") as k:
        await load(k)
        await k.ledger.forget([each.id for each in k.ledger.all()])
    async with kept(ws, tmp_path / "state") as again:
        await load(again)
        assert again.ledger.all() == ()


async def test_forgetting_takes_a_fact_out_of_every_memory(
    workspace: MakeWorkspace, tmp_path: Path
) -> None:
    ws = await workspace(FILES)
    async with kept(ws, tmp_path / "state") as k, kept(ws, tmp_path / "state") as other:
        new = [k.new("It doubles.", "shop.py", 1), k.new("It stays.", "shop.py", 2)]
        gone, left = await k.ledger.remember(SESSION, "r1", new)
        await k.ledger.cores.keep(SESSION, summary=SUMMARY)
        await other.ledger.look()
        await other.ledger.forget([gone.id])
        core = stored(tmp_path / "state")
        assert list(core["fact_ledger"]) == [left.id]  # type: ignore[call-overload]
        assert "doubles" not in json.dumps(core["fact_ledger"])
        assert core["session_summary"] == json.loads(json.dumps(asdict(SUMMARY)))


async def test_texts_with_secrets_are_left_out(workspace: MakeWorkspace, tmp_path: Path) -> None:
    ws = await workspace(FILES)
    secret = f"Use ghp_{'a1B2' * 8} there."
    async with kept(ws, tmp_path / "state") as k:
        summary = SessionSummary(("Prices", secret), (secret,), ("Why?",))
        bench = WorkingBench(("shop.py:1-2",), (secret, "Explore: nothing"))
        await k.ledger.cores.keep(SESSION, summary=summary, bench=bench)
        core = k.ledger.cores.of(SESSION)
        assert core.session_summary == SessionSummary(("Prices",), (), ("Why?",))
        assert core.working_bench == WorkingBench(("shop.py:1-2",), ("Explore: nothing",))
    assert "ghp_" not in json.dumps(stored(tmp_path / "state"))


async def test_a_newer_schema_is_neither_read_nor_written_over(
    workspace: MakeWorkspace, tmp_path: Path
) -> None:
    ws = await workspace(FILES)
    newer = json.dumps({"schema": 9, "session_id": SESSION})
    stored(tmp_path / "state", newer)
    async with kept(ws, tmp_path / "state") as k:
        await load(k)
        await k.ledger.cores.keep(SESSION, summary=SUMMARY)
        assert k.ledger.cores.of(SESSION).session_summary == SUMMARY  # until the server ends
        assert ["newer Glossator (schema 9" in each for each in k.told] == [True]
    assert stored(tmp_path / "state") == json.loads(newer)
    with pytest.raises(StoreUnavailable):
        merged_memory(newer.encode(), b"{}")


async def test_one_that_is_removed_in_between_is_begun_again(
    workspace: MakeWorkspace, tmp_path: Path
) -> None:
    ws = await workspace(FILES)
    stored(tmp_path / "state", json.dumps({"schema": 9, "session_id": SESSION}))
    async with kept(ws, tmp_path / "state") as k:
        await load(k)
        await k.ledger.cores.remove(SESSION)
        await k.ledger.cores.keep(SESSION, summary=SUMMARY)
        assert k.ledger.cores.of(SESSION).session_summary == SUMMARY
    assert stored(tmp_path / "state")["schema"] == 1


@pytest.mark.parametrize("value", ["[]", "{", '{"schema": 1}', '{"schema": 1, "fact_ledger": 3}'])
async def test_a_damaged_one_is_begun_again(
    workspace: MakeWorkspace, tmp_path: Path, value: str
) -> None:
    ws = await workspace(FILES)
    folder = tmp_path / "state"
    folder.mkdir()
    store = LedgerStore(str(folder / "ledger.db"), KEEP)
    store.put_memory(SESSION, "w", value.encode(), shared=True)
    store.close()
    async with kept(ws, folder) as k:
        await load(k)
        assert k.ledger.cores.of(SESSION).session_summary == SessionSummary()
        (told,) = k.told
        assert told == (
            f"The saved memory of session {SESSION} cannot be read, so a new one was begun."
            " Facts of the workspace are kept."
        )


async def test_it_goes_with_its_session_and_when_all_is_cleared(
    workspace: MakeWorkspace, tmp_path: Path
) -> None:
    ws = await workspace(FILES)
    async with kept(ws, tmp_path / "state") as k:
        for session in ("s1", "s2", "s3"):
            await k.ledger.cores.keep(session, summary=SUMMARY)
        assert await k.ledger.cores.remove("s1") == ["s1"]
        assert await k.ledger.cores.remove("s1", workspace=k.ledger.workspace) == ["s2", "s3"]
        assert k.ledger.cores.of("s2").session_summary == SessionSummary()


async def test_only_those_used_last_are_in_memory(
    workspace: MakeWorkspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glossator.ledger.memory_core._MAX_HELD", 2)
    ws = await workspace(FILES)
    async with kept(ws, tmp_path / "state") as k:
        cores = k.ledger.cores
        for session in ("s1", "s2", "s1", "s3"):
            await cores.keep(session, summary=SUMMARY)
        in_memory = [each for each in ("s1", "s2", "s3") if cores.of(each).session_summary.text]
        assert in_memory == ["s1", "s3"]
        assert (await cores.load("s2", k.told.append)).session_summary == SUMMARY


def test_a_summary_that_says_nothing_replaces_none() -> None:
    """It is of a server that could not read the other one, and began a new memory."""
    said = MemoryCore(SESSION, session_summary=SUMMARY, updated_at=datetime.fromtimestamp(5, UTC))
    bench = WorkingBench(("shop.py:1-2",))
    new = MemoryCore(SESSION, working_bench=bench, updated_at=datetime.fromtimestamp(9, UTC))
    one, other = (
        json.dumps(each.to_json(lambda _: FactState.FRESH)).encode() for each in (said, new)
    )
    for merged in (merged_memory(one, other), merged_memory(other, one)):
        core = core_from_json(json.loads(merged or b""), str)
        assert (core.session_summary, core.working_bench) == (SUMMARY, bench)


def test_lists_are_bounded() -> None:
    fields = json.loads(OLD)
    fields["session_summary"]["main_topics"] = ["x" * 5_000] * 500
    core = core_from_json(fields, lambda path: f"/ws/{path}")
    topics = core.session_summary.main_topics
    assert (len(topics), len(topics[0])) == (50, 1_000)
    (fact,) = core.fact_ledger.values()
    assert fact.passage.path == "/ws/shop.py"
