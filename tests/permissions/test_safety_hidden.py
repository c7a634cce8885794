"""A file that a deny rule hides is shown by no tool, no mention and no command."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from glossator.commands.declared import EXPLAIN, FIX
from glossator.commands.on_lines import LinesRequest, act_on_lines
from glossator.core.attached import Diagnostic, Severity
from glossator.core.errors import UsageError
from glossator.core.events import Notice
from glossator.core.permission import Choice, PermissionAnswer
from glossator.core.uri import to_uri
from glossator.turn.told.attachments import Attachment
from glossator.workspace.documents.overlays import Opened
from tests.sandboxed import SANDBOXED
from tests.stage import stage
from tests.standin import Text, ToolUse, Turn
from tests.workspace.files.trees import write_tree

_FILES = {
    "app.py": "def visible():\n    return 1\n",
    "config/keys.py": "def kingfisher():\n    return 'kingfisher'\n",
    "config/deep/more.txt": "kingfisher\n",
    "kingfisher.pem": "kingfisher\n",
    ".gitignore": "build/\n.env\n",
    ".env": "KEY=kingfisher\n",
    "build/.env": "KEY=kingfisher\n",
    "build/sub/out.txt": "fine\n",
}
_WHO = ("AUTHOR", "COMMITTER")
_DENY = ["Read(config/**)", "Read(*.pem)", "Read(.env)"]
_PERMISSIONS = {"permissions": {"mode": "auto", "deny": _DENY}}


async def results(root: Path, *calls: ToolUse, settings: dict[str, Any] | None = None) -> list[str]:
    script = [*map(Turn, calls), Turn(Text("Well."))]
    async with stage(root, _FILES, script, settings or _PERMISSIONS) as s:
        await s.ask("Look.")
        each = (s.results(number) for number in range(1, len(calls) + 1))
        found = [result["content"] for by_id in each for result in by_id.values()]
        assert s.port.permissions == []
        return found


@pytest.mark.parametrize(
    "call",
    [
        ToolUse("Grep", {"pattern": "kingfisher"}),
        ToolUse("Grep", {"pattern": "kingfisher", "output_mode": "content"}),
        ToolUse("Grep", {"pattern": "kingfisher", "output_mode": "count"}),
        ToolUse("Grep", {"pattern": "kingfisher", "glob": "*.{py,txt,pem}"}),
        ToolUse("Glob", {"pattern": "*.pem"}),
        ToolUse("Glob", {"pattern": "config/**"}),
        ToolUse("Search", {"query": "kingfisher"}),
        ToolUse("Symbols", {"name": "kingfisher"}),
        ToolUse("Symbols", {"name": "kingfisher", "mode": "references"}),
    ],
)
async def test_a_search_shows_nothing_of_it_and_says_so(tmp_path: Path, call: ToolUse) -> None:
    (text,) = await results(tmp_path, call)
    assert "return" not in text
    assert "keys.py" not in text
    assert "KEY=" not in text
    assert "Hidden by the user's permission rules: " in text


async def test_an_account_tells_how_many_files_are_hidden(tmp_path: Path) -> None:
    (text,) = await results(tmp_path, ToolUse("Grep", {"pattern": "kingfisher"}))
    assert "Looked at 2 of 5 files." in text
    assert "Hidden by the user's permission rules: 3." in text


async def test_other_files_are_found(tmp_path: Path) -> None:
    listed, found = await results(
        tmp_path,
        ToolUse("Glob", {"pattern": "**/*.py"}),
        ToolUse("Grep", {"pattern": "return"}),
    )
    assert listed == "app.py"
    assert found == "app.py"


async def test_a_link_to_it_shows_nothing_either(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").symlink_to("config/deep/more.txt")
    found, read = await results(
        tmp_path,
        ToolUse("Grep", {"pattern": "kingfisher"}),
        ToolUse("Read", {"path": "notes.txt"}),
    )
    assert found.startswith("No match")
    assert "permission rules" in read


@pytest.mark.parametrize(
    "mention", ["@config/keys.py", "@kingfisher", "@kingfisher.pem:1", "@.env"]
)
async def test_a_mention_attaches_nothing_of_it(tmp_path: Path, mention: str) -> None:
    async with stage(tmp_path, _FILES, [Turn(Text("Well."))], _PERMISSIONS) as s:
        await s.ask(f"What is {mention}?")
        told, question = s.said(0)
        assert question["text"] == f"What is {mention}?"
        assert told["text"].startswith(f"Mentioned by the user, but not attached: {mention} (")
        (notice,) = s.port.of(Notice)
        assert notice.message.startswith(f"Not attached: {mention} (")
        if mention != "@kingfisher":
            assert "by your permission rule Read(" in notice.message
            assert "permissions.deny" in notice.message


@pytest.mark.parametrize("name", ["config/keys.py", ".env", "link", "folder/keys.py"])
@pytest.mark.parametrize("opened", [False, True])
async def test_who_points_at_it_is_told_of_the_rule(
    tmp_path: Path, name: str, *, opened: bool
) -> None:
    """Neither what is attached nor what is selected reaches the model, and nothing is asked."""
    write_tree(tmp_path, _FILES)
    (tmp_path / "link").symlink_to("config/keys.py")
    (tmp_path / "folder").symlink_to("config")
    uri = to_uri(str(tmp_path / name))
    async with stage(tmp_path, {}, [], _PERMISSIONS) as s:
        if opened:
            s.app.host.apply(Opened(uri, 1, "kingfisher\n"))
        rule = r"kept from the model by your permission rule Read\((config/\*\*|\.env)\): take that"
        with pytest.raises(UsageError, match=rule):
            await s.ask("What is it?", attachments=(Attachment(uri),))
        with pytest.raises(UsageError, match=rule):
            await act_on_lines(EXPLAIN, s.app, LinesRequest(uri, 1, 1))
        assert s.api.requests == []


async def test_a_finding_that_quotes_it_is_not_shown(tmp_path: Path) -> None:
    quoting = Diagnostic(1, Severity.ERROR, "Type 'kingfisher' is not assignable.")
    async with stage(tmp_path, _FILES, [Turn(Text("Well."))], _PERMISSIONS) as s:
        request = LinesRequest(to_uri(str(tmp_path / "app.py")), diagnostics=(quoting,))
        await act_on_lines(FIX, s.app, request)
        lines, _ = s.said(0)
        assert "1: error: [not shown: it quotes a file" in lines["text"]
        assert "kingfisher" not in lines["text"]


@pytest.mark.parametrize("path", ["config/keys.py", "config/new.py", "kingfisher.pem"])
async def test_it_is_not_edited(tmp_path: Path, path: str) -> None:
    """Who edits is shown the lines around, and what else is there in place of what was expected."""
    created, edited = await results(
        tmp_path,
        ToolUse("Write", {"path": path, "content": "x\n"}),
        ToolUse("Edit", {"path": path, "old_text": "kingfisher", "new_text": "x"}),
    )
    assert "(denied: " in created
    assert "(denied: " in edited
    assert not (tmp_path / "config/new.py").exists()


@SANDBOXED
async def test_a_command_finds_it_empty(tmp_path: Path) -> None:
    (text,) = await results(
        tmp_path,
        ToolUse("Bash", {"command": "grep -rhs kingfisher . ; ls build/sub; cat app.py"}),
    )
    assert "kingfisher" not in text
    assert "out.txt" in text
    assert "visible" in text


@SANDBOXED
async def test_a_command_cannot_get_at_it_by_another_name(tmp_path: Path) -> None:
    command = (
        "d=$(echo con)fig; mv $d moved; ln $d/keys.py hard; cp -r moved copy; rm -f king*.pem;"
        " cat moved/* copy/* hard king*.pem /proc/1/root$PWD/moved/keys.py"
    )
    script = [Turn(ToolUse("Bash", {"command": command})), Turn(Text("Well."))]
    async with stage(
        tmp_path, _FILES, script, {"permissions": {"mode": "auto", "deny": _DENY}}
    ) as s:
        await s.ask("Get it.")
        (result,) = s.results(1).values()
        assert "def kingfisher" not in result["content"]
    assert (tmp_path / "kingfisher.pem").read_text() == _FILES["kingfisher.pem"]


@SANDBOXED
async def test_a_command_cannot_move_it_to_where_no_rule_knows_it(tmp_path: Path) -> None:
    moved, read = await results(
        tmp_path,
        ToolUse("Bash", {"command": "mv config/deep . ; mv config moved; ls"}),
        ToolUse("Bash", {"command": "cat moved/keys.py deep/more.txt moved/deep/more.txt"}),
        settings={"permissions": {"mode": "auto", "deny": ["Read(/config/keys.py)"]}},
    )
    assert "busy" in moved
    assert "def kingfisher" not in read


def git(root: Path, *arguments: str) -> bytes:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b")
    command = ("git", *identity, "-C", str(root), *arguments)
    return subprocess.run(command, check=True, capture_output=True).stdout


@SANDBOXED
@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
async def test_what_git_keeps_of_it_is_not_shown_by_the_way(tmp_path: Path) -> None:
    write_tree(tmp_path, _FILES | {"my keys/a b.pem": "kingfisher\n"})
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-Af", ".")
    git(tmp_path, "commit", "-qm", "all")
    commands = ("git log -p", "git show", "git diff --cached 'HEAD~0'", "git grep -h kingf HEAD")
    texts = await results(tmp_path, *(ToolUse("Bash", {"command": each}) for each in commands))
    assert "def visible" in texts[0]
    assert "config/keys.py differ" in texts[0]
    assert "kingfisher" not in "".join(texts).replace("kingfisher.pem", "")


@SANDBOXED
@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
@pytest.mark.parametrize("commit", ["git commit -aqm x", "git add -A; git commit -qm x"])
async def test_a_commit_does_not_lose_it(tmp_path: Path, commit: str) -> None:
    """A cover that looks like an empty file, or like none, would be committed."""
    write_tree(tmp_path, _FILES)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-Af", ".")
    git(tmp_path, "commit", "-qm", "all")
    (tmp_path / "app.py").write_text("changed\n")
    names = "".join(f"export GIT_{who}_NAME=a GIT_{who}_EMAIL=a@b; " for who in _WHO)
    call = ToolUse("Bash", {"command": names + commit})
    async with stage(tmp_path, {}, [Turn(call), Turn(Text("Well."))], _PERMISSIONS) as s:
        s.port.permitted = [PermissionAnswer(Choice.ONCE)]  # for what it exports
        await s.ask("Commit.")
        (result,) = s.results(1).values()
        assert "ermission denied" in result["content"]
    kept = git(tmp_path, "show", "HEAD:kingfisher.pem", "HEAD:config/keys.py", "HEAD:.env")
    assert kept.count(b"kingfisher") == 4
