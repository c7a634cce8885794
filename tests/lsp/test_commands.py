"""`workspace/executeCommand`: arguments, failures, events, progress and reports."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.support.editor import Editor, connected
from tests.lsp.support.minimal import build


@pytest.mark.parametrize(
    ("argument", "says"),
    [
        ({}, "the argument lacks the field 'question'."),
        ({"question": 1}, "'question' must be a string, not a whole number."),
        ({"question": None}, "'question' must be a string, not null."),
        ({"question": "x", "runId": 1}, "'runId' must be a string, not a whole number."),
        (
            {"question": "x", "run_id": "1"},
            "the argument has an unknown field 'run_id'; its",
        ),
        ({"question": "x", "attachments": {}}, "'attachments' must be a list, not an object."),
        ({"question": "x", "attachments": [1]}, "'attachments[0]' must be an object"),
        ({"question": "x", "attachments": [{}]}, "'attachments[0]' lacks the field 'uri'."),
        (
            {"question": "x", "attachments": [{"uri": "u", "firstLine": True}]},
            "'firstLine' must be a whole number, not true or false.",
        ),
        ("question", "the argument must be an object, not a string."),
        ([], "the argument must be an object, not a list."),
    ],
)
async def test_arguments_of_the_wrong_form_are_named(
    editor: Editor, argument: object, says: str
) -> None:
    code, message = await editor.error(editor.command("glossator.ask", argument))
    assert code == -32602
    assert message.startswith(says)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [([{}, {}], "one object"), ({}, "form"), (5, "form")],
)
async def test_there_is_one_argument(editor: Editor, arguments: object, says: str) -> None:
    params = {"command": "glossator.status", "arguments": arguments}
    if arguments == {}:
        await editor.result(editor.ask("workspace/executeCommand", params))
        return
    code, message = await editor.error(editor.ask("workspace/executeCommand", params))
    assert code == -32602
    assert says in message


async def test_an_unknown_command_is_answered_with_the_known(editor: Editor) -> None:
    code, message = await editor.error(editor.command("glossator.fish"))
    assert code == -32602
    assert "glossator.ask" in message


@pytest.mark.parametrize(
    ("question", "code", "says"),
    [
        ("usage", -32803, "That cannot be done; do this."),
        ("model", -32803, "No model can be reached; set a key."),
        ("group", -32803, "Inner failure; do this."),
        ("bug", -32603, "Glossator failed in a way it should not (ZeroDivisionError: a bug)"),
    ],
)
async def test_failures_are_answered_in_plain_words(
    editor: Editor, question: str, code: int, says: str
) -> None:
    found, message = await editor.error(editor.command("glossator.ask", {"question": question}))
    assert found == code
    assert message.startswith(says)
    assert "Traceback" not in message
    if question == "bug":
        await editor.told("window/logMessage", "unforeseen")
    else:
        assert editor.sent("window/logMessage") == []


async def test_events_come_before_the_answer_in_order(editor: Editor) -> None:
    asked = editor.command("glossator.ask", {"question": "fish?", "runId": "r"})
    answer = await editor.result(asked)
    events = editor.sent("glossator/event")
    assert [(event["runId"], event["seq"], event["kind"]) for event in events] == [
        ("r", 0, "run.started"),
        ("r", 1, "tool.finished"),
        ("r", 2, "text.delta"),
        ("r", 3, "run.finished"),
    ]
    assert events[0] == {
        "runId": "r",
        "seq": 0,
        "kind": "run.started",
        "sessionId": "session",
        "question": "fish?",
        "model": "none",
        "offline": True,
        "attachments": [],
        "onlyReads": False,
        "plan": "auto",
        "beganAt": "",
        "shown": "",
        "folders": [],
    }
    assert editor.received.index(await editor.reply(asked)) == len(editor.received) - 1
    assert answer["citations"] == [
        {
            "target": "fish.md",
            "status": "read",
            "reason": "",
            "uri": "file:///fish.md",
            "firstLine": 1,
            "lastLine": 2,
            "basis": None,
            "at": None,
            "movedTo": None,
            "movedUntil": None,
            "cell": None,
        }
    ]


async def test_a_clients_own_token_gets_progress(editor: Editor) -> None:
    await editor.result(editor.command("glossator.ask", {"question": "fish?"}, token="mine"))
    assert editor.sent("$/progress") == [
        {"token": "mine", "value": value}
        for value in (
            {"kind": "begin", "title": "Glossator: Ask", "cancellable": True},
            {"kind": "report", "cancellable": True, "message": "Find text: 3 matches for fish"},
            {"kind": "end"},
        )
    ]
    assert editor.sent("window/workDoneProgress/create") == []


async def test_the_plan_and_what_a_run_does_are_progress(editor: Editor) -> None:
    await editor.result(editor.command("glossator.ask", {"question": "plan"}, token="mine"))
    messages = [each["value"].get("message") for each in editor.sent("$/progress")]
    assert messages[2:-1] == [
        "Planning…",
        "Find it · 0 of 2 tasks done",
        "Checking the answer… 2 citations · 0 of 2 tasks done",
    ]


async def test_no_bar_outlives_its_command() -> None:
    server = build()
    async with connected(server) as editor:
        await editor.initialize()
        for question in ("fish?", "usage", "bug", "inner cancel"):
            await editor.reply(editor.command("glossator.ask", {"question": question}, "bar"))
        assert len(server.bars) == 0
        assert server.port.bars == {}


async def test_a_client_without_events_gets_a_bar_of_ours(raw: Editor) -> None:
    raw.answers["window/workDoneProgress/create"] = None
    await raw.initialize({"window": {"workDoneProgress": True}})
    asked = raw.command("glossator.ask", {"question": "wait"})
    begun = await raw.told("$/progress", "begin")
    assert (
        begun["params"]["value"]["message"] == "Find text: 3 matches for fish"
    )  # kept until it could be said
    raw.notify("window/workDoneProgress/cancel", {"token": begun["params"]["token"]})
    assert (await raw.error(asked))[0] == -32800
    assert raw.sent("$/progress")[-1]["value"] == {"kind": "end"}
    assert raw.sent("glossator/event") == []


async def test_a_client_that_refuses_the_bar_is_served_without(raw: Editor) -> None:
    await raw.initialize({"window": {"workDoneProgress": True}})
    raw.command("glossator.ask", {"question": "wait", "runId": "r"})
    creation = await raw.told("window/workDoneProgress/create")
    refusal = {"code": -32603, "message": "no bars"}
    raw.send({"jsonrpc": "2.0", "id": creation["id"], "error": refusal})
    assert (await raw.result(raw.command("glossator.status")))["running"] == ["r"]
    assert raw.sent("$/progress") == []


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "glossator" / "reports"


SHOWS: dict[str, Any] = {"window": {"showDocument": {"support": True}}}


@pytest.mark.parametrize("run_id", ["r1", "../../evil", "/etc/evil", ""])
async def test_an_answer_nobody_would_see_is_shown_as_a_report(
    raw: Editor, state: Path, run_id: str
) -> None:
    await raw.initialize(SHOWS, clientInfo={"name": "Neovim"})
    await raw.result(raw.command("glossator.explain", {"question": "fish?", "runId": run_id}))
    shown = await raw.told("window/showDocument")
    (report,) = contents(state)
    assert shown["params"] == {"uri": report.as_uri(), "takeFocus": False}
    assert (mode(state), mode(report)) == (0o700, 0o600)
    assert read(report) == (
        "It swims. [`fish.md:1-2`](file:///fish.md#L1)\n\n"
        "## Citations\n\n"
        "1 citation not judged.\n\n"
        "---\n\n*offline, no model; stopped: answered*\n"
    )


async def test_a_client_that_opens_nothing_is_told_where_the_report_is(
    raw: Editor, state: Path
) -> None:
    await raw.initialize({})
    await raw.result(raw.command("glossator.explain", {"question": "fish?"}))
    (report,) = contents(state)
    await raw.told("window/showMessage", str(report))


@pytest.mark.parametrize(
    ("name", "focus"),
    [("Neovim", {"takeFocus": False}), ("Eglot", {}), ("helix", None), ("Kate", None), ("", None)],
)
async def test_a_report_never_takes_the_keyboard(
    raw: Editor, state: Path, name: str, focus: dict[str, bool] | None
) -> None:
    """An editor that would give it the keyboard, or may, is only told where it is."""
    await raw.initialize(SHOWS, clientInfo={"name": name})
    await raw.result(raw.command("glossator.explain", {"question": "fish?"}))
    (report,) = contents(state)
    if focus is None:
        await raw.told("window/showMessage", f"Answer: {report}")
        assert raw.sent("window/showDocument") == []
    else:
        shown = await raw.told("window/showDocument")
        assert shown["params"] == {"uri": report.as_uri()} | focus


async def test_no_report_for_a_client_that_takes_events(raw: Editor, state: Path) -> None:
    await raw.initialize(SHOWS | {"experimental": {"glossator": {"events": True}}})
    await raw.result(raw.command("glossator.explain", {"question": "fish?"}))
    assert contents(state) == []


async def test_a_report_that_cannot_be_written_does_not_lose_the_answer(
    raw: Editor, state: Path
) -> None:
    block(state)
    await raw.initialize(SHOWS)
    await raw.result(raw.command("glossator.explain", {"question": "fish?"}))
    await raw.told("window/logMessage", "could not be written")


async def test_the_oldest_reports_are_removed(
    raw: Editor, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glossator.lsp.reports._KEPT_FILES", 2)
    fill(state)
    await raw.initialize(SHOWS, clientInfo={"name": "Neovim"})
    await raw.result(raw.command("glossator.explain", {"question": "fish?"}))
    await raw.told("window/showDocument")
    assert {path.name for path in contents(state)} == {"4.md", "1.md", "mine.txt"}


def contents(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.exists() else []


def fill(folder: Path) -> None:
    """With three reports, the first of them the newest, and something else."""
    folder.mkdir(parents=True)
    for age in range(1, 4):
        (folder / f"{age}.md").touch()
        os.utime(folder / f"{age}.md", (1e9 - age, 1e9 - age))
    (folder / "mine.txt").touch()


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def read(path: Path) -> str:
    return path.read_text("utf-8")


def block(folder: Path) -> None:
    folder.parent.mkdir(parents=True)
    folder.write_text("in the way")


async def test_trace_tells_of_commands(editor: Editor) -> None:
    await editor.result(editor.command("glossator.status"))
    assert editor.sent("$/logTrace") == []
    editor.notify("$/setTrace", {"value": "verbose"})
    await editor.result(editor.command("glossator.status"))
    (traced,) = editor.sent("$/logTrace")
    assert traced["message"].startswith("glossator.status ended after")
    assert traced["verbose"] == "[]"
