"""Sessions in worktrees of their own: apart from the user's files, merged or thrown away."""

from __future__ import annotations

import json
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from glossator.commands.answers.sessions import SessionInfo, SessionWorktree
from glossator.commands.ask import AskRequest, ask
from glossator.commands.sessions import (
    DeleteSessionRequest,
    DiscardWorktreeRequest,
    ListSessionsRequest,
    MergeWorktreeRequest,
    NewSessionRequest,
    ResumeSessionRequest,
    delete_session,
    discard_worktree,
    list_sessions,
    merge_worktree,
    new_session,
    resume_session,
)
from glossator.commands.turns import UndoRequest, undo_turn
from glossator.core.answer import Answer
from glossator.core.errors import UsageError
from glossator.core.events import RunStarted
from glossator.core.uri import to_uri
from glossator.hooks.hook import proposed_hooks
from glossator.turn import Attachment
from tests.sandboxed import SANDBOXED
from tests.stage import Stage, stage
from tests.standin import Text, ToolUse, Turn

FILES = {"one.py": "one = 1\n", "two.py": "two = 2\n", "inner/three.py": "three = 3\n"}
ACCEPTING: dict[str, Any] = {"permissions": {"mode": "acceptEdits"}}


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def git(root: Path | str, *words: str) -> str:
    run = subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, text=True)
    return run.stdout.strip()


def repository(root: Path, files: dict[str, str] | None = None) -> Path:
    for name, text in (files or FILES).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    git(root, "init", "-q", "-b", "trunk")
    git(root, "config", "user.name", "Ada")
    git(root, "config", "user.email", "ada@example.org")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "First")
    return root


def editing(path: str, old: str, new: str) -> list[Turn]:
    edit = {"path": path, "old_text": old, "new_text": new}
    return [
        Turn(ToolUse("Read", {"path": path}, "read")),
        Turn(ToolUse("Edit", edit, "edit")),
        Turn(Text("Done.")),
    ]


ONE = editing("one.py", "one = 1", "one = 10")


@asynccontextmanager
async def at(
    root: Path, script: list[Turn], *, trusted: bool | None = True, **settings: Any
) -> AsyncIterator[Stage]:
    async with stage(root, {}, script, ACCEPTING | settings, trusted=trusted) as s:
        yield s


async def begin(s: Stage, name: str = "") -> SessionInfo:
    return await new_session(s.app, NewSessionRequest(worktree=name))


async def ask_in(s: Stage, session_id: str, question: str, **fields: Any) -> Answer:
    """As the server asks: where the session works."""
    app = await s.app.trees.serving(session_id)
    return await ask(app, AskRequest(question, session_id, **fields))


async def listed(s: Stage, session_id: str) -> SessionInfo:
    found = (await list_sessions(s.app, ListSessionsRequest())).sessions
    return next(each for each in found if each.id == session_id)


def folder_of(info: SessionInfo) -> Path:
    assert info.worktree is not None
    return Path(info.worktree.folders[0])


async def test_a_session_changes_its_worktree_alone(tmp_path: Path) -> None:
    root = repository(tmp_path / "ws")
    async with at(root, ONE) as s:
        info = await begin(s, "spare")
        folder = folder_of(info)
        assert info.worktree == SessionWorktree(
            "spare", "glossator/spare", (str(folder),), "open", 0, "trunk"
        )
        assert not folder.is_relative_to(root)
        assert git(folder, "branch", "--show-current") == "glossator/spare"
        answer = await ask_in(s, info.id, "Make it ten.")
        assert answer.changed_files == ("one.py",)
        assert (folder / "one.py").read_text() == "one = 10\n"
        assert (root / "one.py").read_text() == "one = 1\n"
        assert git(root, "status", "--porcelain") == ""
        assert s.port.of(RunStarted)[-1].folders == (str(folder),)
        assert s.port.permissions == []
        found = await listed(s, info.id)
        assert found.worktree is not None
        assert (found.worktree.changed, found.running, found.waits) == (1, False, False)
        assert str(folder) in str(s.sent(0)["system"])


async def test_the_users_own_files_are_outside(tmp_path: Path) -> None:
    """A path in the user's own tree is no file of the session's workspace."""
    root = repository(tmp_path / "ws")
    outside = [
        Turn(ToolUse("Read", {"path": str(root / "one.py")}, "read")),
        Turn(ToolUse("Write", {"path": str(root / "new.py"), "content": "new\n"}, "write")),
        Turn(Text("No.")),
    ]
    async with at(root, outside) as s:
        info = await begin(s)
        await ask_in(s, info.id, "Change mine.")
        assert s.results(2)["write"]["is_error"] or s.port.permissions
        assert not (root / "new.py").exists()


async def test_two_sessions_side_by_side(tmp_path: Path) -> None:
    root = repository(tmp_path / "ws")
    script = [*ONE, *editing("one.py", "one = 1", "one = 11")]
    async with at(root, script) as s:
        first, second = await begin(s), await begin(s)
        await ask_in(s, first.id, "Make it ten.")
        await ask_in(s, second.id, "Make it eleven.")
        texts = {each.id: (folder_of(each) / "one.py").read_text() for each in (first, second)}
        assert texts == {first.id: "one = 10\n", second.id: "one = 11\n"}
        merged = await merge_worktree(s.app, MergeWorktreeRequest(first.id))
        assert (merged.into, merged.files) == ("trunk", ("one.py",))
        assert (root / "one.py").read_text() == "one = 10\n"
        gone = await discard_worktree(s.app, DiscardWorktreeRequest(second.id))
        assert gone.lost == "1 changed file"
        assert folder_of(second).exists()
        gone = await discard_worktree(s.app, DiscardWorktreeRequest(second.id, anyway=True))
        assert not gone.lost
        assert not folder_of(first).exists()
        assert not folder_of(second).exists()
        assert git(root, "branch", "--format=%(refname:short)") == "trunk"
        states = [(await listed(s, each.id)).worktree for each in (first, second)]
        assert [each and each.state for each in states] == ["merged", "discarded"]


async def test_a_merge_into_a_branch_that_moved_is_a_commit_of_its_own(tmp_path: Path) -> None:
    root = repository(tmp_path / "ws")
    async with at(root, ONE) as s:
        info = await begin(s)
        await ask_in(s, info.id, "Make it ten.")
        (root / "two.py").write_text("two = 22\n")
        git(root, "commit", "-aqm", "Twenty-two")
        merged = await merge_worktree(s.app, MergeWorktreeRequest(info.id))
        assert git(root, "log", "-1", "--format=%s") == (
            "Merge branch 'glossator/work-1': Make it ten."
        )
        assert git(root, "rev-list", "--count", f"{merged.before}..") == "2"
        git(root, "reset", "--keep", merged.before)
        assert (root / "one.py").read_text() == "one = 1\n"


async def test_a_merge_is_one_commit_that_can_be_taken_back(tmp_path: Path) -> None:
    root = repository(tmp_path / "ws")
    hook = root / ".git/hooks/post-merge"
    hook.write_text("#!/bin/sh\ntouch hooked\n")
    hook.chmod(0o755)
    (root / "two.py").write_text("two = 22\n")  # the user's own, which is not committed
    async with at(root, ONE) as s:
        info = await begin(s)
        lacks = "The new worktree work-1 lacks what you did not commit (1 file)."
        assert s.port.told[-1] == lacks
        await ask_in(s, info.id, "Make it ten.")
        merged = await merge_worktree(s.app, MergeWorktreeRequest(info.id))
        assert git(root, "log", "-1", "--format=%s") == "Make it ten."
        assert git(root, "rev-list", "--count", f"{merged.before}..") == "1"
        assert (root / "two.py").read_text() == "two = 22\n"
        assert not (root / "hooked").exists()
        git(root, "reset", "--keep", merged.before)
        assert (root / "one.py").read_text() == "one = 1\n"
        assert (root / "two.py").read_text() == "two = 22\n"


async def test_a_merge_with_conflicts_touches_nothing(tmp_path: Path) -> None:
    root = repository(tmp_path / "ws")
    async with at(root, ONE) as s:
        info = await begin(s)
        await ask_in(s, info.id, "Make it ten.")
        (root / "one.py").write_text("one = 5\n")
        git(root, "commit", "-aqm", "Five")
        before = git(root, "rev-parse", "HEAD")
        with pytest.raises(UsageError, match=r"changed the same lines of one\.py.*git merge gloss"):
            await merge_worktree(s.app, MergeWorktreeRequest(info.id))
        assert git(root, "rev-parse", "HEAD") == before
        assert git(root, "status", "--porcelain") == ""
        assert git(root, "show", "glossator/work-1:one.py") == "one = 10"
        assert folder_of(info).exists()


async def test_changes_of_the_users_own_are_not_overwritten(tmp_path: Path) -> None:
    root = repository(tmp_path / "ws")
    async with at(root, ONE) as s:
        info = await begin(s)
        await ask_in(s, info.id, "Make it ten.")
        (root / "one.py").write_text("one = 1  # mine\n")
        with pytest.raises(UsageError, match=r"your own to one\.py would be overwritten") as caught:
            await merge_worktree(s.app, MergeWorktreeRequest(info.id))
        assert "Commit or stash" in str(caught.value)
        assert (root / "one.py").read_text() == "one = 1  # mine\n"


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda root: git(root, "switch", "-q", "--detach"), "detached"),
        (lambda root: (root / ".git/MERGE_HEAD").write_text("0" * 40), "in the middle of a merge"),
    ],
)
async def test_a_merge_needs_a_branch_at_rest(tmp_path: Path, spoil: Any, message: str) -> None:
    root = repository(tmp_path / "ws")
    async with at(root, ONE) as s:
        info = await begin(s)
        await ask_in(s, info.id, "Make it ten.")
        spoil(root)
        with pytest.raises(UsageError, match=message):
            await merge_worktree(s.app, MergeWorktreeRequest(info.id))
        assert (folder_of(info) / "one.py").read_text() == "one = 10\n"


async def test_what_changed_nothing_is_not_merged_but_thrown_away(tmp_path: Path) -> None:
    async with at(repository(tmp_path / "ws"), []) as s:
        info = await begin(s)
        with pytest.raises(UsageError, match="Throw it away instead"):
            await merge_worktree(s.app, MergeWorktreeRequest(info.id))
        assert not (await discard_worktree(s.app, DiscardWorktreeRequest(info.id))).lost
        assert not folder_of(info).exists()


async def test_where_there_can_be_no_worktree(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    async with at(tmp_path / "plain", []) as s:
        with pytest.raises(UsageError, match=r"is in no git repository.*Begin a session without"):
            await begin(s)
        assert (await list_sessions(s.app, ListSessionsRequest())).sessions == ()
    git(tmp_path / "plain", "init", "-q")
    async with at(tmp_path / "plain", []) as s:
        with pytest.raises(UsageError, match="has no commit yet"):
            await begin(s)
    async with at(repository(tmp_path / "ws"), []) as s:
        await begin(s, "mine")
        with pytest.raises(UsageError, match="of the name mine already"):
            await begin(s, "mine")
        for name in ("..", "-x", "a b", "a..b", "x.lock", "../x", "x" * 51):
            with pytest.raises(UsageError, match="is no name for a worktree"):
                await begin(s, name)


async def test_an_untrusted_folder_gets_no_worktree(tmp_path: Path) -> None:
    async with at(repository(tmp_path / "ws"), [], trusted=False) as s:
        with pytest.raises(UsageError, match="not trusted"):
            await begin(s)


async def test_trust_and_grants_of_the_folder_count_in_its_worktree(tmp_path: Path) -> None:
    async with at(repository(tmp_path / "ws"), ONE) as s:
        info = await begin(s)
        await ask_in(s, info.id, "Make it ten.")
        app = await s.app.trees.serving(info.id)
        assert app is not s.app
        assert app.acting.trust.trusts(app.host.roots)
        stranger = tmp_path / "stranger"
        stranger.mkdir()
        (stranger / ".git").write_text((folder_of(info) / ".git").read_text())
        assert not app.acting.trust.trusts((str(stranger),))


async def test_a_session_goes_on_after_a_restart(tmp_path: Path) -> None:
    root = repository(tmp_path / "ws")
    async with at(root, ONE) as s:
        info = await begin(s)
        await ask_in(s, info.id, "Make it ten.")
    async with at(root, editing("two.py", "two = 2", "two = 20")) as s:
        assert (await listed(s, info.id)).worktree is not None
        app = await s.app.trees.serving(info.id)
        resumed = await resume_session(app, ResumeSessionRequest(info.id))
        assert resumed.session.title == "Make it ten."
        await ask_in(s, info.id, "And twenty.")
        assert (folder_of(info) / "two.py").read_text() == "two = 20\n"
        undone = await undo_turn(app, UndoRequest(info.id))
        assert [Path(each).name for each in undone.restored] == ["two.py"]
        assert (folder_of(info) / "two.py").read_text() == "two = 2\n"
        assert (folder_of(info) / "one.py").read_text() == "one = 10\n"


async def test_a_session_whose_worktree_is_gone_can_be_read_alone(tmp_path: Path) -> None:
    async with at(repository(tmp_path / "ws"), ONE) as s:
        info = await begin(s)
        await ask_in(s, info.id, "Make it ten.")
        await merge_worktree(s.app, MergeWorktreeRequest(info.id))
        app = await s.app.trees.serving(info.id)
        assert app is s.app
        assert (await resume_session(app, ResumeSessionRequest(info.id))).events
        with pytest.raises(UsageError, match="was merged, so nothing can be done in it"):
            await ask_in(s, info.id, "More.")
        with pytest.raises(UsageError, match="was merged"):
            await undo_turn(app, UndoRequest(info.id))
        await delete_session(app, DeleteSessionRequest(info.id))
        assert (await list_sessions(s.app, ListSessionsRequest())).sessions == ()


async def test_deleting_a_session_takes_its_worktree_unless_work_is_lost(tmp_path: Path) -> None:
    root = repository(tmp_path / "ws")
    async with at(root, ONE) as s:
        idle, busy = await begin(s), await begin(s)
        await ask_in(s, busy.id, "Make it ten.")
        app = await s.app.trees.serving(busy.id)
        with pytest.raises(UsageError, match="holds 1 changed file that would be lost"):
            await delete_session(app, DeleteSessionRequest(busy.id))
        await delete_session(await s.app.trees.serving(idle.id), DeleteSessionRequest(idle.id))
        assert not folder_of(idle).exists()
        assert git(root, "branch", "--format=%(refname:short)").split() == [
            "glossator/work-2",
            "trunk",
        ]


async def test_a_workspace_that_is_a_part_of_a_repository(tmp_path: Path) -> None:
    """The session works in the same part; what it attaches is its own file."""
    root = repository(tmp_path / "ws") / "inner"
    async with at(root, editing("three.py", "three = 3", "three = 30")) as s:
        info = await begin(s)
        assert folder_of(info).name == "inner"
        mine = Attachment(to_uri(str(root / "three.py")))
        await ask_in(s, info.id, "Make it thirty.", attachments=(mine,))
        assert (folder_of(info) / "three.py").read_text() == "three = 30\n"
        merged = await merge_worktree(s.app, MergeWorktreeRequest(info.id))
        assert merged.files == ("inner/three.py",)
        assert (root / "three.py").read_text() == "three = 30\n"


async def test_a_worktree_that_names_another_repository_is_not_obeyed(tmp_path: Path) -> None:
    """Its `.git` is not read: what a merge runs is what the user's repository says."""
    root = repository(tmp_path / "ws")
    evil = repository(tmp_path / "evil")
    git(evil, "config", "core.fsmonitor", f"touch {tmp_path}/hit; false")
    git(evil, "config", "filter.x.clean", f"touch {tmp_path}/hit; cat")
    async with at(root, ONE) as s:
        info = await begin(s)
        await ask_in(s, info.id, "Make it ten.")
        (folder_of(info) / ".git").write_text(f"gitdir: {evil}/.git\n")
        (folder_of(info) / ".gitattributes").write_text("* filter=x\n")
        merged = await merge_worktree(s.app, MergeWorktreeRequest(info.id))
        assert ".gitattributes" in merged.files
        assert not (tmp_path / "hit").exists()


async def test_what_was_adopted_in_the_folder_runs_in_its_worktree(tmp_path: Path) -> None:
    """The user's hook runs there as it was adopted; one that the session changed does not."""
    hooks = {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "sh tell.sh"}]}]}
    files = FILES | {
        ".claude/settings.json": json.dumps({"hooks": hooks}),
        "tell.sh": "echo told >> told.log\n",
    }
    root = repository(tmp_path / "ws", files)
    async with at(root, [Turn(Text("Yes.")), Turn(Text("Yes."))]) as s:
        await s.app.ready()
        (proposal,) = proposed_hooks(s.app.host.snapshot()).hooks
        s.app.hooks.adopt(proposal)
        info = await begin(s)
        await ask_in(s, info.id, "Are you there?")
        assert (folder_of(info) / "told.log").read_text() == "told\n"
        assert not (root / "told.log").exists()
        (folder_of(info) / "tell.sh").write_text("echo other >> told.log\n")
        await ask_in(s, info.id, "Still?")
        assert (folder_of(info) / "told.log").read_text() == "told\n"


@SANDBOXED
async def test_a_command_reaches_its_worktree_alone(tmp_path: Path) -> None:
    root = repository(tmp_path / "ws")
    line = f"echo new > new.txt; git status --short; ls {root}; echo bad > {root}/bad.txt"
    script = [Turn(ToolUse("Bash", {"command": line}, "bash")), Turn(Text("Done."))]
    async with at(root, script, permissions={"mode": "auto"}) as s:
        info = await begin(s)
        await ask_in(s, info.id, "Make a file.")
        said = str(s.results(1)["bash"]["content"])
        assert "?? new.txt" in said
        assert "one.py" not in said.replace("?? ", "")
        assert (folder_of(info) / "new.txt").read_text() == "new\n"
        assert not (root / "bad.txt").exists()
        merged = await merge_worktree(s.app, MergeWorktreeRequest(info.id))
        assert merged.files == ("new.txt",)


async def test_commits_of_the_session_are_work_too(tmp_path: Path) -> None:
    """They count as what would be lost, also on a branch that the session switched to."""
    root = repository(tmp_path / "ws")
    async with at(root, []) as s:
        info = await begin(s)
        folder = folder_of(info)
        (folder / "one.py").write_text("one = 10\n")
        git(folder, "commit", "-qam", "Ten")
        kept = await discard_worktree(s.app, DiscardWorktreeRequest(info.id))
        assert kept.lost == "1 commit"
        git(folder, "switch", "-qc", "other")
        (folder / "two.py").write_text("two = 20\n")
        assert (await listed(s, info.id)).worktree == SessionWorktree(
            "work-1", "glossator/work-1", (str(folder),), "open", 2, "trunk"
        )
        merged = await merge_worktree(s.app, MergeWorktreeRequest(info.id))
        assert merged.files == ("one.py", "two.py")
        assert (root / "two.py").read_text() == "two = 20\n"
        assert not folder.exists()


async def test_submodules_are_named_as_missing(tmp_path: Path) -> None:
    part = repository(tmp_path / "part")
    root = repository(tmp_path / "ws")
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(part), "part")
    git(root, "commit", "-qam", "With a part")
    async with at(root, ONE) as s:
        info = await begin(s)
        assert s.port.told[-1] == "The new worktree work-1 lacks the files of submodules."
        await ask_in(s, info.id, "Make it ten.")
        await merge_worktree(s.app, MergeWorktreeRequest(info.id))
        assert (root / "one.py").read_text() == "one = 10\n"
        assert (root / "part/one.py").exists()
        assert not folder_of(info).exists()
