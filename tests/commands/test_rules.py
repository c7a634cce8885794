"""Permission rules: which hold, where each is from, and removing one."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.commands.rules import ListRulesRequest, RemoveRuleRequest, list_rules, remove_rule
from glossator.core.errors import UsageError
from glossator.core.permission import Choice, PermissionAnswer
from tests.stage import Stage, stage
from tests.standin import Text, ToolUse, Turn

_WRITE = ToolUse("Write", {"path": "src/a.txt", "content": "x"})
_RULES = {"permissions": {"deny": ["Read(.env)"], "ask": ["Edit(x)"], "allow": ["Bash(ls)"]}}


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


async def _listed(s: Stage, session: str | None = None) -> list[tuple[str, str, str, bool]]:
    answer = await list_rules(s.app, ListRulesRequest(session))
    return [(each.text, each.effect, each.source, each.removable) for each in answer.rules]


@pytest.mark.parametrize("source", ["session", "always"])
async def test_what_was_answered_is_listed_and_removed(tmp_path: Path, source: str) -> None:
    script = [Turn(_WRITE), Turn(Text("Done.")), Turn(_WRITE), Turn(Text("Done."))]
    async with stage(tmp_path, {"src/b.txt": ""}, script) as s:
        s.port.permitted = [PermissionAnswer(Choice(source))]
        session = (await s.ask("Write.")).session_id
        rule = ("Edit(/src/**)", "allow", source, True)
        assert await _listed(s, session) == [rule]
        assert await _listed(s) == [rule] * (source == "always")
        request = RemoveRuleRequest(" Edit(/src/**) ", source, session)  # type: ignore[arg-type]
        assert (await remove_rule(s.app, request)).rules == ()
        assert await _listed(s, session) == []
        with pytest.raises(UsageError, match=r"There is no rule Edit\(/src/\*\*\) to remove"):
            await remove_rule(s.app, request)
        await s.ask("Again.", session_id=session)
        assert len(s.port.permissions) == 2


async def test_rules_of_the_settings_stand_there(tmp_path: Path) -> None:
    async with stage(tmp_path, {}, [], _RULES) as s:
        assert await _listed(s) == [
            ("Read(.env)", "deny", "settings", False),
            ("Edit(x)", "ask", "settings", False),
            ("Bash(ls)", "allow", "settings", False),
        ]
        with pytest.raises(UsageError, match="stands in the settings"):
            await remove_rule(s.app, RemoveRuleRequest("Bash(ls)", "settings"))
        with pytest.raises(UsageError, match="Name the session"):
            await remove_rule(s.app, RemoveRuleRequest("Bash(ls)", "session"))
        with pytest.raises(UsageError, match="cannot be used"):
            await remove_rule(s.app, RemoveRuleRequest("Bash(", "always"))


async def test_a_resumed_session_has_what_is_left(tmp_path: Path) -> None:
    script = [Turn(_WRITE), Turn(Text("Done."))]
    async with stage(tmp_path, {"src/b.txt": ""}, script) as s:
        s.port.permitted = [PermissionAnswer(Choice.SESSION, rules=("Edit(a)", "Edit(b)"))]
        session = (await s.ask("Write.")).session_id
        await remove_rule(s.app, RemoveRuleRequest("Edit(a)", "session", session))
    async with stage(tmp_path, {}, []) as s:
        assert [each[0] for each in await _listed(s, session)] == ["Edit(b)"]
