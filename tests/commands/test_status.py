"""Status: what the worker and the outlines take."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from glossator.commands.answers.server import CheckState
from glossator.commands.doctor import DoctorRequest, doctor
from glossator.commands.index import IndexMode, IndexRequest, rebuild_index
from glossator.commands.search import ToolRequest, tool
from glossator.commands.status import StatusRequest, status
from tests.broken_grammars import break_grammars
from tests.patience import until
from tests.stage import stage


async def test_outlines_and_the_worker_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    async with stage(tmp_path / "ws", {"a.py": "def swim():\n    pass\n"}, []) as s:
        before = await status(s.app, StatusRequest(wait=True))
        assert before.outlines is None
        found = await tool(s.app, ToolRequest("Symbols", {"name": "swim"}))
        assert found.text.startswith("a.py:1:def swim():")
        after = await status(s.app, StatusRequest())
        assert after.outlines is not None
        assert after.outlines.entries == 1
        assert after.outlines.bytes > 0
        if sys.platform == "linux":  # elsewhere the system does not tell
            assert after.worker_memory_bytes is not None
            assert 5_000_000 < after.worker_memory_bytes < after.memory_bytes * 10


@pytest.mark.parametrize(
    ("trusted", "said"),
    [
        (True, "local:all-MiniLM-L6-v2:384:1; vectors in Milvus (127.0.0.1:9)"),
        (False, "This folder is not trusted, so its chunks are sent nowhere."),
    ],
)
async def test_where_vectors_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trusted: bool, said: str
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    settings = {"retrieval": {"embedder": "local", "vectorStore": "http://127.0.0.1:9"}}
    files = {"a.py": "def swim():\n    pass\n"}
    async with stage(tmp_path / "ws", files, [], settings=settings, trusted=trusted) as s:
        await s.app.ready()
        await s.app.retriever.index.settle()
        await until(lambda: bool(s.app.retriever.embedding or s.app.embedding_problem))
        assert (await status(s.app, StatusRequest())).chunks.embedding.startswith(said)


async def test_a_file_that_fails_is_named_until_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    break_grammars(tmp_path / "broken", monkeypatch, {"ruby": "crashes"})
    files = {"a.py": "def swim():\n    pass\n", "bad.rb": "def harpoon\nend\n"}
    files["worse.rb"] = files["bad.rb"]
    async with stage(tmp_path / "ws", files, []) as s:
        built = await rebuild_index(s.app, IndexRequest(IndexMode.UPDATE))
        assert (built.chunk_files, built.problems) == (3, ())
        bad = tmp_path / "ws" / "bad.rb"
        why = "has no outline: the worker process was ended by signal 11"
        all_ = f"{bad} {why}", f"{bad.with_name('worse.rb')} {why}"
        told = await status(s.app, StatusRequest())
        assert (told.failed, told.chunks.pending, told.chunks.problem) == (all_, 0, "")
        (check,) = [
            each for each in (await doctor(s.app, DoctorRequest())).checks if each.name == "Files"
        ]
        assert (check.state, check.detail) == (CheckState.WARNING, f"{'; '.join(all_)}.")
    async with stage(tmp_path / "ws", {}, []) as s:  # the next start knows it before any job
        await s.app.ready()
        assert (await status(s.app, StatusRequest())).failed == all_
        bad.write_text("def trident\nend\n")
        s.app.host.sweep("test")
        await s.app.ready()
        assert (await status(s.app, StatusRequest())).failed != all_
        bad.unlink()
        s.app.host.sweep("test")
        await s.app.ready()
        assert (await status(s.app, StatusRequest())).failed == all_[1:]


async def test_what_is_never_indexed_is_not_pending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    settings = {"workspace": {"maxFileBytes": 100}}
    files = {"a.py": "def swim():\n    pass\n"}
    async with stage(tmp_path / "ws", files, [], settings=settings) as s:
        for name, target in (("file", "a.py"), ("gone", "nowhere"), ("out", "/etc/hostname")):
            (tmp_path / "ws" / f"link_to_{name}.py").symlink_to(target)
        s.app.host.sweep("test")
        await s.app.ready()
        await rebuild_index(s.app, IndexRequest(IndexMode.UPDATE))
        told = await status(s.app, StatusRequest())
        assert (told.index.documents, told.index.pending, told.chunks.pending) == (1, 0, 0)
        (tmp_path / "ws" / "link_to_file.py").unlink()
        (tmp_path / "ws" / "link_to_file.py").symlink_to("./a.py")
        s.app.host.sweep("test")
        await s.app.ready()
        await rebuild_index(s.app, IndexRequest(IndexMode.UPDATE))
        told = await status(s.app, StatusRequest())
        assert (told.index.pending, told.chunks.pending) == (0, 0)
