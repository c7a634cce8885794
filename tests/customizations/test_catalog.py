"""What is found where, and what of it is used."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.customizations import files as reading
from glossator.customizations.catalog import CustomizationFiles
from glossator.customizations.front_matter import read_front_matter
from tests.customizations.files import described, load, states, write
from tests.workspaces import MakeWorkspace

BAD = "---\nname: 'a\n---\nDo.\n"


async def test_every_place(workspace: MakeWorkspace, tmp_path: Path) -> None:
    """The user's own first."""
    home, config = tmp_path / "home", tmp_path / "config"
    write(home / ".claude/agents/law.md", described("law", "Mine."))
    write(home / ".claude/skills/pdf/SKILL.md", described("pdf", "Reads PDF."))
    write(home / ".agents/skills/csv/SKILL.md", "Reads CSV.\n\nMore.")
    write(home / ".claude/commands/git/pr.md", "---\nargument-hint: [number]\n---\n# Review\n\n$1")
    write(config / "agents/b.md", described("b", "B."))
    write(config / "skills/c/SKILL.md", described("c", "C."))
    write(config / "commands/d.md", "D.")
    made = await workspace(
        {
            ".claude/agents/tests.md": described("tests", "Knows tests."),
            ".claude/skills/deploy/SKILL.md": described("deploy", "Deploys."),
            ".claude/skills/no-skill/README.md": "x",
            ".claude/skills/notes.txt": "x",
            ".agents/skills/build/SKILL.md": described("build", "Builds."),
            ".claude/commands/fix.md": "Fix $ARGUMENTS",
            ".claude/commands/no.txt": "x",
        }
    )
    found = load(made, home, config=config)
    assert states(found) == [
        ("agent", "law", "user", "on"),
        ("skill", "pdf", "user", "on"),
        ("skill", "csv", "user", "on"),
        ("command", "git:pr", "user", "on"),
        ("agent", "b", "user", "on"),
        ("skill", "c", "user", "on"),
        ("command", "d", "user", "on"),
        ("agent", "tests", "project", "on"),
        ("skill", "deploy", "project", "on"),
        ("skill", "build", "project", "on"),
        ("command", "fix", "project", "on"),
    ]
    assert found.skills["csv"].description == "Reads CSV."
    assert found.commands["git:pr"].hint == "[number]"
    assert found.commands["git:pr"].description == "Review"
    assert found.listed[0].path == str(home / ".claude/agents/law.md")
    assert found.listed[0].uri.startswith("file://")
    assert found.left_out == ()


async def test_the_users_own_wins(workspace: MakeWorkspace, tmp_path: Path) -> None:
    home = tmp_path / "home"
    write(home / ".claude/agents/a.md", described("law", "Mine."))
    write(home / ".claude/skills/x/SKILL.md", described("law", "Mine."))
    write(home / ".claude/commands/deploy.md", "Mine.")
    made = await workspace(
        {
            ".claude/agents/b.md": described("law", "Theirs."),
            ".claude/skills/law/SKILL.md": described("law", "Theirs."),
            ".claude/skills/deploy/SKILL.md": described("deploy", "Theirs."),
            ".claude/commands/law.md": "Theirs.",
        }
    )
    found = load(made, home)
    assert found.agents["law"].description == found.skills["law"].description == "Mine."
    off = [each for each in found.listed if each.state.value == "off"]
    assert [each.why for each in off] == [
        "Another sub-agent of this name comes first.",
        "Another skill of this name comes first.",
    ]
    law, deploy = found.called("law"), found.called("deploy")
    assert law is found.skills["law"], "a skill before a command"
    assert deploy is found.commands["deploy"], "the user's own before the project's"
    assert found.called("nothing") is None


async def test_what_a_user_may_not_type(workspace: MakeWorkspace) -> None:
    text = "---\ndescription: x\nuser-invocable: false\ndisable-model-invocation: true\n---\nDo."
    made = await workspace({".claude/skills/a/SKILL.md": text, ".claude/commands/b.md": "x"})
    found = load(made)
    assert found.called("a") is None
    assert not found.skills["a"].by_model
    assert found.called("b") is not None


async def test_a_folder_that_is_not_trusted_is_named_and_not_read(
    workspace: MakeWorkspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    write(home / ".claude/skills/mine/SKILL.md", described("mine", "Mine."))
    made = await workspace(
        {
            ".claude/agents/a.md": described("law", "x"),
            ".claude/skills/a/SKILL.md": described("renamed", "x"),
            ".agents/skills/b/SKILL.md": BAD,
            ".claude/skills/empty/README.md": "x",
            ".claude/commands/x/c.md": "x",
        }
    )
    monkeypatch.setattr(type(made.snapshot), "read", lambda *_: pytest.fail("it is read"))
    found = load(made, home, trusted=False)
    assert states(found) == [
        ("skill", "mine", "user", "on"),
        ("agent", "a", "project", "untrusted"),
        ("skill", "a", "project", "untrusted"),
        ("skill", "b", "project", "untrusted"),
        ("command", "x:c", "project", "untrusted"),
    ]
    assert found.left_out == ("1 sub-agent", "2 skills", "1 slash command")
    assert not found.agents
    assert not found.commands


async def test_switched_off_and_hidden(workspace: MakeWorkspace) -> None:
    made = await workspace(
        {
            ".claude/skills/a/SKILL.md": described("a", "x"),
            ".claude/agents/a.md": described("a", "x"),
            ".claude/commands/g/a.md": "x",
            ".claude/commands/b.md": "x",
        }
    )
    found = load(
        made, disabled=("skill:a", "command:g:a"), hidden=lambda path: path.endswith("b.md")
    )
    assert [(each.name, each.state.value, each.why) for each in found.listed] == [
        ("a", "on", ""),
        ("a", "off", "The setting customizations.disabled names it."),
        ("b", "off", "A permission rule hides it."),
        ("g:a", "off", "The setting customizations.disabled names it."),
    ]
    assert list(found.agents) == ["a"]
    assert not found.skills
    assert not found.commands


async def test_what_has_no_effect_is_named(workspace: MakeWorkspace) -> None:
    text = "---\ndescription: x\nmodel: opus\nAllowed-Tools: Bash\nhooks: {}\n---\nDo."
    made = await workspace({".claude/skills/a/SKILL.md": text, ".claude/commands/b.md": text})
    skill, command = load(made).listed
    assert (skill.state, skill.why) == ("on", "Without effect here: allowed-tools, model, hooks.")
    assert (command.state, command.why) == ("on", "")


async def test_a_problem_names_the_file(workspace: MakeWorkspace) -> None:
    made = await workspace(
        {".claude/agents/a.md": BAD, ".claude/commands/x/b.md": "---\n---\n", ".claude/c.md": "x"}
    )
    agent, command = load(made).listed
    assert agent.why.startswith("a.md is not YAML in line ")
    assert command.why == (
        "x/b.md has no text below its front matter; write there what is to be done."
    )


async def test_an_open_document_replaces_its_file(workspace: MakeWorkspace) -> None:
    made = await workspace({".claude/commands/a.md": "Old."})
    made.open(".claude/commands/a.md", "New.")
    assert load(made).commands["a"].body == "New."


async def test_files_are_parsed_again_only_when_they_change(
    workspace: MakeWorkspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    own = write(home / ".claude/commands/a.md", "One.")
    made = await workspace({".claude/commands/b.md": "One."})
    parsed: list[str] = []

    def parse(text: str) -> object:
        parsed.append(text)
        return read_front_matter(text)

    monkeypatch.setattr(reading, "read_front_matter", parse)
    files = CustomizationFiles(str(home), str(tmp_path / "none"), (), ())
    for _ in range(3):
        files.load(made.snapshot, trusted=True)
    assert parsed == ["One.", "One."]
    write(own, "Two, mine.")
    made.write(".claude/commands/b.md", "Two, theirs.")
    files.load(made.snapshot, trusted=True)
    found = files.load(made.snapshot, trusted=True)
    assert parsed[2:] == ["Two, mine.", "Two, theirs."]
    assert [each.body for each in found.commands.values()] == parsed[2:]


async def test_the_home_folder_as_a_workspace_is_the_users_own(workspace: MakeWorkspace) -> None:
    made = await workspace({".claude/commands/a.md": "x"})
    found = load(made, made.root, trusted=False)
    assert states(found) == [("command", "a", "user", "on")]
