"""Files that describe sub-agents."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.customizations.agents import CustomAgent, agents_listing, custom_agents, parse_agent
from tests.workspaces import MakeWorkspace

LAW = "---\nname: law\ndescription: Knows licences.\ntools: Read, Grep\n---\n\nYou read licences.\n"


@pytest.mark.parametrize(
    ("text", "agent"),
    [
        (
            LAW,
            CustomAgent(
                "law", "Knows licences.", "You read licences.", frozenset({"Read", "Grep"})
            ),
        ),
        (LAW.replace("\n", "\r\n"), parse_agent(LAW)),
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
        ("---\nname: a b\n---\nDo.", None),
        ("---\nname: ../a\n---\nDo.", None),
        ("---\ndescription: a\n---\nDo.", None),
        ("---\nname: a\n---\n", None),
        ("---\nname: a\n", None),
        ("Just words.", None),
        ("", None),
    ],
)
def test_a_file(text: str, agent: CustomAgent | None) -> None:
    assert parse_agent(text) == agent


def described(name: str, words: str) -> str:
    return f"---\nname: {name}\ndescription: {words}\n---\nDo.\n"


async def test_the_users_own_come_first(workspace: MakeWorkspace, tmp_path: Path) -> None:
    home = tmp_path / "home"
    own = home / ".claude" / "agents"
    own.mkdir(parents=True)
    (own / "a.md").write_text(described("law", "Mine."), "utf-8")
    (own / "large.md").write_text(described("large", "x") + "x" * 100_000, "utf-8")
    (own / "no.txt").write_text(described("no", "x"), "utf-8")
    made = await workspace(
        {
            ".claude/agents/b.md": described("law", "Theirs."),
            ".claude/agents/c.md": described("tests", "Knows tests."),
        }
    )
    agents = custom_agents(made.snapshot, str(home))
    assert agents_listing(agents) == "- law: Mine.\n- tests: Knows tests."
    assert list(custom_agents(None, str(home))) == ["law"]
    assert list(custom_agents(made.snapshot, None)) == ["law", "tests"]
    assert custom_agents(made.snapshot, None, lambda path: path.endswith("b.md")).keys() == {
        "tests"
    }


async def test_no_link_leads_out_of_the_workspace(workspace: MakeWorkspace, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text(described("secret", "x"), "utf-8")
    made = await workspace({".claude/agents/a.md": described("a", "x")})
    (Path(made.root) / ".claude" / "agents" / "b.md").symlink_to(outside)
    assert list(custom_agents(made.snapshot, None)) == ["a"]
