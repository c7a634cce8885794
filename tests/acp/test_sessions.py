"""Sessions that go on: replayed, listed, closed, deleted; modes, options, commands, servers."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from acp import RequestError, schema
from acp.connection import StreamEvent

from tests.acp.editor import Conversation, conversation
from tests.patience import until
from tests.standin import Text, ToolUse, Turn

FILES = {"app.py": "def greet(name):\n    return f'Hello {name}'\n"}
READ = Turn(ToolUse("Read", {"path": "app.py"}, "toolu_r"))
ANSWER = Turn(Text("`greet` returns a greeting [cite: doc, app.py, L1-L2]."))
DONE = Turn(Text("Done."))


def story(c: Conversation) -> list[str]:
    """What a person sees of the session, without what belongs to no message."""
    found = []
    for each in c.editor.updates:
        match each:
            case schema.UserMessageChunk() | schema.AgentMessageChunk():
                found.append(each.content.text)
            case schema.ToolCallStart():
                found.append(each.title)
    return found


async def test_a_loaded_session_is_shown_as_it_was(tmp_path: Path) -> None:
    async with conversation(tmp_path, FILES, [READ, ANSWER]) as c:
        await c.ask("What does greet do?")
        before = "".join(story(c))
        c.editor.updates.clear()
        loaded = await c.agent.load_session(
            cwd=str(tmp_path), session_id=c.session_id, mcp_servers=[]
        )
        assert loaded.modes is not None
        assert "".join(story(c)) == f"What does greet do?{before}"


async def test_a_session_that_is_loaded_says_whose_lines_have_changed(tmp_path: Path) -> None:
    look = Turn(Text("I look at it first."), ToolUse("Read", {"path": "app.py"}))
    async with conversation(tmp_path, FILES, [look, ANSWER]) as c:
        await c.ask("What does greet do?")
        (tmp_path / "app.py").write_text("def other(): pass\n")
        c.editor.updates.clear()
        await c.agent.load_session(cwd=str(tmp_path), session_id=c.session_id, mcp_servers=[])
        assert "changed since.): “`greet` returns a greeting”" in c.editor.text


async def test_sessions_are_listed_closed_and_deleted(tmp_path: Path) -> None:
    async with conversation(tmp_path, FILES, [DONE]) as c:
        await c.ask("Hello there")
        (listed,) = (await c.agent.list_sessions(cwd=str(tmp_path))).sessions
        assert (listed.session_id, listed.title) == (c.session_id, "Hello there")
        assert listed.cwd == str(tmp_path)
        await c.agent.close_session(c.session_id)
        with pytest.raises(RequestError):
            await c.ask("Again")
        await delete(c, c.session_id)
        assert (await c.agent.list_sessions(cwd=str(tmp_path))).sessions == []


async def delete(c: Conversation, session_id: str) -> None:
    """The SDK's client has no method for it yet."""
    await c.agent._conn.send_request("session/delete", {"sessionId": session_id})


async def test_sessions_of_several_workspaces_are_one_list(tmp_path: Path) -> None:
    """Those used last first, each once; one that nobody took up here is deleted all the same."""
    root, other = tmp_path / "ws", tmp_path / "other"
    other.mkdir()
    async with conversation(root, FILES, [DONE]) as before:
        await before.ask("Hello there")
    async with conversation(root, FILES, [DONE, DONE]) as c:
        both = await c.agent.new_session(cwd=str(other), additional_directories=[str(root)])
        ids = [c.session_id, both.session_id]
        for c.session_id in ids:
            await c.ask("Hello again")
        listed = [each.session_id for each in (await c.agent.list_sessions()).sessions]
        assert listed == [*reversed(ids), before.session_id]
        await delete(c, before.session_id)
        listed = [each.session_id for each in (await c.agent.list_sessions()).sessions]
        assert listed == [*reversed(ids)]


async def test_a_session_whose_folder_is_not_open_is_not_said_to_be_deleted(tmp_path: Path) -> None:
    other = tmp_path / "other"
    async with conversation(tmp_path / "ws", FILES, [DONE]) as before:
        await before.ask("Hello there")
    async with conversation(other, {"a.py": ""}, []) as c:
        with pytest.raises(RequestError, match="List its folder's sessions first"):
            await delete(c, before.session_id)
        (listed,) = (await c.agent.list_sessions(cwd=str(tmp_path / "ws"))).sessions
        assert listed.session_id == before.session_id
        await delete(c, before.session_id)
        assert (await c.agent.list_sessions(cwd=str(tmp_path / "ws"))).sessions == []
        await delete(c, c.session_id)  # in which nothing was said yet


async def test_what_is_wrong_is_said_in_the_session_that_is_taken_up(tmp_path: Path) -> None:
    async with conversation(tmp_path, FILES, [DONE], {"permissions": {"mode": "yolo"}}) as c:
        told: list[StreamEvent] = []
        await c.ask("Hello there")
        await c.agent.new_session(cwd=str(tmp_path))
        c.agent._conn.add_observer(told.append)
        await c.agent.resume_session(cwd=str(tmp_path), session_id=c.session_id)
        await until(lambda: any("permissions.mode" in str(each.message) for each in told))
        (said,) = [each.message for each in told if "permissions.mode" in str(each.message)]
        assert said["params"]["sessionId"] == c.session_id


async def test_an_answer_with_fences_ends_no_block_of_code(tmp_path: Path) -> None:
    files = {"notes.md": "Retry it:\n\n```python\nretry()\n```\n"}
    async with conversation(tmp_path, files, []) as c:
        await c.ask("/search retry")
        assert c.editor.text.startswith("````\n")
        assert c.editor.text.endswith("\n````\n")


async def test_the_mode_decides_what_is_asked(tmp_path: Path) -> None:
    edit = ToolUse("Edit", {"path": "app.py", "old_text": "Hello", "new_text": "Hi"}, "toolu_e")
    async with conversation(tmp_path, FILES, [READ, Turn(edit), DONE]) as c:
        await c.agent.set_session_mode(mode_id="acceptEdits", session_id=c.session_id)
        await c.ask("Shorter")
        assert c.editor.asked == []
        assert "Hi {name}" in (tmp_path / "app.py").read_text()
        with pytest.raises(RequestError):
            await c.agent.set_session_mode(mode_id="yolo", session_id=c.session_id)


async def test_the_model_and_tasks_are_options(tmp_path: Path) -> None:
    async with conversation(tmp_path, FILES, []) as c:
        answer = await c.agent.set_config_option(
            config_id="tasks", session_id=c.session_id, value="direct"
        )
        named = {each.id: each.current_value for each in answer.config_options}
        assert named["tasks"] == "direct"
        offline = await c.agent.set_config_option(
            config_id="model", session_id=c.session_id, value="offline"
        )
        assert offline.config_options[0].current_value == "offline"
        with pytest.raises(RequestError):
            await c.agent.set_config_option(
                config_id="colour", session_id=c.session_id, value="red"
            )


async def test_commands_are_told_and_carried_out(tmp_path: Path) -> None:
    async with conversation(tmp_path, FILES, []) as c:
        await until(lambda: bool(c.editor.of(schema.AvailableCommandsUpdate)))
        (told,) = c.editor.of(schema.AvailableCommandsUpdate)
        assert {"undo", "compact", "search", "mode"} <= {e.name for e in told.available_commands}
        with_words = {e.name for e in told.available_commands if e.input is not None}
        assert with_words == {"mode", "model", "plan", "rename", "search"}
        await c.ask("/mode plan")
        assert "plan" in c.editor.text
        (mode,) = c.editor.of(schema.CurrentModeUpdate)
        await c.ask("/model claude-haiku-4-5")
        (chosen,) = c.editor.of(schema.ConfigOptionUpdate)
        assert chosen.config_options[0].current_value == "claude-haiku-4-5"
        assert mode.current_mode_id == "plan"
        await c.ask("/rename Fish  pond")
        (titled,) = c.editor.of(schema.SessionInfoUpdate)
        assert titled.title == "Fish pond"


async def test_the_model_of_one_session_is_that_of_the_others(tmp_path: Path) -> None:
    """Each open session shows it, a closed one does not."""
    async with conversation(tmp_path, FILES, []) as c:
        closed, _ = [await c.agent.new_session(cwd=str(tmp_path), mcp_servers=[]) for _ in "ab"]
        await c.agent.close_session(closed.session_id)
        await c.agent.set_config_option(
            config_id="model", session_id=c.session_id, value="claude-haiku-4-5"
        )
        await until(lambda: bool(c.editor.of(schema.ConfigOptionUpdate)))
        (told,) = c.editor.of(schema.ConfigOptionUpdate)
        assert told.config_options[0].current_value == "claude-haiku-4-5"


async def test_a_question_that_is_asked_again_ends_as_any_other(tmp_path: Path) -> None:
    async with conversation(tmp_path, FILES, [DONE, DONE]) as c:
        await c.ask("What is it?")
        again = await c.ask("/retry")
        assert again.usage is not None
        assert len(c.editor.of(schema.UsageUpdate)) == 2


async def test_words_after_plan_are_asked_then(tmp_path: Path) -> None:
    async with conversation(tmp_path, FILES, [DONE]) as c:
        await c.ask("/plan How would you shorten it?")
        said = str(c.api.requests[0].body["messages"][-1])
        assert "Mode: plan" in said
        assert "How would you shorten it?" in said


@pytest.mark.parametrize("words", ["/help", "/explain app.py", "/steer Faster"])
async def test_a_command_of_other_clients_is_not_carried_out(tmp_path: Path, words: str) -> None:
    async with conversation(tmp_path, FILES, []) as c:
        await c.ask(words)
        assert (
            f"{words.partition(' ')[0]} does not work here; type / for what does." in c.editor.text
        )


async def test_what_is_said_of_a_command_in_lines_stays_in_lines(tmp_path: Path) -> None:
    async with conversation(tmp_path, FILES, []) as c:
        await c.ask("/mode")
        assert "*Say which:*  \n*/mode plan Plan: " in c.editor.text


async def test_what_comes_with_a_prompt(tmp_path: Path) -> None:
    """A file of the workspace, one outside of it, text as it stands in the client, a picture."""
    outside = tmp_path.parent / "secret.txt"
    outside.write_text("hidden away\n")
    resource = schema.TextResourceContents(uri="zed:///thread", text="as embedded")
    pixel = (
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5Er"
        "kJggg=="
    )
    blocks = [
        schema.ResourceContentBlock(
            type="resource_link", name="app.py", uri=f"file://{tmp_path}/app.py#L2"
        ),
        schema.ResourceContentBlock(type="resource_link", name="secret.txt", uri=outside.as_uri()),
        schema.EmbeddedResourceContentBlock(type="resource", resource=resource),
        schema.ImageContentBlock(type="image", data=pixel, mime_type="image/png"),
    ]
    async with conversation(tmp_path, FILES, [DONE]) as c:
        await c.ask("What is this?", *blocks)
        sent = str(c.api.requests[0].body["messages"])
        assert "return f" in sent
        assert "hidden away" not in sent
        assert "outside the workspace" in sent
        assert "as embedded" in sent
        assert "image/png" in sent


async def test_a_server_that_is_handed_over_runs_once_the_user_says_so(tmp_path: Path) -> None:
    server = schema.McpServerStdio(
        name="my tools", command=sys.executable, args=["-c", "raise SystemExit"], env=[]
    )
    async with conversation(tmp_path, FILES, [], mcp_servers=(server,)) as c:
        c.editor.choose = lambda _, options: options[-1].option_id
        await until(lambda: bool(c.editor.asked or "trusted" in c.editor.text))
        told = str(c.editor.asked) + c.editor.text
        assert "my-tools" in told
