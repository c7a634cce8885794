"""`/` words in `glossator chat`: they do what they do in the panel, and none is a question."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.cli.chat_words import (
    AS_IT_IS,
    HERE,
    command_of,
    help_lines,
    instead,
    own_words,
    slash_word,
    unknown,
    works_here,
)
from glossator.commands.loaded import COMMANDS
from glossator.core.errors import UsageError
from tests.cli.terminal import CTRL_C, CTRL_D, Terminal, at_terminal
from tests.cli.test_acting import program, workspace
from tests.cli.test_talking import READY, last_texts
from tests.standin import StandIn, Text, ToolUse, Turn

ASKED = "an empty line gives no answer.\n"


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("/compact", ("compact", "")),
        ("  /mode  plan ", ("mode", "plan")),
        ("/plan dive\ndeeper", ("plan", "dive\ndeeper")),
        ("/mcp.odd:say it", ("mcp.odd:say", "it")),
        ("/usr/bin/env what is it?", None),
        ("What is /compact?", None),
        ("/", None),
        ("/?", None),
    ],
)
def test_what_is_a_word(line: str, found: tuple[str, str] | None) -> None:
    assert slash_word(line) == found


@pytest.mark.parametrize(
    ("name", "words", "session", "argument"),
    [
        ("compact", "", "s", {"sessionId": "s"}),
        ("mode", "auto", "s", {"mode": "auto", "sessionId": "s"}),
        ("plan", "dive", None, {"mode": "plan", "sessionId": None, "once": True}),
        ("undo", "--overwrite", "s", {"overwrite": True, "sessionId": "s"}),
        ("search", "the depth", "s", {"query": "the depth"}),
        ("status", "", None, {}),
    ],
)
def test_what_a_word_does(
    name: str, words: str, session: str | None, argument: dict[str, object]
) -> None:
    command = command_of(name, words, session)
    assert command.argument == argument
    assert command.name in COMMANDS


@pytest.mark.parametrize(
    ("name", "words", "said"),
    [
        ("compact", "", "Nothing was asked in this chat yet"),
        ("mode", "yolo", "/mode acceptEdits  Accept edits: edits files; asks"),
        ("model", "", "/model NAME"),
        ("explain", "fish.py", "At a terminal it is `glossator explain`."),
        ("jobs", "", "/jobs works in an editor's panel, not in this chat."),
        ("send", "now", "Write /send on a line of its own."),
    ],
)
def test_what_a_word_cannot_do(name: str, words: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        command_of(name, words, None)


@pytest.mark.parametrize(
    ("name", "use"),
    [
        ("compct", ["/compact"]),
        ("sum", ["/summary"]),
        ("fathom", []),
        ("stauts", ["/status"]),
        ("fihs", ["/fish"]),
        ("q", []),
        ("que", []),
        ("hepl", ["/help"]),
        ("ne", ["/new"]),
    ],
)
def test_the_nearest_command_is_named(name: str, use: list[str]) -> None:
    question = unknown(name, ["fish"])
    assert [each.label for each in question.options] == [*(f"Use {n}" for n in use), AS_IT_IS]
    assert [instead(f"Use {n}", f"/{name} the words") for n in use] == [
        f"{n} the words" for n in use
    ]


def test_what_a_word_is_completed_to() -> None:
    assert list(own_words("q")) == ["queue", "quit"]
    assert list(own_words("")) == list(HERE)
    known = {"compact": True, "fathom": True, "new": False, "export": False}
    assert {name: works_here(name) for name in known} == known


def test_all_of_it_fits_80_columns() -> None:
    lines = [*help_lines(), unknown("x" * 12, []).text]
    assert max(map(len, lines)) <= 80
    assert {each.split()[0].removeprefix("/") for each in help_lines()} > HERE.keys()


async def test_no_word_is_sent_to_the_model_unasked(tmp_path: Path) -> None:
    workspace(tmp_path)
    script = [
        Turn(ToolUse("Read", {"path": "fish.py"})),
        Turn(Text("It dives.")),
        Turn(Text("Nothing is known.")),
    ]
    async with StandIn(script) as api, program(tmp_path, api, "chat") as terminal:
        await terminal.sees(READY)
        await typed(terminal, "/compact\n", "Nothing was asked in this chat yet")
        await typed(terminal, "/compct\n", "1  Use /compact\n", ASKED)
        await typed(terminal, "1\n", "Nothing was asked in this chat yet", READY)
        await typed(terminal, "What does it do?\n", "It dives.", READY)
        asked = len(api.requests)
        await typed(terminal, "/compact\n", "was not compacted", READY)
        await typed(terminal, "/mode auto\n", "Mode auto from now on, no longer ask.", READY)
        await typed(terminal, "/mode auto\n", "Mode auto, as before.", READY)
        await typed(terminal, "/fathom it\n", "There is no command /fathom", ASKED)
        await typed(terminal, "\n", READY)
        await typed(terminal, "/fathom it\n", "There is no command /fathom", ASKED)
        await typed(terminal, CTRL_C, READY)  # no answer either, and the chat goes on
        assert len(api.requests) == asked
        await typed(terminal, "/fathom it\n", AS_IT_IS, ASKED)
        await typed(terminal, "1\n", "Nothing is known.", READY)
        assert last_texts(api.requests[-1])[-1] == "/fathom it"
        assert "Mode: auto." in str(api.requests[-1].body["messages"])
        terminal.type(CTRL_D)
        assert await terminal.ended() == 0


async def test_a_command_of_a_file_is_asked_at_once(tmp_path: Path) -> None:
    workspace(tmp_path)
    commands = tmp_path / ".claude/commands"
    commands.mkdir(parents=True)
    (commands / "fathom.md").write_text("How deep is it?\n")
    async with (
        StandIn([Turn(Text("One."))]) as api,
        program(tmp_path, api, "chat", "--trust") as terminal,
    ):
        await terminal.sees(READY)
        await typed(terminal, "/fathom\n", "One.", READY)
        assert "How deep is it?" in str(api.requests[0].body["messages"])
        terminal.type(CTRL_D)
        assert await terminal.ended() == 0


async def test_a_word_is_known_among_many_and_before_its_server_is_connected(
    tmp_path: Path,
) -> None:
    workspace(tmp_path)
    commands = tmp_path / ".claude/commands"
    commands.mkdir(parents=True)
    for name in (*(f"a{number}" for number in range(120)), "zebra"):
        (commands / f"{name}.md").write_text(f"What is {name}?\n")
    async with (
        StandIn([Turn(Text("It is striped."))]) as api,
        program(tmp_path, api, "chat", "--trust") as terminal,
    ):
        await terminal.sees(READY)
        await typed(terminal, "/zebra\n", "It is striped.", READY)
        said = "No connected MCP server has the prompt /mcp__odd__say; there are: none."
        await typed(terminal, "/mcp__odd__say it\n", said, READY)
        terminal.type(CTRL_D)
        assert await terminal.ended() == 0


async def test_a_narrow_terminal_breaks_no_line_of_ours(tmp_path: Path) -> None:
    workspace(tmp_path)
    arguments = ["-m", "glossator", "chat", "--offline"]
    async with at_terminal(arguments, tmp_path, {}, size=(40, 80)) as terminal:
        await terminal.sees(READY)
        await typed(terminal, "/help\n", *(f"{each}\n" for each in help_lines()), READY)
        terminal.type(CTRL_D)
        assert await terminal.ended() == 0


async def typed(terminal: Terminal, keys: str, *shown: str) -> None:
    terminal.type(keys)
    for each in shown:
        await (terminal.sees(each) if each == READY else terminal.until(each))
