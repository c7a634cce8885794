"""Sessions and undo from the command line: what is sent, what is shown, how it ends."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from glossator.cli.messages import ago
from tests.cli.support import Ended, glossator


def commands(ended: Ended) -> list[tuple[str, dict[str, Any]]]:
    return [
        (message["params"]["command"].removeprefix("glossator."), message["params"]["arguments"][0])
        for message in ended.received
        if message.get("method") == "workspace/executeCommand"
    ]


UNDO = {"since": False, "overwrite": False}


@pytest.mark.parametrize(
    ("recording", "words", "sent"),
    [
        ("sessions", "sessions", [("listSessions", {"words": ""})]),
        (
            "session",
            "sessions rename s1 Deep water",
            [("renameSession", {"sessionId": "s1", "title": "Deep water"})],
        ),
        ("session_deleted", "sessions delete s1", [("deleteSession", {"sessionId": "s1"})]),
        (
            "session_exported",
            "sessions export s1",
            [("exportSession", {"sessionId": "s1", "format": "markdown"})],
        ),
        (
            "session_exported",
            "sessions export s1 --format json",
            [("exportSession", {"sessionId": "s1", "format": "json"})],
        ),
        ("session_compacted", "sessions compact s1", [("compact", {"sessionId": "s1"})]),
        (
            "session_compacted_newest",
            "sessions compact",
            [("listSessions", {}), ("compact", {"sessionId": "s2"})],
        ),
        ("session_turns", "sessions turns s1", [("listTurns", {"sessionId": "s1"})]),
        ("session_context", "sessions context s1", [("showContext", {"sessionId": "s1"})]),
        ("session_rewound", "sessions rewind s1", [("rewind", {"sessionId": "s1"})]),
        (
            "session_rewound_newest",
            "sessions rewind --turn t2",
            [("listSessions", {}), ("rewind", {"sessionId": "s2", "runId": "t2"})],
        ),
        (
            "retry",
            "retry --resume s1",
            [("retry", {"sessionId": "s1"})],
        ),
        (
            "retry_newest",
            "retry Rename it back",
            [
                ("listSessions", {}),
                ("retry", {"sessionId": "s2", "question": "Rename it back"}),
            ],
        ),
        ("models", "models", [("listModels", {})]),
        ("undo", "undo s1", [("undoTurn", {"sessionId": "s1", **UNDO})]),
        (
            "undo",
            "undo s1 --turn t1 --since --overwrite",
            [
                (
                    "undoTurn",
                    {"sessionId": "s1", "turn": "t1", "since": True, "overwrite": True},
                )
            ],
        ),
        (
            "undo_newest",
            "undo",
            [("listSessions", {}), ("undoTurn", {"sessionId": "s2", **UNDO})],
        ),
        (
            "redo",
            "redo s1 --turn t1 --overwrite",
            [("redoTurn", {"sessionId": "s1", "turn": "t1", "overwrite": True})],
        ),
        ("ask", "ask --resume s1 hi", [("ask", {"question": "hi", "sessionId": "s1"})]),
        (
            "ask_continue",
            "ask --continue hi",
            [("listSessions", {}), ("ask", {"question": "hi", "sessionId": "s2"})],
        ),
    ],
)
def test_what_is_sent(recording: str, words: str, sent: list[tuple[str, dict[str, Any]]]) -> None:
    ended = glossator(recording, *words.split(), "-v")
    assert commands(ended) == sent
    assert ended.code == 0


@pytest.mark.parametrize(
    ("recording", "words", "out"),
    [
        ("session", "sessions rename s1 Deep", "s1\tDeep\n"),
        ("session_exported", "sessions export s1", "# Swim\n"),
        ("session_compacted", "sessions compact s1", "compacted: 812.0k → 94.0k tokens\n"),
        (
            "session_turns",
            "sessions turns s1",
            (
                "t1\tRename parse to read, in both files, and say where it is us…\ta.py, b.py"
                "\tundone\n"
                "undo-2\tundo of t1\ta.py\n"
            ),
        ),
        (
            "session_rewound",
            "sessions rewind s1",
            "dropped: Rename parse to read\ndropped: Thanks\n",
        ),
        (
            "session_context",
            "sessions context s1",
            (
                "16.0k of 1.0M tokens (1.6%) · claude-sonnet-5-5 · 12.0k cached"
                " · compaction at 800.0k\n"
                "system\t\t1.0k\t1.0k\n"
                "system\tinstructions\t900\t900\tthe same for everybody\n"
                "system\tthis session\t100\t100\tof this session\tcut: 12 lines\n"
                "tools\t\t3.0k\t3.0k\n"
                "tools\tGrep\t3.0k\t3.0k\tmay be called\n"
                "tools\tRare\tdeferred\t\twaits\n"
                "conversation\t\t12.0k\t8.0k\n"
                "conversation\tquestions (2)\t4.0k\t4.0k\twhat you said\n"
                "conversation\tresults of Read (3)\t8.0k\t4.0k\twhat the model was given\n"
                "Left out. As the workspace is not trusted: AGENTS.md.\n"
            ),
        ),
        (
            "models",
            "models",
            (
                "*\tclaude-haiku-5-5\t1.0M\t$0.1 in, $0.5 out; over 100.0k: $0.5 in, $2.5 out"
                "\t[low], medium\n"
                "\tlocal\t200.0k\tprice unknown\n"
                "\toffline\t\tnothing is asked\n"
            ),
        ),
        (
            "undo",
            "undo s1",
            ("restored fish.py\nundone: Rename parse to read\nRedo it with `glossator redo`.\n"),
        ),
        (
            "redo",
            "redo s1",
            ("restored fish.py\nredone: Rename parse to read\nUndo it with `glossator undo`.\n"),
        ),
    ],
)
def test_what_a_pipe_gets(recording: str, words: str, out: str) -> None:
    assert glossator(recording, *words.split()).out == out


def test_a_pipe_gets_a_session_a_line() -> None:
    first, second = glossator("sessions", "sessions").out.splitlines()
    assert first == "s2\tDive deeper\trunning\t3 turns"
    assert second.startswith("s1\tSwim\t")
    assert second.endswith(" days ago\t1 turn")


@pytest.mark.parametrize(
    ("recording", "words"),
    [
        ("sessions", "sessions"),
        ("session", "sessions rename s1 Deep"),
        ("session_deleted", "sessions delete s1"),
        ("session_exported", "sessions export s1"),
        ("session_compacted", "sessions compact s1"),
        ("session_turns", "sessions turns s1"),
        ("session_context", "sessions context s1"),
        ("session_rewound", "sessions rewind s1"),
        ("models", "models"),
        ("undo", "undo s1"),
    ],
)
def test_a_program_gets_answers_as_they_are(recording: str, words: str) -> None:
    ended = glossator(recording, *words.split(), "--json", "-v")
    assert json.loads(ended.out)
    assert ended.code == 0


@pytest.mark.parametrize(
    ("recording", "words", "code", "said"),
    [
        ("ask_continue_none", "ask --continue hi", 1, "error: This workspace has no session yet"),
        ("ask_continue_none", "sessions compact", 1, "error: This workspace has no session yet"),
        ("ask_continue_none", "undo", 1, "error: This workspace has no session yet"),
        ("ask", "ask --continue --resume s1 hi", 2, "exclude each other"),
        ("ask", "ask --mode fast hi", 2, "'fast' is not one of"),
        ("undo", "undo s1 --since", 2, "--since needs --turn"),
        ("sessions", "sessions --json delete s1", 2, "Write the options after `delete`."),
        ("session_exported", "sessions export s1 -o no/such", 1, "Name another place"),
        ("undo_conflict", "undo s1", 1, "not restored fish.py: it was changed by somebody else"),
        ("undo_conflict", "undo s1", 1, "add --overwrite"),
        ("undo_conflict", "undo s1", 1, "so check the files"),
    ],
)
def test_bad_ends(recording: str, words: str, code: int, said: str) -> None:
    ended = glossator(recording, *words.split())
    assert (ended.code, said in " ".join(ended.err.split())) == (code, True), ended


@pytest.mark.parametrize("words", ["sessions rewind s1", "retry --resume s1"])
def test_files_that_stay_changed_are_named(words: str) -> None:
    recording = "retry" if words.startswith("retry") else "session_rewound"
    said = " ".join(glossator(recording, *words.split()).err.split())
    assert "a.py, b.py: as the dropped turns left it." in said
    assert "`glossator undo --turn t1 --since`" in said


def test_a_job_that_went_on_is_named() -> None:
    ended = glossator("undo_job", "undo", "s1")
    assert (ended.code, "restored fish.py" in ended.out) == (0, True)
    assert "The job `npm run watch` was not over when its turn was" in " ".join(ended.err.split())


def test_what_compacts_is_a_setting() -> None:
    words = "sessions compact s1 -v --offline --model m1"
    ended = glossator("session_compacted", *words.split())
    assert ended.received[0]["params"]["initializationOptions"] == {
        "settings": {"models": {"offline": True, "main": {"model": "m1"}}}
    }


@pytest.mark.parametrize(("place", "file"), [("mine.md", "mine.md"), (".", "Swim.md")])
def test_an_export_goes_to_a_file(tmp_path: Path, place: str, file: str) -> None:
    arguments = ["sessions", "export", "s1", "--output", str(tmp_path / place)]
    ended = glossator("session_exported", *arguments)
    assert (ended.code, ended.out) == (0, "")
    assert (tmp_path / file).read_text("utf-8") == "# Swim\n"


@pytest.mark.parametrize(
    ("words", "settings"),
    [
        ("--mode auto", {"permissions": {"mode": "auto"}}),
        ("--review", {"edits": {"review": "propose"}}),
        (
            "--mode plan --allow Bash(make) --allow Edit(src/**)",
            {"permissions": {"mode": "plan", "allow": ["Bash(make)", "Edit(src/**)"]}},
        ),
    ],
)
def test_what_a_run_may_do_is_a_setting(words: str, settings: dict[str, Any]) -> None:
    ended = glossator("ask", "ask", "hi", "-v", *words.split())
    assert ended.received[0]["params"]["initializationOptions"] == {"settings": settings}


def test_trust_for_a_run_is_the_user_s_word() -> None:
    ended = glossator("ask", "ask", "hi", "-v", "--trust")
    told = ended.received[0]["params"]["initializationOptions"]
    assert told == {"settings": {}, "trusted": True}


def test_the_user_s_own_rules_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "glossator").mkdir()
    (tmp_path / "glossator/config.toml").write_text('[permissions]\nallow = ["Bash(make)"]\n')
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    ended = glossator("ask", "ask", "hi", "-v", "--allow", "Bash(ls)")
    told = ended.received[0]["params"]["initializationOptions"]["settings"]
    assert told["permissions"]["allow"] == ["Bash(make)", "Bash(ls)"]


def test_nobody_is_asked_through_a_pipe_and_the_model_is_told() -> None:
    ended = glossator("ask_nobody", "ask", "hi", "-v", stdin="y\ny\n")
    replies = {each["id"]: each for each in ended.received if "method" not in each}
    assert replies["p"]["result"]["choice"] == "deny"
    assert "nobody is at the terminal" in replies["p"]["result"]["message"]
    assert replies["r"]["result"]["accepted"] == []
    assert "nobody is at the terminal" in replies["r"]["result"]["message"]
    assert replies["q"]["error"]["code"] == -32601
    assert "Allow it with --allow 'Bash(npm test:*)', or run the command" in ended.err


@pytest.mark.parametrize(
    ("past", "expect"),
    [
        (timedelta(seconds=-3), "just now"),  # two clocks
        (timedelta(seconds=59), "just now"),
        (timedelta(minutes=5), "5 min ago"),
        (timedelta(hours=1, minutes=59), "1 hour ago"),
        (timedelta(hours=23), "23 hours ago"),
        (timedelta(days=400), "400 days ago"),
    ],
)
def test_ages(past: timedelta, expect: str) -> None:
    now = datetime(2026, 1, 2, tzinfo=UTC)
    assert ago((now - past).isoformat(), now) == expect
