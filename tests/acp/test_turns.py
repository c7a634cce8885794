"""A prompt from its blocks to its stop reason: what the client is shown, asked and told."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import pytest
from acp import RequestError, schema

from glossator.sessions.runs import Steering
from tests.acp.editor import conversation
from tests.patience import until
from tests.standin import Text, Thinking, ToolUse, Turn

FILES = {"app.py": "def greet(name):\n    return f'Hello {name}'\n"}
READ = Turn(Text("I look."), ToolUse("Read", {"path": "app.py"}, "toolu_r"))
ANSWER = Turn(Text("`greet` returns a greeting [cite: doc, app.py, L1-L2]."))
EDIT = Turn(ToolUse("Edit", {"path": "app.py", "old_text": "Hello", "new_text": "Hi"}, "toolu_e"))
DONE = Turn(Text("Done."))
WRONG = Turn(Text("It greets [cite: doc, gone.py, L3]."))
WAITS = "where none follow, it is asked next."
CORRECTED = {"grounding": {"correction": "rewrite"}}


async def test_an_answer_cites_by_links_and_says_how_they_hold(tmp_path: Path) -> None:
    async with conversation(tmp_path, FILES, [READ, ANSWER]) as c:
        answer = await c.ask("What does greet do?")
        assert answer.stop_reason == "end_turn"
        assert answer.usage is not None
        assert answer.usage.total_tokens > 0
        place = f"[`app.py:1-2`](file://{tmp_path}/app.py#L1)"
        assert f"`greet` returns a greeting {place}." in c.editor.text
        assert "1 citation" in c.editor.text
        (call,) = c.editor.of(schema.ToolCallStart)
        assert (call.title, call.kind, call.status) == ("Read app.py", "read", "in_progress")
        assert [each.path for each in call.locations] == [f"{tmp_path}/app.py"]
        last = [each for each in c.editor.of(schema.ToolCallProgress) if each.status][-1]
        assert (last.tool_call_id, last.status) == ("toolu_r", "completed")
        (usage,) = c.editor.of(schema.UsageUpdate)
        assert 0 < usage.used < usage.size
        (named,) = c.editor.of(schema.SessionInfoUpdate)
        assert named.title == "What does greet do?"


async def test_a_client_that_shows_no_links_to_files_gets_their_places(tmp_path: Path) -> None:
    async with conversation(tmp_path, FILES, [READ, ANSWER], client="toad") as c:
        await c.ask("What does greet do?")
        assert "`greet` returns a greeting `app.py:1-2`." in c.editor.text
        assert "file:" not in c.editor.text


@pytest.mark.parametrize("code", ["greet(", "greet('Ann')\n```\n"])
async def test_what_follows_a_block_of_code_is_no_code(tmp_path: Path, code: str) -> None:
    """Also one that is not finished."""
    answer = Turn(Text(f"`greet` [cite: doc, app.py, L1-L2]:\n\n```python\n{code}"))
    async with conversation(tmp_path, FILES, [READ, answer]) as c:
        await c.ask("What does greet do?")
        assert f"{code.splitlines()[0]}\n```\n\n\n---\n\n**" in c.editor.text


async def test_thinking_and_steps_have_updates_of_their_own(tmp_path: Path) -> None:
    steps = [{"text": "Look", "state": "active"}, {"text": "Tell", "state": "pending"}]
    script = [Turn(Thinking("Hm."), ToolUse("Todo", {"steps": steps}, "toolu_t")), DONE]
    async with conversation(tmp_path, FILES, script) as c:
        await c.ask("Go")
        assert [each.content.text for each in c.editor.of(schema.AgentThoughtChunk)] == ["Hm."]
        assert c.editor.of(schema.ToolCallStart) == []  # the plan says it all
        (plan,) = c.editor.of(schema.AgentPlanUpdate)
        assert [(each.content, each.status) for each in plan.entries] == [
            ("Look", "in_progress"),
            ("Tell", "pending"),
        ]


async def test_an_edit_is_asked_about_by_its_diff_and_written_by_the_client(
    tmp_path: Path,
) -> None:
    async with conversation(tmp_path, FILES, [READ, EDIT, DONE]) as c:
        await c.ask("Shorter, please")
        ((call, options),) = c.editor.asked
        assert call.tool_call_id == "toolu_e"
        (diff,) = [each for each in call.content or () if each.type == "diff"]
        assert diff.old_text == FILES["app.py"]  # whole, so that its lines have their numbers
        assert diff.new_text == FILES["app.py"].replace("Hello", "Hi")
        assert [each.kind for each in options] == [
            "allow_once",
            "allow_always",
            "allow_always",
            "reject_once",
        ]
        assert c.editor.written == ["app.py"]
        shown = [each for each in c.editor.of(schema.ToolCallProgress) if each.content][-1]
        assert [each.type for each in shown.content] == ["diff"]
        assert c.editor.of(schema.ToolCallStart)[-1].title == "Edit app.py"
        assert "Hi {name}" in (tmp_path / "app.py").read_text()


async def test_a_client_without_files_has_them_written_on_disk(tmp_path: Path) -> None:
    async with conversation(tmp_path, FILES, [READ, EDIT, DONE], fs=False) as c:
        await c.ask("Shorter, please")
        assert c.editor.written == []
        assert "Hi {name}" in (tmp_path / "app.py").read_text()


async def test_what_is_denied_changes_nothing(tmp_path: Path) -> None:
    async with conversation(tmp_path, FILES, [READ, EDIT, DONE]) as c:
        c.editor.choose = lambda _, options: options[-1].option_id
        await c.ask("Shorter, please")
        assert (tmp_path / "app.py").read_text() == FILES["app.py"]
        last = [each for each in c.editor.of(schema.ToolCallProgress) if each.status][-1]
        assert last.status == "failed"


async def test_a_command_is_shown_before_it_runs(tmp_path: Path) -> None:
    script = [Turn(ToolUse("Bash", {"command": "rm app.py"}, "toolu_b")), DONE]
    async with conversation(tmp_path, FILES, script) as c:
        c.editor.choose = lambda call, options: (
            options[-1 if call.kind == "execute" else 0].option_id
        )
        await c.ask("Tidy up")
        (trust, _), (call, _) = c.editor.asked
        assert "Do you trust" in (trust.title or "")
        assert str(tmp_path) in (trust.title or "")
        assert "Do you trust" not in str(trust.content)
        assert trust.tool_call_id == call.tool_call_id == "toolu_b"
        shown = c.editor.of(schema.ToolCallProgress)[0]
        assert (shown.title, shown.status) == ("rm app.py", "in_progress")  # no question any more
        assert "rm app.py" in str(call.content)
        assert call.title == "rm app.py"  # some clients show no more than that
        assert call.kind == "execute"
        assert (tmp_path / "app.py").exists()


@pytest.mark.parametrize(
    ("arguments", "title"),
    [
        ({"command": "npm install", "network": True}, r"npm install\n(with the network)"),
        ({"command": "make", "cwd": "lib"}, r"make\n(in lib)"),
        ({"command": "serve", "background": True}, r"serve\n(in the background)"),
        ({"command": "# Tidy up\n\nrm -rf lib"}, r"# Tidy up\n\nrm -rf lib"),
        ({"command": "\u0441url x; cat a\u2215b"}, r"\u0441url x; cat a\u2215b"),
    ],
)
async def test_the_title_of_a_question_hides_nothing(
    tmp_path: Path, arguments: dict[str, Any], title: str
) -> None:
    """Some clients show no more than that."""
    script = [Turn(ToolUse("Bash", arguments, "toolu_b")), DONE]
    async with conversation(tmp_path, {"lib/a.py": ""}, script) as c:
        c.editor.choose = lambda call, options: (
            options[-1 if call.kind == "execute" else 0].option_id
        )
        await c.ask("Go on")
        _, (call, _) = c.editor.asked
        assert call.title == title


async def test_a_question_is_about_the_call_that_asks(tmp_path: Path) -> None:
    reads = [ToolUse("Read", {"path": f"{name}.py"}, f"toolu_{name}") for name in "ab"]
    rules = {"permissions": {"ask": ["Read(a.py)"]}}
    async with conversation(tmp_path, {"a.py": "", "b.py": ""}, [Turn(*reads), DONE], rules) as c:
        await c.ask("Read both")
        ((call, _),) = c.editor.asked
        assert call.tool_call_id == "toolu_a"
        states = {each.tool_call_id: each.status for each in c.editor.of(schema.ToolCallProgress)}
        assert states == {"toolu_a": "completed", "toolu_b": "completed"}


async def test_a_cancelled_prompt_ends_while_its_question_waits(tmp_path: Path) -> None:
    async with conversation(tmp_path, FILES, [READ, EDIT, DONE]) as c:
        c.editor.waiting = asyncio.Event()
        asking = asyncio.create_task(c.ask("Shorter, please"))
        await until(lambda: bool(c.editor.asked))
        await c.agent.cancel(c.session_id)
        assert (await asking).stop_reason == "cancelled"
        c.editor.waiting.set()
        assert (tmp_path / "app.py").read_text() == FILES["app.py"]
        last = c.editor.of(schema.ToolCallProgress)[-1]
        assert (last.title, last.status) == ("Edit app.py", "failed")
        assert (await c.ask("Go on")).stop_reason == "end_turn"


async def test_a_prompt_is_cancelled_before_the_model_is_asked(tmp_path: Path) -> None:
    """While the client is asked for unsaved text."""
    async with conversation(tmp_path, FILES, [DONE]) as c:
        c.editor.reads_wait = True
        uri = f"file://{tmp_path}/app.py"
        link = schema.ResourceContentBlock(type="resource_link", name="app.py", uri=uri)
        asking = asyncio.create_task(c.ask("What is", link))
        await until(lambda: bool(c.editor.read))
        await c.agent.cancel(c.session_id)
        assert (await asking).stop_reason == "cancelled"
        assert c.api.requests == []


async def test_a_client_that_leaves_in_the_middle_leaves_nothing_behind(tmp_path: Path) -> None:
    async with conversation(tmp_path, FILES, [READ, EDIT]) as c:
        c.editor.waiting = asyncio.Event()
        asking = asyncio.create_task(c.ask("Shorter, please"))
        await until(lambda: bool(c.editor.asked))
        c.leave()
        await asyncio.wait_for(c.served, 10)
        await asyncio.wait({asking})
        assert isinstance(asking.exception(), ConnectionError)
        assert (tmp_path / "app.py").read_text() == FILES["app.py"]


async def test_a_prompt_during_a_run_steers_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = asyncio.Event()
    say = Steering.say

    def saying(self: Steering, *said: Any) -> Awaitable[bool]:
        heard.set()
        return say(self, *said)

    monkeypatch.setattr(Steering, "say", saying)
    async with conversation(tmp_path, FILES, [READ, EDIT, DONE]) as c:
        c.editor.waiting = asyncio.Event()
        asking = asyncio.create_task(c.ask("Shorter, please"))
        await until(lambda: bool(c.editor.asked))
        steering = asyncio.create_task(c.ask("And nothing else"))
        await heard.wait()
        c.editor.waiting.set()
        assert (await steering).stop_reason == "end_turn"
        assert (await asking).stop_reason == "end_turn"
        assert "And nothing else" in str(c.api.requests[2].body["messages"][-1])


async def test_of_two_prompts_at_once_one_steers_the_other(tmp_path: Path) -> None:
    async with conversation(tmp_path, FILES, [READ, DONE]) as c:
        answers = await asyncio.gather(c.ask("One thing"), c.ask("And another"))
        assert [each.stop_reason for each in answers] == ["end_turn", "end_turn"]
        asked = str([each.body["messages"] for each in c.api.requests])
        assert "One thing" in asked
        assert "And another" in asked


async def test_a_prompt_after_the_model_has_had_its_say_is_the_next(tmp_path: Path) -> None:
    """The answer is complete, and what it says is corrected."""
    gate = asyncio.Event()
    script = [WRONG, Turn(Text("It greets."), gate=gate), DONE, DONE]
    async with conversation(tmp_path, FILES, script, CORRECTED) as c:
        asking = asyncio.create_task(c.ask("One thing"))
        await c.api.wait_for_requests(2)
        after = []
        for words in ("And another", "And a third"):
            after.append(asyncio.create_task(c.ask(words)))
            await until(lambda: c.editor.text.count(WAITS) == len(after))
        assert not any(each.done() for each in after)
        gate.set()
        assert (await asking).stop_reason == "end_turn"
        assert [(await each).stop_reason for each in after] == ["end_turn", "end_turn"]
        said = [str(each.body["messages"][-1]) for each in c.api.requests[2:]]
        assert ["And another" in said[0], "And a third" in said[1]] == [True, True]


async def test_a_cancel_ends_a_prompt_that_waits_too(tmp_path: Path) -> None:
    script = [WRONG, Turn(Text("It greets."), gate=asyncio.Event()), DONE]
    async with conversation(tmp_path, FILES, script, CORRECTED) as c:
        asking = asyncio.create_task(c.ask("One thing"))
        await c.api.wait_for_requests(2)
        waiting = asyncio.create_task(c.ask("And another"))
        await until(lambda: WAITS in c.editor.text)
        await c.agent.cancel(c.session_id)
        assert [(await each).stop_reason for each in (asking, waiting)] == ["cancelled"] * 2
        assert (await c.ask("Go on")).stop_reason == "end_turn"
        assert len(c.api.requests) == 3


async def test_a_prompt_may_follow_a_cancel_at_once(tmp_path: Path) -> None:
    gate = asyncio.Event()
    held = [Turn(Text("One"), gate=gate), Turn(Text("Two"), gate=gate)]
    async with conversation(tmp_path, FILES, [*held, DONE]) as c:
        asking = asyncio.create_task(c.ask("One thing"))
        await c.api.wait_for_requests(1)
        await c.agent.cancel(c.session_id)
        after = asyncio.create_task(c.ask("And another"))
        assert (await asking).stop_reason == "cancelled"
        await c.api.wait_for_requests(2)
        await c.agent.cancel(c.session_id)
        assert (await after).stop_reason == "cancelled"
        assert (await c.ask("Go on")).stop_reason == "end_turn"


async def test_a_prompt_that_waits_is_not_begun_once_its_client_has_left(tmp_path: Path) -> None:
    gate = asyncio.Event()
    script = [WRONG, Turn(Text("It greets."), gate=gate)]
    async with conversation(tmp_path, FILES, script, CORRECTED) as c:
        asking = asyncio.create_task(c.ask("One thing"))
        await c.api.wait_for_requests(2)
        waiting = asyncio.create_task(c.ask("And another"))
        await until(lambda: WAITS in c.editor.text)
        c.leave()
        await asyncio.wait_for(c.served, 10)
        await asyncio.wait({asking, waiting})
        assert isinstance(asking.exception(), ConnectionError)
        assert isinstance(waiting.exception(), ConnectionError)
        assert len(c.api.requests) == 2


async def test_a_failure_is_an_error_in_words(tmp_path: Path) -> None:
    async with conversation(tmp_path, FILES, []) as c:
        with pytest.raises(RequestError, match="The question is empty") as failure:
            await c.ask("  ")
        assert failure.value.data == {"details": str(failure.value)}  # as toad shows it


async def test_a_command_that_fails_says_why_in_the_answer(tmp_path: Path) -> None:
    async with conversation(tmp_path, FILES, []) as c:
        assert (await c.ask("/undo")).stop_reason == "end_turn"
        assert "there is nothing to undo.*" in c.editor.text
