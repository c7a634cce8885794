"""Hooks of a workspace: they run once the user adopted exactly what would run, and only then."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from glossator.commands.adoptions import (
    AdoptHookRequest,
    ForgetHookRequest,
    ListHooksRequest,
    adopt_hook,
    forget_hook,
    list_hooks,
)
from glossator.commands.context_sources import SwitchContextRequest, switch_context
from glossator.core.context_kinds import ContextKind
from glossator.core.errors import UsageError
from glossator.core.events import Notice
from glossator.core.question import QuestionAnswer
from glossator.hooks.answers import HookView
from glossator.sessions.session import Reminders
from glossator.turn.hooks import session_hooks
from tests.sandboxed import SANDBOXED
from tests.stage import Stage, stage
from tests.standin import Text, Turn

pytestmark = SANDBOXED

SCRIPT = ".claude/hooks/hello.sh"
COMMAND = f'"$CLAUDE_PROJECT_DIR"/{SCRIPT} "$PWD"'
YES = QuestionAnswer(("Adopt it",))


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def asks_for(command: str = COMMAND, event: str = "UserPromptSubmit", **more: Any) -> str:
    """A `.claude/settings.json` with one hook."""
    hook = {"type": "command", "command": command, **more}
    return json.dumps({"hooks": {event: [{"hooks": [hook]}]}})


def files(settings: str) -> dict[str, str]:
    script = "#!/bin/sh\necho ran >> ran.txt\n"
    return {"app.py": "x = 1\n", ".claude/settings.json": settings, SCRIPT: script}


def hello(times: int = 1) -> list[Turn]:
    return [Turn(Text("Hello."))] * times


async def hook(s: Stage) -> HookView:
    (found,) = (await list_hooks(s.app, ListHooksRequest())).hooks
    return found


async def adopt(s: Stage) -> HookView:
    (s.root / SCRIPT).chmod(0o755)
    s.port.answers.append(YES)
    await adopt_hook(s.app, AdoptHookRequest((await hook(s)).id))
    return await hook(s)


def runs(s: Stage) -> int:
    ran = s.root / "ran.txt"
    return len(ran.read_text().split()) if ran.exists() else 0


def write(s: Stage, name: str, text: str) -> None:
    (s.root / name).write_text(text)
    s.touched(name)


async def test_it_runs_once_adopted_until_it_is_forgotten(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", files(asks_for()), hello(3)) as s:
        await s.ask("Hi")
        assert runs(s) == 0
        assert any("until you adopt it: 1 hook of" in each.message for each in s.port.of(Notice))
        assert (await adopt(s)).state == "on"
        asked = s.port.questions[-1].text
        assert COMMAND in asked
        assert SCRIPT in asked.partition("you are asked again: ")[2]
        session = (await s.ask("Hi")).session_id
        assert runs(s) == 1
        found = await forget_hook(s.app, ForgetHookRequest((await hook(s)).id))
        assert found.hooks[0].state == "proposed"
        await s.ask("Hi", session_id=session)
        assert runs(s) == 1


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (SCRIPT, "#!/bin/sh\necho evil >> ran.txt\n"),
        (".claude/settings.json", asks_for("echo evil >> ran.txt")),
        (".claude/settings.json", asks_for(timeout=7)),
    ],
)
async def test_a_change_asks_again(tmp_path: Path, file: str, text: str) -> None:
    async with stage(tmp_path / "ws", files(asks_for()), hello(4)) as s:
        before = await adopt(s)
        session = (await s.ask("Hi")).session_id
        assert runs(s) == 1
        write(s, file, text)
        changed = await hook(s)
        assert (changed.id, changed.state, changed.adopted) == (before.id, "changed", True)
        for _ in range(2):
            await s.ask("Hi", session_id=session)
        assert runs(s) == 1
        (told,) = s.port.told
        assert f"The hook {before.id} of this workspace does not run: it is not as you" in told
        assert (await adopt(s)).state == "on"
        await s.ask("Hi", session_id=session)
        assert runs(s) == 2


async def test_what_is_taken_away_is_told_unless_the_user_did_it(tmp_path: Path) -> None:
    two = {"hooks": [{"command": "echo a"}, {"command": "echo b"}]}
    settings = json.dumps({"hooks": {"Stop": [two], "UserPromptSubmit": [two]}})
    async with stage(tmp_path / "ws", files(settings), hello(4)) as s:
        found = (await list_hooks(s.app, ListHooksRequest())).hooks
        for each in found:
            s.port.answers.append(YES)
            await adopt_hook(s.app, AdoptHookRequest(each.id))
        await s.ask("Hi")
        await forget_hook(s.app, ForgetHookRequest(found[0].id))
        await switch_context(s.app, SwitchContextRequest(ContextKind.HOOK, found[1].id, on=False))
        await s.ask("Hi")
        assert s.port.told == []
        write(s, ".claude/settings.json", json.dumps({"hooks": {"UserPromptSubmit": [two]}}))
        await s.ask("Hi")
        assert s.port.told == []
        write(s, ".claude/settings.json", "{}")
        await s.ask("Hi")
        assert sorted(each.split()[2] for each in s.port.told) == sorted(
            each.id for each in found[2:]
        )


async def test_a_change_within_a_run_is_told(tmp_path: Path) -> None:
    """What was adopted when the question came is looked at again before it runs."""
    async with stage(tmp_path / "ws", files(asks_for(event="Stop")), ()) as s:
        key, told = (await adopt(s)).id, list[str]()
        hooks = await session_hooks(s.app, "one", Reminders(), told.append)
        await hooks.go_on(0)
        write(s, SCRIPT, "#!/bin/sh\necho evil >> ran.txt\n")
        await hooks.go_on(1)
        assert runs(s) == 1
        (notice,) = told
        assert f"The hook {key} of this workspace does not run: it is not as you" in notice


async def test_without_a_yes_and_for_what_is_not_there(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", files(asks_for()), ()) as s:
        for answer in (QuestionAnswer(), QuestionAnswer(("Do not run it",))):
            s.port.answers = [answer]
            (listed,) = (await adopt_hook(s.app, AdoptHookRequest((await hook(s)).id))).hooks
            assert (listed.state, listed.adopted) == ("proposed", False)
        with pytest.raises(UsageError, match="asks for no hook nothing; it asks for: "):
            await adopt_hook(s.app, AdoptHookRequest("nothing"))
        with pytest.raises(UsageError, match="was not adopted"):
            await forget_hook(s.app, ForgetHookRequest((await hook(s)).id))


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        (asks_for(event="Notification"), "Glossator has no such moment"),
        (asks_for(command=""), "command: String should have at least 1 character"),
        (asks_for(timeout=-1), "timeout: Input should be greater than 0"),
        (asks_for(command="cat a\0b"), "null"),
        (
            json.dumps({"hooks": {"PreToolUse": [{"matcher": "(", "hooks": [{"command": "a"}]}]}}),
            r"The matcher \( in .claude/settings.json names no tool",
        ),
    ],
)
async def test_what_cannot_be_adopted(tmp_path: Path, settings: str, why: str) -> None:
    async with stage(tmp_path / "ws", files(settings), ()) as s:
        assert (await hook(s)).state == "problem"
        with pytest.raises(UsageError, match=why):
            await adopt_hook(s.app, AdoptHookRequest((await hook(s)).id))
        assert s.port.questions == []


async def test_where_the_folder_is_not_trusted(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", files(asks_for()), hello()) as s:
        await adopt(s)
    async with stage(tmp_path / "ws", {}, hello(), trusted=None) as s:
        assert (await hook(s)).state == "untrusted"
        await s.ask("Hi")
        assert runs(s) == 0
        assert any("1 hook" in each.message for each in s.port.of(Notice))


async def test_before_trust_none_is_adopted_and_no_file_of_it_read(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", files(asks_for()), hello(), trusted=None) as s:
        os.truncate(s.root / SCRIPT, 100_000_001)
        assert (await hook(s)).state == "untrusted"  # once it is looked at, it is too large
        with pytest.raises(UsageError, match=r"a folder that is not trusted\. Trust it with"):
            await adopt_hook(s.app, AdoptHookRequest((await hook(s)).id))
        assert s.port.questions == []


async def test_turned_off_it_does_not_run(tmp_path: Path) -> None:
    async with stage(tmp_path / "ws", files(asks_for()), hello(2)) as s:
        key = (await adopt(s)).id
        await switch_context(s.app, SwitchContextRequest(ContextKind.HOOK, key, on=False))
        assert (await hook(s)).state == "off"
        await s.ask("Hi")
        assert runs(s) == 0
        await switch_context(s.app, SwitchContextRequest(ContextKind.HOOK, key, on=True))
        await s.ask("Hi")
        assert runs(s) == 1


@pytest.mark.parametrize(
    "command",
    [
        "sh .claude/hooks/hello.sh",
        "cd . && ./.claude/hooks/hello.sh;true",
        "sh -c 'sh .claude/hooks/hello.sh'",
        "sh <.claude/hooks/hello.sh",
        "X=.claude/hooks/hello.sh; sh $X",
        "sh ${CLAUDE_PROJECT_DIR}/.claude/hooks/hello.sh",
        "sh '.claude/hooks/hel'lo.sh",
    ],
)
async def test_files_that_a_command_line_names(tmp_path: Path, command: str) -> None:
    async with stage(tmp_path / "ws", files(asks_for(command)), ()) as s:
        await adopt(s)
        write(s, SCRIPT, "echo evil\n")
        assert (await hook(s)).state == "changed"


async def test_names_that_hide_something(tmp_path: Path) -> None:
    """The question shows what is unseen, and a file outside of the workspace is no part of it."""
    command = "echo \u202egpj.exe\x1b[2K\n rm x"
    async with stage(tmp_path / "ws", files(asks_for(command)), ()) as s:
        found = await adopt(s)
        asked = s.port.questions[-1].text
        assert "\\u202egpj.exe\\u001b[2K\n rm x" in asked
        assert "\u202e" not in found.command + asked
        assert "No file of the workspace is watched for changes" in asked
