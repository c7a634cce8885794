"""Questions whose answers are judged: marks while the answer streams, and corrected sentences."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from glossator.commands.sessions import ResumeSessionRequest, resume_session
from glossator.core.code import CodeAnswer, CodeKind, CodePlace
from glossator.core.events import (
    CitationChecked,
    Event,
    Notice,
    RunCancelled,
    RunStarted,
    TextDelta,
    TextDiscarded,
)
from glossator.core.run_events import Correction, UncitedClaim
from glossator.core.span import Basis, CitationStatus
from glossator.core.uri import to_uri
from glossator.symbols import Limits
from glossator.turn.judged import grounding as correcting
from glossator.turn.judged import judge as called
from glossator.turn.judged import judge as judging
from tests.patience import until
from tests.sides import Body, Script, answering, asked, statements
from tests.stage import Stage, stage
from tests.standin import HttpError, Text, Thinking, ToolUse, Turn
from tests.turn.delegating import Players, explore, results

FILES = {
    "client.py": (
        "class Client:\n"
        "    def send(self, request, timeout=30):\n"
        "        self.open()\n"
        "        return self.encode(request)\n"
    )
}
CITE = "[cite: doc, client.py, L2-L4]"
READ = Turn(ToolUse("Read", {"path": "client.py"}))
TRUE, FALSE = f"`send` calls `open`. {CITE}", f"`send` calls `close`. {CITE}"
VAGUE = f"It opens the line first. {CITE}"
UNSURE = "(not confirmed by the cited lines)"
ENTAILED = {"grounding": {"entailment": True, "correction": "off"}}
OPENS = answering(open=("SUPPORTED", "self.open()"))
CHECKS, MODEL = Basis.CHECKS, Basis.MODEL
V, R = CitationStatus.VERIFIED, CitationStatus.READ
U, C = CitationStatus.UNSUPPORTED, CitationStatus.CONTRADICTED


def correction(how: str, **more: Any) -> dict[str, Any]:
    return {"grounding": {"correction": how, "entailment": False, **more}}


def script(*main: Turn, verify: Script | None = None, correct: Script | None = None) -> Script:
    """The conversation's turns, and who answers side questions."""
    turns = iter(main)

    def turn(body: Body) -> Turn:
        sides = {"verify": verify, "correct": correct}
        if kind := asked(body):
            side = sides[kind]
            assert side is not None, f"nobody answers to {kind}"
            return side(body)
        return next(turns)

    return turn


def rewriting(*texts: str) -> Script:
    """Each time the next text for the first sentence."""
    left = iter(texts)

    def turn(_: Body) -> Turn:
        return Turn(Text(json.dumps({"sentences": [{"sentence": 1, "text": next(left)}]})))

    return turn


def text_shown(events: list[Event]) -> str:
    text = ""
    for event in events:
        match event:
            case TextDelta(delta):
                text += delta
            case TextDiscarded():
                text = ""
    return text


def found(s: Stage) -> list[tuple[CitationStatus, Basis | None]]:
    """Of all citations that were shown, in order."""
    return [(e.citation.status, e.citation.basis) for e in s.port.of(CitationChecked)]


async def test_a_false_sentence_over_lines_that_were_read_is_not_verified(tmp_path: Path) -> None:
    answer = f"{TRUE} {FALSE} {VAGUE}"
    async with stage(tmp_path / "ws", FILES, [READ, Turn(Text(answer))]) as s:
        found = (await s.ask("?")).citations
        assert [(each.status, each.basis) for each in found] == [
            (R, None),  # whether it calls what stands there, no rule says
            (U, CHECKS),
            (R, None),
        ]
        assert [answer.startswith(CITE, each.at or 0) for each in found] == [True] * 3
        assert found[1].reason == "close does not occur in the lines."


async def test_calls_elsewhere_in_the_workspace_refute_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(called, "LOOK_UP_SECONDS", 60.0)
    monkeypatch.setattr(called, "_LIMITS", Limits(texts=300, hits=100, seconds=60.0))
    files = {
        "parse.py": "def parse(text):\n    return text\n",
        "load.py": "from parse import parse\n\n\ndef load(text):\n    return parse(text)\n",
    }
    cite = "[cite: doc, parse.py, L1-L2]"
    said = ("`parse` is never called.", "`load` calls `parse`.", "`parse` returns `text`.")
    answer = " ".join(f"{each} {cite}" for each in said)
    turns = [Turn(ToolUse("Read", {"path": "parse.py"})), Turn(Text(answer))]
    async with stage(tmp_path / "ws", files, turns) as s:
        found = (await s.ask("?")).citations
        place = "`load` (load.py, line 5)."
        assert [(each.status, each.reason) for each in found] == [
            (C, f"`parse` is called in {place}"),
            (U, "load does not occur in the lines."),
            (R, ""),
        ]


async def test_a_language_server_tells_which_calls_are_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a method, whose calls prove nothing by their spelling."""
    monkeypatch.setattr(called, "LOOK_UP_SECONDS", 60.0)
    monkeypatch.setattr(called, "_LIMITS", Limits(texts=300, hits=100, seconds=60.0))
    files = {
        "pool.py": "class Pool:\n    def drain(self):\n        return 1\n",
        "stop.py": "def stop(pool):\n    pool.drain()\n",
    }
    answer = "`drain` is never called. [cite: doc, pool.py, L1-L3]"
    root = tmp_path / "ws"
    call = CodeAnswer("VS Code", (CodePlace(to_uri(str(root / "stop.py")), 1, "stop"),))
    definition = CodeAnswer("VS Code", (CodePlace(to_uri(str(root / "pool.py")), 1),))
    told = {CodeKind.REFERENCES: call, CodeKind.DEFINITIONS: definition}
    for known, status in (({}, R), ({CodeKind.REFERENCES: call}, R), (told, C)):
        turns = [Turn(ToolUse("Read", {"path": "pool.py"})), Turn(Text(answer))]
        async with stage(root, files, turns) as s:
            s.port.coded = lambda question, known=known: known.get(question.kind)
            (found,) = (await s.ask("?")).citations
            assert found.status is status, found.reason


async def test_the_model_is_asked_about_what_checks_leave_open(tmp_path: Path) -> None:
    answer = f"{VAGUE} It waits for a minute. {CITE} {FALSE} It never ends. {CITE}"
    verify = answering(
        opens=("SUPPORTED", "self.open()"),
        waits=("CONTRADICTED", "timeout=30"),
        never=("SUPPORTED", "it never ends"),  # which does not stand there
    )
    async with stage(
        tmp_path / "ws", FILES, script(READ, Turn(Text(answer)), verify=verify), ENTAILED
    ) as s:
        found = (await s.ask("?")).citations
        assert [(each.status, each.basis) for each in found] == [
            (V, MODEL),
            (C, MODEL),
            (U, CHECKS),  # what it quotes is not there: the model is not asked
            (R, None),
        ]
        assert found[1].reason == "The lines say otherwise: “timeout=30”."
        side = [each.body for each in s.api.requests if asked(each.body)]
        assert [statements(each) for each in side] == [
            ["It opens the line first.", "It waits for a minute.", "It never ends."]
        ]
        assert side[0]["model"] == "claude-haiku-5-5"
        assert side[0]["output_config"]["format"]["type"] == "json_schema"


async def test_marks_arrive_while_the_answer_streams(tmp_path: Path) -> None:
    gate = asyncio.Event()
    verify = OPENS
    first = f"{TRUE} {VAGUE}\n\n`encode` is nowhere cited.\n\nAnd more"
    answer = Turn(Text(first), Text(" to come."), gate=gate, gate_after_block=True)
    async with stage(tmp_path / "ws", FILES, script(READ, answer, verify=verify), ENTAILED) as s:
        asking = asyncio.create_task(s.ask("?"))
        await until(lambda: (V, MODEL) in found(s) and bool(s.port.of(UncitedClaim)))
        assert not text_shown(s.port.events).endswith("to come.")
        early = [e.citation for e in s.port.of(CitationChecked)]
        assert {each.at for each in early} == {m.start() for m in re.finditer(r"\[", first)}
        assert found(s)[:2] == [(R, None), (R, None)]
        assert [e.statement for e in s.port.of(UncitedClaim)] == ["`encode` is nowhere cited."]
        gate.set()
        answered = await asking
        assert [each.status for each in answered.citations] == [V, V]
        assert [each.statement for each in answered.uncited] == ["`encode` is nowhere cited."]
        assert sum(bool(asked(each.body)) for each in s.api.requests) == 1, "asked once"
        kept = (await resume_session(s.app, ResumeSessionRequest(answered.session_id))).events
        again = [e.event for e in kept if isinstance(e.event, CitationChecked)]
        assert [each.citation.basis for each in again] == [MODEL] * 2, (
            "what was found on the way is not kept"
        )


async def test_words_before_a_call_are_not_judged_at_the_end(tmp_path: Path) -> None:
    before = Turn(Text(f"{FALSE}\n\nFirst I look."), *READ.blocks)
    turns = script(READ, before, Turn(Text(TRUE)), verify=OPENS)
    async with stage(tmp_path / "ws", FILES, turns, ENTAILED) as s:
        assert [each.status for each in (await s.ask("?")).citations] == [V]


async def test_a_corrected_sentence_takes_its_place(tmp_path: Path) -> None:
    correct = rewriting("`send` calls `encode`.")
    turns = script(
        READ, Turn(Thinking("Hm."), Text(f"{FALSE} {TRUE}")), Turn(Text("Sure.")), correct=correct
    )
    async with stage(tmp_path / "ws", FILES, turns, correction("rewrite")) as s:
        answer = await s.ask("?")
        expected = f"`send` calls `encode`. {CITE} {TRUE}"
        assert answer.text == text_shown(s.port.events) == expected
        assert [(each.status, each.basis) for each in answer.citations] == [(R, None)] * 2
        (made,) = answer.corrections
        assert made == Correction(
            made.what, FALSE, f"`send` calls `encode`. {CITE}", "close does not occur in the lines."
        )
        assert s.port.of(Correction) == [made]
        side = next(each.body for each in s.api.requests if asked(each.body))
        told = side["messages"][0]["content"][0]["text"]
        assert "Wrong: close does not occur in the lines." in told
        assert answer.usage.total > 0
        # what follows in the conversation, and what is resumed, is the text that the user saw
        await s.ask("Sure?", session_id=answer.session_id)
        messages = s.api.requests[-1].body["messages"]
        assert messages[-2]["content"][-1] == {"type": "text", "text": expected}
        assert messages[-2]["content"][0]["type"] == "thinking"
    async with stage(tmp_path / "ws", {}, [Turn(Text("On."))]) as s:
        again = await resume_session(s.app, ResumeSessionRequest(answer.session_id))
        first = [each.event for each in again.events if each.run_id == answer.run_id]
        assert text_shown(first) == expected
        assert [event for event in first if isinstance(event, Correction)] == [made]
        await s.ask("Go on.", session_id=answer.session_id)
        assert expected in json.dumps(s.sent(0), ensure_ascii=False)
        assert "`close`" not in json.dumps(s.sent(0))


async def test_a_second_round_may_succeed(tmp_path: Path) -> None:
    correct = rewriting("`send` calls `stop`.", "`send` calls `encode`.")
    turns = script(READ, Turn(Text(FALSE)), correct=correct)
    async with stage(tmp_path / "ws", FILES, turns, correction("rewrite")) as s:
        answer = await s.ask("?")
        assert answer.text == f"`send` calls `encode`. {CITE}"
        assert [each.before for each in answer.corrections] == [FALSE]


@pytest.mark.parametrize(
    ("texts", "expect"),
    [
        (("",), f"{FALSE} {UNSURE}"),  # the lines say nothing: it is not asked again
        (("`send` calls `a`.", "`send` calls `b`."), f"`send` calls `b`. {CITE} {UNSURE}"),
    ],
)
async def test_a_correction_gives_up_and_says_so(
    tmp_path: Path, texts: tuple[str, ...], expect: str
) -> None:
    turns = script(READ, Turn(Text(FALSE)), correct=rewriting(*texts))
    async with stage(tmp_path / "ws", FILES, turns, correction("rewrite")) as s:
        answer = await s.ask("?")
        assert answer.text == expect
        assert [each.status for each in answer.citations] == [U]
        (made,) = answer.corrections
        assert (made.what, made.before, made.after) == ("marked", FALSE, expect)


@pytest.mark.parametrize(
    ("how", "expect", "what"),
    [
        ("mark", f"{TRUE} {FALSE} {UNSURE}", ["marked"]),
        ("drop", TRUE, ["dropped"]),
        ("off", f"{TRUE} {FALSE}", []),
    ],
)
async def test_what_becomes_of_a_sentence_that_fell(
    tmp_path: Path, how: str, expect: str, what: list[str]
) -> None:
    script_ = [READ, Turn(Text(f"{TRUE} {FALSE}"))]
    async with stage(tmp_path / "ws", FILES, script_, correction(how)) as s:
        answer = await s.ask("?")
        assert answer.text == text_shown(s.port.events) == expect
        assert [each.what for each in answer.corrections] == what


async def test_a_rewritten_sentence_is_judged_by_the_model_too(tmp_path: Path) -> None:
    verify = answering(opens=("SUPPORTED", "self.open()"))
    turns = script(
        READ,
        Turn(Text(f"It waits forever. {CITE}")),
        verify=verify,
        correct=rewriting("It opens the line."),
    )
    settings = {"grounding": {"entailment": True, "correction": "rewrite"}}
    async with stage(tmp_path / "ws", FILES, turns, settings) as s:
        answer = await s.ask("?")
        assert answer.text == f"It opens the line. {CITE}"
        assert [(each.status, each.basis) for each in answer.citations] == [(V, MODEL)]


async def test_the_same_request_is_not_sent_twice(tmp_path: Path) -> None:
    """After a reply that kept the sentence and named no lines the model is told so."""
    text = "`send` calls `close`."
    turns = script(READ, Turn(Text(FALSE)), correct=rewriting(text, "`send` calls `encode`."))
    async with stage(tmp_path / "ws", FILES, turns, correction("rewrite")) as s:
        answer = await s.ask("?")
        assert answer.text == f"`send` calls `encode`. {CITE}"
        first, second = (
            each.body["messages"][0]["content"][0]["text"]
            for each in s.api.requests
            if asked(each.body)
        )
        wrong = "Wrong: close does not occur in the lines."
        assert f"{wrong}\n" in first
        assert f"{wrong} You kept it and named no lines that are shown here.\n" in second


@pytest.mark.parametrize("how", ["refused", "late"])
async def test_what_nobody_corrects_is_marked(
    tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = asyncio.Event()
    monkeypatch.setattr(correcting, "SECONDS", 0.05 if how == "late" else 5.0)
    late, refused = Turn(Text("{" * 40), gate=gate), Turn(fault=HttpError(403, message="Not now."))
    turns = script(READ, Turn(Text(FALSE)), correct=lambda _: late if how == "late" else refused)
    async with stage(tmp_path / "ws", FILES, turns, correction("rewrite")) as s:
        assert (await s.ask("?")).text == f"{FALSE} {UNSURE}"
        assert "could not be rewritten" in s.port.of(Notice)[-1].message
        gate.set()


async def test_an_answer_does_not_wait_long_for_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = asyncio.Event()
    monkeypatch.setattr(judging, "SECONDS", 0.05)
    turns = script(
        READ, Turn(Text(f"{TRUE} {VAGUE}")), verify=lambda _: Turn(Text("{" * 40), gate=gate)
    )
    async with stage(tmp_path / "ws", FILES, turns, ENTAILED) as s:
        found = (await s.ask("?")).citations
        assert [(each.status, each.basis) for each in found] == [(R, None)] * 2
        late = "the model did not answer within 0.05 s."
        assert {each.reason for each in found} == {f"Not judged: {late}"}
        notice = s.port.of(Notice)[-1].message
        assert f"were not judged, so their citations count as read: {late}" in notice
        gate.set()


async def test_a_failure_leaves_what_checks_found(tmp_path: Path) -> None:
    refused = Turn(fault=HttpError(403, message="Not now."))
    turns = script(READ, Turn(Text(f"{TRUE} {VAGUE}")), verify=lambda _: refused)
    async with stage(tmp_path / "ws", FILES, turns, ENTAILED) as s:
        found = (await s.ask("?")).citations
        assert [(each.status, each.basis) for each in found] == [(R, None)] * 2
        notice = s.port.of(Notice)[-1].message
        _, counts, why = notice.partition("so their citations count as read: ")
        assert counts
        assert {each.reason for each in found} == {f"Not judged: {why}"}


async def test_a_misquoting_model_judges_nothing(tmp_path: Path) -> None:
    verify = answering(opens=("SUPPORTED", "it opens the line"), send=("SUPPORTED", "self.open()"))
    turns = script(READ, Turn(Text(f"{TRUE} {VAGUE}")), verify=verify)
    async with stage(tmp_path / "ws", FILES, turns, ENTAILED) as s:
        found = (await s.ask("?")).citations
        assert [(each.status, each.basis) for each in found] == [(V, MODEL), (R, None)]
        why = "Not judged: the model quoted words that are not in the lines."
        assert [each.reason for each in found] == ["", why]


async def test_no_money_means_checks_alone(tmp_path: Path) -> None:
    settings = {**ENTAILED, "limits": {"sessionTokens": 100}}
    turns = script(Turn(Text(VAGUE.replace("L2-L4", "L2")), usage={"output_tokens": 500}))
    async with stage(tmp_path / "ws", FILES, turns, settings) as s:
        path = str(tmp_path / "ws" / "client.py")
        (tmp_path / "ws" / "AGENTS.md").write_text("")
        answer = await s.ask(f"@{path}?")
        assert [each.status for each in answer.citations] == [R]
        assert "tokens is reached" in s.port.of(Notice)[-1].message


async def test_the_cost_of_judging_counts_in_the_run(tmp_path: Path) -> None:
    verify = answering(opens=("SUPPORTED", "self.open()"))
    costs = []
    for settings in (None, ENTAILED):
        turns = script(READ, Turn(Text(VAGUE)), verify=verify)
        async with stage(tmp_path / "ws", FILES, turns, settings) as s:
            answer = await s.ask("?")
            costs.append(answer.usage.total)
            assert answer.usage == answer.session_usage
    assert costs[0] < costs[1]


async def test_a_cancelled_run_leaves_nothing_at_work(tmp_path: Path) -> None:
    gate = asyncio.Event()
    held = Turn(Text("{" * 40), gate=gate)
    turns = script(READ, Turn(Text(VAGUE)), verify=lambda _: held)
    async with stage(tmp_path / "ws", FILES, turns, ENTAILED) as s:
        before = asyncio.all_tasks()
        asking = asyncio.create_task(s.ask("?", run_id="r"))
        await s.api.wait_for_requests(3)
        s.app.runs.cancel("r")
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert isinstance(s.port.events[-1], RunCancelled)
        await s.api.wait_for_disconnect()
        names = {task.get_coro().__qualname__ for task in asyncio.all_tasks() - before}  # type: ignore[union-attr]
        assert not any("udging" in name for name in names), names
        gate.set()


async def test_a_false_finding_of_a_sub_agent_is_told_as_such(tmp_path: Path) -> None:
    report = f"- {TRUE}\n- {FALSE}\n- It waits for a minute. {CITE}"
    players = Players([Turn(explore("a")), Turn(Text("Done."))], a=[READ, Turn(Text(report))])
    verify = answering(waits=("CONTRADICTED", "timeout=30"), open=("SUPPORTED", "self.open()"))
    async with stage(
        tmp_path / "ws",
        FILES,
        lambda body: verify(body) if asked(body) else players(dict(body)),
        ENTAILED,
    ) as s:
        await s.ask("?")
        told = results(players.asked["main"][1])["toolu_a"]["content"]
        assert f"- {TRUE}\n" in told
        assert "`send` calls `close`. (unsupported: client.py:2-4)" in told
        assert "It waits for a minute. (contradicted: client.py:2-4)" in told
        (kept,) = (await s.app.sessions.open(s.port.of(RunStarted)[0].session_id)).reports
        assert [each.status for each in kept.citations] == [V, U, C]


async def test_offline_checks_alone_judge_and_nothing_is_changed(tmp_path: Path) -> None:
    offline = {"models": {"offline": True}, "grounding": {"correction": "rewrite"}}
    async with stage(tmp_path / "ws", FILES, [], offline) as s:
        answer = await s.ask("What does send do?")
        assert answer.citations
        assert {each.basis for each in answer.citations} <= {CHECKS, None}
        assert (answer.corrections, answer.uncited) == ((), ())
        assert {each.status for each in answer.citations} <= {V, R}


async def test_what_was_heard_before_its_lines_were_read_is_judged_again(tmp_path: Path) -> None:
    """The first reply cites lines that nobody read; the review has the model read them."""
    refused = f"`send` has no parameters. {CITE}"
    said = f"{TRUE}\n\n{refused}\n\nThat is"
    gate = asyncio.Event()
    first = Turn(Text(said), Text(" all."), gate=gate, gate_after_block=True)
    turns = [first, READ, Turn(Text(f"{said} all."))]
    async with stage(tmp_path / "ws", FILES, turns) as s:
        asking = asyncio.create_task(s.ask("?"))
        await until(lambda: len(found(s)) == 2)
        gate.set()
        answer = await asking
        assert [each.status for each in answer.citations] == [R, C]
