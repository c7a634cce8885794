"""Deny and ask rules are about what programs are given to run, however it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.permissions.subject import CallSubject
from glossator.shell.parser import parse
from glossator.shell.read_only import CommandContext, read_only_commands
from tests.permissions.asking import policy, verdict


def decided(line: str, ws: Path, *deny: str, mode: str = "auto", **rules: list[str]) -> str:
    """As the gate makes it, in a sandbox."""
    script = parse(line)
    reading = read_only_commands(script.known, CommandContext(str(ws), (str(ws),), "/usr/bin:/bin"))
    subject = CallSubject.of_shell(script, cwd=str(ws), reading=reading, open_reason=None)
    return verdict(subject, policy(mode, deny=deny, root=ws, **rules))


@pytest.mark.parametrize(
    "line",
    [
        'bash -c "ls;rm x"',
        "sh -c '(rm x)'",
        "sh -c 'ls&&rm x'",
        "sh -c 'ls|rm x'",
        "sh -c '{ rm x;}'",
        "sh -c 'r\"\"m x'",
        "sh -c 'sh -c \"ls;rm x\"'",
        "bash -lc 'ls;rm x'",
        "sh -c 'echo $(rm x)'",
        "trap 'rm x' EXIT",
        "trap 'ls;/bin/rm x' EXIT",
        "builtin command rm x",
        "flock f rm x",
        "flock f -c 'ls;rm x'",
        "su -c 'rm x'",
        "su -c'rm x'",
        "su --command='ls;rm x'",
        "script -c 'rm x' /dev/null",
        "setpriv --no-new-privs rm x",
        "strace -f rm x",
        "uv run rm x",
        "uv --quiet run rm x",
        "npm exec -- rm x",
        "npx rm x",
        "find . -name x -exec rm {} +",
        "find . -exec sh -c 'ls;rm \"$1\"' _ {} +",
        "git bisect run rm x",
        "git submodule foreach 'ls;rm x'",
        "eval 'ls;rm x'",
        "eval 'ls;' rm x",
        "env -S 'rm x'",
        "env -S 'sh -c \"ls;rm x\"'",
        "bash <<'E'\nls;rm x\nE",
        "sudo sh <<<'ls;rm x'",
        "echo 'ls;rm x' | sh",
        "echo rm x | bash -s",
        "cat <<'E' | bash\nls;rm x\nE",
        "xargs -0 sh -c 'ls;rm x'",
        "alias a='rm x'; a",
        "x=1; sh -c 'ls;rm x'",
        "rm -v x",
    ],
)
def test_a_command_in_a_text(tmp_path: Path, line: str) -> None:
    assert decided(line, tmp_path, "Bash(rm:*)") == "deny"
    assert decided(line, tmp_path, ask=["Bash(rm:*)"]) == "ask"


@pytest.mark.parametrize(
    "line",
    [
        "git push",
        "git -C . push",
        "git -- push",
        "git -c a=b push",
        "git --no-pager push",
        "git --git-dir=.git -C src -p push origin",
        "git -C $x push",
        "git $x push",
        "/usr/bin/git -C . push",
        "find . -exec git push '{}' +",
        "sh -c 'ls;git -C . push'",
        "timeout 5 git -c a.b=c push",
    ],
)
def test_options_before_what_a_command_does(tmp_path: Path, line: str) -> None:
    assert decided(line, tmp_path, "Bash(git push:*)") == "deny"


@pytest.mark.parametrize(
    "line",
    [
        "sh -c 'echo x > .env'",
        "sh -c 'ls;cp a .env'",
        "eval 'echo x > .env'",
        "eval echo x '>' .env",
        "env -S 'cp a .env'",
        "bash <<'E'\necho x > .env\nE",
        "bash -c 'echo $x > .env'",
        "cd src && sh -c 'cp a ../.env'",
        "sh -c 'cd src && cp a ../.env'",
        "sh -c 'cat > .e*'",
        "find . -exec sh -c 'cp {} .env' ';'",
    ],
)
def test_a_file_in_a_text(tmp_path: Path, line: str) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / ".env").touch()
    assert decided(line, tmp_path, "Edit(.env)") in ("deny", "ask")
    if "*" not in line:
        assert decided(line, tmp_path, "Edit(.env)") == "deny"


@pytest.mark.parametrize(
    ("line", "rule", "expected"),
    [
        # what cannot be excluded is asked about
        ("sh -c 'x=r; ${x}m y'", "Bash(rm:*)", "ask"),
        ('sh -c "$x"', "Bash(rm:*)", "ask"),
        ("bash -c 'touch \"$x\"'", "Edit(.env)", "ask"),
        ('sh -c "ls $x"', "Bash(rm:*)", "ask"),
        ('eval "ls $x"', "Bash(rm:*)", "ask"),
        ("bash -c $'ls\\nrm x'", "Bash(rm:*)", "ask"),
        ("git $(cat a)", "Bash(git push:*)", "ask"),
        ("git $'pu\\x73h'", "Bash(git push:*)", "ask"),
        ("git pu{sh,ll}", "Bash(git push:*)", "ask"),
        ('bash <<< "$(cat a)"', "Bash(rm:*)", "ask"),
        ("git -C . $x", "Bash(git push:*)", "ask"),
        # and what can be excluded is not
        ("bash -c 'echo \"$x\"'", "Bash(rm:*)", "allow"),
        ("timeout 5 pytest -k 'a and not (b'", "Bash(rm:*)", "allow"),
        ("xargs grep -E '(foo|bar) x'", "Bash(rm:*)", "allow"),
        ("grep bash <<E\nx (\nE", "Bash(rm:*)", "allow"),
        ("echo 'rm x' | grep sh", "Bash(rm:*)", "allow"),
        ("echo 'rm x'", "Bash(rm:*)", "allow"),
        ('timeout 5 echo "$x y"', "Bash(rm:*)", "ask"),  # as a runner's words may be anything
        ('echo "$x y"', "Bash(rm:*)", "allow"),
        ("git commit -m 'rm x; git push'", "Bash(rm:*)", "allow"),
        ("uv pip install rm", "Bash(rm:*)", "allow"),
        ("git log push", "Bash(git push:*)", "allow"),
        ("git --no-pager log push", "Bash(git push:*)", "allow"),
        ("git --no-pager log $x", "Bash(git push:*)", "allow"),
        ("git stash push", "Bash(git push:*)", "allow"),
        ("git commit -m push", "Bash(git push:*)", "allow"),
        ("npm test -- x", "Bash(npm test)", "allow"),
        ("sh -c 'cat a >/dev/null 2>&1'", "Edit(.env)", "allow"),
        ("bash -c 'ls; pwd'", "Edit(.env)", "allow"),
    ],
)
def test_doubts(tmp_path: Path, line: str, rule: str, expected: str) -> None:
    assert decided(line, tmp_path, rule) == expected


def test_allow_rules_see_the_words_alone(tmp_path: Path) -> None:
    """What stands in a text allows nothing, and takes nothing from a rule about its program."""
    line = "bash -c 'cat $x > /etc/y'"
    assert decided(line, tmp_path, mode="ask", allow=["Bash(cat:*)"]) == "ask"
    assert decided(line, tmp_path, mode="ask", allow=["Bash(bash -c:*)"]) == "allow"
    assert decided(line, tmp_path, mode="plan", allow=["Bash(bash -c:*)"]) == "deny"
    assert decided(line, tmp_path) == "allow", "the sandbox holds it"


def test_long_texts_end(tmp_path: Path) -> None:
    """A pathological line is decided soon; the runner of tests ends one that is not."""
    for line in (
        "sh <<'E'\n" + "ls a\n" * 10_000 + "E",
        "sh -c '" + 'eval "ls";' * 3_000 + "'",
        "env " + "-a " * 10_000 + "x",
        ";".join(f"sh -c 'ls {each};pwd'" for each in range(180)),
    ):
        assert decided(line, tmp_path, "Bash(rm:*)", "Edit(x)") in ("ask", "allow")
