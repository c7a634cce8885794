"""A pipeline's parts that failed are told, and nothing else of it is other than it was."""

from __future__ import annotations

import shutil

import pytest

from glossator.sandbox.confinement import Sandbox, Unavailable
from glossator.sandbox.output import Exit, Output, exit_text, output_text
from glossator.sandbox.shell import ShellCommand
from glossator.shell.pipeline import FailedPart
from tests.patience import SECONDS
from tests.sandbox.conftest import MakeShell
from tests.sandboxed import FOUND, SANDBOXED

NO_SANDBOX = Unavailable("There is none.")
BOTH = [
    pytest.param(FOUND, id="sandbox", marks=SANDBOXED),
    pytest.param(NO_SANDBOX, id="none"),
]
both = pytest.mark.parametrize("confinement", BOTH)


@pytest.mark.skipif(shutil.which("bash") is None, reason="only bash tells of parts")
@both
@pytest.mark.parametrize(
    ("text", "failed"),
    [
        ("false | true", [("false", 1)]),
        ("(exit 3) 2>&1 | cat | tail -5", [("(exit 3) 2>&1", 3)]),
        ("true && (exit 3) |  cat > /dev/null # why", [("(exit 3)", 3)]),
        ("true; false |\n cat;", [("false", 1)]),
        ("no-such-program 2>/dev/null | cat", [("no-such-program 2>/dev/null", 127)]),
        ("yes | head -1 >/dev/null", []),  # nobody reads on, which is no failure
        ("true | true", []),
        ("false | true; true", []),
        ("false | true || true | true", []),
        ("false || true | true", []),
        ("(false | true)", []),
        ("if false | true; then true; fi", []),
        ("trap true EXIT; false | true", []),
        ("! false | false", []),
        (f"exec {' '.join(f'{each}>&-' for each in range(20, 99))}; false | true", []),
        (f"{'x' * 70}() {{ false; }}; {'x' * 70} | true", [("x" * 60 + "…", 1)]),
    ],
)
async def test_parts_of_the_last_pipeline_that_failed(
    shell: MakeShell,
    confinement: Sandbox | Unavailable,
    text: str,
    failed: list[tuple[str, int]],
) -> None:
    finished = await shell(confinement).run(ShellCommand(text), SECONDS)
    assert finished.exit == Exit(0, failed=tuple(FailedPart(*each) for each in failed))
    assert finished.output == Output()


async def test_what_a_command_means_stays_as_it_is(shell: MakeShell, sandbox: Sandbox) -> None:
    bash = shell(sandbox)
    for text, said in (
        ("false | false; echo $? | cat", "1"),
        ("true | false", ""),
        ("echo a | grep b; echo $LINENO | cat", "1"),
        ("-x 2>/dev/null | cat", ""),
        ("(exec 3>&2 4>&2; echo a >&3) | cat", "a"),
    ):
        finished = await bash.run(ShellCommand(text), SECONDS)
        assert output_text(finished.output) == said
    assert (await bash.run(ShellCommand("true | false"), SECONDS)).exit == Exit(1)
    assert (await bash.run(ShellCommand("true | exit 4"), SECONDS)).exit == Exit(4)


async def test_without_bash_nothing_is_told_of_parts(
    shell: MakeShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glossator.sandbox.shell._BASH_PLACES", "/nowhere")
    finished = await shell(NO_SANDBOX).run(ShellCommand("false | true"), SECONDS)
    assert (finished.exit, output_text(finished.output)) == (Exit(0), "")


def test_what_is_said_of_them() -> None:
    ended = Exit(0, failed=(FailedPart("pytest", 1), FailedPart("sed p", 2)))
    parts = "`pytest` ended with exit code 1, `sed p` ended with exit code 2"
    assert exit_text(ended) == f"[exit code 0, that of the last part; {parts}]"
