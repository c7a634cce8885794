"""In auto, what a command redirects into folders that are its own is not asked about."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from glossator.permissions.decide import Ask, decision_about
from glossator.permissions.policy import Policy
from glossator.permissions.subject import CallSubject
from glossator.sandbox.bubblewrap import Bubblewrap
from glossator.sandbox.confinement import Sandbox, Unavailable
from glossator.sandbox.confinement import SandboxPolicy as ShellPolicy
from glossator.sandbox.seatbelt import Seatbelt
from glossator.sandbox.shell import Shell
from glossator.shell.parser import parse
from tests.permissions.asking import name, policy
from tests.sandbox.test_sandbox import said
from tests.sandboxed import FOUND, SANDBOXED

BUBBLEWRAP = Bubblewrap("/usr/bin/bwrap", (), modern=True)
READABLE = "/tmp/glossator-data"


def subject(line: str, ws: Path, sandbox: Sandbox | Unavailable = BUBBLEWRAP) -> CallSubject:
    shell = Shell(sandbox, ShellPolicy((str(ws),), readable=(READABLE,)), {"PATH": os.defpath})
    return CallSubject.of_shell(
        parse(line), cwd=str(ws), open_reason=shell.unconfined, is_temporary=shell.is_temporary
    )


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws/link").symlink_to("/tmp/glossator-away")
    return tmp_path / "ws"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("git diff > /tmp/a.patch", "allow"),
        ("make 2>> /var/tmp/log", "allow"),
        ("make > /dev/shm/log", "allow"),
        ("make > /tmp/a; sort /tmp/a > in.txt", "allow"),
        ("make > /tmp/../etc/passwd", "ask"),
        ("make > /tmpx", "ask"),
        ("make > /etc/x", "ask"),
        ("make > /tmp/a > /etc/x", "ask"),
        ("make > link", "ask"),
        (f"make > {READABLE}/x", "ask"),
        ("make > /tmp/.vscode/settings.json", "ask"),
    ],
)
def test_redirects_in_auto(ws: Path, line: str, expected: str) -> None:
    assert name(decision_about(subject(line, ws), policy("auto", root=ws))) == expected


@pytest.mark.parametrize(
    "held",
    [policy("ask"), policy("acceptEdits"), policy("auto", ask=["Edit(//tmp/**)"])],
    ids=["ask", "acceptEdits", "a rule"],
)
def test_elsewhere_it_is_asked_about_as_ever(ws: Path, held: Policy) -> None:
    held = replace(held, places=policy(root=ws).places)
    assert name(decision_about(subject("make > /tmp/a", ws), held)) == "ask"


@pytest.mark.parametrize("sandbox", [Seatbelt(), Unavailable("None here.")], ids=["mac", "none"])
def test_folders_that_others_see_are_asked_about(ws: Path, sandbox: Sandbox | Unavailable) -> None:
    assert (
        name(decision_about(subject("make > /tmp/a", ws, sandbox), policy("auto", root=ws)))
        == "ask"
    )


def test_what_is_asked_about_names_what_leads_out(ws: Path) -> None:
    decision = decision_about(subject("make > /tmp/a > /etc/x", ws), policy("auto", root=ws))
    assert isinstance(decision, Ask)
    assert decision.reasons == ("/etc/x is outside the workspace.",)


@SANDBOXED
async def test_what_is_not_asked_about_is_gone_afterwards(ws: Path) -> None:
    assert not isinstance(FOUND, Unavailable)
    shell = Shell(FOUND, ShellPolicy((str(ws),)), {"PATH": os.environ["PATH"]})
    own = [folder for folder in FOUND.temporary if shell.is_temporary(f"{folder}/glossator-x")]
    assert own or not isinstance(FOUND, Bubblewrap)
    files = " ".join(f"{folder}/glossator-x" for folder in own)
    text = await said(shell, f"for f in {files}; do echo x > $f; done; ls {files}")
    assert sorted(text.split()) == sorted(files.split())
    assert await said(shell, f"ls {files} 2>&-") == ""
