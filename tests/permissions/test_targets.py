"""Paths on a real disk, each in its dressings: letter case, link, `..`, unicode form."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from glossator.core.permission import Access
from glossator.permissions.matching import hiding_rules
from glossator.permissions.policy import Policy
from glossator.permissions.subject import CallSubject, ResolvedPath
from tests.permissions.asking import of_line, of_words, policy, verdict


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    root = tmp_path / "ws"
    for folder in ("src/deep", "config", ".git/hooks", "../outside", "../ws-evil"):
        (root / folder).mkdir(parents=True)
    for file in (".env", "src/a.py", "caf\u00e9.key", "config/x", "../outside/f", "../ws-evil/x"):
        (root / file).write_text("x")
    links = {
        "env": ".env",
        "again": "env",
        "here": ".",
        "up": "..",
        "inner": "src/deep",
        "src/back": "../config",
        "out": "../outside",
        "vs": ".vscode",
        "hooks": ".git/hooks",
        "loop": "loop",
        "etc": "/etc",
    }
    for link, to in links.items():
        (root / link).symlink_to(to)
    (tmp_path / "ws-link").symlink_to("ws")
    return root


def ask(tool: str, path: str, held: Policy) -> str:
    access = Access.READ if tool == "Read" else Access.WRITE
    return verdict(CallSubject.of_files(tool, access, (path,)), held)


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        ".ENV",
        ".\uff25\uff2e\uff36",  # full-width letters
        ".e\u200cnv",
        "./src/../.env",
        "inner/../../.env",  # as the kernel reads it
        "src/back/../.env",
        "nowhere/../.env",
        "env",
        "again",
        "here/here/.env",
        "here/env",
        "up/ws/again",
        "../ws-link/.env",
        "../ws-link/again",
        "../WS/.env",
        ".env/below",
    ],
)
def test_a_denied_file_is_denied_under_every_name(ws: Path, path: str) -> None:
    held = policy("auto", deny=["Read(.env)"], root=ws)
    assert ask("Read", f"{ws}/{path}", held) == "deny"
    assert hiding_rules(f"{ws}/{path}", held)


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
@pytest.mark.parametrize("change", [str, str.upper, str.title])
def test_letters_in_every_form(ws: Path, form: str, change: Callable[[str], str]) -> None:
    for rule in ("caf\u00e9.key", "cafe\u0301.key", "CAF\u00c9.*"):
        held = policy("auto", deny=[f"Read({rule})"], root=ws)
        path = change(unicodedata.normalize(form, "caf\u00e9.key"))  # type: ignore[arg-type]
        assert ask("Read", f"{ws}/{path}", held) == "deny"


def test_other_files_are_not_denied(ws: Path) -> None:
    held = policy("auto", deny=["Read(.env)", "Read(/config/**)"], root=ws)
    for path in ("src/a.py", "inner", "env.py", "src/config"):
        assert ask("Read", f"{ws}/{path}", held) == "allow"
        assert not hiding_rules(f"{ws}/{path}", held)


@pytest.mark.parametrize("rule", ["Read(/src/back/**)", "Read(/config/**)", "Read(//{top}/config)"])
def test_a_rule_holds_for_the_link_and_for_where_it_leads(ws: Path, rule: str) -> None:
    held = policy("auto", deny=[rule.format(top=str(ws).lstrip("/"))], root=ws)
    assert ask("Read", f"{ws}/src/back/x", held) == "deny"


def test_a_rule_holds_for_every_link_on_the_way(ws: Path) -> None:
    """`again` leads to `env`, and that to `.env`."""
    for rule in ("Read(again)", "Read(env)", "Read(.env)"):
        assert ask("Read", f"{ws}/again", policy("auto", deny=[rule], root=ws)) == "deny"


def test_what_is_allowed_is_where_a_path_leads(ws: Path) -> None:
    held = policy(allow=["Edit(src/**)", "Edit(inner/**)", "Edit(out/**)"], root=ws)
    assert ask("Edit", f"{ws}/src/a.py", held) == "allow"
    assert ask("Edit", f"{ws}/inner/new.py", held) == "allow", "inner leads into src"
    assert ask("Edit", f"{ws}/src/back/x", held) == "ask", "back leads out of src"
    assert ask("Edit", f"{ws}/SRC/a.py", held) == "ask", "it may be another folder"
    assert ask("Edit", f"{ws}/src/../config/x", held) == "ask"
    assert ask("Edit", f"{ws}/out/f", held) == "deny"


@pytest.mark.parametrize(
    "path",
    ["out/f", "out/new", "up/outside/f", "../ws-evil/x", "etc/passwd", "here/out", "src/../out/f"],
)
@pytest.mark.parametrize("tool", ["Read", "Write"])
def test_no_name_leads_out_of_the_workspace(ws: Path, path: str, tool: str) -> None:
    held = policy("auto", allow=["*", "Edit(**)", "Read(/**)", "Edit(out/**)"], root=ws)
    assert ask(tool, f"{ws}/{path}", held) == "deny"


def test_a_path_is_judged_as_the_kernel_and_as_an_editor_reads_it(ws: Path) -> None:
    """`inner/..` is `src` for the kernel and nothing for an editor: both must be allowed."""
    path = f"{ws}/inner/../x"
    assert set(ResolvedPath.at(path).real) == {f"{ws}/src/x", f"{ws}/x"}
    assert ask("Edit", path, policy(allow=["Edit(/src/**)"], root=ws)) == "ask"
    assert ask("Edit", path, policy(allow=["Edit(/x)"], root=ws)) == "ask"
    assert ask("Edit", path, policy(allow=["Edit(/x)", "Edit(/src/**)"], root=ws)) == "allow"
    assert ask("Edit", f"{ws}/inner/../../x", policy("auto", root=ws)) == "deny", "one leads out"


def test_a_link_made_by_the_shell_leads_nowhere(ws: Path) -> None:
    """CVE-2026-39861."""
    held = policy(allow=["Edit(d/**)"], root=ws)
    assert ask("Write", f"{ws}/d/f", held) == "allow"
    (ws / "d").symlink_to(ws.parent / "outside")
    assert ask("Write", f"{ws}/d/f", held) == "deny"


@pytest.mark.parametrize(
    "path",
    [
        ".mcp.json",
        ".MCP.json",
        ".vscode/settings.json",
        ".VSCode/Settings.JSON",
        ".\uff36scode/settings.json",
        ".v\u200bscode/settings.json",
        ".vscode./settings.json",
        ".git ./config",
        ".vs/../.vscode/x",
        "vs/settings.json",  # a link to a folder that is not there yet
        "vs",
        "hooks/pre-commit",
        "here/.git",
        "x.code-workspace",
        "deep/er/x.Code-Workspace",
    ],
)
@pytest.mark.parametrize("mode", ["ask", "acceptEdits", "auto"])
def test_protected_paths_ask_under_every_name(ws: Path, path: str, mode: str) -> None:
    """CVE-2025-54135, -59944, -53773, -58372."""
    held = policy(mode, allow=["*", "Edit(**)", "Edit(.vscode/**)"], root=ws)
    assert ask("Write", f"{ws}/{path}", held) == "ask"
    assert ask("Write", f"{ws}/{path}", policy("plan", root=ws)) == "deny"


@pytest.mark.parametrize("path", ["loop", "loop/x", "a\0b", "lone\ud800", "x" * 300 + "/y"])
def test_what_cannot_be_resolved_is_denied(ws: Path, path: str) -> None:
    assert ask("Edit", f"{ws}/{path}", policy("auto", allow=["*"], root=ws)) == "deny"


def test_a_folder_that_is_closed_to_us(ws: Path) -> None:
    (ws / "config").chmod(0)
    if os.access(ws / "config", os.X_OK):
        pytest.skip("the superuser may look into every folder")
    assert ask("Edit", f"{ws}/config/x/y", policy("auto", root=ws)) == "deny"
    (ws / "config").chmod(0o700)


def test_a_name_that_is_not_unicode(ws: Path) -> None:
    path = os.fsdecode(b"%s/secrets/\xff\xfe" % os.fsencode(ws))
    assert ask("Read", path, policy("auto", deny=["Read(secrets/)"], root=ws)) == "deny"
    assert ask("Edit", path, policy(allow=["Edit(secrets/*)"], root=ws)) == "allow"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cat .env", "deny"),
        ("cat again", "deny"),
        ("cat src/../.ENV", "deny"),
        ("cat {ws}/.env", "deny"),
        ("cat .e*", "deny"),
        ("cat here/.[a-z]nv", "deny"),
        ("cat src/*/*/*", "ask"),  # what it may mean is not looked at
        ("cat *.py", "allow"),
        ("git show HEAD:.env", "deny"),
        ("grep --file=.env x", "deny"),
        ("head -n 5 src/a.py", "allow"),
        ("grep /api/users src", "allow"),  # no such file
        ("cat /etc/passwd", "ask"),
        ("cat ../outside/f", "ask"),
        ("cat out/f", "ask"),
        ("ls ~", "ask"),
        ("ls ~/*", "ask"),
        ("ls '' loop a\0b", "allow"),
    ],
)
def test_what_the_words_of_a_command_may_mean(
    ws: Path, command: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(ws.parent / "outside"))
    words = tuple(command.format(ws=ws).replace("''", "").split(" "))
    subject = of_words(words, cwd=ws, read_only=True)
    assert verdict(subject, policy(deny=["Read(.env)"], root=ws)) == expected


def test_a_script_may_change_its_folder(ws: Path) -> None:
    held = policy(deny=["Read(/config/x)"], root=ws)
    for script, expected in (
        ("cat x", "allow"),
        ("cd config ; cat x", "deny"),
        ("cd -P src ; pushd back ; cat ./x", "deny"),
        ("cd nowhere ; cd config ; cat x", "deny"),
        ("cd src ; cat a.py", "allow"),
        ("cd .. ; ls", "ask"),
        ("cd ; ls", "ask"),
        (" ; ".join(["cd src", "cd ..", "cd config"] * 9), "ask"),
    ):
        commands = [tuple(command.split()) for command in script.split(" ; ")]
        subject = of_words(*commands, cwd=ws, read_only=True)
        assert verdict(subject, held) == expected, script
    commands = [("cd", "config"), ("echo",)]
    subject = of_words(*commands, cwd=ws, writes=["x"])
    assert verdict(subject, policy("auto", deny=["Edit(/config/x)"], root=ws)) == "deny"


def test_what_a_redirect_reads_is_named(ws: Path) -> None:
    for path, expected in (("again", "deny"), ("src/a.py", "allow"), ("/etc/passwd", "ask")):
        subject = of_words(("cat",), cwd=ws, reads=[path], read_only=True)
        assert verdict(subject, policy(deny=["Read(.env)"], root=ws)) == expected


def test_redirects_of_a_script(ws: Path) -> None:
    def subject(*writes: str) -> CallSubject:
        commands = [("echo", "x")]
        return of_words(*commands, cwd=f"{ws}/src", writes=writes)

    assert subject("/dev/null").targets == ()
    held = policy("auto", deny=["Edit(.env)"], root=ws)
    assert verdict(subject("b.py", "/dev/null"), held) == "allow"
    assert verdict(subject("../again"), held) == "deny"
    assert verdict(subject("../vs/x"), held) == "ask"
    assert verdict(subject("../out/x"), held) == "ask"
    assert verdict(subject("~/x"), held) == "ask"


def test_a_script_that_is_not_understood_is_never_read_only(ws: Path) -> None:
    subject = of_line('cat a "$x"', ws, "cat")
    assert verdict(subject, policy("acceptEdits", allow=["*"], root=ws)) == "ask"
    assert verdict(subject, policy("plan", root=ws)) == "deny"


@pytest.mark.parametrize(
    ("tool", "path", "expected"),
    [
        ("Read", "other", "allow"),
        ("Edit", "other", "ask"),
        ("Write", "inner/../other", "ask"),
        ("Edit", "linked", "ask"),  # a link to it
        ("Move", "other", "allow"),  # its text stays
        ("Edit", "src/a.py", "allow"),
        ("Write", "new", "allow"),
    ],
)
def test_a_file_with_another_name_is_asked_about(
    ws: Path, tool: str, path: str, expected: str
) -> None:
    (ws / "other").hardlink_to(ws.parent / "outside/f")
    (ws / "linked").symlink_to("other")
    held = policy("auto", allow=["*", "Edit(**)"], root=ws)
    assert ask(tool, str(ws / path), held) == expected


def test_a_redirect_to_a_file_with_another_name_is_asked_about(ws: Path) -> None:
    (ws / "other").hardlink_to(ws.parent / "outside/f")
    held = policy("auto", allow=["*"], root=ws)
    for name, expected in (("other", "ask"), ("src/a.py", "allow")):
        subject = of_line(f"echo x > {name}", ws)
        assert verdict(subject, held) == expected
