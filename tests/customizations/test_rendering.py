"""Arguments in the text of a skill or a command, and commands that are not run."""

from __future__ import annotations

import pytest

from glossator.core.tokens import estimate_tokens
from glossator.customizations.definitions import MAX_LISTED, listing, render


@pytest.mark.parametrize(
    ("body", "arguments", "text"),
    [
        ("Fix $ARGUMENTS.", "12 now", "Fix 12 now."),
        ("Fix $ARGUMENTS.", "", "Fix ."),
        ("$1 and $2, $3", "'a b' c", "a b and c, $3"),
        ("$0 and $1", "a b", "a and b"),
        ("$ARGUMENTS[0] and $1", "a b", "a and b"),
        ("costs $5.00, $1x, $10", "a b c d e", "costs $5.00, $1x, $10\n\nARGUMENTS: a b c d e"),
        ("Do it.", " now ", "Do it.\n\nARGUMENTS: now"),
        ("Do it.", "", "Do it."),
        ("$1", "it's", "it's"),
        ("$1", "$2 $ARGUMENTS", "$2"),
        ("Run ${CLAUDE_SKILL_DIR}/a.sh", "", "Run /skills/x/a.sh"),
    ],
)
def test_arguments(body: str, arguments: str, text: str) -> None:
    assert render(body, arguments, "/skills/x").text == text


def test_commands_are_not_run() -> None:
    body = "State: !`git status $1`\n\n```!\nmake\nmake test\n```\nNot `!` nor a!`b`, ``!`c` ``."
    made = render(body, "src")
    assert made.not_run == ("git status $1", "make\nmake test")
    assert made.text.startswith("State: (Not run: `git status src`. Run it with Bash ")
    assert "(Not run: `make\nmake test`." in made.text
    assert made.text.endswith("Not `!` nor a!`b`, ``!`c` ``.")


@pytest.mark.parametrize("part", ["```!\n", "```!\nx\n", "!`", "!`x\n", "$ARGUMENTS[", "$1"])
def test_a_hostile_text_takes_no_longer(part: str) -> None:
    """As many parts as a file may have: a pattern that went back for each would take minutes."""
    body = part * (64_000 // len(part))
    assert render(body, "", "/x").text


def test_what_is_typed_is_no_command() -> None:
    assert render("Do $ARGUMENTS", "!`rm -rf /`").not_run == ()


def test_a_listing_says_what_was_cut() -> None:
    assert listing({"a": "One.", "b": ""}) == "- a: One.\n- b"
    many = listing({f"skill-{n}": "word " * 200 for n in range(40)})
    assert many.endswith("…\n(Descriptions are cut to 120 characters.)")
    names = listing({f"skill-{n}": "word " * 200 for n in range(400)})
    assert names.splitlines()[-2:] == [
        "- skill-399",
        "(Descriptions are left out for want of room.)",
    ]
    most = listing({f"skill-{n:060}": "x" for n in range(10_000)})
    assert "more are there, but there is no room.)" in most
    assert all(estimate_tokens(each) <= MAX_LISTED + 50 for each in (many, names, most))
