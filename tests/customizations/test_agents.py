"""Files that describe sub-agents."""

from __future__ import annotations

import pytest

from glossator.customizations.definitions import CustomAgent, agent_of
from glossator.customizations.front_matter import FrontMatter, Malformed, read_front_matter

LAW = "---\nname: law\ndescription: Knows licences.\ntools: Read, Grep\n---\n\nYou read licences.\n"


def agent(text: str) -> CustomAgent | Malformed:
    found = read_front_matter(text)
    assert isinstance(found, FrontMatter)
    return agent_of(found, "user")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            LAW,
            CustomAgent(
                "law", "Knows licences.", "You read licences.", frozenset({"Read", "Grep"})
            ),
        ),
        (LAW.replace("\n", "\r\n"), agent(LAW)),
        ("---\nname: a\n---\nDo.", CustomAgent("a", "", "Do.")),
        (
            "---\nname: a\nmodel: inherit\ntools: '*'\n---\nDo.",
            CustomAgent("a", "", "Do.", None, "inherit"),
        ),
        (
            "---\nname: a\ntools:\n  - Read\n  - Glob\ndescription: >\n  One\n  two\n---\nDo.",
            CustomAgent("a", "One two", "Do.", frozenset({"Read", "Glob"})),
        ),
        (
            "---\nname: a\ndescription: >-\n  One\ndisallowedTools: [Grep, Bash]\n---\nDo.",
            CustomAgent("a", "One", "Do.", None, "", frozenset({"Grep", "Bash"})),
        ),
        (
            "---\nname: a\ndescription: Use when: x\ntools: *\n---\nDo.",
            CustomAgent("a", "Use when: x", "Do."),
        ),
    ],
)
def test_a_file(text: str, expected: CustomAgent) -> None:
    assert agent(text) == expected


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("---\nname: a b\n---\nDo.", "a name"),
        ("---\nname: ../a\n---\nDo.", "a name"),
        ("---\nname: a:b\n---\nDo.", "a name"),
        ("---\ndescription: a\n---\nDo.", "no name"),
        ("Just words.", "no name"),
        ("---\nname: a\n---\n", "no text"),
    ],
)
def test_what_describes_none(text: str, why: str) -> None:
    found = agent(text)
    assert isinstance(found, Malformed)
    assert why in found.why
