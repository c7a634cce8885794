"""The server is started before anything slow is imported; and the real one answers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import SECONDS
from tools.manual import PAGE, page

SLOW = (
    "typer",
    "rich",
    "pydantic",
    "pygls",
    "lsprotocol",
    "markdown_it",
    "pygments",
    "prompt_toolkit",
)


def python(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "GLOSSATOR_OFFLINE": "1"}
    return subprocess.run(
        [sys.executable, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        cwd=cwd,
        env=environment,
    )


def imported_by(module: str) -> set[str]:
    code = f"import sys, {module}; print(*sys.modules)"
    return {name.split(".")[0] for name in python("-c", code).stdout.split()}


def test_nothing_slow_is_imported_before_the_server_is_started() -> None:
    assert not imported_by("glossator.cli.launch").intersection(SLOW)


@pytest.mark.parametrize(
    ("line", "needless"),
    [
        ("--version", {*SLOW, "anthropic", "numpy"} - {"typer"}),
        ("serve", {*SLOW, "anthropic", "numpy", "tree_sitter"} - {"lsprotocol", "pygls"}),
    ],
)
def test_a_program_imports_nothing_that_it_does_not_need(line: str, needless: set[str]) -> None:
    ended = python("-X", "importtime", "-m", "glossator", line)  # `serve`: until its client leaves
    imported = {name.split("|")[-1].strip() for name in ended.stderr.splitlines() if "|" in name}
    assert f"glossator.{'lsp.listen' if line == 'serve' else 'cli.app'}" in imported
    assert needless.isdisjoint(name.split(".")[0] for name in imported)


def test_the_commands_import_nothing_that_draws_or_serves() -> None:
    assert not imported_by("glossator.cli.app").intersection(set(SLOW) - {"typer"})


def test_a_chat_alone_has_a_line_to_edit() -> None:
    assert "prompt_toolkit" not in imported_by("glossator.cli.run, glossator.cli.render.screen")
    assert "prompt_toolkit" in imported_by("glossator.cli.editor")


def test_a_question_does_not_wait_for_what_searches_need() -> None:
    """All commands are imported with the first one."""
    assert not imported_by("glossator.commands.declared").intersection({"anthropic", "numpy"})


@pytest.mark.usefixtures("true_start")
def test_the_real_server_answers(tmp_path: Path) -> None:
    (tmp_path / "door.py").write_text("def open_door():\n    return 'open'\n", "utf-8")
    arguments = json.dumps({"pattern": "open_door"})
    grep = python("-m", "glossator", "tool", "Grep", arguments, cwd=tmp_path)
    assert (grep.returncode, "door.py" in grep.stdout) == (0, True), grep
    ask = python("-m", "glossator", "ask", "What does open_door return?", cwd=tmp_path)
    assert (ask.returncode, "[door.py:1-2]" in ask.stdout) == (0, True), ask
    unknown = python("-m", "glossator", "tool", "Nope", cwd=tmp_path)
    assert unknown.returncode == 1
    assert unknown.stderr.startswith("error: There is no tool 'Nope'"), unknown


def test_serve_accepts_what_editors_pass() -> None:
    served = python("-m", "glossator", "serve", "--stdio", "--tcp", "nowhere")
    assert served.returncode == 2
    assert "'nowhere' is not HOST:PORT" in served.stderr


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("ask --json --nope x", "--nope"),
        ("search --json", "Missing argument"),
        ("frob --json", "frob"),
        ("explain --json door.py:3-1", "door.py:1-3"),
        ("index --json --rebuild --check", "exclude each other"),
        ("search --json --limit many x", "--limit"),
    ],
)
def test_misuse_is_told_in_json_where_that_is_asked_for(
    tmp_path: Path, line: str, says: str
) -> None:
    (tmp_path / "door.py").write_text("a\nb\nc\n", "utf-8")
    ended = python("-m", "glossator", *line.split(), cwd=tmp_path)
    assert ended.returncode == 2
    assert says in json.loads(ended.stdout)["error"]["message"]
    assert ended.stderr.startswith("error: ")
    assert "Traceback" not in ended.stderr
    plain = python("-m", "glossator", *line.replace(" --json", "").split(), cwd=tmp_path)
    assert (plain.returncode, plain.stdout) == (2, "")


@pytest.mark.parametrize(
    ("shell", "asked"),
    [
        ("bash", {"COMP_WORDS": "glossator se", "COMP_CWORD": "1"}),
        ("zsh", {"_TYPER_COMPLETE_ARGS": "glossator se"}),
        (
            "fish",
            {"_TYPER_COMPLETE_ARGS": "glossator se", "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
        ),
    ],
)
def test_shells_complete_commands(
    shell: str, asked: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"_GLOSSATOR_COMPLETE": f"complete_{shell}", **asked}.items():
        monkeypatch.setenv(name, value)
    told = python("-m", "glossator").stdout
    assert all(command in told for command in ("serve", "search", "sessions"))
    assert "doctor" not in told


def test_the_man_page_is_that_of_the_commands() -> None:
    assert PAGE.read_text("utf-8") == page(), "run make wire"
