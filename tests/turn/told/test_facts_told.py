"""Facts from one session to the next: told without a search, and never once their lines changed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from glossator.commands.sessions import CompactRequest, compact_session
from glossator.commands.window import ShowContextRequest, show_context
from glossator.core.context_kinds import Kind
from glossator.core.document import Document
from glossator.core.events import Notice, RunFinished
from glossator.core.fact import Fact, FactState, NewFact
from glossator.core.run_events import FactChanged
from glossator.core.span import Basis, Citation, CitationStatus, Span
from glossator.grounding import AnswerStatement
from glossator.grounding.rules import Verdict
from glossator.grounding.verdicts import CheckedStatement
from glossator.sessions import FACTS
from glossator.turn.judged.new_facts import memorise, write_memory_back
from glossator.turn.told.facts import established_again, follow_facts
from tests.redis_server import black_hole, redis_server
from tests.sides import JUDGED, judging
from tests.stage import Stage, stage
from tests.standin import Text, ToolUse, Turn

FILES = {
    "shop.py": "def price(net):\n    return net * 2\n",
    "pool.py": "def swim():\n    return 'wet'\n",
    "secret.env": "TOKEN=1\n",
    ".gitignore": "build/\n",
    "build/out.py": "price = 3\n",
}
OPENING = "Established facts: "
GONE = "No longer established"
PRICE = "`price` doubles the net amount."
QUESTION = "How does price compute the amount?"


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def cited(s: Stage, path: str, first: int, last: int) -> Citation:
    document = s.app.host.snapshot().read(path)
    assert isinstance(document, Document)
    span = Span(document.uri, document.sha256, first, last)
    return Citation(path, span, CitationStatus.VERIFIED, "", first, last, Basis.MODEL)


def judged(
    s: Stage,
    text: str,
    *places: tuple[str, int, int],
    verdict: Verdict = Verdict.SUPPORTED,
    basis: Basis | None = Basis.MODEL,
) -> CheckedStatement:
    return stated(text, *(cited(s, *place) for place in places), verdict=verdict, basis=basis)


def stated(
    text: str,
    *citations: Citation,
    verdict: Verdict = Verdict.SUPPORTED,
    basis: Basis | None = Basis.MODEL,
) -> CheckedStatement:
    return CheckedStatement(AnswerStatement(0, len(text), text), citations, verdict, basis)


async def memorised(s: Stage, *statements: CheckedStatement) -> list[str]:
    """What becomes of statements in a run of a new session: the facts that are kept."""
    await s.app.ready()
    session = s.app.sessions.create()
    async with s.app.runs.open(session.id, None, session.note) as run:
        await memorise(s.app, session, run, statements)
        await write_memory_back(s.app, session)
    return [each.statement for each in s.app.ledger.all() if each.session == session.id]


def told(s: Stage, number: int) -> list[str]:
    """What the last message of a request says of facts."""
    texts = [str(block.get("text", "")) for block in s.sent(number)["messages"][-1]["content"]]
    return [text for text in texts if text.startswith((OPENING, GONE))]


async def test_a_fact_of_yesterday_is_used_today_without_a_search(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    async with stage(root, FILES, []) as s:
        assert await memorised(s, judged(s, PRICE, ("shop.py", 1, 2))) == [PRICE]
    async with stage(root, {}, [Turn(Text("It doubles it."))]) as s:
        answer = await s.ask(QUESTION)
        (facts,) = told(s, 0)
        (fact,) = s.app.ledger.all()
        assert f"- {PRICE} [cite: fact, {fact.id}, null] (shop.py:1-2)" in facts
        assert facts.index("repeats the mark") < facts.index(PRICE)
        assert (answer.text, len(s.api.requests)) == ("It doubles it.", 1)
        texts = [block["text"] for block in s.sent(0)["messages"][-1]["content"]]
        assert texts.index(facts) < texts.index(QUESTION)
        listed = await show_context(s.app, ShowContextRequest(answer.session_id))
        parts = [part for layer in listed.layers for part in layer.parts]
        assert [(part.name, part.count) for part in parts if part.kind is Kind.FACT] == [
            ("facts", 1)
        ]


async def test_a_question_that_is_asked_again_has_all_its_facts_and_says_what_they_saved(
    tmp_path: Path,
) -> None:
    """Also those that share no word with it; in a new session, and however it is punctuated."""
    root, cite = tmp_path / "ws", "[cite: doc, {}.py, L1-L2]"
    both = f"{PRICE} {cite.format('shop')} `swim` returns `'wet'`. {cite.format('pool')}"
    reads = Turn(
        ToolUse("Read", {"path": "shop.py"}, "r1"), ToolUse("Read", {"path": "pool.py"}, "r2")
    )
    says = {"price": ("SUPPORTED", "return net * 2"), "swim": ("SUPPORTED", "return 'wet'")}
    question = "What goes on in here?"
    script = judging([reads, Turn(Text(both))], **says)
    async with stage(root, FILES, script, JUDGED) as s:
        await s.ask(question)
        assert s.port.of(Notice) == []
        price, swim = sorted(s.app.ledger.all(), key=lambda each: each.statement)

    def again(*facts: Fact) -> Turn:
        return Turn(Text(" ".join(f"{e.statement} [cite: fact, {e.id}, null]" for e in facts)))

    other = [again(price, swim), again(swim), again(price)]
    other.insert(1, reads)  # the second question looks something up first
    async with stage(root, {}, other) as s:
        answer = await s.ask("What goes on, in here")
        (facts,) = told(s, 0)
        assert price.statement in facts
        assert swim.statement in facts
        notices = ["2 facts were known: nothing was searched again."]
        assert [each.message for each in s.port.of(Notice)] == notices
        await s.ask("And in the pool?", session_id=answer.session_id)
        assert [each.message for each in s.port.of(Notice)] == notices
        await s.ask("And in the shop?", session_id=answer.session_id)
        notices.append("1 fact was known: nothing was searched again.")
        assert [each.message for each in s.port.of(Notice)] == notices


async def test_what_rules_verified_is_forgotten_and_the_user_hears_of_it(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    by_rules = "`swim` returns `'wet'`."
    async with stage(root, FILES, []) as s:
        assert await memorised(s, judged(s, PRICE, ("shop.py", 1, 2))) == [PRICE]
        document = s.app.host.snapshot().read("pool.py")
        assert isinstance(document, Document)
        span = Span(document.uri, document.sha256, 1, 2)
        old = [
            NewFact(text, "pool.py", span, Basis.CHECKS, 0.9)
            for text in (by_rules, "`swim` takes no arguments.")
        ]
        assert len(await s.app.ledger.remember("s", "r", old)) == 2
    async with stage(root, {}, [Turn(Text("It is wet."))] * 2) as s:
        answer = await s.ask("What does swim return, and what is the price?")
        (facts,) = told(s, 0)
        assert PRICE in facts
        assert "swim" not in facts
        assert [each.statement for each in s.app.ledger.all()] == [PRICE]
        (notice,) = s.port.of(Notice)
        assert notice.message.startswith("2 facts were forgotten: rules alone had verified them")
        await s.ask("And now?", session_id=answer.session_id)
        assert len(s.port.of(Notice)) == 1, "it is said once"


async def test_of_near_twins_one_is_kept(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, []) as s:
        place = ("shop.py", 1, 2)
        again = "`price` doubles the net amount again."
        other = "`price` doubles `net`."
        assert await memorised(s, judged(s, PRICE, place)) == [PRICE]
        assert await memorised(s, judged(s, again, place), judged(s, other, place)) == [other]


async def test_the_lines_of_a_fact_that_was_told_need_not_be_read(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    async with stage(root, FILES, []) as s:
        await memorised(s, judged(s, PRICE, ("shop.py", 1, 2)))
    (root / "shop.py").write_text("# Prices\n\ndef price(net):\n    return net * 2\n")
    said = Turn(Text("It doubles the net amount [cite: doc, shop.py, L3-L4]."))
    unread = Turn(Text("It is wet [cite: doc, pool.py, L1-L2]."))
    async with stage(root, {}, [said, unread, unread]) as s:
        answer = await s.ask(QUESTION)
        assert (len(s.api.requests), len(answer.citations)) == (1, 1)
        assert answer.citations[0].status in ("read", "verified")
        await s.ask("And?", session_id=answer.session_id)
        assert len(s.api.requests) == 3  # what it was not told must be read


async def test_one_whose_line_changed_is_not(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    async with stage(root, FILES, []) as s:
        await memorised(s, judged(s, PRICE, ("shop.py", 1, 2)))
    (root / "shop.py").write_text("def price(net):\n    return net * 3\n")
    async with stage(root, {}, [Turn(Text("I do not know."))]) as s:
        await s.ask(QUESTION)
        assert told(s, 0) == []
        assert [s.app.ledger.state(each) for each in s.app.ledger.all()] == [FactState.STALE]


async def test_it_rests_on_all_that_its_sentence_cites_not_only_on_what_was_quoted(
    tmp_path: Path,
) -> None:
    root = tmp_path / "ws"
    text = "`price` and `swim` take what they need."
    async with stage(root, FILES, []) as s:

        def quoted(place: tuple[str, int, int], other: tuple[str, int, int]) -> CheckedStatement:
            read = replace(cited(s, *other), status=CitationStatus.READ, basis=None)
            return stated(text, cited(s, *place), read, basis=Basis.MODEL)

        assert await memorised(s, quoted(("shop.py", 1, 1), ("pool.py", 1, 1))) == []
        assert await memorised(s, quoted(("shop.py", 1, 1), ("shop.py", 2, 2))) == [text]
        (fact,) = s.app.ledger.all()
        assert (fact.passage.first_line, fact.passage.last_line) == (1, 2)


async def test_it_does_not_outlive_the_name_of_what_its_lines_stand_in(tmp_path: Path) -> None:
    root = tmp_path / "ws"

    def change(text: str) -> None:
        (root / "shop.py").write_text(text)
        s.touched("shop.py")

    async with stage(root, FILES, []) as s:
        await memorised(s, judged(s, "`price` doubles its argument.", ("shop.py", 2, 2)))
        (fact,) = await s.app.ledger.fresh()
        assert [each.first_line for each in fact.context] == [1]
        change("import os\n\n" + FILES["shop.py"])
        assert [s.app.ledger.view(each).first_line for each in await s.app.ledger.fresh()] == [4]
        change(FILES["shop.py"].replace("price", "cost"))
        assert await s.app.ledger.fresh() == ()
        change(FILES["shop.py"])
        assert await s.app.ledger.fresh() == (fact,)


CLASSES = """class Shop:
    def price(self):
        net = 1
        tax = 1
        return net + tax

    def rent(self):
        return 9


class Pool:
    def swim(self):
        return 'wet'
"""
METHOD = "    def price(self):\n        net = 1\n        tax = 1\n        return net + tax\n\n"


@pytest.mark.parametrize(
    ("now", "stands"),
    [
        (CLASSES.replace(METHOD, "").replace("class Pool:\n", f"class Pool:\n{METHOD}"), None),
        (CLASSES.replace("class Shop:\n", "class Shop:\n    pass\n\n\nclass Other:\n"), None),
        (CLASSES.replace(METHOD, "").replace("\n\n\nclass", f"\n\n{METHOD}\nclass"), 7),
        ("import os\n\n\n" + CLASSES, 7),
    ],
)
async def test_it_stands_in_the_class_that_it_stood_in(
    tmp_path: Path, now: str, stands: int | None
) -> None:
    async with stage(tmp_path / "ws", {"shop.py": CLASSES}, []) as s:
        await memorised(s, judged(s, "`tax` is 1.", ("shop.py", 4, 4)))
        (fact,) = await s.app.ledger.fresh()
        assert [each.first_line for each in fact.context] == [1, 2]
        (tmp_path / "ws" / "shop.py").write_text(now)
        s.touched("shop.py")
        lines = [s.app.ledger.view(each).first_line for each in await s.app.ledger.fresh()]
        assert lines == ([] if stands is None else [stands])


async def test_what_a_line_behind_its_own_could_make_false_is_no_fact(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, []) as s:
        for denied in (
            "`price` never calls `round`.",
            "`price` doesn't round.",
            "Only `price` doubles.",
            "`price` has no side effects.",
        ):
            assert await memorised(s, judged(s, denied, ("shop.py", 1, 2))) == []
        quoted = "`price` returns `no` and `net * 2`."
        assert await memorised(s, judged(s, quoted, ("shop.py", 1, 2))) == [quoted]


async def test_what_was_told_is_not_told_again_but_that_it_is_gone(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    turns = [Turn(Text(f"Answer {number}.")) for number in range(4)]
    async with stage(root, FILES, turns) as s:
        await memorised(s, judged(s, PRICE, ("shop.py", 1, 2)))
        (fact,) = s.app.ledger.all()
        first = await s.ask(QUESTION)
        again = {"session_id": first.session_id}
        await s.ask(QUESTION, **again)
        (root / "shop.py").write_text("def price(net):\n    return net * 3\n")
        s.touched("shop.py")
        await s.ask(QUESTION, **again)
        await s.ask(QUESTION, **again)
        assert [len(told(s, number)) for number in range(4)] == [1, 0, 1, 0]
        (gone,) = told(s, 2)
        assert gone.startswith(GONE)
        assert fact.id in gone
        assert "doubles" not in gone


async def test_one_that_goes_stale_in_a_run_is_an_event_and_the_model_hears_of_it(
    tmp_path: Path,
) -> None:
    root = tmp_path / "ws"

    def change(_body: Any) -> Turn:
        (root / "shop.py").write_text("def price(net):\n    return net * 3\n")
        s.touched("shop.py")
        return Turn(ToolUse("Read", {"path": "pool.py"}))

    turns = iter([change])

    def turn(body: Any) -> Turn:
        return next(turns, lambda _: Turn(Text("It triples it.")))(body)

    async with stage(root, FILES, turn) as s:
        await memorised(s, judged(s, PRICE, ("shop.py", 1, 2)))
        await s.ask(QUESTION)
        assert [each[: len(GONE)] for each in told(s, 1)] == [GONE]
        states = [each.fact.state for each in s.port.of(FactChanged)]
        assert states[-1] is FactState.STALE


async def test_one_whose_file_was_just_touched_elsewhere_still_holds(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    async with stage(root, FILES, []) as s:
        await memorised(s, judged(s, PRICE, ("shop.py", 1, 2)))
        (fact,) = await s.app.ledger.fresh()
        session = s.app.sessions.create()
        session.keep(FACTS, [fact.id, True])
        async with s.app.runs.open(session.id, None, session.note) as run:
            (root / "shop.py").write_text("# Prices\n\n" + FILES["shop.py"])
            s.touched("shop.py")
            assert (await established_again(s.app, session, run)).texts == ()


async def test_a_compaction_takes_what_was_told_and_it_is_told_again(tmp_path: Path) -> None:
    settings = {"models": {"offline": True}}
    async with stage(tmp_path / "ws", FILES, [], settings) as s:
        await memorised(s, judged(s, PRICE, ("shop.py", 1, 2)))
        session_id = (await s.ask(QUESTION)).session_id
        for _ in range(8):
            await s.ask("Where is swim, and what does it return?", session_id=session_id)
        session = await s.app.sessions.open(session_id)
        assert [each[1] for each in session.kept(FACTS)] == [True]
        await compact_session(s.app, CompactRequest(session_id))
        await s.ask(QUESTION, session_id=session_id)
        assert [each and each[1] for each in session.kept(FACTS)] == [True, None, True]
        await s.app.summaries.settle()
        summary = s.app.ledger.cores.of(session_id).session_summary  # of the compaction
        assert summary.main_topics == (QUESTION,)


async def test_only_what_is_carried_by_listed_files_becomes_a_fact(tmp_path: Path) -> None:
    deny = {"permissions": {"deny": ["Read(*.env)"]}}
    async with stage(tmp_path / "ws", FILES, [], deny) as s:
        await s.app.ready()
        assert await memorised(
            s,
            judged(s, PRICE, ("shop.py", 1, 1), ("shop.py", 2, 2)),
            judged(s, "It swims.", ("pool.py", 1, 2), verdict=Verdict.CONTRADICTED),
            judged(s, "It is set.", ("secret.env", 1, 1)),
            judged(s, "It is built.", ("build/out.py", 1, 1)),
            judged(s, "Both are there.", ("shop.py", 1, 1), ("pool.py", 1, 1)),
            stated("It follows.", replace(cited(s, "pool.py", 1, 1), target="fact f0123")),
            judged(s, "`swim` was judged by nobody.", ("pool.py", 1, 1), basis=None),
            judged(s, "`swim` was judged by rules.", ("pool.py", 1, 1), basis=Basis.CHECKS),
            judged(s, "Added a docstring to `swim`.", ("pool.py", 1, 1)),
            stated("It was only read.", Citation("pool.py", None, CitationStatus.READ)),
        ) == [PRICE]
        (fact,) = s.app.ledger.all()
        assert (fact.passage.first_line, fact.passage.last_line) == (1, 2)


async def test_a_new_fact_is_an_event_of_its_run(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, []) as s:
        await s.app.ready()
        session = s.app.sessions.create()
        async with s.app.runs.open(session.id, None, session.note) as run:
            follow_facts(s.app, session, run)
            await memorise(s.app, session, run, [judged(s, PRICE, ("shop.py", 1, 2))])
            run.emit(RunFinished("answered"))
            (fact,) = s.app.ledger.all()
            await s.app.ledger.pin(fact.id, on=True)
        assert isinstance(s.port.events[-1], RunFinished)
        assert {each.fact.statement for each in s.port.of(FactChanged)} == {PRICE}
        assert s.port.of(FactChanged)[-1].fact.state is FactState.FRESH
        assert list(s.app.ledger.cores.of(session.id).fact_ledger) == [fact.id]
        events = len(s.port.of(FactChanged))
        await s.app.ledger.forget([fact.id])  # the run is over
        assert len(s.port.of(FactChanged)) == events


@pytest.mark.parametrize("settings", [{"enabled": False}, {"told": 0}])
async def test_each_switch_turns_its_part_off(tmp_path: Path, settings: dict[str, Any]) -> None:
    root = tmp_path / "ws"
    async with stage(root, FILES, []) as s:
        await memorised(s, judged(s, PRICE, ("shop.py", 1, 2)))
    async with stage(root, {}, [Turn(Text("So be it."))], {"facts": settings}) as s:
        await s.ask(QUESTION)
        leaning = judged(s, "It returns `'wet'`.", ("pool.py", 1, 2))
        new = await memorised(s, leaning, judged(s, "`swim` is wet.", ("pool.py", 1, 2)))
        assert told(s, 0) == []
        assert new == (["`swim` is wet."] if settings == {"told": 0} else [])


async def test_a_slow_server_of_the_team_holds_back_none_that_is_known_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_READ_SECONDS", "_WRITE_SECONDS", "_CONNECT_SECONDS"):
        monkeypatch.setattr(f"glossator.store.shared.{name}", 600.0)
    monkeypatch.setattr("glossator.ledger.team._CLOSING_SECONDS", 0.01)
    root = tmp_path / "ws"
    async with stage(root, FILES, []) as s:
        await memorised(s, judged(s, PRICE, ("shop.py", 1, 2)))
    async with black_hole() as url:
        settings = {"store": {"url": url}}
        async with stage(root, {}, [Turn(Text("It doubles it."))], settings) as s:
            await s.ask(QUESTION)
            assert [PRICE in each for each in told(s, 0)] == [True]
            assert s.port.of(Notice) == []


@pytest.mark.parametrize(("trusted", "is_shared"), [(True, True), (None, False), (False, False)])
async def test_only_a_trusted_workspace_is_shared(
    tmp_path: Path, trusted: bool | None, is_shared: bool
) -> None:
    with redis_server(tmp_path / "redis") as redis:
        settings = {"store": {"url": redis.url}}
        async with stage(tmp_path / "ws", FILES, [], settings, trusted=trusted) as s:
            assert await memorised(s, judged(s, PRICE, ("shop.py", 1, 2))) == [PRICE]
            await s.app.ledger.settled()
        keys = redis.command("KEYS", "*")
        assert isinstance(keys, list)
        assert {key.partition(b":")[0] for key in keys} == (
            {b"workspace", b"session"} if is_shared else set()
        )


async def test_the_profile_is_a_part_of_the_system_prompt(tmp_path: Path) -> None:
    profile = {"role": "a reviewer", "rules": ["Name the risk first."]}
    turn = Turn(Text("Fine."))
    async with stage(tmp_path / "ws", FILES, [turn, turn], {"profile": profile}) as s:
        answer = await s.ask("Hello?")
        system = str(s.sent(0)["system"])
        assert "You are a reviewer\\n- Name the risk first." in system
        core = s.app.ledger.cores.of(answer.session_id)
        assert core.system_profile.rules == ("Name the risk first.",)
