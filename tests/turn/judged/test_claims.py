"""An answer that says a change was made, after the edit was denied or failed."""

from pathlib import Path

import pytest

from glossator.core.events import Notice, RunFinished
from glossator.core.permission import Choice, PermissionAnswer
from glossator.turn.judged.grounding import contradicts
from tests.stage import stage
from tests.standin import Text, ToolUse, Turn

FILES = {"app.py": "one\ntwo\n"}
READ = Turn(ToolUse("Read", {"path": "app.py"}))
EDIT = Turn(ToolUse("Edit", {"path": "app.py", "old_text": "two", "new_text": "three"}))
CLAIM = "I changed `two` to `three` in app.py."


@pytest.mark.parametrize(
    ("allowed", "answer", "contradicted"),
    [(False, CLAIM, True), (True, CLAIM, False), (False, "You denied the change.", False)],
)
async def test_it_is_contradicted_by_a_line_under_it(
    tmp_path: Path, answer: str, *, allowed: bool, contradicted: bool
) -> None:
    choice = Choice.ONCE if allowed else Choice.DENY
    async with stage(tmp_path, FILES, [READ, EDIT, Turn(Text(answer))]) as s:
        s.port.permitted = [PermissionAnswer(choice)]
        await s.ask("Make it three.")
        notices = [event.message for event in s.port.of(Notice)]
        told = [message for message in notices if "speaks of a change" in message]
        assert len(told) == contradicted
        assert all("not done: app.py." in message for message in told)
        assert isinstance(s.port.events[-1], RunFinished)


async def test_an_edit_that_was_made_after_one_that_failed_is_made(tmp_path: Path) -> None:
    wrong = Turn(ToolUse("Edit", {"path": "app.py", "old_text": "six", "new_text": "three"}))
    async with stage(tmp_path, FILES, [READ, wrong, EDIT, Turn(Text(CLAIM))]) as s:
        s.port.permitted = [PermissionAnswer(Choice.ONCE)] * 2
        await s.ask("Make it three.")
        assert not [event for event in s.port.of(Notice) if "speaks of" in event.message]


@pytest.mark.parametrize(
    "call",
    [
        ToolUse("Bash", {"command": "rm app.py"}),
        ToolUse("Rename", {"name": "two", "new_name": "three"}),  # no server knows it
    ],
)
@pytest.mark.parametrize(("first", "contradicted"), [([READ], True), ([READ, EDIT], False)])
async def test_a_command_or_rename_that_was_not_made_did_nothing(
    tmp_path: Path, call: ToolUse, first: list[Turn], *, contradicted: bool
) -> None:
    """What else was done may be what the answer speaks of."""
    what = str(call.input.get("command") or call.input["name"])
    async with stage(tmp_path, FILES, [*first, Turn(call), Turn(Text("I changed app.py."))]) as s:
        s.port.permitted = [PermissionAnswer(Choice.ONCE)] * (len(first) - 1)
        s.port.permitted += [PermissionAnswer(Choice.DENY)]
        await s.ask("Change it.")
        told = [event.message for event in s.port.of(Notice) if "speaks of" in event.message]
        assert [f"not done: {what}." in message for message in told] == [True] * contradicted


async def test_a_command_that_nobody_refused_says_nothing_of_an_answer(tmp_path: Path) -> None:
    """It may only have looked; where a workspace is not trusted none is run."""
    looks = Turn(ToolUse("Bash", {"command": "git log"}))
    script = [READ, looks, Turn(Text("`three` was removed."))]
    async with stage(tmp_path, FILES, script, trusted=False) as s:
        await s.ask("Why does it fail?")
        assert not [event for event in s.port.of(Notice) if "speaks of" in event.message]


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        ("I've updated the parser.", True),
        ("I have now fixed it.", True),
        ("The function has been renamed.", True),
        ("Done: both are gone.", True),
        ("Ich habe die Datei geändert.", True),
        ("Die Zeile wurde ersetzt.", True),
        ("I could not change it.", False),
        ("The edit was denied, so nothing has changed.", False),
        ("It is written in Python.", False),
        ("You can change it by hand.", False),
        ("Ich konnte nichts ändern.", False),
        ("Shall I try again?", False),
    ],
)
def test_what_counts_as_such_a_claim(answer: str, *, claims: bool) -> None:
    assert contradicts(answer) is claims
