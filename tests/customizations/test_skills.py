"""The files beside a SKILL.md: named, and read from there alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from glossator.core.errors import UsageError
from glossator.customizations.definitions import Skill
from glossator.customizations.skill_tool import MOST_FILES, read_skill_file, skill_files
from tests.customizations.files import described, load, write
from tests.workspaces import MakeWorkspace, Workspace

SKILL = ".claude/skills/pdf/SKILL.md"


async def test_the_files_of_the_users_own(workspace: MakeWorkspace, tmp_path: Path) -> None:
    """Though they lie outside the workspace, and the folder is a link."""
    home = tmp_path / "home"
    elsewhere = tmp_path / "dotfiles/pdf"
    write(elsewhere / "SKILL.md", described("pdf", "x"))
    write(elsewhere / "references/api.md", "One.\nTwo.\n")
    (home / ".claude/skills").mkdir(parents=True)
    (home / ".claude/skills/pdf").symlink_to(elsewhere)
    made = await workspace({})
    skill = load(made, home).skills["pdf"]
    assert skill_files(skill, made.snapshot) == ("references/api.md",)
    assert read_skill_file(skill, "references/api.md", 1, made.snapshot) == "One.\nTwo."


async def project(workspace: MakeWorkspace, **more: str) -> tuple[Workspace, Skill]:
    made = await workspace({SKILL: described("pdf", "x"), "outside.md": "Outside.", **more})
    return made, load(made).skills["pdf"]


async def test_a_long_file_is_read_in_parts(workspace: MakeWorkspace) -> None:
    made, skill = await project(workspace)
    text = "".join(f"line {number}\n" for number in range(1, 10_001))
    write(made.root / ".claude/skills/pdf/long.txt", text)
    first = read_skill_file(skill, "long.txt", 1, made.snapshot)
    *lines, note = first.splitlines()
    assert lines[0] == "line 1"
    assert len(first) < 41_000
    assert note == f"(Lines 1-{len(lines)} of 10000; go on with line={len(lines) + 1}.)"
    last = read_skill_file(skill, "long.txt", 9_999, made.snapshot)
    assert last == "line 9999\nline 10000\n(Lines 9999-10000 of 10000.)"


async def test_the_editors_text_is_read(workspace: MakeWorkspace) -> None:
    made, skill = await project(workspace, **{".claude/skills/pdf/a.md": "Old."})
    made.open(".claude/skills/pdf/a.md", "Unsaved.")
    assert read_skill_file(skill, "a.md", 1, made.snapshot) == "Unsaved."


@pytest.mark.parametrize(
    ("file", "why"),
    [
        ("../../../outside.md", "outside"),
        ("../pdf-evil/a.md", "outside"),
        ("/etc/passwd", "outside"),
        ("out.md", "outside"),
        ("folder/outside.md", "outside"),
        ("sub", "a directory"),
        ("pipe", "not a regular file"),
        ("picture", "binary"),
        ("large", "too large"),
        ("nothing", "absent"),
        ("a\0b", "outside"),
        ("secret.md", "absent"),
    ],
)
async def test_nothing_else_is_read(workspace: MakeWorkspace, file: str, why: str) -> None:
    made, skill = await project(workspace)
    folder = made.root / ".claude/skills/pdf"
    write(made.root / ".claude/skills/pdf-evil/a.md", "x")
    write(folder / "sub/a.md", "x")
    write(folder / "picture", b"\x89PNG\0\0\xff\xfe" * 100)
    write(folder / "large", "x" * 1_100_000)
    write(folder / "secret.md", "x")
    (folder / "out.md").symlink_to(made.root / "outside.md")
    (folder / "folder").symlink_to(made.root)
    os.mkfifo(folder / "pipe")

    def hidden(path: str) -> bool:
        return path.endswith("secret.md")

    with pytest.raises(UsageError, match=f"cannot be read in the folder.* it is {why}"):
        read_skill_file(skill, file, 1, made.snapshot, hidden)
    named = skill_files(skill, made.snapshot, hidden)
    assert set(named) == {"large", "picture", "pipe", "sub/a.md"}


async def test_a_folder_that_became_a_link_is_no_longer_read(
    workspace: MakeWorkspace, tmp_path: Path
) -> None:
    made, skill = await project(workspace)
    write(tmp_path / "elsewhere/secret.md", "x")
    folder = made.root / ".claude/skills/pdf"
    (folder / "SKILL.md").unlink()
    folder.rmdir()
    folder.symlink_to(tmp_path / "elsewhere")
    assert skill_files(skill, made.snapshot) == ()
    with pytest.raises(UsageError):
        read_skill_file(skill, "secret.md", 1, made.snapshot)


async def test_of_many_files_some_are_named(workspace: MakeWorkspace) -> None:
    many = {f".claude/skills/pdf/{n:04}.md": "x" for n in range(2 * MOST_FILES)}
    made, skill = await project(workspace, **many)
    named = skill_files(skill, made.snapshot)
    assert named == tuple(f"{n:04}.md" for n in range(MOST_FILES))
