"""What the light bulb offers: of which kinds, about which lines, to which clients, and when not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from glossator.commands.declared import LINE_ACTIONS
from glossator.lsp.features import build_server
from tests.lsp.support.desk import acting
from tests.lsp.support.editor import Editor, connected
from tests.lsp.support.service import SERVICE
from tests.standin import Text, ToolUse, Turn

DOCUMENT = "untitled:a"
LITERALS = {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": [""]}}}
EDITS = {"workspace": {"applyEdit": True}}
CAN = {"textDocument": {"codeAction": LITERALS}, **EDITS}
CURSOR = (0, 1), (0, 1)
AUTOMATIC = 2
Place = tuple[int, int]


def around(start: Place, end: Place) -> dict[str, Any]:
    first, last = (dict(zip(("line", "character"), edge, strict=True)) for edge in (start, end))
    return {"start": first, "end": last}


def found(line: int, message: str, **more: object) -> dict[str, Any]:
    return {"range": around((line, 4), (line, 8)), "message": message, **more}


TYPO = found(0, "no such name", severity=1, source="lint")
STYLE = found(3, "could be shorter", severity=4)


async def offered(
    editor: Editor, start: Place, end: Place, *diagnostics: Any, uri: str = DOCUMENT, **context: Any
) -> Any:
    params = {
        "textDocument": {"uri": uri},
        "range": around(start, end),
        "context": {"diagnostics": diagnostics, **context},
    }
    return await editor.result(editor.ask("textDocument/codeAction", params))


def titles(actions: Any) -> list[str]:
    return [action["title"].removesuffix(" with Glossator") for action in actions]


@pytest.fixture
async def able(raw: Editor) -> Editor:
    """An editor that can apply edits, and shows actions by kind."""
    await raw.initialize(CAN)
    return raw


@pytest.mark.parametrize(
    ("start", "end", "lines"),
    [
        ((0, 0), (0, 3), (1, 1)),
        ((2, 1), (4, 1), (3, 5)),
        ((2, 0), (4, 0), (3, 4)),
        ((2, 5), (3, 0), (3, 3)),
    ],
)
async def test_of_a_selection(able: Editor, start: Place, end: Place, lines: Place) -> None:
    first, *others = await offered(able, start, end)
    argument = {"uri": DOCUMENT, "firstLine": lines[0], "lastLine": lines[1]}
    title = "Explain with Glossator"
    command = {"title": title, "command": "glossator.explain", "arguments": [argument]}
    assert first == {"title": title, "kind": "", "command": command}
    assert [(action["kind"], *titles([action])) for action in others] == [
        ("refactor.rewrite", "Edit"),
        ("refactor.rewrite", "Refactor"),
        ("refactor.rewrite", "Document"),
        ("", "Write tests"),
        ("", "Explore usage"),
    ]
    assert all(action["command"]["arguments"] == [argument] for action in others)


async def test_of_a_name_where_it_is_defined(able: Editor) -> None:
    actions = await offered(able, (7, 4), (7, 4))
    assert titles(actions) == [
        "Explain swim",
        "Edit swim",
        "Refactor swim",
        "Document swim",
        "Write tests for swim",
        "Explore usage of swim",
    ]
    argument = {"uri": DOCUMENT, "firstLine": 8, "lastLine": 9}
    assert all(action["command"]["arguments"] == [argument] for action in actions)


async def test_of_what_is_wrong(able: Editor) -> None:
    fix, explain = await offered(able, *CURSOR, TYPO)
    assert titles([fix, explain]) == ["Fix", "Explain"]
    assert (fix["kind"], explain["kind"]) == ("quickfix", "")
    assert "isPreferred" not in fix
    assert "diagnostics" not in fix  # else it would stand before the fixes of compilers
    finding = {"line": 1, "severity": "error", "message": "no such name", "source": "lint"}
    argument = {"uri": DOCUMENT, "firstLine": 1, "lastLine": 1, "diagnostics": [finding]}
    assert fix["command"]["command"] == "glossator.fix"
    assert [each["command"]["arguments"] for each in (fix, explain)] == [[argument]] * 2


async def test_all_that_is_wrong_is_fixed_at_once(able: Editor) -> None:
    fix, *others = await offered(able, (0, 0), (2, 0), TYPO, STYLE)
    assert titles([fix]) == ["Fix 2 problems"]
    (argument,) = fix["command"]["arguments"]
    assert (argument["firstLine"], argument["lastLine"]) == (1, 4)
    assert [each["severity"] for each in argument["diagnostics"]] == ["error", "hint"]
    assert all("diagnostics" not in each["command"]["arguments"][0] for each in others)


async def test_nothing_where_nothing_is(able: Editor) -> None:
    assert await offered(able, *CURSOR) == []


@pytest.mark.parametrize(
    ("only", "expected"),
    [
        ([], []),
        (["quickfix"], ["Fix"]),
        (["quickfix.biome"], []),
        (["refactor"], ["Edit", "Refactor", "Document"]),
        (["refactor.rewrite"], ["Edit", "Refactor", "Document"]),
        (["refactor.extract", "source", "source.fixAll"], []),
        ([""], ["Fix", "Explain", "Edit", "Refactor", "Document", "Write tests", "Explore usage"]),
    ],
)
async def test_only_what_is_asked_for(able: Editor, only: list[str], expected: list[str]) -> None:
    assert titles(await offered(able, (0, 0), (1, 0), TYPO, only=only)) == expected


@pytest.mark.parametrize("text", ["one\ntwo\n", "one\ntwo", ""])
@pytest.mark.parametrize("only", ["quickfix", "refactor", ""])
async def test_nothing_is_run_when_a_document_is_saved(able: Editor, text: str, only: str) -> None:
    """As VS Code asks for what `editor.codeActionsOnSave` names."""
    able.open(DOCUMENT, text)
    lines = text.split("\n")
    end = len(lines) - 1, len(lines[-1])
    assert await offered(able, (0, 0), end, TYPO, only=[only], triggerKind=AUTOMATIC) == []


async def test_light_bulbs_are_automatic_too(able: Editor) -> None:
    able.open(DOCUMENT, "one\ntwo\n")
    bulb = await offered(able, (0, 0), (2, 0), TYPO, triggerKind=AUTOMATIC)
    assert titles(bulb)[0] == "Fix"
    intention = await offered(able, (0, 0), (0, 3), TYPO, only=["quickfix"], triggerKind=AUTOMATIC)
    assert titles(intention) == ["Fix"]


async def test_older_clients_get_the_commands_themselves(raw: Editor) -> None:
    await raw.initialize(EDITS)
    actions = await offered(raw, (0, 0), (0, 3))
    assert [action["command"] for action in actions] == [
        action.command for action in LINE_ACTIONS if action.command != "glossator.fix"
    ]


@pytest.mark.parametrize("disabling", [False, True])
@pytest.mark.parametrize("why", ["The editor cannot be asked to apply edits.", "Not today."])
async def test_what_cannot_be_done_now(disabling: bool, why: str) -> None:
    service = replace(SERVICE, why_not_edited=lambda *_: "Not today.")
    support = LITERALS | ({"disabledSupport": True} if disabling else {})
    async with connected(build_server(lambda: service)) as editor:
        capabilities = {"textDocument": {"codeAction": support}}
        await editor.initialize(capabilities | (EDITS if why == "Not today." else {}))
        actions = await offered(editor, (0, 0), (0, 3), TYPO)
        possible = [action for action in actions if "command" in action]
        assert titles(possible) == ["Explain", "Explore usage"]
        others = [action for action in actions if "command" not in action]
        refused = ["Fix", "Edit", "Refactor", "Document", "Write tests"]
        assert titles(others) == (refused if disabling else [])
        assert all(action["disabled"] == {"reason": why} for action in others)


@pytest.mark.parametrize("events", [False, True])
async def test_a_client_with_sessions_of_its_own_goes_by_their_modes(events: bool) -> None:
    service = replace(SERVICE, why_not_edited=lambda _app, new: "Plan mode." if new else None)
    async with connected(build_server(lambda: service)) as editor:
        capabilities = {"textDocument": {"codeAction": LITERALS}}
        experimental = {"experimental": {"glossator": {"events": events}}}
        await editor.initialize(capabilities | EDITS | experimental)
        edits = await offered(editor, (0, 0), (0, 3), TYPO)
        assert ("Fix" in titles(edits)) is events


async def test_a_fix_from_the_light_bulb(tmp_path: Path) -> None:
    """The whole way: what is offered is run and edits the document; not in plan mode."""
    path = tmp_path / "calc.py"
    path.write_text("def add(a, b):\n    return a - c\n", "utf-8")
    edit = ToolUse("Edit", {"path": "calc.py", "old_text": "a - c", "new_text": "a + b"}, "edit")
    script = [Turn(edit), Turn(Text("It was a typo. [cite: doc, calc.py, 2-2]"))]
    async with acting(tmp_path, script, events=False) as a:
        uri = a.desk.open(path)
        typo = found(1, "no such name: c", severity=1)
        fix, _ = await offered(a.editor, (1, 15), (1, 15), typo, uri=uri)
        answer = await a.editor.result(a.editor.ask("workspace/executeCommand", fix))
        assert a.desk.texts[uri] == "def add(a, b):\n    return a + b\n"
        assert [citation["status"] for citation in answer["citations"]] == ["read"]
        *_, lines, question = a.api.requests[0].body["messages"][-1]["content"]
        assert lines["text"].endswith("\n<material>\n  2: error: no such name: c\n</material>")
        assert question["text"].startswith("Fix `calc.py:2`.")
        await a.editor.result(a.editor.command("glossator.setMode", {"mode": "plan"}))
        planned = await offered(a.editor, (1, 15), (1, 15), typo, uri=uri)
        assert titles(planned) == ["Explain"]
