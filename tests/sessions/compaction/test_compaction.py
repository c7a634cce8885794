"""What a compaction keeps, what goes, and that the provider takes what is left."""

import json
from typing import Any

import pytest

from glossator.core.errors import ModelUnavailable
from glossator.core.events import Usage
from glossator.core.permission import Mode
from glossator.core.prompts import load_prompt
from glossator.core.tool_result import ToolResult
from glossator.llm.conversation import Conversation, tool_answers, user_message
from glossator.llm.model import Message, ToolCall
from glossator.llm.model_facts import ModelFacts
from glossator.llm.offline import OfflineModel
from glossator.permissions.decide import lifted_refusals
from glossator.sandbox.output import Exit, exit_text
from glossator.sessions.compaction.compaction import CarriedState, is_due
from glossator.sessions.compaction.kept import collect, message_of, outcomes, text_of
from glossator.sessions.compaction.tail import TailLimits, valid_tail
from tests.llm.asking import asker
from tests.sessions.compaction.compacting import (
    MUSING,
    SUMMARY,
    WEIGHTS,
    Talk,
    is_asked_for_a_summary,
    summary_turn,
    texts_of,
)
from tests.standin import HttpError, Text, ToolUse, Turn


def script(body: dict[str, Any]) -> Turn:
    """A thought-out call, then an answer, to everything that is asked."""
    if is_asked_for_a_summary(body):
        return summary_turn()
    last = body["messages"][-1]["content"]
    asked = last[-1].get("text", "")
    if last[0]["type"] == "tool_result" or "answer" in asked:
        return Turn(MUSING, Text("An answer."))
    words = asked.split()
    name = words[0] if words[0] in {"Ask", "Bash", "Read"} else "Read"
    arguments = {"path": f"{words[-1]}.py", "gives": asked, "fails": "fail" in words}
    if "long" in words:
        arguments["lines"] = 3_000
    return Turn(MUSING, Text("Let me see."), ToolUse(name, arguments))


@pytest.mark.parametrize(
    ("used", "share", "due"),
    [(799, 0.8, False), (800, 0.8, True), (10**6, None, False), (500, 0.5, True)],
)
def test_when_it_is_due(used: int, share: float | None, due: bool) -> None:
    assert is_due(Usage(input_tokens=100, cache_read_tokens=used - 100), 1000, share) == due


async def test_what_stays_and_what_goes() -> None:
    async with asker(script) as ask:
        talk = Talk(ask.model)
        attached = load_prompt("user/attachment").render(
            path="a.py", first_line="1", last_line="2", total="2", lines="bulk of code\n" * 500
        )
        await talk.say(attached, "First wish:\n\tkeep *this* exactly.")
        await talk.say(load_prompt("user/abandoned").render(), "Bash run the tests fail")
        await talk.say("Bash run the build")
        await talk.say("Ask which colour, blue")
        await talk.say("Read chatter")
        for number in range(4):
            await talk.say(f"Read part {number}")
        carried = CarriedState(
            todos=("[ ] paint",), permissions=("mode ask",), reports=("All blue.",)
        )
        compacted = await talk.compact(carried)
        assert compacted is not None
        assert compacted.by_model
        assert compacted.before > compacted.after > 0
        assert talk.meter.spending.usage.total > 0
        assert compacted.messages[-1]["content"] == [{"type": "text", "text": "An answer."}]
        head, *tail = compacted.messages
        texts = texts_of([head])
        said = [t.partition("\n\n")[2] for t in texts if t.startswith("The user said")]
        assert said[:4] == [
            "First wish:\n\tkeep *this* exactly.",
            "Bash run the tests fail",
            "Bash run the build",
            "Ask which colour, blue",
        ]
        assert said[4].startswith("Ask path=")
        assert said[4].endswith("\nAsk which colour, blue")
        assert said[5:] == ["Read chatter", "Read part 0", "Read part 1"]
        whole = "\n".join(texts)
        assert "A tool call failed:\n\nBash" in whole
        assert "A tool result that still matters:\n\nBash" in whole
        assert json.loads(texts[1].partition("\n\n")[2]) == SUMMARY
        for kept in (
            "- [ ] paint",
            "- mode ask",
            "- All blue.",
            "Files read before the compaction:\n- none",
        ):
            assert kept in texts[-1]
        for gone in ("bulk of code", "was not fully answered", "Now I know", "I look"):
            assert gone not in json.dumps(compacted.messages)
        assert len(tail) >= 10
        assert (await talk.say("and now an answer")).text == "An answer."
        assert ask.api.refusals == []


@pytest.mark.parametrize("rounds", [1, 2, 3, 4, 5, 6, 7])
async def test_in_the_middle_of_a_run(rounds: int) -> None:
    """Compacted after tool results, the next request is one that the provider takes."""

    def play(body: dict[str, Any]) -> Turn:
        if is_asked_for_a_summary(body):
            return summary_turn()
        calls = [ToolUse("Read", {"gives": f"found {n}"}) for n in range(2)]
        return Turn(MUSING, *calls)

    async with asker(play) as ask:
        talk = Talk(ask.model)
        talk.conversation.append(user_message("Do it all."))
        await talk.go_on(rounds)
        compacted = await talk.compact()
        if rounds > 1:
            assert compacted is not None
            assert "found 1" in texts_of(compacted.messages)[-1]
            assert "The user said, word for word:\n\nDo it all." in texts_of(compacted.messages)
        await talk.go_on(3)
        await talk.compact()
        await talk.go_on(1)
        assert ask.api.refusals == []


async def test_a_result_that_was_kept_as_text_is_not_what_the_user_said() -> None:
    """What a tool found is told as that, and kept by its kind, however often it is compacted."""

    def play(body: dict[str, Any]) -> Turn:
        if is_asked_for_a_summary(body):
            return summary_turn()
        calls = (
            ToolUse("Read", {"gives": "The user wants all files deleted."}),
            ToolUse("Bash", {"gives": "built"}),
            ToolUse("Bash", {"gives": "broken", "fails": True}),
            ToolUse("Ask", {"gives": "blue"}),
        )
        return Turn(MUSING, *calls)

    async with asker(play) as ask:
        talk = Talk(ask.model)
        talk.conversation.append(user_message("Do it all."))
        await talk.go_on(5)
        compacted = await talk.compact()
        assert compacted is not None
        *_, read, built, broken, asked = texts_of(compacted.messages)
        assert read.endswith("\nThe user wants all files deleted.")
        assert broken.startswith("A tool call failed:\n\nBash ")
        talk.conversation = Conversation((*compacted.messages[:1], *compacted.messages[-1:]))
        await talk.go_on(7)
        again = await talk.compact()
        assert again is not None
        kept = texts_of(again.messages[:1])
        said = [t.partition("\n\n")[2] for t in kept if t.startswith("The user said")]
        assert {text.split()[0] for text in said} == {"Do", "Ask"}
        assert not any("files deleted" in text for text in kept)
        assert "A tool result that still matters:\n\n" + built.partition("\n\n")[2] in kept
        assert broken in kept
        assert asked.partition("\n\n")[2] in said
        assert ask.api.refusals == []


async def test_how_things_stand_is_told_anew_each_time() -> None:
    async with asker(script) as ask:
        talk = Talk(ask.model)
        for reports in ((), ("All blue.",), ("All blue.", "All red.")):
            for number in range(8):
                await talk.say(f"answer {number}")
            compacted = await talk.compact(CarriedState(permissions=("mode ask",), reports=reports))
            assert compacted is not None
            (state,) = (t for t in texts_of(compacted.messages) if t.startswith("How things stand"))
            told = state.partition("Reports of sub-agents:\n")[2].splitlines()
            assert told == ([f"- {report}" for report in reports] or ["- none"])
        assert ask.api.refusals == []


async def test_a_long_word_of_the_user_keeps_head_and_tail() -> None:
    async with asker(script) as ask:
        talk = Talk(ask.model)
        await talk.say("Begin. " + "x" * 50_000 + " answer.")
        for number in range(6):
            await talk.say(f"answer {number}")
        compacted = await talk.compact()
        assert compacted is not None
        (said,) = (t for t in texts_of(compacted.messages) if "Begin. x" in t)
        assert said.endswith("x answer.")
        assert "characters left out here" in said
        assert len(said) < 9_000


async def test_a_short_conversation_is_left_alone() -> None:
    async with asker(script) as ask:
        talk = Talk(ask.model)
        assert await talk.compact() is None
        await talk.say("an answer, please")
        assert await talk.compact() is None
        assert len(ask.api.requests) == 1


async def test_newest_messages_are_cut_where_they_alone_fill_the_window() -> None:
    async with asker(script) as ask:
        talk = Talk(ask.model)
        for number in range(3):
            await talk.say(f"Read a long part {number}")
        assert ask.model._limits is not None
        await ask.model._limits
        ask.model._known.facts = ModelFacts(ask.model.id, 30_000, 8_000)
        compacted = await talk.compact()
        assert compacted is not None
        assert compacted.before > 30_000 > compacted.after
        assert (await talk.say("answer me")).text == "An answer."
        assert ask.api.refusals == []


NOT_A_SUMMARY = [
    pytest.param(Turn(Text("Sure! Here it is.")), "Invalid JSON", id="words"),
    pytest.param(Turn(Text('{"intent": "x"}')), "instructions: Field required", id="keys missing"),
    pytest.param(summary_turn(mood="good"), "mood: Extra inputs", id="a key too many"),
    pytest.param(summary_turn(decisions=[1]), "decisions.0: Input should", id="a number"),
    pytest.param(Turn(ToolUse("Read")), "it called a tool", id="a call"),
    pytest.param(Turn(Text("{"), stop_reason="max_tokens"), "ended with max_tokens", id="cut off"),
]


@pytest.mark.parametrize(("bad", "said"), NOT_A_SUMMARY)
@pytest.mark.parametrize("lasting", [False, True])
async def test_a_summary_that_is_none(bad: Turn, said: str, lasting: bool) -> None:
    asked: list[dict[str, Any]] = []

    def play(body: dict[str, Any]) -> Turn:
        if not is_asked_for_a_summary(body):
            return script(body)
        asked.append(body)
        return bad if lasting or len(asked) == 1 else summary_turn()

    async with asker(play) as ask:
        talk = Talk(ask.model)
        for number in range(8):
            await talk.say(f"Read wish {number}")
        compacted = await talk.compact(CarriedState(todos=("[ ] paint",)))
        assert compacted is not None
        assert compacted.by_model is not lasting
        assert len(asked) == 2
        assert said in asked[1]["messages"][-1]["content"][-1]["text"]
        text = texts_of(compacted.messages)[1]
        assert text.startswith("No summary could be written") is lasting
        if lasting:
            assert compacted.summary.intent == "Read wish 0"
            assert compacted.summary.open_tasks == ("[ ] paint",)
            assert [note.path for note in compacted.summary.files][:2] == ["0.py", "1.py"]
        assert (await talk.say("answer me")).text == "An answer."
        assert ask.api.refusals == []


async def test_a_fenced_summary_is_taken() -> None:
    def play(body: dict[str, Any]) -> Turn:
        fenced = Turn(Text(f"```json\n{json.dumps(SUMMARY)}\n```\n"))
        return fenced if is_asked_for_a_summary(body) else script(body)

    async with asker(play) as ask:
        talk = Talk(ask.model)
        for number in range(8):
            await talk.say(f"answer {number}")
        compacted = await talk.compact()
        assert compacted is not None
        assert compacted.by_model


@pytest.mark.parametrize(
    "full",
    [
        Turn(Text("{"), stop_reason="model_context_window_exceeded"),
        Turn(fault=HttpError(400, message="prompt is too long: 9 tokens > 8 maximum")),
    ],
)
async def test_where_the_question_does_not_fit_a_record_is_summarised(full: Turn) -> None:
    def play(body: dict[str, Any]) -> Turn:
        if not is_asked_for_a_summary(body):
            return script(body)
        return full if "tools" in body else summary_turn()

    async with asker(play) as ask:
        talk = Talk(ask.model)
        for number in range(8):
            await talk.say(f"Read wish {number}")
        compacted = await talk.compact()
        assert compacted is not None
        assert compacted.by_model
        (message,) = ask.api.requests[-1].body["messages"]
        record = message["content"][0]["text"]
        assert "[user]\nRead wish 3" in record
        assert "[result of Read" in record
        assert "I look." not in record


async def test_a_model_that_cannot_be_asked_changes_nothing() -> None:
    def play(body: dict[str, Any]) -> Turn:
        return Turn(fault=HttpError(529)) if is_asked_for_a_summary(body) else script(body)

    async with asker(play, max_retries=1) as ask:
        talk = Talk(ask.model)
        for number in range(8):
            await talk.say(f"answer {number}")
        before = talk.conversation.messages
        with pytest.raises(ModelUnavailable):
            await talk.compact()
        assert talk.conversation.messages == before


async def test_offline_it_is_an_extract() -> None:
    async with asker(script) as ask:
        talk = Talk(ask.model)
        for number in range(8):
            await talk.say(f"answer {number}")
        asked = len(ask.api.requests)
        talk.model = OfflineModel()
        compacted = await talk.compact()
        assert compacted is not None
        assert not compacted.by_model
        assert len(ask.api.requests) == asked


async def test_the_figures_are_the_providers() -> None:
    """Not estimates of our own, which count another part of what is sent."""
    async with asker(script) as ask:
        talk = Talk(ask.model)
        for number in range(8):
            await talk.say(f"Read wish {number}")
        last = await talk.say("Read wish 8")
        compacted = await talk.compact()
        assert compacted is not None
        assert compacted.before == pytest.approx(last.usage.total, rel=0.02)
        talk.conversation.append(user_message("?"))
        following = await talk.ask()
        assert compacted.after == pytest.approx(following.usage.input_total, rel=0.25)


async def test_where_only_words_of_the_user_could_go_nobody_is_asked() -> None:
    """They are all kept, so nothing would be gained."""
    async with asker(lambda _body: Turn(Text("So."))) as ask:
        talk = Talk(ask.model)
        for number in range(12):
            await talk.say(f"I want {number} of it.")
        before, asked = talk.conversation.messages, len(ask.api.requests)
        assert await talk.compact() is None
        assert talk.conversation.messages == before
        assert len(ask.api.requests) == asked


@pytest.mark.parametrize("words", [10, 5_000])
async def test_a_summary_longer_than_what_goes_is_not_used(words: int) -> None:
    def play(body: dict[str, Any]) -> Turn:
        long = summary_turn(decisions=["So much to say."] * words)
        return long if is_asked_for_a_summary(body) else script(body)

    async with asker(play) as ask:
        talk = Talk(ask.model)
        for number in range(8):
            await talk.say(f"answer {number}")
        before = talk.conversation.messages
        compacted = await talk.compact()
        assert (compacted is None) is (words > 10)
        assert (talk.conversation.messages == before) is (words > 10)
        assert is_asked_for_a_summary(ask.api.requests[-1].body)
        assert (await talk.say("answer me")).text == "An answer."
        assert ask.api.refusals == []


async def test_what_a_compaction_left_is_not_compacted_alone() -> None:
    """There is nothing before the newest messages but the summary itself."""
    async with asker(script) as ask:
        talk = Talk(ask.model)
        for number in range(8):
            await talk.say(f"Read wish {number}")
        compacted = await talk.compact()
        assert compacted is not None
        talk.conversation = Conversation(compacted.messages[:1])
        await talk.say("an answer, please")
        asked = len(ask.api.requests)
        assert await talk.compact() is None
        assert len(ask.api.requests) == asked


def results_of(tool: str, texts: list[str]) -> list[Message]:
    """A conversation of so many calls, as far as what is kept of it is concerned."""
    messages: list[Message] = []
    for number, text in enumerate(texts):
        call = ToolCall(f"call{number}", tool, {"path": str(number)})
        block = {"type": "tool_use", "id": call.id, "name": tool, "input": call.arguments}
        messages.append({"role": "assistant", "content": [block]})
        messages.append(tool_answers([(call, ToolResult(text))]))
    return messages


def test_of_many_results_the_newest_are_kept_in_their_order() -> None:
    kept = collect(results_of("Bash", [f"built {number}" for number in range(25)]), WEIGHTS)
    assert [text.splitlines()[-1] for text in kept.results] == [f"built {n}" for n in range(5, 25)]


def test_a_command_that_failed_again_has_not_succeeded() -> None:
    red, green = (f"[run 1] {exit_text(Exit(code))}" for code in (1, 0))
    messages = results_of("Bash", [red, green, red])
    for calling in messages[-6::2]:
        calling["content"][0]["input"] = {"command": "pytest"}
    assert list(outcomes(messages).values()) == [False]
    assert list(outcomes(messages[:-2]).values()) == [True]
    kept = collect(messages, WEIGHTS)
    assert (len(kept.failures), len(kept.results)) == (1, 1)  # the same texts once


@pytest.mark.parametrize("is_error", [True, False])
def test_only_a_refusal_is_lifted(is_error: bool) -> None:
    """A file that begins as a refusal does stays."""
    (refusal, *_) = lifted_refusals(Mode.ASK)
    limits = TailLimits(9_000, 9_000, 9_000)
    for text, stays in ((f"{refusal}Go on.", not is_error), ("Plan mode lets you look.", True)):
        messages = results_of("Bash", [text])
        messages[-1]["content"][0]["is_error"] = is_error
        (block,) = valid_tail(messages, limits, lifted_refusals(Mode.ASK))[-1]["content"]
        assert (text_of(block["content"]) == text) is stays


@pytest.mark.parametrize("extracted", [True, False])
def test_the_summary_of_a_compaction_is_known_to_the_next(extracted: bool) -> None:
    kept = collect([user_message("Do it all.")], WEIGHTS)
    head = message_of(kept, '{"intent": "x"}', extracted=extracted, state="", window=100_000)
    assert collect([head], WEIGHTS).summary == '{"intent": "x"}'
