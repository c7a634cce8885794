"""What is invisible, or passes for something else, is shown escaped wherever a user looks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from glossator.cli.render.pipe import JsonLines
from glossator.cli.render.renderer import Renderer
from glossator.commands.sessions import (
    ExportSessionRequest,
    ListSessionsRequest,
    RenameSessionRequest,
    export_session,
    list_sessions,
    rename_session,
)
from glossator.commands.status import StatusRequest, status
from glossator.core.edit import HunkKind, HunkView
from glossator.core.markdown import harmless, plain
from glossator.core.permission import Choice, PermissionAnswer
from glossator.core.question import Option, Question, QuestionAnswer, asker, asking_for
from glossator.core.shown import brief_arguments, shown, shown_prose, shown_text
from tests.application.test_permission_checker import Setting
from tests.cli.drawing import drawn, pipe
from tests.security.test_prompts import prompt_of
from tests.stage import stage
from tests.standin import Text, ToolUse, Turn
from tests.workspaces import MakeWorkspace

# a comment that hides a command, a name of another kind, a tag, and a look-alike
_BIDI, _ZERO, _TAG, _ALIKE, _WIDE = "\u202e", "\u200b", "\U000e0041", "\u0430", "\uff52"
_HIDDEN = (_BIDI, _ZERO, _TAG)
_ALL = (*_HIDDEN, _ALIKE, _WIDE)
_EVIL = f"echo p{_ALIKE}ss # {_BIDI}{_ZERO}{_TAG} {_WIDE}m"
_EVIL_SHOWN = r"echo p\u0430ss # \u202e\u200b\U000e0041 \uff52m"
_QUESTION = ToolUse(
    "AskUser",
    {
        "question": f"Which?\n{_EVIL}",
        "options": [{"label": f"{_EVIL}1", "detail": _EVIL}, {"label": "other"}],
    },
)


def nothing_hides(text: str, hidden: tuple[str, ...] = _ALL) -> bool:
    return not any(each in text for each in hidden)


async def test_what_is_asked_about(workspace: MakeWorkspace, tmp_path: Path) -> None:
    at = Setting(await workspace({"a.txt": "a\n"}), tmp_path)
    assert await at.run(_EVIL) is None
    assert await at.write(f"{_EVIL}.txt", f"{_EVIL}\n\tmore\n") is None
    ran, wrote = at.user.asked
    assert ran.detail == _EVIL_SHOWN
    assert wrote.title == f"Write {_EVIL_SHOWN}.txt?"
    assert wrote.detail == f"{_EVIL_SHOWN}\n\tmore\n"
    for asked in at.user.asked:
        assert nothing_hides("\n".join((asked.title, asked.detail, *asked.reasons)))
        assert asked.suggestions == (), "no rule shows as another"


async def test_a_question_and_what_comes_of_it(tmp_path: Path) -> None:
    async with stage(tmp_path, {}, [Turn(_QUESTION), Turn(Text("Done."))]) as s:
        s.port.answers = [QuestionAnswer((f"{_EVIL_SHOWN}1",))]
        await s.ask("?")
        (asked,) = s.port.questions
        assert asked.text == f"Which?\n{_EVIL_SHOWN}"
        assert (asked.options[0].label, asked.options[0].detail) == (
            f"{_EVIL_SHOWN}1",
            _EVIL_SHOWN,
        )
        (result,) = s.results(1).values()
        assert _EVIL_SHOWN in str(result["content"])


async def test_sessions_and_their_export(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    async with stage(tmp_path, {}, [Turn(Text(f"See {_EVIL}"))]) as s:
        session = (await s.ask(_EVIL)).session_id
        (listed,) = (await list_sessions(s.app, ListSessionsRequest())).sessions
        assert listed.title == _EVIL_SHOWN
        renamed = await rename_session(s.app, RenameSessionRequest(session, f"{_BIDI}{_ALIKE}b"))
        assert renamed.title == r"\u202e\u0430b"
        exported = await export_session(s.app, ExportSessionRequest(session))
        assert nothing_hides(exported.text, _HIDDEN)
        assert nothing_hides(exported.file_name, _HIDDEN)
        spending = (await status(s.app, StatusRequest())).spending
        assert nothing_hides(str([each.title for each in spending]))


def test_the_session_that_asks() -> None:
    class Session:
        id = "s1"
        title = _EVIL

    with asking_for(Session()):
        assert (asker().session_id, asker().session_title) == ("s1", _EVIL_SHOWN)
    assert asker().session_id == ""


@pytest.mark.parametrize(
    "markdown",
    [
        _EVIL,
        f"```\n{_EVIL}\n```",
        f"`{_EVIL}`",
        f"[{_EVIL}](https://example.com/{_BIDI})",
        "&#x202e; &#8203; &#xE0041; &lrm; &zwnj;",
    ],
)
def test_prose_of_reports_and_hovers(markdown: str) -> None:
    assert shown_prose(harmless(markdown)) == harmless(markdown)
    assert nothing_hides(shown_prose(plain(harmless(markdown))), _HIDDEN)
    assert nothing_hides(plain(harmless(markdown)), ("\u200e", "\u200c", *_HIDDEN))


def _tool(text: str) -> list[dict[str, Any]]:
    common = {"runId": "r", "callId": "c", "tool": "Bash", "seq": 1, "agentId": None}
    return [
        common | {"kind": "tool.started", "arguments": {"command": text}},
        common
        | {
            "kind": "tool.finished",
            "summary": text,
            "error": True,
            "milliseconds": 1.0,
            "unsuccessful": False,
        },
    ]


def _show_all(renderer: Renderer) -> None:
    for event in _tool(_EVIL):
        renderer.event(event)
    renderer.notice(_EVIL)
    renderer.permission(prompt_of(shown_text(_EVIL), title=shown(_EVIL)))
    renderer.whole(_EVIL)
    renderer.question(Question(_EVIL, (Option(_EVIL, _EVIL),)))
    hunk = HunkView("h", HunkKind.EDIT, f"{_EVIL}.py", 1, "a\n", f"{_EVIL}\n")
    renderer.part_of_edit([hunk], number=1, total=1)
    renderer.diff(f"--- a\n+++ b\n@@ -1 +1 @@\n-a\n+{_EVIL}\n")
    renderer.error(1, _EVIL)


def test_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    seen = drawn(_show_all)
    assert nothing_hides(seen, _HIDDEN)
    assert r"+echo p\u0430ss" in seen, "in edits letters that pose are shown as well"
    _show_all(pipe())
    told = capsys.readouterr()
    assert nothing_hides(told.out + told.err, _HIDDEN)


def test_json_holds_what_is_unseen_in_escapes(capsys: pytest.CaptureFixture[str]) -> None:
    JsonLines().diff(f"grün {_EVIL}")
    line = capsys.readouterr().out
    assert nothing_hides(line, _HIDDEN)
    assert "grün" in line
    assert json.loads(line) == {"diff": f"grün {_EVIL}"}


def test_the_arguments_of_a_call() -> None:
    assert nothing_hides(brief_arguments({"command": _EVIL, "path": f"a{_ALIKE}"}))
    assert brief_arguments({"pattern": r"\d+"}) == r'pattern="\\d+"'


async def test_a_path_that_is_shown_is_taken_back(tmp_path: Path) -> None:
    name = f"p{_ALIKE}ss{_ZERO}.txt"
    read = ToolUse("Read", {"path": shown(name)})
    async with stage(tmp_path, {name: "found\n"}, [Turn(read), Turn(Text("Done."))]) as s:
        await s.ask("?")
        (result,) = s.results(1).values()
        assert "found" in json.dumps(result)


async def test_a_wish_is_kept_only_as_it_is_shown(tmp_path: Path) -> None:
    write = ToolUse("Write", {"path": "src/a.txt", "content": "x"})
    async with stage(tmp_path, {"src/b": ""}, [Turn(write), Turn(Text("Done."))]) as s:
        rules = (f"Edit(p{_ALIKE}ss/**)",)
        s.port.permitted = [PermissionAnswer(Choice.SESSION, rules=rules)] * 3
        await s.ask("Write.")
        _, *again = s.port.permissions
        assert len(again) == 2
        assert r"The permission rule Edit(p\u0430ss/**) has characters" in again[0].reasons[-1]
        assert nothing_hides("".join(again[0].reasons))
        assert not (tmp_path / "src/a.txt").exists()
