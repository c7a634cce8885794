"""Rules as they are written, and what is wrong with those that are none."""

from __future__ import annotations

import pytest

from glossator.core.errors import UsageError
from glossator.permissions.policy import (
    CommandRule,
    PathRule,
    PatternBase,
    Rule,
    ToolRule,
    parse_rule,
    path_spec,
)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("*", ToolRule("*")),
        ("Read", ToolRule("Read")),
        (" Bash ", ToolRule("Bash")),
        ("Bash(*)", ToolRule("Bash")),
        ("Edit(**)", ToolRule("Edit")),
        ("mcp__github__create_issue", ToolRule("mcp__github__create_issue")),
        ("mcp__my-server__get.all", ToolRule("mcp__my-server__get.all")),
        ("mcp__github__*", ToolRule("mcp__github")),
        ("Bash(git status)", CommandRule(("git", "status"), prefix=False)),
        ("Bash(npm test:*)", CommandRule(("npm", "test"), prefix=True)),
        ("Bash( npm   test :*)", CommandRule(("npm", "test"), prefix=True)),
        ("Bash(git commit -m 'a (b) c')", CommandRule(("git", "commit", "-m", "a (b) c"), False)),
        ("Bash(ls '*.py')", CommandRule(("ls", "*.py"), prefix=False)),
        ("Bash(echo ':*')", CommandRule(("echo", ":*"), prefix=False)),
        ("Edit(src/**)", PathRule("Edit", PatternBase.WORKSPACE, "src/**")),
        ("Edit(./src)", PathRule("Edit", PatternBase.WORKSPACE, "/src")),
        ("Edit(/src/*.py)", PathRule("Edit", PatternBase.WORKSPACE, "/src/*.py")),
        ("Read(.env)", PathRule("Read", PatternBase.WORKSPACE, ".env")),
        ("Read(~/.ssh/**)", PathRule("Read", PatternBase.HOME, "/.ssh/**")),
        ("Read(//etc/**)", PathRule("Read", PatternBase.FILE_SYSTEM, "/etc/**")),
        ("Read(a (copy).txt)", PathRule("Read", PatternBase.WORKSPACE, "a (copy).txt")),
    ],
)
def test_what_a_rule_says(text: str, rule: Rule) -> None:
    assert parse_rule(text) == rule
    assert parse_rule(str(rule)) == rule


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "neither a tool's name"),
        ("npm test", "neither a tool's name"),
        ("Bash(npm test", "neither a tool's name"),
        ("Bash)", "neither a tool's name"),
        ("bash", "the tool is called Bash"),
        ("multiedit", "the tool is called MultiEdit"),
        ("bash(rm:*)", "only Bash, Edit, Line, Network and Read"),
        ("Task(x)", "only Bash, Edit, Line, Network and Read"),
        ("mcp__a__b(x)", "only Bash, Edit, Line, Network and Read"),
        ("Write(src/**)", "covered by Edit(src/**)"),
        ("Move(src/**)", "covered by Edit(src/**)"),
        ("move", "the tool is called Move"),
        ("Grep(src/**)", "covered by Read(src/**)"),
        ("Bash()", "nothing in the brackets"),
        ("Glob(*)", "nothing in the brackets"),
        ("Bash(:*)", "no command"),
        ("Bash(rm *)", "only at the end"),
        ("Bash(npm * test:*)", "only at the end"),
        ("Bash(echo 'a)", "quotation mark"),
        ("Edit(../x)", "never leads upwards"),
        ("Edit(a/../../x)", "never leads upwards"),
        ("Read(~)", "home folder"),
        ("Read(~root/x)", "home folder"),
        ("Edit(!src)", "takes nothing back"),
        ("Edit(#x)", "matches no path"),
        ("Edit([)", "matches no path"),
        ("Read(//)", "matches no path"),
        ("Read(a\ud800)", "cannot be used"),
    ],
)
def test_what_is_no_rule(text: str, why: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse_rule(text)
    assert why in str(raised.value)
    assert "Bash(npm test:*)" in str(raised.value), "it says how to write one"


@pytest.mark.parametrize(
    ("part", "length", "path"),
    [("?", 4_000, "a" * 4_000), ("*a", 4_000, "ba" * 2_000), ("[!b]*", 4_000, "a" * 4_000)]
    + [("**/", length, "x") for length in (30_000, 60_000, 120_000)]
    + [("a", length, "a" * length) for length in (60_000, 80_000, 100_000, 120_000)],
)
def test_a_pattern_that_needs_much_memory_matches_or_is_refused(
    part: str, length: int, path: str
) -> None:
    """RE2 refuses a set that lacks memory when it compiles; it never misses a match for it."""
    pattern = part * (length // len(part)) + ("x" if part == "**/" else "")
    try:
        matches = path_spec(pattern).match_file(path)
    except UsageError:
        assert length > 60_000
    else:
        assert matches
