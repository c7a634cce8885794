"""The table of decisions: modes, rules and what limits them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from glossator.core.permission import Access, Mode
from glossator.permissions.decide import Ask, Deny, decision_about
from glossator.permissions.policy import Policy, UserRules
from glossator.permissions.subject import CallSubject, ResolvedPath
from tests.permissions.asking import files, policy, shell, target, verdict

TODO = CallSubject("Todo", Access.READ)
MEMORY = CallSubject("Memory", Access.WRITE)
MCP = CallSubject("mcp__db__query", Access.EXECUTE)


@pytest.mark.parametrize(
    ("subject", "plan", "ask", "accept_edits", "auto"),
    [
        (TODO, "allow", "allow", "allow", "allow"),
        (files("Read", "/ws/a.py"), "allow", "allow", "allow", "allow"),
        (files("Grep", "/ws"), "allow", "allow", "allow", "allow"),
        (files("Read", "/ws/.git/config"), "allow", "allow", "allow", "allow"),
        # outside the workspace the tools refuse; nobody is asked for nothing
        (files("Read", "/etc/passwd"), "deny", "deny", "deny", "deny"),
        (files("Read", "/ws-evil/x"), "deny", "deny", "deny", "deny"),
        (files("Write", "/outside/f"), "deny", "deny", "deny", "deny"),
        (files("Edit", "/ws/a.py"), "deny", "ask", "allow", "allow"),
        (files("MultiEdit", "/ws/a.py"), "deny", "ask", "allow", "allow"),
        (files("Write", "/ws/new/a.py"), "deny", "ask", "allow", "allow"),
        (files("Write", "/ws/Makefile"), "deny", "ask", "allow", "allow"),
        (files("Write", "/ws/.editorconfig"), "deny", "ask", "allow", "allow"),
        (files("Write", "/ws/.vscode/settings.json"), "deny", "ask", "ask", "ask"),
        (files("Edit", "/ws/a", "/ws/.git/hooks/x"), "deny", "ask", "ask", "ask"),
        (files("Move", "/ws/a.py", "/ws/b.py"), "deny", "ask", "allow", "allow"),
        (files("Move", "/ws/a.py", "/outside/b.py"), "deny", "deny", "deny", "deny"),
        (files("Move", "/ws/a", "/ws/b", "/ws/a/.envrc"), "deny", "ask", "ask", "ask"),
        (
            files("Edit", ResolvedPath("/ws/loop", ("/ws/loop",), ())),
            "deny",
            "deny",
            "deny",
            "deny",
        ),
        (MEMORY, "deny", "ask", "ask", "allow"),
        (MCP, "deny", "ask", "ask", "ask"),
        (shell("git status", read_only=True), "allow", "allow", "allow", "allow"),
        (shell("cat x", read_only=True, named=["/ws/x"]), "allow", "allow", "allow", "allow"),
        (shell("cat /etc/x", read_only=True, named=["/etc/x"]), "ask", "ask", "ask", "allow"),
        (shell("ls", read_only=True, open_reason="no sandbox"), "ask", "ask", "ask", "ask"),
        (shell("ls", read_only=True, writes=["/ws/x"]), "deny", "ask", "ask", "allow"),
        (shell("npm test"), "deny", "ask", "ask", "allow"),
        (shell("npm test", open_reason="no sandbox"), "deny", "ask", "ask", "ask"),
        (shell("echo x", writes=["/ws/x"]), "deny", "ask", "ask", "allow"),
        (shell("echo x", writes=["/out/x"]), "deny", "ask", "ask", "ask"),
        (shell("echo x", writes=["/ws/.envrc"]), "deny", "ask", "ask", "ask"),
        (shell(), "deny", "ask", "ask", "allow"),
        (shell(read_only=False, open_reason="no sandbox"), "deny", "ask", "ask", "ask"),
    ],
)
def test_what_each_mode_does(
    subject: CallSubject, plan: str, ask: str, accept_edits: str, auto: str
) -> None:
    expected = dict(zip(Mode, (plan, ask, accept_edits, auto), strict=True))
    assert {mode: verdict(subject, policy(mode)) for mode in Mode} == expected


@pytest.mark.parametrize(
    ("subject", "held", "expected"),
    [
        # deny, then ask, then allow
        (files("Edit", "/ws/a"), policy(deny=["Edit"], ask=["*"], allow=["*"]), "deny"),
        (files("Edit", "/ws/a"), policy("auto", ask=["Edit"], allow=["*"]), "ask"),
        (files("Edit", "/ws/a"), policy(allow=["Edit"]), "allow"),
        (files("Write", "/ws/src/a"), policy(allow=["Edit(src/**)"]), "allow"),
        (files("Write", "/ws/lib/a"), policy(allow=["Edit(src/**)"]), "ask"),
        (files("Write", "/ws/src/a", "/ws/b"), policy(allow=["Edit(src/**)"]), "ask"),
        (files("Write", "/ws/s/a", "/ws/b"), policy(allow=["Edit(/s)", "Edit(b)"]), "allow"),
        (files("Edit", "/ws/a"), policy(allow=["Read"]), "ask"),
        (files("Write", "/ws/a/b"), policy(allow=["Edit(a/)"]), "allow"),
        (files("Write", "/ws/a"), policy(allow=["Edit(a/)"]), "ask"),  # it says a folder
        # a move is an edit of both ends; what may not be read gets no other path
        (files("Move", "/ws/s/a", "/ws/s/b"), policy(allow=["Edit(s/**)"]), "allow"),
        (files("Move", "/ws/s/a", "/ws/b"), policy(allow=["Edit(s/**)"]), "ask"),
        (files("Move", "/ws/s/a", "/ws/s/b"), policy(allow=["Move"]), "allow"),
        (files("Move", "/ws/a", "/ws/b"), policy("auto", deny=["Edit(b)"]), "deny"),
        (files("Move", "/ws/a", "/ws/b"), policy("auto", deny=["Read(a)"]), "deny"),
        (files("Move", "/ws/a", "/ws/b"), policy("auto", deny=["Read(b)"]), "deny"),
        (files("Move", "/ws/a", "/ws/b"), policy("auto", ask=["Read(a)"]), "ask"),
        (files("Move", "/ws/a", "/ws/b"), policy("auto", deny=["Edit"]), "deny"),
        (files("Move", "/ws/a", "/ws/b"), policy(allow=["Read", "Read(a)", "Read(b)"]), "ask"),
        (files("Read", "/ws/a"), policy("auto", deny=["Read(a)"]), "deny"),
        (files("Grep", "/ws/a"), policy("auto", deny=["Read(a)"]), "deny"),
        (files("Read", "/ws/b"), policy("auto", deny=["Read(a)"]), "allow"),
        # letters in small and in capitals are one to what refuses, unless a rule tells them apart
        (files("Read", "/ws/a"), policy("auto", deny=["Read(A)"]), "deny"),
        (files("Read", "/ws/A.key"), policy("auto", deny=["Read([[:upper:]].key)"]), "deny"),
        (files("Diagnostics", "/ws/a"), policy("auto", deny=["Read(a)"]), "deny"),
        (files("Diagnostics"), policy("auto", deny=["Read"]), "deny"),
        # what may not be read is not edited either: an edit shows lines around
        (files("Edit", "/ws/a"), policy("auto", deny=["Read(a)"]), "deny"),
        (files("Write", "/ws/b", "/ws/a"), policy("auto", deny=["Read(a)"]), "deny"),
        (files("Write", "/ws/b"), policy("auto", deny=["Read(a)"]), "allow"),
        (files("Edit", "/ws/a"), policy("auto", ask=["Read(a)"]), "allow"),
        (MEMORY, policy("auto", deny=["Read"]), "allow"),  # it shows nothing of a file
        (files("Read", "/ws/x/a/b"), policy("auto", deny=["Read(a/)"]), "deny"),
        (files("Grep", "/ws/x/a"), policy("auto", deny=["Read(a/)"]), "deny"),
        (files("Edit", "/ws/x/a/b"), policy("auto", deny=["Edit(/a/)"]), "allow"),
        (files("Read", "/home/me/.ssh/id"), policy(allow=["*"], deny=["Read(~/.ssh/**)"]), "deny"),
        (files("Read", "/etc/hosts"), policy(allow=["Read(//etc/hosts)"]), "allow"),
        (files("Read", "/etc/hosts"), policy(allow=["Read", "*", "Read(etc)"]), "deny"),
        (files("Read", "/etc/x"), policy(ask=["Read"]), "deny"),
        (files("Read", "/etc/x"), policy(deny=["Read(/etc/x)"], allow=["Read(//etc/x)"]), "deny"),
        (files("Edit", "/ws/src/a"), policy("plan", allow=["*"]), "deny"),
        # one rule or another for each of several commands
        (shell("npm test"), policy(allow=["Bash(npm test:*)"]), "allow"),
        (shell("npm test -- -u"), policy(allow=["Bash(npm test:*)"]), "allow"),
        (shell("npm testing"), policy(allow=["Bash(npm test:*)"]), "ask"),
        (shell("npm test x"), policy(allow=["Bash(npm test)"]), "ask"),
        (shell("'npm test'"), policy(allow=["Bash(npm test:*)"]), "ask"),
        (shell("NPM test"), policy(allow=["Bash(npm test:*)"]), "ask"),
        (shell("./npm test"), policy(allow=["Bash(npm test:*)"]), "ask"),
        (shell("npm test", "rm -r x"), policy(allow=["Bash(npm test:*)"]), "ask"),
        (shell("npm test", "rm x"), policy(allow=["Bash(npm test)", "Bash(rm x)"]), "allow"),
        (shell("npm test", "rm x"), policy(allow=["Bash"], deny=["Bash(rm:*)"]), "deny"),
        (shell("npm test", "rm x"), policy("auto", ask=["Bash(rm x)"]), "ask"),
        (shell(), policy(allow=["Bash", "*"]), "ask"),
        (shell("ls", open_reason="no sandbox"), policy(allow=["Bash(ls)"]), "ask"),
        (shell("ls", writes=["/ws/x"]), policy(allow=["Bash"]), "ask"),
        (shell("ls", writes=["/ws/x"]), policy(allow=["Bash(ls)", "Edit(x)"]), "allow"),
        (shell("ls", writes=["/ws/x"]), policy("acceptEdits", allow=["Bash(ls)"]), "allow"),
        (shell("ls", writes=["/out/x"]), policy("auto", allow=["Bash(ls)"]), "ask"),
        (shell("ls", writes=["/ws/x"]), policy("auto", deny=["Edit(x)"]), "deny"),
        (shell("touch x", named=["/ws/x"]), policy("auto", deny=["Edit(x)"]), "deny"),
        (shell("cat x", named=["/ws/x"]), policy("auto", deny=["Read(x)"]), "deny"),
        (
            shell("cat x", read_only=True, named=["/ws/x"]),
            policy("auto", deny=["Edit(x)"]),
            "allow",
        ),
        # a denied command under another name, or behind another program
        (shell("/bin/rm x"), policy("auto", deny=["Bash(rm:*)"]), "deny"),
        (shell("RM x"), policy("auto", deny=["Bash(rm:*)"]), "deny"),
        (shell("env -i A=1 rm x"), policy("auto", deny=["Bash(rm:*)"]), "deny"),
        (shell("sudo /usr/bin/rm x"), policy("auto", deny=["Bash(rm:*)"]), "deny"),
        (shell("timeout 5 git push -f"), policy("auto", deny=["Bash(git push)"]), "deny"),
        (shell("sh -c 'git push'"), policy("auto", deny=["Bash(git push:*)"]), "deny"),
        (shell("git push origin"), policy("auto", deny=["Bash(git push)"]), "allow"),
        (shell("echo rm x"), policy("auto", deny=["Bash(rm:*)"]), "allow"),
        # other tools
        (MCP, policy(allow=["mcp__db__query"]), "allow"),
        (MCP, policy(allow=["mcp__db"]), "allow"),
        (MCP, policy(allow=["mcp__d"]), "ask"),
        (MCP, policy("auto", deny=["mcp__db__*"]), "deny"),
        (MCP, policy("auto", allow=["mcp__db__*"]), "allow"),
        (MCP, policy("plan", allow=["mcp__db__*"]), "allow"),
        (MCP, policy("plan", allow=["*"]), "deny"),
        (MCP, replace(policy("plan"), session=UserRules.parse([], [], ["mcp__db"])), "deny"),
        (MCP, replace(policy("plan", allow=["mcp__db"]), only_reads=True), "deny"),
        (replace(MCP, tool="mcp__db__query__all"), policy(allow=["mcp__db__query"]), "ask"),
        (MCP, policy("auto", deny=["*"]), "deny"),
        # protected paths ask whatever a rule allows, however they are spelled
        (files("Write", "/ws/.mcp.json"), policy("auto", allow=["*", "Edit(.mcp.json)"]), "ask"),
        (files("Write", "/ws/.VSCode/Settings.JSON"), policy("auto"), "ask"),
        (files("Write", target("/ws/x", "/ws/.git/config")), policy("auto"), "ask"),
        (files("Write", target("/ws/.git/x", "/ws/x")), policy("auto"), "ask"),
        (files("Write", "/ws/x/glossator"), policy("auto"), "allow"),
        # a session's rules count as the user's; a workspace's only narrow
        (files("Edit", "/ws/a"), policy(session=["Edit(a)"]), "allow"),
        (files("Edit", "/ws/a"), policy("auto", workspace_deny=["Edit(a)"]), "deny"),
        (files("Edit", "/ws/a"), policy("auto", workspace_ask=["Edit(a)"]), "ask"),
    ],
)
def test_rules(subject: CallSubject, held: Policy, expected: str) -> None:
    assert verdict(subject, held) == expected


@pytest.mark.parametrize(
    ("subject", "rules"),
    [
        (files("Edit", "/ws/src/deep/a.py"), ("Edit(/src/deep/**)",)),
        (files("Write", "/ws/a.py"), ("Edit(/a.py)",)),
        (files("Write", "/ws/a.py", "/ws/b/c.py"), ("Edit(/a.py)", "Edit(/b/**)")),
        (files("Move", "/ws/s/d", "/ws/d", "/ws/s/d/x/y"), ("Edit(/s/**)", "Edit(/d)")),
        (files("Edit", "/ws/[id]/a*b\\c/x"), (r"Edit(/\[id\]/a\*b\\c/**)",)),
        (files("Edit", "/ws/end "), ()),
        (files("Edit", target("/ws/link", "/ws/src/a")), ("Edit(/src/**)",)),
        (files("Edit", "/ws/.envrc"), ()),
        (MEMORY, ("Memory",)),
        (MCP, ("mcp__db__query",)),
        (shell("npm run build --watch"), ("Bash(npm run build:*)",)),
        (shell("npm run --if-present x"), ("Bash(npm run --if-present x)",)),
        (shell("git push --force"), ("Bash(git push --force)",)),
        (shell("git commit -m 'a b'"), ("Bash(git commit -m 'a b')",)),
        (shell("ls '*.py'", "pytest -x"), ("Bash(ls '*.py')", "Bash(pytest:*)")),
        (shell("pytest -x", "pytest -q"), ("Bash(pytest:*)",)),
        (shell("ls", writes=["/ws/x"]), ()),
        (shell("ls", open_reason="no sandbox"), ()),
        (shell(), ()),
    ],
)
def test_what_is_suggested_is_narrow_and_enough(
    subject: CallSubject, rules: tuple[str, ...]
) -> None:
    decision = decision_about(subject, policy())
    assert isinstance(decision, Ask)
    assert tuple(map(str, decision.suggestions)) == rules
    if rules:
        assert verdict(subject, policy(session=rules)) == "allow"


def test_only_what_no_rule_covers_is_suggested() -> None:
    decision = decision_about(shell("ls", "rm x"), policy(allow=["Bash(ls)"]))
    assert isinstance(decision, Ask)
    assert tuple(map(str, decision.suggestions)) == ("Bash(rm x)",)


@pytest.mark.parametrize(
    ("subject", "held", "words"),
    [
        (shell("rm x"), policy("plan"), "Plan mode only reads"),
        (shell("rm x"), policy(deny=["Bash(rm:*)"]), "denied: Bash(rm:*)"),
        (files("Read", "/etc/x"), policy(), "/etc/x is outside the workspace"),
        (files("Write", "/etc/x"), policy("auto"), "can be changed"),
        (
            files("Read", ResolvedPath("/ws/link", ("/ws/link",), ("/etc/x",))),
            policy(),
            "/ws/link leads outside the workspace",
        ),
        (files("Edit", ResolvedPath("/ws/a\nb", (), ())), policy(), r"/ws/a\nb cannot be resolved"),
        (files("Edit", "/ws/.vscode/x"), policy(), "editors may run what it says"),
        (files("Edit", "/home/me/.config/glossator/x"), policy(allow=["*"]), "outside"),
        (shell(), policy(), 'Glossator cannot tell what `x "$y"` would do.'),
        (shell("x", open_reason="bwrap is missing."), policy("auto"), "bwrap is missing."),
        (shell("x", writes=["/ws/y"]), policy(), "It would write to /ws/y."),
        (shell("x", named=["/etc/y"]), policy(), "/etc/y is outside"),
        (
            shell("x"),
            policy(ask=["Bash(x)"], allow=["Bash"]),
            "A rule says to ask each time: Bash(x).",
        ),
        (shell("x"), policy(), "In mode ask, a command that may change something needs your perm"),
        (shell("x", "y z"), policy(allow=["Bash(x)"]), "needs your permission: `y z`."),
        (shell("x", "y" * 80), policy(), f": `x`, `{'y' * 80}`."),
        (shell("x", "y" * 81), policy(), f": `x`, `{'y' * 80}…`."),
        (
            files("Move", "/ws/x", "/ws/y"),
            policy(),
            "In mode ask, every edit needs your permission.",
        ),
        (
            MCP,
            policy("acceptEdits"),
            "No sandbox holds what an MCP server does, so you are asked in every mode.",
        ),
    ],
)
def test_what_is_said(subject: CallSubject, held: Policy, words: str) -> None:
    decision = decision_about(subject, held)
    assert isinstance(decision, Ask | Deny)
    said = decision.reason if isinstance(decision, Deny) else " ".join(decision.reasons)
    assert words in said


def test_the_rules_that_deny_are_named_in_order() -> None:
    rules = [f"Bash({letters}:*)" for letters in ("x y", "X", "x", "X y", "x Y", "X Y")]
    decision = decision_about(shell("x y"), policy(deny=rules))
    assert isinstance(decision, Deny)
    assert f"(denied: {', '.join(sorted(rules))})" in decision.reason


def test_all_reasons_are_told_at_once() -> None:
    decision = decision_about(
        shell(open_reason="no sandbox", writes=["/ws/.envrc"]), policy("auto")
    )
    assert isinstance(decision, Ask)
    assert len(decision.reasons) == 3


@pytest.mark.parametrize("mode", ["ask", "acceptEdits", "auto"])
@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        (files("Read", "/ws/a.py"), "allow"),
        (shell("git status", read_only=True), "allow"),
        (files("Edit", "/ws/a.py"), "deny"),
        (files("Edit", "/ws/.envrc"), "deny"),
        (files("Move", "/ws/a.py", "/ws/b.py"), "deny"),
        (shell("npm test"), "deny"),
        (shell("ls", read_only=True, writes=["/ws/x"]), "deny"),
        (MCP, "deny"),
    ],
)
def test_what_only_reads_changes_nothing_in_any_mode(
    subject: CallSubject, mode: str, expected: str
) -> None:
    allowing = policy(mode, allow=["*", "Bash(npm test)"])
    assert verdict(subject, replace(allowing, only_reads=True)) == expected


@pytest.mark.parametrize(
    ("paths", "more"), [(5, []), (6, ["1 more protected paths would change."])]
)
def test_of_many_protected_paths_the_first_are_named(paths: int, more: list[str]) -> None:
    move = files("Move", *(f"/ws/.git/hooks/{number}" for number in range(paths)))
    decision = decision_about(move, policy("auto"))
    assert isinstance(decision, Ask)
    assert all(" is protected: " in reason for reason in decision.reasons[:5])
    assert list(decision.reasons[5:]) == more
