"""What becomes of a session's worktree in the end, and what no end of one may touch."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from glossator.application.worktree_git import remove_worktree
from glossator.commands.explore import ExploreRequest, explore
from glossator.commands.sessions import (
    DeleteSessionRequest,
    DiscardWorktreeRequest,
    ListSessionsRequest,
    MergeWorktreeRequest,
    delete_session,
    discard_worktree,
    list_sessions,
    merge_worktree,
)
from glossator.commands.turns import UndoRequest, undo_turn
from glossator.core.errors import UsageError
from glossator.permissions import Worktree, WorktreeState, keep_worktree, known_worktrees
from glossator.permissions.worktrees import as_in_origin, worktrees_folder
from glossator.workspace import RootsChanged
from tests.application.test_worktrees import (
    ONE,
    ask_in,
    at,
    begin,
    folder_of,
    git,
    listed,
    repository,
)
from tests.stage import Stage

ALIKE = ("work-1", "work-10", "fix", "fix-2")


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


async def state_of(s: Stage, session_id: str) -> str | None:
    worktree = (await listed(s, session_id)).worktree
    return None if worktree is None else worktree.state


def beside(s: Stage, folder: Path) -> str:
    """Another session in the same worktree, as a window of its own begins one."""
    session = s.app.sessions.create("Beside", (str(folder),))
    session.keep("worktree", [])
    return session.id


async def test_the_name_of_an_ended_worktree_is_not_used_again(tmp_path: Path) -> None:
    async with at(repository(tmp_path / "ws"), ONE) as s:
        old = await begin(s)
        await ask_in(s, old.id, "Make it ten.")
        await merge_worktree(s.app, MergeWorktreeRequest(old.id))
        new = await begin(s)
        assert folder_of(new) != folder_of(old)
        assert await state_of(s, old.id) == "merged"
        with pytest.raises(UsageError, match="of the name work-1 already"):
            await begin(s, "work-1")
        await delete_session(s.app, DeleteSessionRequest(old.id))
        assert folder_of(new).is_dir()
        assert await state_of(s, new.id) == "open"


async def test_a_repository_made_in_a_worktree_is_not_lost_with_a_merge(tmp_path: Path) -> None:
    root = repository(tmp_path / "ws")
    async with at(root, ONE) as s:
        info = await begin(s)
        await ask_in(s, info.id, "Make it ten.")
        inner = repository(folder_of(info) / "lib", {"lib.py": "lib = 1\n"})
        before = git(root, "rev-parse", "HEAD")
        with pytest.raises(UsageError, match=r"lib.*repositor.*Move"):
            await merge_worktree(s.app, MergeWorktreeRequest(info.id))
        assert (inner / ".git/HEAD").exists()
        assert git(root, "rev-parse", "HEAD") == before
        assert "lib" not in git(folder_of(info), "diff", "--cached", "--name-only").split()
        git(folder_of(info), "commit", "-qm", "Ten", "one.py")
        git(folder_of(info), "-c", "advice.addEmbeddedRepo=false", "add", "lib")
        git(folder_of(info), "commit", "-qm", "Its commit, too")
        with pytest.raises(UsageError, match=r"lib.*repositor.*Move"):
            await merge_worktree(s.app, MergeWorktreeRequest(info.id))
        git(folder_of(info), "rm", "-q", "--cached", "lib")
        inner.rename(tmp_path / "lib")
        merged = await merge_worktree(s.app, MergeWorktreeRequest(info.id))
        assert merged.files == ("one.py",)


async def test_a_worktree_of_two_sessions_goes_with_the_last(tmp_path: Path) -> None:
    root = repository(tmp_path / "ws")
    async with at(root, ONE) as s:
        info = await begin(s)
        await ask_in(s, info.id, "Make it ten.")
        folder = folder_of(info)
        other = beside(s, folder)
        await delete_session(s.app, DeleteSessionRequest(info.id))
        assert (folder / "one.py").read_text() == "one = 10\n"
        assert await state_of(s, other) == "open"
        with pytest.raises(UsageError, match="holds 1 changed file"):
            await delete_session(s.app, DeleteSessionRequest(other))
        git(folder, "checkout", "-q", "one.py")
        await delete_session(s.app, DeleteSessionRequest(other))
        assert not folder.exists()
        assert known_worktrees() == ()


async def test_a_worktree_is_not_ended_under_another_session_at_work(tmp_path: Path) -> None:
    root = repository(tmp_path / "ws")
    async with at(root, ONE) as s:
        info = await begin(s)
        await ask_in(s, info.id, "Make it ten.")
        folder = folder_of(info)
        other = beside(s, folder)
        async with s.app.runs.claim(other):
            with pytest.raises(UsageError, match="at work"):
                await merge_worktree(s.app, MergeWorktreeRequest(info.id))
            with pytest.raises(UsageError, match="at work"):
                await discard_worktree(s.app, DiscardWorktreeRequest(info.id, anyway=True))
        await s.app.sessions.give_up(other)
        async with at(folder, []) as window:
            await window.app.sessions.open(other)
            with pytest.raises(UsageError, match=r"“Beside” works in this worktree.*open in Stage"):
                await merge_worktree(s.app, MergeWorktreeRequest(info.id))
            assert folder.is_dir()
        assert git(root, "log", "-1", "--format=%s") == "First"
        await merge_worktree(s.app, MergeWorktreeRequest(info.id))
        assert await state_of(s, other) == "merged"


async def test_a_worktree_needs_sessions_that_are_kept(tmp_path: Path) -> None:
    async with at(repository(tmp_path / "ws"), [], sessions={"count": 0}) as s:
        with pytest.raises(UsageError, match=r"sessions\.count"):
            await begin(s)
        assert known_worktrees() == ()


async def test_a_session_is_kept_as_long_as_its_worktree(tmp_path: Path) -> None:
    root = repository(tmp_path / "ws")
    async with at(root, ONE) as s:
        info = await begin(s)
        await ask_in(s, info.id, "Make it ten.")
        s.app.sessions.create("Plain").keep("worktree", [])
    few = {"count": 1, "bytes": 0}
    async with at(root, [], sessions=few) as s:
        await s.app.sessions._settled()
        found = (await list_sessions(s.app, ListSessionsRequest())).sessions
        assert [each.id for each in found] == [info.id]
        await merge_worktree(s.app, MergeWorktreeRequest(info.id))
    async with at(root, [], sessions=few) as s:
        await s.app.sessions._settled()
        assert (await list_sessions(s.app, ListSessionsRequest())).sessions == ()


async def test_the_worktree_of_another_workspace_is_not_served(tmp_path: Path) -> None:
    async with at(repository(tmp_path / "distrusted"), []) as s:
        stranger = await begin(s)
    async with at(repository(tmp_path / "ws"), []) as s:
        await begin(s)
        assert await s.app.trees.serving(stranger.id) is s.app
        assert await s.app.trees.of(stranger.id) is None
        assert len(s.app.trees.applications) == 1


async def test_no_application_is_opened_while_its_folder_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    removing, go_on = threading.Event(), threading.Event()
    remove = remove_worktree

    def slowly(*words: Any, **options: Any) -> str:
        removing.set()
        assert go_on.wait(30)
        return remove(*words, **options)

    monkeypatch.setattr("glossator.application.trees.remove_worktree", slowly)
    async with at(repository(tmp_path / "ws"), []) as s:
        info = await begin(s)
        assert await s.app.trees.serving(info.id) is not s.app
        ending = asyncio.create_task(discard_worktree(s.app, DiscardWorktreeRequest(info.id)))
        await asyncio.to_thread(removing.wait, 30)
        try:
            assert await s.app.trees.serving(info.id) is s.app
            assert s.app.trees.applications == (s.app,)
        finally:
            go_on.set()
        await ending
        assert s.app.trees.applications == (s.app,)


async def test_an_application_is_closed_when_another_server_ended_its_worktree(
    tmp_path: Path,
) -> None:
    async with at(repository(tmp_path / "ws"), []) as s:
        info = await begin(s)
        app = await s.app.trees.serving(info.id)
        assert app is not s.app
        (tree,) = known_worktrees()
        keep_worktree(replace(tree, state=WorktreeState.DISCARDED))
        async with s.app.runs.claim(info.id):  # what is at work there may end
            await s.app.trees.serving(None)
            assert app in s.app.trees.applications
        assert await s.app.trees.serving(None) is s.app
        assert s.app.trees.applications == (s.app,)


async def test_a_session_whose_repository_is_gone_can_be_thrown_away(tmp_path: Path) -> None:
    root = repository(tmp_path / "ws")
    async with at(root, ONE) as s:
        info = await begin(s)
        await ask_in(s, info.id, "Make it ten.")
        folder = folder_of(info)
        (root / ".git").rename(tmp_path / "moved")
        gone = await discard_worktree(s.app, DiscardWorktreeRequest(info.id))
        assert gone.lost == "files whose repository is gone"
        with pytest.raises(UsageError, match="files whose repository is gone"):
            await delete_session(s.app, DeleteSessionRequest(info.id))
        assert (folder / "one.py").read_text() == "one = 10\n"
        assert not (
            await discard_worktree(s.app, DiscardWorktreeRequest(info.id, anyway=True))
        ).lost
        assert not folder.exists()
        await delete_session(s.app, DeleteSessionRequest(info.id))
        assert known_worktrees() == ()


async def test_an_emptied_worktree_without_a_repository_goes_with_its_session(
    tmp_path: Path,
) -> None:
    root = repository(tmp_path / "ws")
    async with at(root, []) as s:
        info = await begin(s)
        for each in folder_of(info).iterdir():
            shutil.rmtree(each) if each.is_dir() else each.unlink()
        shutil.rmtree(root / ".git")
        await delete_session(s.app, DeleteSessionRequest(info.id))
        assert not folder_of(info).exists()
        assert known_worktrees() == ()


async def test_only_a_folder_of_worktrees_is_removed_without_git(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    worktrees_folder().mkdir(parents=True)
    (worktrees_folder() / "link").symlink_to(mine)
    for folder in (mine, worktrees_folder() / "link", worktrees_folder()):
        tree = Worktree(str(folder), str(tmp_path / "no"), str(tmp_path / "n"), "b")
        left = remove_worktree(tree, {}, force=True)
        assert str(folder) in left
        assert folder.is_dir()


def test_worktrees_whose_names_begin_alike_are_told_apart(tmp_path: Path) -> None:
    base = tmp_path / "trees"
    origins = {name: str(tmp_path / f"ws{n}") for n, name in enumerate(ALIKE)}
    for name, origin in origins.items():
        (base / name).mkdir(parents=True)
        keep_worktree(Worktree(str(base / name), origin, f"{origin}/.git", name))
    for name, origin in origins.items():
        for end in ("", "/a.sh", '" x', " -v", "\\n"):
            assert as_in_origin(f"sh {base}/{name}{end}") == f"sh {origin}{end}"
    other = f"sh {base}/fix-3 {base}/fixed/a {base}/work-1.old"
    assert as_in_origin(other) == other


async def test_the_files_of_a_worktree_are_not_counted_at_each_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[float] = []
    run = subprocess.run

    def counted(words: Any, **options: Any) -> Any:
        if "ls-files" in words or "diff" in words:
            limits.append(options["timeout"])
        return run(words, **options)

    async with at(repository(tmp_path / "ws"), ONE) as s:
        info = await begin(s)
        await ask_in(s, info.id, "Make it ten.")
        monkeypatch.setattr(subprocess, "run", counted)
        for _ in range(3):
            worktree = (await listed(s, info.id)).worktree
            assert worktree is not None
            assert worktree.changed == 1
        assert len(limits) == 2
        assert max(limits) <= 5  # seconds
        app = await s.app.trees.serving(info.id)
        await undo_turn(app, UndoRequest(info.id))
        worktree = (await listed(s, info.id)).worktree
        assert worktree is not None
        assert worktree.changed == 0


async def test_an_ended_session_explores_nothing(tmp_path: Path) -> None:
    async with at(repository(tmp_path / "ws"), []) as s:
        info = await begin(s)
        await discard_worktree(s.app, DiscardWorktreeRequest(info.id))
        app = await s.app.trees.serving(info.id)
        with pytest.raises(UsageError, match="was thrown away"):
            await explore(app, ExploreRequest("What is one?", session_id=info.id))


async def test_the_folders_that_a_worktree_leaves_out_are_named(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    async with at(repository(tmp_path / "ws"), []) as s:
        s.app.acting.trust.trust.trust_for_session((str(other),))
        s.app.host.apply(RootsChanged((str(other),), ()))
        info = await begin(s)
        assert f"worktree of {tmp_path / 'ws'} alone, and does not see {other}." in s.port.told[-1]
        assert info.worktree is not None
        assert len(info.worktree.folders) == 1


async def test_a_merge_goes_into_the_branch_that_was_told(tmp_path: Path) -> None:
    root = repository(tmp_path / "ws")
    async with at(root, ONE) as s:
        session = await begin(s)
        await ask_in(s, session.id, "Make it ten.")
        git(root, "switch", "-qc", "release")
        with pytest.raises(UsageError, match="is on release by now, and no longer on main"):
            await merge_worktree(s.app, MergeWorktreeRequest(session.id, "main"))
        merged = await merge_worktree(s.app, MergeWorktreeRequest(session.id, "release"))
        assert merged.into == "release"


async def test_a_merge_writes_over_nothing_that_git_ignores(tmp_path: Path) -> None:
    """Whatever the branch's own options are, it is a merge that is committed."""
    root = repository(tmp_path / "ws")
    (root / ".gitignore").write_text(".env\n")
    git(root, "add", ".gitignore")
    git(root, "commit", "-qm", "Ignore")
    git(root, "config", "branch.main.mergeOptions", "--squash")
    (root / ".env").write_text("KEY=mine\n")
    async with at(root, ONE) as s:
        session = await begin(s)
        await ask_in(s, session.id, "Make it ten.")
        folder = folder_of(session)
        (folder / ".gitignore").write_text("")
        (folder / ".env").write_text("KEY=theirs\n")
        with pytest.raises(UsageError, match=r"would write over \.env, which git does not have"):
            await merge_worktree(s.app, MergeWorktreeRequest(session.id))
        assert (root / ".env").read_text() == "KEY=mine\n"
        (root / ".env").unlink()
        merged = await merge_worktree(s.app, MergeWorktreeRequest(session.id))
        assert ".env" in merged.files
        assert (root / ".env").read_text() == "KEY=theirs\n"
        assert git(root, "status", "--porcelain") == ""
