"""Permissions and reviews as an editor sees them, by our requests and by buttons."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from glossator.edits import wait
from glossator.lsp import port
from tests.lsp.support.desk import PLAIN, Acting, acting, pressing
from tests.lsp.support.editor import NO_ANSWER, Message, Refusal
from tests.lsp.test_end_to_end_model import CANCELLED
from tests.standin import Script, Text, ToolUse, Turn

_LINES = [f"line {number}\n" for number in range(1, 31)]
_STEPS = [{"old_text": f"line {n}\n", "new_text": f"LINE {n}\n"} for n in (5, 15, 25)]
_READ = ToolUse("Read", {"path": "calc.py"}, "read")
_SHOUT = ToolUse("MultiEdit", {"path": "calc.py", "edits": _STEPS}, "edit")
_SCRIPT: Script = [Turn(_READ), Turn(_SHOUT), Turn(Text("Done."))]
_MAKE: Script = [
    Turn(ToolUse("Write", {"path": "new.txt", "content": "new\n"}, "edit")),
    Turn(Text("Done.")),
]
_ANNOTATED = {
    "applyEdit": True,
    "workspaceEdit": {"documentChanges": True, "changeAnnotationSupport": {}},
}
_UNASKED = (
    "The editor could not ask the user, so this is not allowed.\nThe user would be told: In mode"
    " ask, every edit needs your permission.\nDo without it"
)
_SHOW = "window/showMessageRequest"


@pytest.fixture
def calc(tmp_path: Path) -> Path:
    path = tmp_path / "calc.py"
    path.write_text("".join(_LINES))
    return path


def titles(box: Message) -> list[str]:
    return [action["title"] for action in box["actions"]]


def offered(a: Acting) -> list[list[str]]:
    """The buttons of each box."""
    return [titles(box) for box in a.editor.sent(_SHOW)]


def changed(a: Acting) -> list[int]:
    """The lines in capitals now."""
    texts = a.desk.texts.values() or [(a.root / "calc.py").read_text()]
    return [
        number
        for text in texts
        for number, line in enumerate(text.splitlines(), 1)
        if line.isupper()
    ]


async def answer(a: Acting, method: str, reply: Message) -> Message:
    """Answer the next request of the server's; gives its parameters."""
    asked = await a.editor.told(method)
    a.editor.send({"jsonrpc": "2.0", "id": asked["id"], **reply})
    params: Message = asked["params"]
    return params


async def test_a_permission_for_parts_of_an_edit(calc: Path) -> None:
    async with acting(calc.parent, _SCRIPT, mode="ask", permissions=True) as a:
        command = a.ask()
        asked = await a.editor.told("glossator/permission")
        plan = asked["params"]["plan"]
        assert plan["label"] == "Edit calc.py"
        assert [hunk["firstLine"] for hunk in plan["hunks"]] == [5, 15, 25]
        parts = [plan["hunks"][at]["id"] for at in (0, 2)]
        reply = {"choice": "once", "parts": parts, "message": "15 stays."}
        a.editor.send({"jsonrpc": "2.0", "id": asked["id"], "result": reply})
        await a.editor.result(command)
        assert changed(a) == [5, 25]
        result = a.told("edit")
        assert "The user rejected 1 of 3 changes (line 15)." in result
        assert "The user says: 15 stays." in result


@pytest.mark.parametrize(
    ("reply", "lines", "told"),
    [
        ({"result": {"choice": "once"}}, [5, 15, 25], "Changed calc.py"),
        ({"result": {"choice": "deny", "message": "not now"}}, [], "not now"),
        ({"result": None}, [], "The user refused this."),
        ({"result": {"choice": "once", "parts": ["no such part"]}}, [], "The user refused this."),
        ({"result": {"choice": "once", "parts": []}}, [], "The user rejected this edit."),
        ({"result": {"choice": "forever"}}, [], _UNASKED),
        ({"result": {"choice": "once", "until": "noon"}}, [], _UNASKED),
        ({"result": "once"}, [], _UNASKED),
        ({"error": {"code": -32601, "message": "unknown"}}, [], _UNASKED),
    ],
)
async def test_a_client_that_knows_permissions(
    calc: Path, reply: Message, lines: list[int], told: str
) -> None:
    async with acting(calc.parent, _SCRIPT, mode="ask", permissions=True) as a:
        command = a.ask()
        params = await answer(a, "glossator/permission", reply)
        await a.editor.result(command)
        assert params.keys() == {
            "tool",
            "title",
            "detail",
            "reasons",
            "suggestions",
            "choices",
            "cut",
            "plan",
            "sessionId",
            "sessionTitle",
        }
        (started,) = a.events("run.started")
        assert (params["sessionId"], params["sessionTitle"]) == (started["sessionId"], "?")
        assert (params["tool"], params["choices"]) == (
            "MultiEdit",
            ["once", "session", "always", "deny"],
        )
        assert "-line 5\n+LINE 5\n" in params["detail"]
        assert changed(a) == lines
        assert told in a.told("edit")


@pytest.mark.parametrize(
    ("reply", "lines"),
    [
        (pressing("Allow once"), [5, 15, 25]),
        (pressing("Refuse"), []),
        ({"title": "Perhaps"}, []),
        ({"title": "Allow once"}, []),  # not on offer in the first box
        (None, []),
        (Refusal(-32601, "no windows"), []),
    ],
)
async def test_permission_by_buttons(calc: Path, reply: Any, lines: list[int]) -> None:
    async with acting(calc.parent, _SCRIPT, mode="ask") as a:
        a.editor.answers[_SHOW] = reply
        await a.asked()
        assert offered(a)[0] == [
            "Refuse",
            "Allow once…",
            "Allow for this session…",
            "Always allow here…",
        ]
        assert changed(a) == lines


@pytest.mark.parametrize(
    ("label", "sure"),
    [
        ("Allow once", ["Refuse", "Back to the question", "Allow once"]),
        ("Allow for this session", ["Refuse", "Allow for this session", "Back to the question"]),
        ("Always allow here", ["Refuse", "Back to the question", "Always allow here"]),
    ],
)
@pytest.mark.parametrize("harmless", ["Refuse", None, "Perhaps"])
async def test_what_allows_is_pressed_twice_at_two_places(
    calc: Path, label: str, sure: list[str], harmless: str | None
) -> None:
    async with acting(calc.parent, _SCRIPT, mode="ask") as a:

        def press_once(params: Message) -> Message | None:
            if "Back to the question" not in titles(params):
                return pressing(label)(params)
            return {"title": harmless} if harmless else None

        a.editor.answers[_SHOW] = press_once
        await a.asked()
        first, second = offered(a)
        assert second == sure
        assert first.index(f"{label}…") != second.index(label)
        assert a.editor.sent(_SHOW)[1]["message"].startswith(
            f"Session: ?\n{label}: Edit calc.py?\n"
        )
        assert changed(a) == []


async def test_back_asks_again(calc: Path) -> None:
    async with acting(calc.parent, _SCRIPT, mode="ask") as a:
        presses = map(pressing, ("Allow once…", "Back to the question", "Allow for", "Allow for"))

        def press(params: Message) -> Message:
            return next(presses)(params)

        a.editor.answers[_SHOW] = press
        await a.asked()
        first, _, again, _ = offered(a)
        assert first == again
        assert changed(a) == [5, 15, 25]


async def test_a_question_waits_until_typing_has_paused(
    calc: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once more between the first box and the second."""
    async with acting(calc.parent, _SCRIPT, mode="ask") as a:
        monkeypatch.setattr(port, "PAUSE_SECONDS", 0.3)
        uri = a.desk.open(calc)
        boxes: list[Message] = []
        waited: list[float] = []
        last = 0.0

        def type_on(times: int) -> None:
            nonlocal last
            assert len(a.editor.sent(_SHOW)) == len(boxes), "it was asked while the user types"
            a.desk.type(uri, "line 30\n", f"line 30\n# {times}\n")
            last = time.monotonic()
            if times:
                asyncio.get_running_loop().call_later(0.05, type_on, times - 1)

        def press(params: Message) -> Message:
            boxes.append(params)
            waited.append(time.monotonic() - last)
            if len(boxes) == 1:
                asyncio.get_running_loop().call_later(0.05, type_on, 10)
            return pressing("Allow once")(params)

        a.editor.answers[_SHOW] = press
        command = a.ask()
        type_on(10)
        await a.editor.result(command)
        assert changed(a) == [5, 15, 25]
        assert [each >= 0.3 for each in waited] == [True, True]


@pytest.mark.parametrize(
    ("asked", "mode", "review", "knows"),
    [
        ("glossator/permission", "ask", "apply", True),
        (_SHOW, "ask", "apply", False),
        ("glossator/review", "acceptEdits", "propose", True),
        ("workspace/applyEdit", "acceptEdits", "propose", False),
    ],
)
async def test_what_is_asked_goes_with_its_run(
    calc: Path, asked: str, mode: str, review: str, knows: bool
) -> None:
    async with acting(
        calc.parent, _SCRIPT, mode=mode, review=review, permissions=knows, reviews=knows
    ) as a:
        a.editor.answers["workspace/applyEdit"] = NO_ANSWER
        command = a.ask()
        request = await a.editor.told(asked)
        a.editor.cancel(command)
        assert (await a.editor.error(command))[0] == CANCELLED
        taken_back = await a.editor.told("$/cancelRequest")
        assert taken_back["params"]["id"] == request["id"]
        assert a.events("run.cancelled")
        settled = a.events("edit.settled")
        assert [each["applied"] for each in settled] == [False] * (review == "propose")
        assert changed(a) == []


@pytest.mark.parametrize("message", ["", "15 is right"])
async def test_a_part_is_rejected(calc: Path, message: str) -> None:
    async with acting(calc.parent, _SCRIPT, review="propose", reviews=True) as a:
        a.desk.open(calc)
        reviewed = review(lambda hunk: hunk["firstLine"] != 15, message)
        a.editor.answers["glossator/review"] = reviewed
        await a.asked()
        (plan,) = a.editor.sent("glossator/review")
        assert plan.keys() == {"id", "label", "hunks", "asOne", "sessionId", "sessionTitle"}
        (started,) = a.events("run.started")
        assert (plan["sessionId"], plan["sessionTitle"]) == (started["sessionId"], "?")
        assert [(h["kind"], h["before"], h["after"]) for h in plan["hunks"]] == [
            ("edit", f"line {n}\n", f"LINE {n}\n") for n in (5, 15, 25)
        ]
        assert changed(a) == [5, 25]
        then = f"The user says: {message}" if message else "Do not make them again unasked."
        told = f"The user rejected 1 of 3 changes (line 15).\n{then}"
        assert f"{told}\n" in a.told("edit")
        (settled,) = a.events("edit.settled")
        assert settled["note"] == "The user rejected 1 of 3 changes (line 15)."
        assert settled["leftOut"] == [plan["hunks"][1]["id"]]
        assert a.events("tool.finished")[-1]["summary"] == "2 places, +2 -2 lines"


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (
            {"accepted": [], "message": "never"},
            "The user rejected this edit.\nThe user says: never",
        ),
        (None, "The user rejected this edit"),
        ({"accepted": ["unknown"]}, "The user rejected this edit"),
        ({"accepted": "all"}, "the editor could not show the edit to the user"),
        ({}, "The user rejected this edit"),
    ],
)
async def test_nothing_is_accepted(calc: Path, reply: Any, told: str) -> None:
    async with acting(calc.parent, _SCRIPT, review="propose", reviews=True) as a:
        a.editor.answers["glossator/review"] = reply
        await a.asked()
        assert a.told("edit").startswith("Nothing was changed")
        assert told in a.told("edit")
        assert (a.requests(), changed(a)) == ([], [])


async def test_the_user_types_while_reviewing(calc: Path) -> None:
    async with acting(calc.parent, _SCRIPT, review="propose", reviews=True) as a:
        uri = a.desk.open(calc)

        def type_and_accept(plan: Message) -> Message:
            a.desk.type(uri, "line 1\n", "# mine\nline 1\n")
            return {"accepted": [hunk["id"] for hunk in plan["hunks"]]}

        a.editor.answers["glossator/review"] = type_and_accept
        await a.asked()
        assert changed(a) == [6, 16, 26]


async def test_a_part_is_rejected_and_the_rest_does_not_fit_any_more(calc: Path) -> None:
    """The model is told both."""
    async with acting(calc.parent, _SCRIPT, review="propose", reviews=True) as a:
        uri = a.desk.open(calc)

        def type_and_reject(plan: Message) -> Any:
            a.desk.type(uri, "line 5\n", "line five\n")
            return review(lambda hunk: hunk["firstLine"] != 15, "15 is right")(plan)

        a.editor.answers["glossator/review"] = type_and_reject
        await a.asked()
        assert changed(a) == []
        note = "The user rejected 1 of 3 changes (line 15).\nThe user says: 15 is right"
        told = a.told("edit")
        assert "That place now reads:\n5\tline five\n" in told
        assert told.endswith(f"if it is still wanted. {note}")
        (settled,) = a.events("edit.settled")
        rejected = "The user rejected 1 of 3 changes (line 15)."
        assert settled["note"] == f"The place to edit was changed meanwhile. {rejected}"


async def test_a_link_is_swapped_while_reviewing(tmp_path: Path) -> None:
    """The editor would make the new file in the protected folder."""
    (tmp_path / "src").mkdir()
    (tmp_path / ".vscode").mkdir()
    make = ToolUse("Write", {"path": "src/tasks.json", "content": "{}\n"}, "edit")
    script = [Turn(make), Turn(Text("Done."))]
    async with acting(tmp_path, script, review="propose", reviews=True) as a:

        def swap_and_accept(plan: Message) -> Message:
            (tmp_path / "src").rmdir()
            (tmp_path / "src").symlink_to(".vscode")
            return {"accepted": [hunk["id"] for hunk in plan["hunks"]]}

        a.editor.answers["glossator/review"] = swap_and_accept
        await a.asked()
        assert a.requests() == []
        assert "a link on the way leads elsewhere" in a.told("edit")
        assert list((tmp_path / ".vscode").iterdir()) == []


@pytest.mark.parametrize(
    ("reply", "lines", "told"),
    [
        (pressing("Accept"), [5, 15, 25], "Changed calc.py in 3 places"),
        (pressing("Reject"), [], "The user rejected this edit"),
        (None, [], "The user rejected this edit"),
        (
            Refusal(-32601, "no windows"),
            [],
            "Nothing was changed: the editor could not show the edit to the user.",
        ),
    ],
)
async def test_review_by_buttons(calc: Path, reply: Any, lines: list[int], told: str) -> None:
    async with acting(calc.parent, _SCRIPT, PLAIN, review="propose") as a:
        a.editor.answers[_SHOW] = reply
        await a.asked()
        assert offered(a)[0] == ["Reject", "Accept…"]
        assert changed(a) == lines
        assert told in a.told("edit")


@pytest.mark.parametrize(
    ("declined", "lines", "told"),
    [
        ([], [5, 15, 25], "in 3 places (+3 -3 lines).\n"),
        ([15], [5, 25], "The user rejected 1 of 3 changes (line 15).\nDo not make them again"),
        ([5, 25], [15], "The user rejected 2 of 3 changes (line 5, line 25)"),
        ([5, 15, 25], [], "the user may have deselected it"),
    ],
)
async def test_the_editor_asks_as_it_applies(
    calc: Path, monkeypatch: pytest.MonkeyPatch, declined: list[int], lines: list[int], told: str
) -> None:
    """What the user left out is found in the text."""
    if not lines:
        monkeypatch.setattr(wait, "ARRIVAL_SECONDS", 0.05)
    async with acting(calc.parent, _SCRIPT, review="propose") as a:
        a.desk.open(calc)
        a.desk.declines = lambda edit: edit["range"]["start"]["line"] + 1 in declined
        await a.asked()
        (request,) = a.requests()
        assert request["edit"]["changeAnnotations"]["glossator"]["needsConfirmation"] is True
        assert changed(a) == lines
        assert told in a.told("edit")
        (proposed,), (settled,) = a.events("edit.proposed"), a.events("edit.settled")
        by_line = {hunk["firstLine"]: hunk["id"] for hunk in proposed["plan"]["hunks"]}
        assert settled["leftOut"] == [by_line[line] for line in declined if lines]


async def test_the_user_declines_in_the_editor(calc: Path) -> None:
    async with acting(calc.parent, _SCRIPT, review="propose") as a:
        a.desk.open(calc)
        a.editor.answers["workspace/applyEdit"] = {"applied": False}
        await a.asked()
        assert len(a.requests()) == 1
        assert "the editor did not apply the edit, or the user declined it." in a.told("edit")


async def test_a_new_file_is_asked_about_where_the_editor_cannot_create_it(tmp_path: Path) -> None:
    """It is written without the editor, so the editor's own question would never come."""
    async with acting(tmp_path, _MAKE, _ANNOTATED, review="propose") as a:
        a.editor.answers[_SHOW] = pressing("Accept")
        await a.asked()
        assert a.editor.sent(_SHOW)[0]["message"].startswith("Session: ?\nCreate new.txt?\n")
        assert (tmp_path / "new.txt").read_text() == "new\n"


def review(accepts: Any, message: str) -> Any:
    def reply(plan: Message) -> Message:
        return {
            "accepted": [hunk["id"] for hunk in plan["hunks"] if accepts(hunk)],
            "message": message,
        }

    return reply
