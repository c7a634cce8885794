"""A command line is decided part by part: what is asked about, and what is said of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.core.permission import Mode
from glossator.permissions.decide import Ask, Decision, decision_about
from glossator.permissions.policy import Policy
from glossator.permissions.subject import CallSubject
from glossator.shell.parser import parse
from glossator.shell.read_only import CommandContext, read_only_commands
from tests.permissions.asking import name, policy, verdict

NEEDS = "In mode ask, a command that may change something needs your permission"


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    root = tmp_path / "ws"
    (root / "src").mkdir(parents=True)
    for each in ("a", "b", "a.py", "src/c.py"):
        (root / each).write_text("x")
    return root


def subject(line: str, ws: Path) -> CallSubject:
    """As the gate makes it, in a sandbox."""
    script = parse(line)
    reading = read_only_commands(script.known, CommandContext(str(ws), (str(ws),), "/usr/bin:/bin"))
    return CallSubject.of_shell(script, cwd=str(ws), reading=reading, open_reason=None)


def decided(line: str, ws: Path, held: Policy) -> Decision:
    return decision_about(subject(line, ws), held)


@pytest.mark.parametrize(
    ("line", "plan", "ask", "accept_edits", "auto"),
    [
        ("PYTHONPATH=src python -m pytest", "deny", "ask", "ask", "allow"),
        ("make 2>&1 | tail -5", "deny", "ask", "ask", "allow"),
        ("npm test; npm run lint", "deny", "ask", "ask", "allow"),
        ("ls *.py", "allow", "allow", "allow", "allow"),
        ("rm *.py", "deny", "ask", "ask", "allow"),
        ("for f in a b; do wc $f; done", "allow", "allow", "allow", "allow"),
        ('for f in *; do wc "$f"; done', "allow", "allow", "allow", "allow"),
        ("for f in a b; do rm $f; done", "deny", "ask", "ask", "allow"),
        ("cat <<E\nx\nE", "allow", "allow", "allow", "allow"),
        ("python - <<'E'\nprint(1)\nE", "deny", "ask", "ask", "allow"),
        ("cat > a <<E\nx\nE", "deny", "ask", "ask", "allow"),
        ("ls # what is here", "allow", "allow", "allow", "allow"),
        ("(cd src && ls); [ -f a ] && cat a || echo no", "allow", "allow", "allow", "allow"),
        ("if grep -q x a; then npm test; fi", "deny", "ask", "ask", "allow"),
        ("NO_COLOR=1 ls", "allow", "allow", "allow", "allow"),
        # not understood
        ("echo $HOME", "deny", "ask", "ask", "allow"),
        ("x=1; npm test $x", "deny", "ask", "ask", "allow"),
        ("npm start & sleep 1", "deny", "ask", "ask", "allow"),
        # in auto, what is named plainly is asked about before the sandbox refuses it
        ("echo $HOME > /etc/x", "deny", "ask", "ask", "ask"),
        ("echo $HOME > .vscode/settings.json", "deny", "ask", "ask", "ask"),
        ("echo x > ../x", "deny", "ask", "ask", "ask"),
    ],
)
def test_what_each_mode_does(
    ws: Path, line: str, plan: str, ask: str, accept_edits: str, auto: str
) -> None:
    expected = dict(zip(Mode, (plan, ask, accept_edits, auto), strict=True))
    assert {mode: verdict(subject(line, ws), policy(mode, root=ws)) for mode in Mode} == expected


@pytest.mark.parametrize(
    ("line", "allow", "expected"),
    [
        ("npm test | tail -5", ["npm test"], "allow"),
        ("ls && npm test", ["npm test"], "allow"),
        ("npm test && npm run lint", ["npm test:*", "npm run lint"], "allow"),
        ("npm test && npm run lint", ["npm test:*"], "ask"),
        ("for x in a b; do t $x; done", ["t a", "t b"], "allow"),
        ("for x in a b; do t $x; done", ["t a"], "ask"),
        # what a pattern fits may be anything, as further words may
        ("t *.py", ["t:*"], "allow"),
        ("t *.py", ["t"], "ask"),
        ("t *.py", ["t '*.py'"], "ask"),
        ("t *.py", ["t '*.py':*"], "ask"),
        # a variable may make another program of it
        ("PYTHONPATH=src python -m pytest", ["python -m pytest:*"], "ask"),
        ("PYTHONPATH=src python -m pytest", ["PYTHONPATH=src python -m pytest:*"], "allow"),
        ("PYTHONPATH=x python -m pytest", ["PYTHONPATH=src python -m pytest:*"], "ask"),
        ("PATH=. npm test", ["npm test:*"], "ask"),
        ("LD_PRELOAD=./x npm test", ["npm test:*"], "ask"),
        ("NODE_OPTIONS=x npm test", ["npm test:*"], "ask"),
        ("LC_ALL=../x npm test", ["npm test:*"], "ask"),
        ("LC_ALL=C NO_COLOR=1 npm test", ["npm test:*"], "allow"),
        ("LC_ALL=C PATH=. npm test", ["npm test:*"], "ask"),
        # this very command is without anything to read
        ("python", ["python"], "allow"),
        ("python <<<x", ["python"], "ask"),
        ("python <<E\nx\nE", ["python"], "ask"),
        ("python <<E\nx\nE", ["python:*"], "allow"),
        ("echo x | python", ["python"], "ask"),
        ("cat a | tail | python", ["python"], "ask"),
        ("echo x | python", ["python", "echo x"], "allow"),
        ("(echo x; ls) | (true; python)", ["python"], "ask"),
        # a redirection of several is one of each
        ("(cat; npm test) </etc/passwd", ["npm test"], "ask"),
        ("cat </etc/passwd; npm test", ["npm test"], "ask"),
        ("(cat; npm test) <a", ["npm test"], "allow"),
        ("(ls; npm test) >x", ["npm test"], "ask"),
        # not understood
        ("npm test $x", ["npm test:*"], "ask"),
        ("npm test; x=1", ["npm test:*"], "ask"),
        ("npm test > $x", ["npm test:*"], "ask"),
    ],
)
def test_what_rules_allow(ws: Path, line: str, allow: list[str], expected: str) -> None:
    held = policy(allow=[f"Bash({each})" for each in allow], root=ws)
    assert name(decided(line, ws, held)) == expected


@pytest.mark.parametrize(
    ("line", "rule", "expected"),
    [
        ("for x in a b; do rm $x; done", "Bash(rm b)", "deny"),
        ("A=1 rm x", "Bash(rm:*)", "deny"),
        ("A=1 rm x", "Bash(A=1 rm:*)", "deny"),
        ("sh <<E\nrm x\nE", "Bash(rm:*)", "deny"),
        ("sh <<<'rm x'", "Bash(rm:*)", "deny"),
        ("sh <<E\nrm x\nE", "Bash(sh)", "deny"),
        ("echo $(rm x)", "Bash(rm:*)", "deny"),
        ("git push $x", "Bash(git push:*)", "deny"),
        ("l's'; \\rm $x", "Bash(rm:*)", "deny"),
        ("rm $x &", "Bash(rm:*)", "deny"),
        ("f() { rm x; }; f", "Bash(rm:*)", "deny"),
        ("cat a <a", "Read(a)", "deny"),
        ("wc <a", "Read(a)", "deny"),
        ("cat $x a", "Read(a)", "deny"),
        ("touch *", "Edit(a.py)", "deny"),
        ("touch $x a", "Edit(a)", "deny"),
        ("A=1 cd src; touch c.py", "Edit(/src/c.py)", "deny"),
        # what cannot be excluded is asked about
        ("rm *", "Bash(rm a)", "ask"),
        ("git $x", "Bash(git push:*)", "ask"),
        ("/usr/bin/git $x", "Bash(git push:*)", "ask"),
        ("/bin/rm $x", "Bash(/bin/rm x)", "ask"),
        ("env $x", "Bash(git push:*)", "ask"),
        ('sh -c "$x"', "Bash(rm:*)", "ask"),
        ("$x a", "Bash(rm:*)", "ask"),
        ('x=rm; sudo "$x"', "Bash(rm:*)", "ask"),
        ("echo $x 'or rm'", "Bash(rm:*)", "ask"),
        ("export A=rm", "Bash(rm:*)", "ask"),
        ("ls\x01", "Bash(rm:*)", "ask"),
        ("ls 'a", "Bash(rm:*)", "ask"),
        ("touch $x", "Edit(a)", "ask"),
        # and what can be excluded is not
        ("echo $x", "Bash(rm:*)", "allow"),
        ("echo $format", "Bash(rm:*)", "allow"),
        ("ls *", "Bash(rm a)", "allow"),
        ("git log $x", "Bash(git push:*)", "allow"),
        ("cat $x", "Read(a)", "allow"),  # the sandbox hides it
    ],
)
def test_rules_that_refuse_in_auto(ws: Path, line: str, rule: str, expected: str) -> None:
    assert name(decided(line, ws, policy("auto", deny=[rule], root=ws))) == expected
    as_asked = "ask" if expected == "deny" or rule == "Read(a)" else expected
    assert name(decided(line, ws, policy("auto", ask=[rule], root=ws))) == as_asked


def test_in_auto_too_many_names_are_held_by_the_sandbox(ws: Path) -> None:
    for number in range(1_100):
        (ws / "src" / f"{number}.txt").touch()
    line = "wc src/*"
    assert name(decided(line, ws, policy("auto", root=ws))) == "allow"
    assert name(decided(line, ws, policy("auto", deny=["Edit(x)"], root=ws))) == "ask"
    assert name(decided(line, ws, policy(root=ws))) == "ask"
    assert name(decided(f"{line} > .git/config", ws, policy("auto", root=ws))) == "ask"


@pytest.mark.parametrize(
    ("line", "reasons"),
    [
        (
            'npm test && python -c "$x"',
            ['Glossator cannot tell what `python -c "$x"` would do.'],
        ),
        (
            "npm test && rm a && echo $x; for x in a b; do l $y; done",
            [
                "Glossator cannot tell what `echo $x`, `l $y` would do.",
                f"{NEEDS}: `rm a`.",
            ],
        ),
        (
            "npm test; rm a; ls; A=1 rm *.py",
            [f"{NEEDS}: `rm a`, `A=1 rm *.py`."],
        ),
        ("rm a", [f"{NEEDS}."]),
        ("echo $x", ["Glossator cannot tell what `echo $x` would do."]),
        ("echo $x" + "y" * 200, [f"Glossator cannot tell what `echo $x{'y' * 73}…` would do."]),
    ],
)
def test_the_parts_are_named(ws: Path, line: str, reasons: list[str]) -> None:
    decision = decided(line, ws, policy(allow=["Bash(npm test:*)"], root=ws))
    assert isinstance(decision, Ask)
    assert list(decision.reasons) == reasons


MANY = "It has more than 200 commands, and Glossator looks at no more."


@pytest.mark.parametrize(
    ("line", "reasons"),
    [
        ("; ".join(f"echo {n}" for n in range(298)), [MANY]),
        ("\n".join(f"echo {n} >> a" for n in range(298)), [MANY]),
        (f"for n in {' '.join(map(str, range(298)))}; do echo $n; echo; done", [MANY]),
        (
            "; ".join(["echo $x", *(f"echo {n}" for n in range(298))]),
            [MANY, "Glossator cannot tell what `echo $x` would do."],
        ),
        ("; ".join(f"echo {n}" for n in range(200)), []),
    ],
)
def test_too_many_commands_are_said_to_be_too_many(ws: Path, line: str, reasons: list[str]) -> None:
    decision = decided(line, ws, policy(allow=["Bash(echo:*)"], root=ws))
    said = decision.reasons if isinstance(decision, Ask) else ()
    assert [each for each in said if "It would write" not in each] == reasons


def test_what_nobody_can_tell_names_the_rule(ws: Path) -> None:
    decision = decided("$x", ws, policy("auto", deny=["Bash(rm:*)"], root=ws))
    assert isinstance(decision, Ask)
    assert decision.reasons == ("Glossator cannot tell whether a rule is about this: Bash(rm:*).",)


@pytest.mark.parametrize(
    ("line", "rules"),
    [
        ("npm test && python -c 'x y'", ["Bash(python -c 'x y')"]),
        ("ls; npm run lint; cat a", ["Bash(npm run lint:*)"]),
        ("PYTHONPATH=src python -m pytest -x", ["Bash(PYTHONPATH=src python -m pytest:*)"]),
        ("LC_ALL=C pytest -x", ["Bash(pytest:*)"]),
        ("for x in a b; do t $x; done", ["Bash(t a)", "Bash(t b)"]),
        ("echo x | sh", ["Bash(echo x)", "Bash(sh)"]),
        ("rm *.py", []),
        ("sh <<<x", []),
        ("npm run lint; echo $x", []),
    ],
)
def test_what_is_suggested_is_what_is_missing(ws: Path, line: str, rules: list[str]) -> None:
    decision = decided(line, ws, policy(allow=["Bash(npm test:*)"], root=ws))
    assert isinstance(decision, Ask)
    assert list(map(str, decision.suggestions)) == rules
    if rules:
        held = policy(allow=["Bash(npm test:*)"], session=rules, root=ws)
        assert name(decided(line, ws, held)) == "allow"
