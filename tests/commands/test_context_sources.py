"""One list of what goes into the window, and what turning something off does to it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from glossator.commands.adoptions import AdoptMcpServerRequest, adopt_mcp_server
from glossator.commands.answers.context import ContextAction, ContextSource
from glossator.commands.context_sources import (
    ListContextRequest,
    SwitchContextRequest,
    list_context,
    switch_context,
)
from glossator.core.context_kinds import ContextKind
from glossator.core.errors import UsageError
from glossator.core.events import Notice
from glossator.core.permission import Choice, PermissionAnswer
from glossator.core.question import QuestionAnswer
from glossator.permissions.decide import Ask
from glossator.permissions.policy import parse_rules
from glossator.turn.told.customizations import customizations_now
from glossator.turn.told.instruction_files import instructions_now
from glossator.turn.told.recall import memory_index
from tests.mcp.hubs import odd
from tests.memory.remembering import by_hand
from tests.sandboxed import SANDBOXED
from tests.stage import Stage, stage
from tests.standin import Text, ToolUse, Turn

SKILL = "---\nname: deploy\ndescription: Ships it.\n---\nRun make ship.\n"
COMMAND = "---\ndescription: Says hi.\n---\nSay hi.\n"
AGENT = "---\nname: critic\ndescription: Reads closely.\n---\nYou read closely.\n"
MEMORY = "---\ntype: project\ndescription: Amounts are cents.\nabout: [gone.py]\n---\nNo floats.\n"
FILES = {
    "app.py": "x = 1\n",
    "AGENTS.md": "Use tabs. @docs/style.md\n",
    "docs/style.md": "No tabs in Python.\n",
    "pkg/CLAUDE.md": "This package is old.\n",
    ".claude/skills/deploy/SKILL.md": SKILL,
    ".claude/commands/hi.md": COMMAND,
    ".claude/agents/critic.md": AGENT,
    ".claude/settings.json": json.dumps({"hooks": {"Stop": [{"hooks": [{"command": "true"}]}]}}),
}
OWN_HOOK = {"hooks": {"stop": [{"command": "touch ran"}]}}
OPEN, OFF, ON = ContextAction.OPEN, ContextAction.TURN_OFF, ContextAction.TURN_ON
ADOPT, FORGET, RESTART = ContextAction.ADOPT, ContextAction.FORGET, ContextAction.RESTART


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


async def listed(s: Stage, kind: str = "") -> list[ContextSource]:
    """Of a kind; or all but what Search finds by, which is always there."""
    await s.app.ready()
    found = await list_context(s.app, ListContextRequest())
    if kind:
        return [each for each in found.sources if each.kind == kind]
    return [each for each in found.sources if each.kind != "index"]


async def switch(s: Stage, kind: str, name: str, *, on: bool) -> ContextSource:
    """Turn what has the name on or off, and give it as it is listed then."""
    answer = await switch_context(s.app, SwitchContextRequest(ContextKind(kind), name, on=on))
    found = [each for each in answer.sources if each.kind == kind]
    return next(each for each in found if name in (each.id, each.name))


async def test_all_in_one_list(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    by_hand(root, "money.md", MEMORY)
    files = {**FILES, ".mcp.json": json.dumps({"mcpServers": {"fish": {"command": "true"}}})}
    async with stage(root, files, (), OWN_HOOK) as s:
        found = [(each.kind, each.name, each.source, each.state) for each in await listed(s)]
        actions = {each.name: each.actions for each in await listed(s)}
        details = {each.name: each.detail for each in await listed(s)}
    assert [each for each in found if each[:2] != ("hook", "stop") or each[2] != "user"] == [
        ("instructions", "AGENTS.md", "project", "on"),
        ("instructions", "docs/style.md", "project", "on"),
        ("instructions", "pkg/CLAUDE.md", "project", "on"),
        ("memory", "money", "project", "stale"),
        ("skill", "deploy", "project", "on"),
        ("command", "hi", "project", "on"),
        ("agent", "critic", "project", "on"),
        ("hook", "stop", "project", "proposed"),
        ("mcp", "fish", "project", "proposed"),
    ]
    assert actions["deploy"] == (OFF, OPEN)
    assert actions["money"] == (OFF, FORGET, OPEN)
    assert actions["fish"] == (OFF, ADOPT, OPEN)
    assert details["docs/style.md"] == "imported by AGENTS.md; 18 characters"
    assert details["pkg/CLAUDE.md"].endswith("told once something below its folder is read")


async def test_permission_rules(tmp_path: Path) -> None:
    """An answered one can be forgotten, one of the settings changed there; none is switched."""
    own = {"permissions": {"deny": ["Read(secret/**)"]}}
    async with stage(tmp_path / "ws", FILES, (), own) as s:
        session = s.app.sessions.create()
        ask = Ask(("it runs",), parse_rules(["Bash(make:*)"]))
        s.app.acting.of(session).grants.settle(ask, PermissionAnswer(Choice.SESSION))
        found = await list_context(s.app, ListContextRequest(ContextKind.RULE, session.id))
        with pytest.raises(UsageError, match="cannot be turned off"):
            await switch(s, "rule", "Read(secret/**)", on=False)
    assert [(each.id, each.name, each.detail, each.actions) for each in found.sources] == [
        (
            "settings Read(secret/**)",
            "Read(secret/**)",
            "denied, by your settings",
            (ContextAction.CONFIGURE,),
        ),
        (
            "session Bash(make:*)",
            "Bash(make:*)",
            "allowed, answered for this session",
            (FORGET,),
        ),
    ]


async def test_what_search_finds_by(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, ()) as s:
        words, chunks, embeddings, contexts = await listed(s, "index")
    assert words.detail.endswith("kB on disk")
    assert words.actions == chunks.actions == (ContextAction.REBUILD,)
    assert (embeddings.state, embeddings.actions) == ("off", (ContextAction.CONFIGURE,))
    assert "no embedder" in embeddings.why
    assert contexts.detail.startswith("from the code alone")


async def test_of_one_kind(tmp_path: Path) -> None:
    """Its problems only; a file has as many characters off as on."""
    files = {**FILES, "CLAUDE.md": "@../out.md\n", ".mcp.json": "{"}
    (tmp_path / "out.md").write_text("x")
    async with stage(tmp_path / "ws", files, ()) as s:
        found = await list_context(s.app, ListContextRequest(ContextKind.INSTRUCTIONS))
        assert {each.kind.value for each in found.sources} == {"instructions"}
        assert [each.partition(", ")[0] for each in found.problems] == [str(tmp_path / "out.md")]
        (before, *_) = (each for each in found.sources if each.name == "CLAUDE.md")
        off = await switch(s, "instructions", "CLAUDE.md", on=False)
        assert before.detail == "10 characters"
        assert off.detail.startswith("10 characters;")


async def test_what_is_proposed_can_be_declined(tmp_path: Path) -> None:
    """It is not named then to each new conversation."""
    files = {**FILES, ".mcp.json": json.dumps({"mcpServers": {"fish": {"command": "true"}}})}
    async with stage(tmp_path / "ws", files, [Turn(Text("Hello."))] * 2) as s:
        await s.ask("Hi")
        before = [each.message for each in s.port.of(Notice) if each.about]
        assert len(before) == 1
        for kind, name in (("hook", "stop"), ("mcp", "fish")):
            assert (await switch(s, kind, name, on=False)).state == "off"
        await s.ask("Hi")
        assert [x.message for x in s.port.of(Notice) if x.about] == before
        assert (await switch(s, "mcp", "fish", on=True)).state == "proposed"


async def test_where_the_folder_is_not_trusted(tmp_path: Path) -> None:
    files = {**FILES, ".mcp.json": json.dumps({"mcpServers": {"fish": {"command": "true"}}})}
    async with stage(tmp_path / "ws", files, (), OWN_HOOK, trusted=None) as s:
        found = await listed(s)
        assert {each.state.value for each in found} == {"untrusted"}
        assert {action for each in found for action in each.actions} == {OPEN}
        assert all(each.why for each in found)
        with pytest.raises(UsageError, match=r"deploy cannot be turned off: it is untrusted\. The"):
            await switch(s, "skill", "deploy", on=False)


async def test_an_instruction_file_is_off_for_new_sessions(tmp_path: Path) -> None:
    """What it imports is, too, and so is another file of the same text."""
    files = {**FILES, "CLAUDE.md": FILES["AGENTS.md"]}
    script = [Turn(Text("Hello."))] * 3
    async with stage(tmp_path / "ws", files, script) as s:
        before = (await s.ask("Hi")).session_id
        assert (await switch(s, "instructions", "AGENTS.md", on=False)).state == "off"
        assert (await instructions_now(s.app, s.app.now())).files == ()
        await s.ask("Hi", session_id=before)
        await s.ask("Hi")
        assert ["Use tabs" in str(s.sent(n)["system"]) for n in range(3)] == [True, True, False]
        assert (await switch(s, "instructions", "AGENTS.md", on=True)).state == "on"
        assert len((await instructions_now(s.app, s.app.now())).files) == 2


async def test_instructions_of_a_folder_that_are_off_are_not_told(tmp_path: Path) -> None:
    script = [Turn(ToolUse("Read", {"path": "pkg/a.py"})), Turn(Text("Hello."))]
    async with stage(tmp_path / "ws", {**FILES, "pkg/a.py": "y = 1\n"}, script) as s:
        await switch(s, "instructions", "pkg/CLAUDE.md", on=False)
        await s.ask("Hi")
        assert "This package is old" not in json.dumps(s.sent(1))


async def test_a_link_to_a_file_that_is_off(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    async with stage(root, {"AGENTS.md": "Use tabs.\n"}, ()) as s:
        (root / "CLAUDE.md").symlink_to("AGENTS.md")
        await switch(s, "instructions", "AGENTS.md", on=False)
        assert (await instructions_now(s.app, s.app.now())).files == ()


async def test_a_link_in_place_of_a_file_that_is_off(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    async with stage(root, {"AGENTS.md": "Use tabs.\n", "docs/a.md": "Use spaces.\n"}, ()) as s:
        await switch(s, "instructions", "AGENTS.md", on=False)
        (root / "AGENTS.md").unlink()
        (root / "AGENTS.md").symlink_to("docs/a.md")
        s.touched("AGENTS.md")
        assert (await instructions_now(s.app, s.app.now())).files == ()
        assert (await switch(s, "instructions", "AGENTS.md", on=True)).state == "on"


@pytest.mark.parametrize(
    ("link", "to"), [(".agents", "../.claude/skills"), (".claude", "../.agents/skills")]
)
async def test_a_skill_that_links_lead_to(tmp_path: Path, link: str, to: str) -> None:
    """It is off by both paths, and on by either."""
    root, real = tmp_path / "ws", to.removeprefix("../")
    (root / link).mkdir(parents=True)
    (root / link / "skills").symlink_to(to)
    async with stage(root, {f"{real}/deploy/SKILL.md": SKILL}, ()) as s:
        await switch(s, "skill", "deploy", on=False)
        first, second = await listed(s, "skill")
        assert (first.state, second.state) == ("off", "off")
        await switch(s, "skill", second.id, on=True)
        assert "deploy" in (await customizations_now(s.app, s.app.now())).skills


async def test_a_memory_that_is_off_is_not_recalled(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    by_hand(root, "money.md", MEMORY)
    script = [Turn(Text("Hello."))]
    async with stage(root, FILES, script, {"models": {"offline": True}}) as s:
        off = await switch(s, "memory", "money", on=False)
        assert (off.state, off.why, off.actions) == (
            "off",
            "You turned it off here.",
            (ON, FORGET, OPEN),
        )
        assert await memory_index(s.app, s.app.now()) == ""
        await switch(s, "memory", "money", on=True)
        assert "Amounts are cents" in await memory_index(s.app, s.app.now())


async def test_a_memory_that_is_off_does_not_go_with_a_question(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    by_hand(root, "money.md", MEMORY)
    said: list[str] = []

    def script(body: Any) -> Turn:
        said.append(json.dumps(body))
        return Turn(Text("none"))

    async with stage(root, FILES, script) as s:
        await switch(s, "memory", "money", on=False)
        await s.ask("Are amounts cents?")
        assert not any("Amounts are cents" in each for each in said)


@pytest.mark.parametrize(
    ("kind", "name"), [("skill", "deploy"), ("command", "hi"), ("agent", "critic")]
)
async def test_what_files_describe(tmp_path: Path, kind: str, name: str) -> None:
    async with stage(tmp_path / "ws", FILES, ()) as s:

        async def used() -> bool:
            found = await customizations_now(s.app, s.app.now())
            return name in {**found.skills, **found.commands, **found.agents}

        assert (await switch(s, kind, name, on=False)).why == "You turned it off here."
        assert not await used()
        assert (await switch(s, kind, name, on=False)).state == "off"  # it is already
        assert (await switch(s, kind, name, on=True)).state == "on"
        assert await used()


async def test_what_a_setting_turns_off_stays_off(tmp_path: Path) -> None:
    root = tmp_path / "ws"
    by_hand(root, "money.md", MEMORY)
    settings = {
        "customizations": {"disabled": ["skill:deploy"]},
        "memory": {"enabled": False},
        "mcp": {"servers": {"fish": {"command": "true", "enabled": False}}},
    }
    async with stage(root, FILES, (), settings) as s:
        found = {each.name: each for each in await listed(s)}
        assert found["deploy"].why == "The setting customizations.disabled names it."
        assert found["money"].why == "The setting memory.enabled is false."
        assert found["fish"].why == "The setting mcp.servers.fish has enabled: false."
        for name in ("deploy", "money", "fish"):
            assert not {ON, OFF} & {*found[name].actions}
            with pytest.raises(UsageError, match=r"cannot be turned on: it is off\. The setting"):
                await switch(s, found[name].kind, name, on=True)


@SANDBOXED
async def test_a_hook_of_the_user(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", {"a": "b"}, [Turn(Text("Hello."))] * 2, OWN_HOOK) as s:
        (own,) = await listed(s, "hook")
        assert (own.state, len(own.id), own.actions) == ("on", 8, (OFF,))
        assert (await switch(s, "hook", own.id, on=False)).state == "off"
        await s.ask("Hi")
        assert not (s.root / "ran").exists()
        await switch(s, "hook", own.id, on=True)
        await s.ask("Hi")
        assert (s.root / "ran").exists()


async def test_an_mcp_server_is_ended_and_not_started(tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    settings = {"mcp": {"servers": {"odd": odd(notes, "tools")}}}
    async with stage(tmp_path / "ws", {"a": "b"}, (), settings) as s:
        await s.app.ready()
        await s.app.mcp.settled()
        (ready,) = await listed(s, "mcp")
        assert (ready.state, ready.actions) == ("on", (OFF, RESTART))
        assert (await switch(s, "mcp", "odd", on=False)).actions == (ON,)
        assert s.app.mcp.tools() == ()
        assert not s.app.mcp.running
    async with stage(tmp_path / "ws", {}, (), settings) as s:
        (off,) = await listed(s, "mcp")
        assert (off.state, s.app.mcp.running) == ("off", {})
        assert (await switch(s, "mcp", "odd", on=True)).state == "waiting"
        await s.app.mcp.settled()
        assert s.port.context_changes


async def test_a_server_of_the_workspace(tmp_path: Path) -> None:
    server = {"mcpServers": {"odd": odd(tmp_path / "notes.txt", "tools")}}
    async with stage(tmp_path / "ws", {".mcp.json": json.dumps(server)}, ()) as s:
        s.port.answers.append(QuestionAnswer(("Adopt it",)))
        await adopt_mcp_server(s.app, AdoptMcpServerRequest("odd"))
        (ready,) = await listed(s, "mcp")
        assert ready.actions == (OFF, FORGET, RESTART, OPEN)
        assert (await switch(s, "mcp", "odd", on=False)).actions == (ON, FORGET, OPEN)


async def test_the_first_of_a_name_and_the_one_below_it(tmp_path: Path) -> None:
    """With the first one off, the next of its name counts; each has an id of its own."""
    twice = {
        ".claude/skills/deploy/SKILL.md": SKILL,
        ".agents/skills/deploy/SKILL.md": SKILL.replace("Ships", "Really ships"),
    }
    async with stage(tmp_path / "ws", twice, ()) as s:
        first, second = await listed(s, "skill")
        assert (first.state, second.state, second.actions) == ("on", "off", (OPEN,))
        await switch(s, "skill", "deploy", on=False)
        assert [each.state for each in await listed(s, "skill")] == ["off", "on"]
        await switch(s, "skill", "deploy", on=True)
        assert [each.state for each in await listed(s, "skill")] == ["on", "off"]


async def test_names_that_hide_something(tmp_path: Path) -> None:
    files = {
        ".claude/commands/a\u202eb.md": "Hi.\n",
        "docs/\u202e.md": "x\n",
        "AGENTS.md": "@docs/\u202e.md",
    }
    files[".mcp.json"] = json.dumps({"mcpServers": {"a\x1b[2K\u202e": {"command": "tr\u202eue"}}})
    async with stage(tmp_path / "ws", files, ()) as s:
        for each in await listed(s):
            assert "\u202e" not in each.name + each.detail + each.why
            assert "\x1b" not in each.name + each.detail + each.why


async def test_what_is_not_there(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", FILES, ()) as s:
        with pytest.raises(UsageError, match="There is no skill nothing here; there are: deploy"):
            await switch(s, "skill", "nothing", on=False)


async def test_the_editor_is_told_of_changes(tmp_path: Path) -> None:
    """Files that say what goes into the window, and no others."""
    async with stage(tmp_path / "ws", FILES, ()) as s:
        await s.app.ready()
        assert s.app._starting is not None
        await s.app._starting
        before = s.port.context_changes
        (s.root / "app.py").write_text("x = 2\n")
        s.touched("app.py")
        assert s.port.context_changes == before
        (s.root / "pkg/CLAUDE.md").write_text("This package is new.\n")
        s.touched("pkg/CLAUDE.md")
        assert s.port.context_changes > before
