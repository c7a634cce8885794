"""What the window holds is told part by part, as near to the provider's own count as can be."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from glossator.application.application import Application
from glossator.commands.answers.context import ContextAnswer, Part
from glossator.commands.context_sources import SwitchContextRequest, switch_context
from glossator.commands.models import SetModelRequest, set_model
from glossator.commands.sessions import (
    CompactRequest,
    NewSessionRequest,
    compact_session,
    new_session,
)
from glossator.commands.turns import RewindRequest, UndoRequest, rewind, undo_turn
from glossator.commands.window import SentRequest, ShowContextRequest, show_context, window_layers
from glossator.core.context_kinds import ContextKind
from glossator.core.errors import UnknownSession
from glossator.core.events import Notice
from glossator.core.prompts import load_prompt
from glossator.llm.conversation import user_message
from glossator.llm.model import ToolSpec
from glossator.sessions.compaction.summary import PromptPrefix
from glossator.settings.load import load_settings
from glossator.turn.told.attachments import Attachment
from tests.sessions.compaction.compacting import MUSING, is_asked_for_a_summary, summary_turn
from tests.stage import Recorder, Stage, stage
from tests.standin import Text, Thinking, ToolUse, Turn

FILES = {"app.py": "one\n" * 400, "lib.py": "two three four\n" * 400}
READ = ToolUse("Read", {"path": "app.py"})


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def player(body: dict[str, Any]) -> Turn:
    if is_asked_for_a_summary(body):
        return summary_turn()
    last = body["messages"][-1]["content"][-1]
    if last["type"] == "tool_result":
        return Turn(MUSING, Text("It is one."))
    return Turn(Thinking("I look."), Text("I read it."), READ)


async def shown(s: Stage, session_id: str | None = None) -> ContextAnswer:
    return await show_context(s.app, ShowContextRequest(session_id))


def conversation(answer: ContextAnswer) -> dict[tuple[str, str], Part]:
    return {(part.kind, part.name): part for part in answer.layers[2].parts}


async def test_each_part_has_its_tokens_and_its_reason(tmp_path: Path) -> None:
    async with stage(tmp_path, FILES, player) as s:
        attached = (Attachment((tmp_path / "lib.py").as_uri(), 1, 200),)
        session_id = (await s.ask("What is it?", attachments=attached)).session_id
        await s.ask("Sure?", session_id=session_id)
        answer = await shown(s, session_id)
        assert [layer.name for layer in answer.layers] == ["system", "tools", "conversation"]
        system, tools, _ = answer.layers
        assert [part.name for part in system.parts] == ["instructions", "this session"]
        assert {part.name for part in tools.parts} == set(s.app.tools) - {"NotebookEdit", "Skill"}
        parts = conversation(answer)
        assert {key: part.count for key, part in parts.items()} == {
            ("attachment", "lib.py"): 1,
            ("reminder", "mode"): 1,
            ("question", "questions"): 2,
            ("thinking", "thinking"): 4,
            ("reply", "text"): 4,
            ("call", "Read"): 2,
            ("result", "Read"): 2,
        }
        assert all(part.why for layer in answer.layers for part in layer.parts)
        assert parts["attachment", "lib.py"].tokens > 100 * parts["question", "questions"].tokens


async def test_the_figures_follow_the_provider_s_count(tmp_path: Path) -> None:
    async with stage(tmp_path, FILES, player) as s:
        session_id = (await s.ask("What is it?")).session_id
        answer = await shown(s, session_id)
        last = s.app.sessions.loaded()[0].account.last
        assert answer.counted == last.input_total
        assert f"{last.input_total:,} tokens" in answer.basis
        assert answer.estimated
        error = answer.estimated / last.input_total - 1
        where = "above" if error > 0 else "below"
        assert f"{abs(error):.1%} {where} what the provider counted" in answer.basis
        of_reply = [part for part in conversation(answer).values() if part.count]
        sent = answer.tokens - sum(part.tokens - part.cached for part in of_reply)
        slack = 20  # parts are rounded one by one
        assert abs(sent - last.input_total) <= slack
        held = last.cache_read_tokens + last.cache_write_tokens
        assert abs(answer.cached - held) <= slack
        assert (answer.window, answer.compact_at) == (1_000_000, 800_000)
        until = datetime.fromisoformat(answer.cached_until or "")
        assert until - datetime.now(UTC) <= timedelta(minutes=5)


async def test_before_the_first_question_it_is_what_that_would_send(tmp_path: Path) -> None:
    async with stage(tmp_path, FILES, player) as s:
        session = await new_session(s.app, NewSessionRequest("Mine"))
        before = await shown(s, session.id)
        assert before.layers == (await shown(s)).layers
        assert (before.title, before.counted, before.cached_until) == ("Mine", None, None)
        assert before.estimated is None
        assert before.cached == 0
        assert "counted no request" in before.basis
        assert before.layers[2].parts == ()
        await s.ask("What is it?", session_id=session.id)
        after = await shown(s, session.id)
        for one, other in zip(before.layers[:2], after.layers[:2], strict=True):
            assert [part.name for part in one.parts] == [part.name for part in other.parts]


async def test_what_a_compaction_left_is_told_apart(tmp_path: Path) -> None:
    async with stage(tmp_path, FILES, player) as s:
        session_id = (await s.ask("What is it?")).session_id
        for number in range(8):
            await s.ask(f"And number {number}?", session_id=session_id)
        full = await shown(s, session_id)
        await compact_session(s.app, CompactRequest(session_id))
        answer = await shown(s, session_id)
        kinds = {part.kind: part for part in answer.layers[2].parts}
        assert {"summary", "kept", "state", "question", "reply"} <= set(kinds)
        assert "your words" in {part.name for part in answer.layers[2].parts}
        assert answer.tokens < full.tokens
        assert (answer.counted, answer.cached) == (None, 0)


async def test_undos_are_told_as_reminders(tmp_path: Path) -> None:
    write = ToolUse("Write", {"path": "new.txt", "content": "x\n"})
    script = [Turn(write), Turn(Text("Done.")), Turn(Text("I see."))]
    async with stage(tmp_path, FILES, script, {"permissions": {"mode": "acceptEdits"}}) as s:
        session_id = (await s.ask("Write it.")).session_id
        await undo_turn(s.app, UndoRequest(session_id))
        await s.ask("And now?", session_id=session_id)
        reminders = {("reminder", "mode"), ("reminder", "undone")}
        assert reminders <= conversation(await shown(s, session_id)).keys()
        await rewind(s.app, RewindRequest(session_id))
        after = conversation(await shown(s, session_id)).keys()
        assert reminders & after == {("reminder", "mode")}


async def test_another_model_has_nothing_cached(tmp_path: Path) -> None:
    async with stage(tmp_path, FILES, player) as s:
        session_id = (await s.ask("What is it?")).session_id
        assert (await shown(s, session_id)).cached
        await set_model(s.app, SetModelRequest("claude-opus-5-5"))
        answer = await shown(s, session_id)
        assert (answer.model, answer.cached, answer.cached_until) == ("claude-opus-5-5", 0, None)


LONG = "x" * 30_000
SKILLS = {
    f".claude/skills/s{n}/SKILL.md": f"---\ndescription: {'useful ' * 100}\n---\nDo it.\n"
    for n in range(20)
}
WISHES = {**FILES, **SKILLS, "AGENTS.md": LONG, "CLAUDE.md": "@../secret.md"}


async def test_what_was_cut_is_told_and_why(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("Mine.", "utf-8")
    async with stage(tmp_path / "ws", WISHES, player) as s:
        before = await shown(s)
        answer = await shown(s, (await s.ask("What is it?")).session_id)
        system = {part.name: part for part in answer.layers[0].parts}
        assert system["AGENTS.md"].cut == "6,000 characters of it"
        assert system["AGENTS.md"].why == "an instruction file, of the project"
        assert system["CLAUDE.md"].cut == ""
        assert "cut to" in conversation(answer)["reminder", "skills"].cut
        (left_out,) = answer.left_out
        assert "secret.md, imported by CLAUDE.md, lies outside the workspace" in left_out
        assert before.left_out == answer.left_out
        assert [part.cut for part in before.layers[0].parts] == [p.cut for p in system.values()]


async def test_what_an_untrusted_workspace_wishes_is_left_out(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", WISHES, player, trusted=None) as s:
        answer = await shown(s, (await s.ask("What is it?")).session_id)
        (left_out,) = answer.left_out
        assert left_out.startswith("As the workspace is not trusted: AGENTS.md, CLAUDE.md")


ASKS = {
    "AGENTS.md": "Use tabs.\n",
    ".mcp.json": '{"mcpServers": {"x": {"command": "true"}}}',
    ".claude/settings.json": '{"hooks": {"Stop": [{"hooks": [{"command": "make"}]}]}}',
}


async def test_what_counts_for_nothing_is_told_as_in_the_notice(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", ASKS, player, trusted=None) as s:
        (left_out,) = (await shown(s)).left_out
        names = "AGENTS.md, 1 MCP server, 1 hook"
        assert left_out == f"As the workspace is not trusted: {names}."
        await s.ask("What is it?")
        assert any(f"is not trusted: {names}." in each.message for each in s.port.of(Notice))


async def test_what_is_turned_off_and_not_adopted_is_told(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", ASKS, player) as s:
        off = SwitchContextRequest(ContextKind.INSTRUCTIONS, "AGENTS.md", on=False)
        await switch_context(s.app, off)
        assert (await shown(s)).left_out == (
            "Not adopted: 1 MCP server, 1 hook of this workspace.",
            "Turned off here: AGENTS.md.",
        )


async def test_offline_it_is_estimated(tmp_path: Path) -> None:
    async with stage(tmp_path, FILES, [], {"models": {"offline": True}}) as s:
        answer = await shown(s, (await s.ask("Where is one?")).session_id)
        assert (answer.offline, answer.counted, answer.cached) == (True, None, 0)
        assert answer.tokens > 1_000


async def test_a_session_of_another_server_can_be_looked_at(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, player) as s:
        session_id = (await s.ask("What is it?")).session_id
        seen = await shown(s, session_id)
        async with stage(tmp_path / "ws", {}, player) as other:
            assert await shown(other, session_id) == seen
            assert other.app.sessions.loaded() == []
        with pytest.raises(UnknownSession):
            await shown(s, "nonsense")


def test_whose_words_a_text_is() -> None:
    findings = load_prompt("user/findings").render(path="lib.py", findings="line 1, lines 2-3: x")
    lines = load_prompt("user/attachment").render(
        path="app.py", first_line="1", last_line="2", total="9", lines="one, two, lines 3"
    )
    folder = load_prompt("user/folder").render(path="src/", files="2 files", bytes="9", listing="x")
    image = load_prompt("user/image").render(image="a.png (image/png, 9 bytes)")
    errors = load_prompt("user/diagnostics").render(findings="lib.py: 2 new")
    message = user_message(findings, lines, folder, image, errors, "Attached by me: nothing.")
    _, _, layer = window_layers(PromptPrefix((), ()), (message,), SentRequest())
    assert [(part.kind, part.name) for part in layer.parts] == [
        ("attachment", "lib.py"),
        ("attachment", "app.py"),
        ("attachment", "src/"),
        ("attachment", "a.png (image/png, 9 bytes)"),
        ("attachment", "diagnostics"),
        ("question", "questions"),
    ]


def test_a_deferred_tool_takes_no_room_where_the_provider_searches() -> None:
    tools = tuple(
        ToolSpec(name, "Does it.", {"type": "object"}, deferred=name == "Rare")
        for name in ("Common", "Rare")
    )
    for searches in (True, False):
        _, layer, _ = window_layers(PromptPrefix(("s",), tools), (), SentRequest(searches=searches))
        common, rare = layer.parts
        assert (rare.deferred, rare.tokens == 0) == (searches, searches)
        assert ("searches for it" in rare.why) is searches
        assert not common.deferred
        assert layer.tokens == common.tokens + rare.tokens


async def test_without_a_key_it_is_the_model_that_was_asked(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    async with stage(root, FILES, player) as s:
        session_id = (await s.ask("What is it?")).session_id
        asked = await shown(s, session_id)
    settings = load_settings({}, {}, file=root / "none.toml")
    app = Application((str(root),), settings, Recorder(), "utf-16", {}, ())
    await app.start()
    try:
        answer = await show_context(app, ShowContextRequest(session_id))
        assert app.model.offline
        assert (answer.model, answer.offline, answer.window) == (asked.model, False, asked.window)
        assert answer.cached == asked.cached > 0
    finally:
        await app.close()


def test_what_is_told_has_a_name_a_reason_and_what_was_cut() -> None:
    editor = load_prompt("user/editor_state").render(told="<x>\nOpen: a.py, b.py, and more\n</x>")
    git = load_prompt("user/git").render(time="12:00", told="Status:\n M a.py\n[12 more]")
    message = user_message(editor, git)
    _, _, layer = window_layers(PromptPrefix((), ()), (message,), SentRequest())
    assert [(part.name, part.cut) for part in layer.parts] == [
        ("editor", "and more"),
        ("git", "12 more"),
    ]
    assert "context.ambient" in layer.parts[0].why
