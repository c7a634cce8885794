"""What people see: at a terminal 60 columns wide without colours, and through a pipe."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from glossator.cli.prompt import PermissionPrompt
from glossator.cli.render import Bar, Segment
from glossator.cli.render.answers import answer_text
from glossator.cli.render.markdown import MarkdownBlock, draw, file_uri
from glossator.cli.render.renderer import Renderer
from glossator.commands.answers.context import ContextAnswer
from glossator.commands.answers.server import DoctorAnswer, IndexAnswer, ModelList, StatusAnswer
from glossator.commands.answers.sessions import RewindAnswer, SessionList, TurnList, UndoAnswer
from glossator.core.answer import Answer
from glossator.core.permission import PermissionRequest
from glossator.core.wire import from_wire
from glossator.retrieval.answers import SearchAnswer
from tests.cli.drawing import drawn, event, pipe, recorded
from tests.cli.support import glossator


def play(name: str) -> Callable[[Renderer], None]:
    def show(renderer: Renderer) -> None:
        recording = recorded(name)
        for message in recording["messages"]:
            renderer.event(message["params"])
        renderer.answer(from_wire(Answer, recording["answer"]))

    return show


TOOLS = """\
✓ Find text pattern="def log_in"…  1 match in 1 file  3.4 ms
✗ Read path="src/missing.py"  no such file  0.6 ms
"""
ANSWERED = """\

The model is overloaded; trying again in 2 s.

Logging in

The token is checked first src/auth.py:10-20, and then:

 1 the session is opened,
 2 the user is greeted src/missing.py:3.

 def log_in(token):
     return check(token)

✗ src/missing.py:3, unsupported: There is no such file.
2 citations: 1 not judged, 1 unsupported

claude-sonnet-5-5 · 2 turns · 10.0k tokens in (80% cached),
312 out · 4.2 s · $0.01
session s1 (--resume)
"""


def lines(text: str) -> str:
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def test_an_answer() -> None:
    assert lines(drawn(play("ask"))) == TOOLS + ANSWERED


def test_thinking_is_shown_when_wanted() -> None:
    thought = "Where is the login?\nProbably in src.\n\n"
    assert lines(drawn(play("ask"), thinking=True)) == thought + TOOLS + ANSWERED


def test_text_that_was_not_streamed_is_shown_with_the_reason_of_its_end() -> None:
    seen = drawn(play("ask_offline"))
    assert "The token is checked first" in seen
    assert "The run reached its limit of turns; the answer may be incomplete." in " ".join(
        seen.split()
    )
    assert "\noffline, no model · 1 turn · 312 ms\n" in seen


STEPS = [
    {"text": "Read it", "state": "done"},
    {"text": "Change it", "state": "active"},
    {"text": "Run the tests", "state": "pending"},
]
WORK = [
    event("todo", steps=STEPS),
    event("edit.proposed", plan={"id": "e1", "label": "Edit a.py", "hunks": []}),
    event("edit.proposed", plan={"id": "e2", "label": "Edit b.py", "hunks": []}),
    event("edit.proposed", plan={"id": "e3", "label": "Edit c.py", "hunks": []}),
    event("edit.settled", planId="e1", applied=True, note=""),
    event("edit.settled", planId="e2", applied=True, note="the user rejected 1 of 2 changes"),
    event("edit.settled", planId="e3", applied=False, note="Nothing was changed."),
]


def test_steps_and_what_became_of_edits() -> None:
    def show(renderer: Renderer) -> None:
        for each in WORK:
            renderer.event(each)

    assert drawn(show) == (
        "✓ Read it\n▸ Change it\n☐ Run the tests\n\n"
        "Edit b.py: applied in part\nEdit c.py: not applied\n"
    )


def test_steps_and_edits_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    renderer = pipe()
    for each in WORK:
        renderer.event(each)
    assert capsys.readouterr().err == (
        "[x] Read it\n[>] Change it\n[ ] Run the tests\n"
        "Edit b.py: applied in part\nEdit c.py: not applied\n"
    )


def test_sessions_and_turns() -> None:
    sessions = recorded("sessions")["answer"]
    seen = lines(drawn(lambda renderer: renderer.answer(from_wire(SessionList, sessions))))
    assert seen.startswith(
        "id  title        last changed\ns2  Dive deeper  running       3 turns\ns1  Swim "
    )
    turns = recorded("session_turns")["answer"]
    assert lines(drawn(lambda renderer: renderer.answer(from_wire(TurnList, turns)))) == (
        "turn    asked                       files it changed\n"
        "t1      Rename parse to read, in    a.py, b.py        undone\n"
        "        both files, and say where\n"
        "        it is us…\n"
        "undo-2  undo of t1                  a.py\n"
    )


def test_the_window_with_bars() -> None:
    answer = recorded("session_context")["answer"]
    assert lines(drawn(lambda renderer: renderer.answer(from_wire(ContextAnswer, answer)))) == (
        "16.0k of 1.0M tokens (1.6%) · claude-sonnet-5-5 · 12.0k\n"
        "cached · compaction at 800.0k\n"
        "█▓▒·························································\n"
        "█ system 1.0k   ▓ tools 3.0k   ▒ conversation 12.0k\n"
        "· free 984.0k\n"
        "                  tokens            cached\n"
        "system              1.0k  ▌           1.0k\n"
        "  instructions       900  ▌            900  the same for\n"
        "                                            everybody\n"
        "  this session       100               100  of this session;\n"
        "                                            cut: 12 lines\n"
        "tools               3.0k  █▌          3.0k\n"
        "  Grep              3.0k  █▌          3.0k  may be called\n"
        "  Rare          deferred                    waits\n"
        "conversation       12.0k  ██████      8.0k\n"
        "  questions         4.0k  ██          4.0k  what you said\n"
        "(2)\n"
        "  results of        8.0k  ████        4.0k  what the model\n"
        "Read (3)                                    was given\n"
        "Left out. As the workspace is not trusted: AGENTS.md.\n"
        "Estimates, scaled to the 12,000 tokens that were counted for\n"
        "the newest request. Our estimate of it was 5.0% above what\n"
        "the provider counted.\n"
    )


@pytest.mark.parametrize(
    ("sizes", "cells"),
    [
        ((1, 3, 12, 984), (1, 1, 1, 57)),
        ((300, 300, 300, 100), (18, 18, 18, 6)),
        ((0, 0, 0, 10), (0, 0, 0, 60)),
        ((5, 0, 2000, 0), (1, 0, 59, 0)),  # more than the window holds
        ((0, 0, 0, 0), (60, 0, 0, 0)),
    ],
)
def test_every_segment_of_a_bar_is_seen(sizes: tuple[int, ...], cells: tuple[int, ...]) -> None:
    segments = tuple(Segment("a", "", size, "x", "") for size in sizes)
    assert Bar(segments).cells(60) == cells


def test_models_that_can_be_chosen() -> None:
    answer = recorded("models")["answer"]
    assert lines(drawn(lambda renderer: renderer.answer(from_wire(ModelList, answer)))) == (
        "*  claude-haiku-5-5  1.0M    $0.1 in, $0.5     [low], medium\n"
        "                             out; over\n"
        "                             100.0k: $0.5 in,\n"
        "                             $2.5 out\n"
        "   local             200.0k  price unknown\n"
        "   offline                   nothing is asked\n"
        "The server did not list its models within 3 s.\n"
    )


def test_what_was_dropped() -> None:
    answer = recorded("session_rewound")["answer"]
    assert lines(drawn(lambda renderer: renderer.answer(from_wire(RewindAnswer, answer)))) == (
        "dropped: Rename parse to read\n"
        "dropped: Thanks\n"
        "a.py, b.py: as the dropped turns left it. To take that back:\n"
        "`glossator undo --turn t1 --since`.\n"
    )


def test_a_long_call_leaves_room_for_its_outcome_and_a_failure_is_told_whole() -> None:
    started = event("tool.started", callId="1", tool="Bash", arguments={"command": "x" * 99})
    finished = event("tool.finished", callId="1", tool="Bash", milliseconds=14.0)

    def show(renderer: Renderer, *, error: bool) -> None:
        renderer.event(started)
        renderer.event(finished | {"error": error, "summary": "No command is run in here, ever."})

    assert drawn(lambda renderer: show(renderer, error=False)) == (
        '✓ Run command="xxxxxxxx…  No command is run in here, ever. …\n'
    )
    assert drawn(lambda renderer: show(renderer, error=True)) == (
        '✗ Run command="xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…"  No\n'
        "  command is run in here, ever.  14 ms\n"
    )


def test_of_a_long_path_the_end_is_shown() -> None:
    arguments = {"path": "server/glossator/commands/steering.py", "first_line": 10}
    started = event("tool.started", callId="1", tool="Read", arguments=arguments)
    finished = event("tool.finished", callId="1", tool="Read", milliseconds=14.0, error=False)

    def show(renderer: Renderer) -> None:
        renderer.event(started)
        renderer.event(finished | {"summary": "9 lines"})

    assert drawn(show) == '✓ Read path="…nds/steering.py" first_line=10  9 lines  14 ms\n'


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (SessionList(()), "This workspace has no session"),
        (TurnList(()), "No turn of this session has changed"),
    ],
)
def test_an_empty_list_says_so(
    answer: SessionList | TurnList, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert drawn(lambda renderer: renderer.answer(answer)).startswith(said)
    pipe().answer(answer)
    captured = capsys.readouterr()
    assert (captured.out, captured.err.startswith(said)) == ("", True)


def test_what_was_undone() -> None:
    undone = recorded("undo")["answer"] | {
        "removed": ["deep/sea.py", "shell.py"],
        "conflicts": [
            {"path": path, "reason": "was changed by somebody else since"}
            for path in ("fish.py", "shell.py")
        ],
        "failed": [{"path": "reef.py", "reason": "is a folder now"}],
        "unsaved": ["fish.py"],
    }
    assert drawn(lambda renderer: renderer.answer(from_wire(UndoAnswer, undone))) == (
        "restored fish.py\n"
        "removed deep/sea.py\n"
        "removed shell.py\n"
        "undone: Rename parse to read\n"
        "Redo it with `glossator redo`.\n"
        "not restored reef.py: it is a folder now\n"
        "Not saved in the editor: fish.py. Save what you want to\n"
        "keep.\n"
    )


@pytest.mark.parametrize(
    ("became", "terminal", "chat"),
    [
        ("undid", "Redo it with `glossator redo`.", "Redo it with /redo."),
        ("redid", "Undo it with `glossator undo`.", "Undo it with /undo."),
    ],
)
def test_how_to_reverse_it_is_called_as_it_is_typed_there(
    became: str, terminal: str, chat: str
) -> None:
    told = recorded("undo")["answer"] | {"undid": [], "redid": []}
    answer = from_wire(UndoAnswer, told | {became: recorded("undo")["answer"]["undid"]})

    def shown(renderer: Renderer) -> None:
        renderer.answer(answer)
        renderer.in_chat(int)
        renderer.answer(answer)

    seen = drawn(shown).splitlines()
    assert [line for line in seen if " it with " in line] == [terminal, chat]
    assert answer_text(answer).splitlines()[-1] == chat  # a client's panel is a chat, too


def test_a_client_s_panel_has_tables_in_columns() -> None:
    """A tab is as wide there as the client likes."""
    answer = from_wire(ContextAnswer, recorded("session_context")["answer"])
    assert answer_text(answer).splitlines()[4:7] == [
        "tools                              3.0k      3.0k",
        "tools         Grep                 3.0k      3.0k  may be called",
        "tools         Rare                 deferred        waits",
    ]


def test_of_many_files_that_an_undo_changed_the_rest_is_counted() -> None:
    undone = recorded("undo")["answer"] | {"removed": [f"{n}.pyc" for n in range(14)]}
    seen = drawn(lambda renderer: renderer.answer(from_wire(UndoAnswer, undone))).splitlines()
    assert seen[0] == "restored fish.py"
    assert seen[12:14] == ["removed 11.pyc", "removed 2 more files"]


def test_nothing_was_left_to_undo() -> None:
    undone = recorded("undo")["answer"] | {
        "turn": None,
        "restored": [],
        "undid": [],
    }
    seen = drawn(lambda renderer: renderer.answer(from_wire(UndoAnswer, undone)))
    assert seen == "The files are as they were already.\n"


def test_a_reply_that_broke_off_is_said_to_be_void() -> None:
    def show(renderer: Renderer) -> None:
        for each in (
            event("text.delta", text="Half an ans"),
            event("text.discarded", reason="broke off"),
            event("notice", message="Overloaded. Asking again."),
            event("text.delta", text="The whole answer."),
        ):
            renderer.event(each)
        renderer.answer(
            from_wire(Answer, recorded("ask_offline")["answer"] | {"text": "The whole answer."})
        )

    seen = drawn(show)
    assert seen.index("Half an ans") < seen.index("broke off") < seen.index("The whole answer.")
    assert seen.count("The whole answer.") == 1


def test_an_answer_that_is_corrected_is_not_said_to_have_broken_off() -> None:
    def show(renderer: Renderer) -> None:
        renderer.event(event("text.delta", text="It is so."))
        renderer.event(event("text.discarded", reason="citations"))
        renderer.event(event("text.delta", text="It is not."))

    assert drawn(show) == (
        "It is so.\n\n(some citations do not hold; what changed follows)\n\nIt is not.\n"
    )


def test_each_place_that_does_not_hold_is_told_once_with_its_lines(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def cited(target: str, line: int, reason: str = "") -> dict[str, object]:
        status, lines = ("unsupported" if reason else "read"), {"firstLine": line, "lastLine": line}
        return {"target": target, "status": status, "reason": reason, "uri": None, **lines}

    text = (
        "One [cite: doc, a.py, 1][cite: doc, no.py, 7], two `a.py:9`, three [cite: doc, a.py, 2]."
    )
    missing, unread = (
        cited("no.py", 7, "no.py does not exist."),
        cited("a.py", 9, "Line 9 was not."),
    )
    citations = [cited("a.py", 1), missing, unread, missing, cited("a.py", 2)]
    answer = recorded("ask")["answer"] | {"text": text, "citations": citations}
    below = (
        "✗ no.py:7, unsupported: no.py does not exist.\n✗ a.py:9, unsupported: Line 9 was not.\n"
        "4 citations: 2 not judged, 2 unsupported\n"
    )
    seen = drawn(lambda renderer: renderer.answer(from_wire(Answer, answer)))
    assert "One a.py:1 no.py:7, two a.py:9, three a.py:2." in seen
    assert below in seen
    pipe().answer(from_wire(Answer, answer))
    assert capsys.readouterr().out == (
        f"One [a.py:1] [✗ no.py:7], two [✗ a.py:9], three [a.py:2].\n\n{below}"
    )


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ([], "session s1 (--resume)"),
        (["a.py", "b.py"], "changed a.py, b.py (glossator undo) · session s1 (--resume)"),
        (list("abcdef"), "changed a, b, c, d and 2 more (glossator undo) · session s1 (--resume)"),
    ],
)
def test_the_last_line_says_how_to_go_on(
    changed: list[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = recorded("ask")["answer"] | {"changedFiles": changed}
    seen = drawn(lambda renderer: renderer.answer(from_wire(Answer, answer)))
    assert " ".join(seen.split()).endswith(f"$0.01 {line}")
    pipe().answer(from_wire(Answer, answer))
    assert capsys.readouterr().err.endswith(f"$0.01\n{line}\n")


def test_a_command_that_failed_has_a_cross_and_is_no_error() -> None:
    def show(renderer: Renderer) -> None:
        renderer.event(event("tool.started", callId="1", tool="Bash", arguments={"command": "x"}))
        renderer.event(
            event(
                "tool.finished",
                callId="1",
                tool="Bash",
                milliseconds=14.0,
                error=False,
                unsuccessful=True,
                summary="exit code 1",
            )
        )

    assert drawn(show) == '✗ Run command="x"  exit code 1  14 ms\n'
    assert "\x1b[31m" not in drawn(show, colours=True)


def test_an_answer_after_another_reply_is_not_repeated() -> None:
    """At a limit the calls of a reply are not run, so no tool stands between it and the answer."""

    def show(renderer: Renderer) -> None:
        renderer.event(event("text.delta", text="Let me look."))
        renderer.event(event("notice", message="The run is ending: 1 turn is the limit."))
        renderer.event(event("text.delta", text="The whole answer."))
        renderer.answer(
            from_wire(Answer, recorded("ask_offline")["answer"] | {"text": "The whole answer."})
        )

    assert drawn(show).count("The whole answer.") == 1


def test_an_answer_that_differs_from_what_was_streamed_is_shown() -> None:
    def show(renderer: Renderer) -> None:
        renderer.event(event("text.delta", text="I could"))
        renderer.answer(from_wire(Answer, recorded("ask_refused")["answer"]))

    assert drawn(show).count("The model declined to answer.") == 1


def test_what_goes_from_a_file_is_no_head_of_a_diff() -> None:
    detail = "--- a.sql\n+++ a.sql\n … \n--- a comment\n+++ another\n"

    def show(renderer: Renderer) -> None:
        request = PermissionRequest(
            tool="Edit",
            title="Edit a.sql?",
            detail=detail,
            reasons=(),
        )
        renderer.permission(PermissionPrompt.of(request))

    seen = drawn(show, colours=True)
    assert "\x1b[1m--- a.sql" in seen
    assert "\x1b[31m--- a comment" in seen
    assert "\x1b[32m+++ another" in seen


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("[the docs](https://evil.example/x)", "the docs (https://evil.example/x)"),
        (
            "[https://good.example](https://evil.example)",
            "https://good.example (https://evil.example)",
        ),
        ("[**b** `c` d][1]\n\n[1]: https://evil.example", "b c d (https://evil.example)"),
        ("- a [b](mailto:a@evil.example)", "b (mailto:a@evil.example)"),
        ("## [b](https://evil.example)", "b (https://evil.example)"),
        ("| a |\n|-|\n| [b](https://e.example) |", "b (https://e.example)"),
        ("![a picture](https://evil.example/p.png)", "(https://evil.example/p.png)"),
        ("[![a](https://e.example/p)](https://e.example/q)", "(https://e.example/q)"),
        ("[log](file:///etc/passwd)", "log (file:///etc/passwd)"),
        ("[log](file://host/share/x)", "log (file://host/share/x)"),
        ("[up](file://ROOT/../other/x)", "up (file://ROOT/../other/x)"),
        ("[out](file://ROOT/out)", "out (file://ROOT/out)"),
        ("[out](src/../../x)", "out (src/../../x)"),
        ("<https://good.example/>", "https://good.example/"),
        ("[auth](file://ROOT/src/auth.py#L3)", "auth"),
    ],
)
def test_the_words_of_a_link_do_not_hide_where_it_leads(
    tmp_path: Path, written: str, seen: str
) -> None:
    """But for files of the workspace."""
    (tmp_path / "out").symlink_to("/etc/passwd")
    text, wanted = (each.replace("ROOT", str(tmp_path)) for each in (written, seen))
    out = StringIO()
    console = Console(width=300, force_terminal=True, color_system=None, file=out)
    console.print(draw(MarkdownBlock(text, code=False), [tmp_path]))
    shown = re.sub(r"\x1b(\[[0-9;]*m|\]8;[^\x1b]*\x1b\\\\)", "", out.getvalue())
    assert wanted in shown
    if "(" not in wanted:
        assert "(" not in shown


def test_citations_are_links() -> None:
    seen = drawn(play("ask"), colours=True)
    assert ";file:///w/src/auth.py\x1b\\" in seen
    assert "[src/auth.py" not in seen


def test_what_was_printed_stays() -> None:
    seen = drawn(play("ask"), colours=True)
    assert "\x1b[2J" not in seen  # the screen is not cleared
    assert seen.count("Logging in") == 1
    assert seen.rstrip().endswith("\x1b[0m")


def test_workspace_text_cannot_command_the_terminal() -> None:
    event = {"kind": "text.delta", "text": "An \x1b]0;evil\x07 answer\x9b2J\n\n"}
    seen = drawn(lambda renderer: renderer.event(event))
    assert seen == "An ␛]0;evil␇ answer\N{REPLACEMENT CHARACTER}2J\n"


def test_hits() -> None:
    found = recorded("search")["answer"]
    assert lines(drawn(lambda renderer: renderer.answer(from_wire(SearchAnswer, found)))) == (
        "src/auth.py:10-14  class Door\n"
        "  10 def log_in(token):\n"
        "   ⋮\n"
        "  13     # log_in: once a day\n"
        "  14     return session\n"
        "\n"
        "docs/login.md:1\n"
        "  1 # The log_in page\n"
        "\n"
        "In no file: gate\n"
        "Searched 42 files for log_in.\n"
    )


def test_checks() -> None:
    checks = recorded("doctor")["answer"]
    assert lines(drawn(lambda renderer: renderer.answer(from_wire(DoctorAnswer, checks)))) == (
        "✓  Python  3.11.7\n"
        "!  Model   offline, no model\n"
        "           → Set ANTHROPIC_API_KEY for answers by a model.\n"
    )


def test_status() -> None:
    status = recorded("status")["answer"]
    assert lines(drawn(lambda renderer: renderer.answer(from_wire(StatusAnswer, status)))) == (
        "version         0.1.0\n"
        "model           claude-sonnet-5-5\n"
        "workspace       /w\n"
        "files           1,234\n"
        "open documents  0\n"
        "revision        7\n"
        "watcher         inotify: 2,031 folders\n"
        "last sweep      12.5 s ago (timer): 3 differences in 240 ms\n"
        "index           building: 500 of 1,234 files\n"
        "in the index    500 files, 3 in memory\n"
        "not in it yet   731 files\n"
        "segments        2, 1.6 MB\n"
        "problem         The index takes all the disk space it may.\n"
        "for Search      building: 250 of 1,234 files; 250 files, 5.4\n"
        "                MB\n"
        "embeddings      local:all-MiniLM-L6-v2:384:1; 12 files wait\n"
        "not in it yet   984 files\n"
        "problem         The index for Search cannot be kept.\n"
        "outlines        1,100, 2.5 MB\n"
        "failed          /w/src/a.js has no outline: RecursionError\n"
        "MCP servers     2 ready, 1 waiting\n"
        "worker          ready, process 4711\n"
        "ripgrep         /usr/bin/rg\n"
        "memory          94.2 MB, worker 61.0 MB\n"
        "read cache      12 texts, 1.5 MB, 40 hits, 12 misses, 2\n"
        "                dedupes\n"
        "sessions        1\n"
        "spent           Where are sessions expired?: 3 requests,\n"
        "                12.6k tokens, $0.01 or more\n"
        "skipped         310: .gitignore: build/ (such as build/a.o)\n"
    )


def test_an_index_is_built_with_a_bar() -> None:
    recording = recorded("index")

    def show(renderer: Renderer) -> None:
        for message in recording["messages"]:
            renderer.progress(message["params"]["value"])
        renderer.answer(from_wire(IndexAnswer, recording["answer"]))

    assert lines(drawn(show)) == (
        "files         1,234\n"
        "in the index  1,230\n"
        "not in it     4 (links, unreadable or just changed; always\n"
        "              searched)\n"
        "for Search    1,229 files\n"
        "embeddings    local:all-MiniLM-L6-v2\n"
        "on disk       1 segment, 1.6 MB in all\n"
        "time          1.6 s\n"
        "problems      none\n"
    )


def test_a_search_that_waits_for_its_index_shows_how_far_it_is() -> None:
    report = {"kind": "report", "message": "700 of 1,234 files", "percentage": 56}
    shown: list[str] = []

    def show(renderer: Renderer) -> None:
        screen = renderer._out
        screen.progress = lambda value: shown.append(value["message"])  # type: ignore[method-assign] # what is drawn is passing
        renderer.background(report)
        for tool in ("Read", "Search"):
            renderer.event(event("tool.started", callId=tool, tool=tool, arguments={}))
            renderer.background({**report, "message": tool})

    drawn(show)
    assert shown == ["Search"]


def test_a_pipe_is_told_of_progress_now_and_then() -> None:
    ended = glossator("index", "index")
    told = "  1%  12 of 1,234 files\n 11%  140 of 1,234 files\n 97%  1,200 of 1,234 files\n"
    assert told in ended.err
    assert "in the index: 1,230\n" in ended.out
    assert ended.code == 0


def test_a_program_is_told_of_progress() -> None:
    first, *_, last = glossator("index", "index", "--json").out.splitlines()
    assert json.loads(first)["progress"]["kind"] == "begin"
    assert json.loads(last) == recorded("index")["answer"]


def test_a_problem_of_the_index_is_a_failure() -> None:
    ended = glossator("index_problem", "index", "--check")
    assert "problem: Segment a-1 does not know 3 trigrams" in ended.err
    assert ended.code == 1


def test_a_pipe_gets_the_answer_alone() -> None:
    ended = glossator("ask", "ask", "hi")
    assert ended.out == (
        "## Logging in\n\n"
        "The token is checked first [src/auth.py:10-20], and then:\n\n"
        "1. the session is opened,\n"
        "2. the user is greeted [✗ src/missing.py:3].\n\n"
        "```python\ndef log_in(token):\n    return check(token)\n```\n\n"
        "✗ src/missing.py:3, unsupported: There is no such file.\n"
        "2 citations: 1 not judged, 1 unsupported\n"
    )
    assert ended.err == (
        '✓ Find text pattern="def log_in" path="src"  1 match in 1 file  3.4 ms\n'
        '✗ Read path="src/missing.py"  no such file  0.6 ms\n'
        "The model is overloaded; trying again in 2 s.\n"
        "claude-sonnet-5-5 · 2 turns · 10.0k tokens in (80% cached), 312 out · 4.2 s · $0.01\n"
        "session s1 (--resume)\n"
    )


def test_a_pipe_gets_wanted_thinking_in_whole_lines() -> None:
    ended = glossator("ask", "ask", "hi", "--thinking")
    assert ended.err.startswith("Where is the login?\nProbably in src.\n✓ Find text ")


def test_a_program_gets_every_event_then_the_answer() -> None:
    recording = recorded("ask")
    objects = [
        json.loads(line) for line in glossator("ask", "ask", "--json", "hi").out.splitlines()
    ]
    assert objects[:-1] == [message["params"] for message in recording["messages"]]
    assert objects[-1] == {"answer": recording["answer"]}


def test_a_program_gets_the_error_last() -> None:
    *_, last = glossator("ask_failed", "ask", "--json", "hi").out.splitlines()
    message = "The key was refused; check ANTHROPIC_API_KEY."
    assert json.loads(last) == {"error": {"code": -32803, "message": message}}


@pytest.mark.parametrize("name", ["search", "tool", "status", "doctor"])
def test_a_program_gets_other_answers_as_they_are(name: str) -> None:
    ended = glossator(name, name, "x", "--json") if name in {"search", "tool"} else None
    ended = ended or glossator(name, name, "--json")
    assert json.loads(ended.out) == recorded(name)["answer"]


def test_a_tool_s_text_is_exact() -> None:
    assert glossator("tool", "tool", "Glob").out == recorded("tool")["answer"]["text"]
    assert glossator("tool_error", "tool", "Read").out == "There is no such file."


def test_a_cited_file_is_looked_for_in_every_root(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    second.mkdir()
    (second / "x y.py").touch()
    assert file_uri("x y.py", [first, second]) == f"file://{second}/x%20y.py"
    assert file_uri("none.py", [first, second]) == f"file://{first}/none.py"


def test_the_status_line_says_that_the_server_is_asked() -> None:
    assert "Working…" in drawn(lambda renderer: renderer.working(), colours=True)
