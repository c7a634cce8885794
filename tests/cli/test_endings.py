"""How the program ends: exit codes, messages, and no process left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

from tests.cli.support import (
    BUFFERED,
    PYTHONPATH,
    RECORDINGS,
    Ended,
    glossator,
    server_is_gone,
    start,
)
from tests.patience import SECONDS


@pytest.mark.parametrize(
    ("recording", "arguments", "code", "said"),
    [
        ("ask", ["ask", "hi"], 0, ""),
        ("ask_refused", ["ask", "hi"], 1, ""),
        ("ask_failed", ["ask", "hi"], 1, "error: The key was refused; check ANTHROPIC_API_KEY."),
        ("ask_die", ["ask", "hi"], 1, "exit code 3"),
        ("ask_die", ["ask", "hi"], 1, "  Traceback: out of parchment\n"),
        ("ask_die", ["ask", "hi"], 1, "`glossator doctor`"),
        ("ask_nonsense", ["ask", "hi"], 1, "not LSP"),
        ("refuse_initialize", ["ask", "hi"], 1, "error: bad capabilities"),
        ("tool", ["tool", "Glob"], 0, ""),
        ("tool", ["tool", "Glob", "--time"], 0, "3.4 ms\n"),
        ("tool_error", ["tool", "Read"], 1, ""),
        ("search_nothing", ["search", "x"], 0, "3 were skipped by .gitignore"),
        ("doctor", ["doctor"], 0, ""),
        ("doctor_failed", ["doctor"], 1, ""),
        ("ask", ["ask"], 2, "Missing argument"),
        ("ask", ["ask", " "], 2, "error: The question is empty"),
        ("ask", ["ask", "-"], 2, "error: The question is empty"),
        ("ask", ["ask", "hi", "-C", "/no/such/folder"], 2, "does not exist"),
        ("tool", ["tool", "Glob", "[]"], 2, "must be a JSON object"),
        ("ask", ["nonsense"], 2, "No such command"),
    ],
)
def test_exit_codes(recording: str, arguments: list[str], code: int, said: str) -> None:
    ended = glossator(recording, *arguments)
    assert (ended.code, said in ended.err) == (code, True), ended


@pytest.mark.parametrize("arguments", [["ask", " "], ["explain", "none.py"], ["nonsense"]])
def test_wrong_usage_has_the_code_of_a_request_that_failed(arguments: list[str]) -> None:
    ended = glossator("ask", *arguments, "--json")
    assert json.loads(ended.out)["error"]["code"] == -32803


def test_json_mistakes_are_pointed_at() -> None:
    ended = glossator("tool", "tool", "Grep", '{"pattern": "x" "glob": 1}')
    assert ended.code == 2
    assert ended.err == (
        "error: The arguments are not JSON: Expecting ',' delimiter at line 1, column 17.\n"
        '  {"pattern": "x" "glob": 1}\n'
        "                  ^\n"
        """Example: glossator tool Grep '{"pattern": "def main", "path": "src"}'\n"""
    )


def test_a_reader_that_leaves_ends_the_program() -> None:
    with start("ask", "ask", "-v", "--json", "hi") as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        seen = process.stderr.read()
        assert process.wait(SECONDS) == 1
    assert "Traceback" not in seen
    assert server_is_gone(seen)


@pytest.mark.parametrize(
    ("redirection", "code", "said"),
    [
        (">/dev/full", 1, "error: No space left on device. Check where the output goes"),
        (">&-", 0, ""),
        (">&- 2>&- <&-", 0, ""),
        ("2>/dev/full", 1, ""),
    ],
)
def test_output_that_goes_nowhere(redirection: str, code: int, said: str) -> None:
    ended = shell(f"search x {redirection}")
    assert ended.returncode == code
    assert said in ended.stderr
    assert "Error" not in ended.stderr


@pytest.mark.parametrize("words", ["--version", "search x", "search x --json"])
def test_a_full_disk_is_told_once(words: str) -> None:
    ended = shell(f"{words} >/dev/full")
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].startswith("error: No space left on device. Check")
    assert (ended.stderr.count("No space"), "ignored" in ended.stderr) == (1, False)


def test_a_reader_that_never_reads_is_no_news() -> None:
    ended = shell("--version | exit 0; exit ${PIPESTATUS[0]}")
    assert (ended.returncode, ended.stderr) == (1, "")


def test_a_question_from_a_closed_stdin() -> None:
    ended = shell("ask - <&-")
    assert ended.returncode == 2
    assert ended.stderr.startswith("error: The question is empty")


def test_a_system_that_starts_no_server() -> None:
    ended = shell("status", before="ulimit -n 6; ")
    assert ended.returncode == 1
    assert ended.stderr.startswith("error: Too many open files")


def test_a_folder_that_is_gone() -> None:
    ended = shell("status", before='cd "$(mktemp -d)" && rmdir "$PWD" && ')
    assert ended.returncode == 2
    assert "does not exist any more" in ended.stderr


@pytest.mark.parametrize("after", ["import subprocess", "spawn(server_command)"])
def test_ctrl_c_while_it_starts(after: str) -> None:
    """Here a signal comes just after the module, or the server, was started."""
    program = f"""
import os, signal, sys
import glossator.__main__ as program
import glossator.cli.launch as launch
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background shell ignores the signal
interrupt = lambda *_: os.kill(os.getpid(), signal.SIGINT)
if {after!r} == "import subprocess":
    launch.run_cli = interrupt
else:
    spawn = launch.spawn
    launch.spawn = lambda command: (spawn(command), interrupt())[0]
sys.argv = ["glossator", "ask", "hi"]
program.main()
"""
    command = [sys.executable, "-c", program]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert (ended.returncode, ended.stderr) == (130, "")


def shell(words: str, before: str = "") -> subprocess.CompletedProcess[str]:
    """The program with its streams as the shell makes them."""
    recording = RECORDINGS / "search.json"
    program = f"{before}{sys.executable} -m tests.cli.program {recording} {words}"
    return subprocess.run(
        ["bash", "-c", program],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        env={**os.environ, **BUFFERED, "PYTHONPATH": PYTHONPATH},
    )


def test_version_needs_no_server() -> None:
    ended = glossator("ask", "--version")
    assert (ended.code, ended.out.split()[0]) == (0, "glossator")


def test_a_server_that_stays_is_killed_in_time() -> None:
    ended = glossator("ask_stay", "ask", "-v", "hi")
    assert ended.code == 0
    assert server_is_gone(ended.err)


def test_ctrl_c_cancels_the_command_and_waits_for_its_end() -> None:
    with start("ask_await_cancel", "ask", "-v", "hi") as process:
        seen = read_until(process, "✓ Find text")
        process.send_signal(signal.SIGINT)
        ended = end_of(process, seen)
    assert ended.code == 130
    assert "press Ctrl-C again to end it at once" in ended.err
    assert "Stopped.\n" in ended.err
    assert ended.methods[3:] == ["$/cancelRequest", "shutdown", "exit"]
    assert server_is_gone(ended.err)


def test_a_second_ctrl_c_kills_the_server() -> None:
    with start("ask_ignore_cancel", "ask", "-v", "hi") as process:
        seen = read_until(process, "✓ Find text")
        process.send_signal(signal.SIGINT)
        seen += read_until(process, "$/cancelRequest")
        process.send_signal(signal.SIGINT)
        ended = end_of(process, seen)
    assert ended.code == 130
    assert "Stopped.\n" in ended.err
    assert server_is_gone(ended.err)


def test_sigterm_ends_the_server_too() -> None:
    with start("ask_ignore_cancel", "ask", "-v", "hi") as process:
        seen = read_until(process, "✓ Find text")
        process.send_signal(signal.SIGTERM)
        ended = end_of(process, seen)
    assert ended.code == 128 + signal.SIGTERM
    assert server_is_gone(ended.err)


def read_until(process: subprocess.Popen[str], text: str) -> str:
    """What the program says on stderr, up to the line with `text`."""
    assert process.stderr is not None
    seen = ""
    for line in process.stderr:
        seen += line
        if text in line:
            return seen
    raise AssertionError(f"ended without saying {text!r}: {seen}")


def end_of(process: subprocess.Popen[str], seen: str) -> Ended:
    """The rest; `communicate` would lose what `read_until` has read ahead."""
    assert process.stdout is not None
    assert process.stderr is not None
    err, out = process.stderr.read(), process.stdout.read()
    return Ended(process.wait(SECONDS), out, seen + err)
