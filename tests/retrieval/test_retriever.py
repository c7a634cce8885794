"""Searches find what is there now: open documents, several roots, before and after indexing."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from glossator.core.uri import to_uri
from glossator.workspace.documents.overlays import (
    Closed,
    DiskChanged,
    Edited,
    Opened,
    RootsChanged,
    TextEdit,
)
from tests.lsp.support.chance import seeded
from tests.retrieval.conftest import MakeKept
from tests.retrieval.searching import Kept

WORDS = "alpha bravo charlie delta".split()
STEPS = 60
SECONDS = 60.0  # that are never waited for in full


def changed(server: Kept, *paths: Path) -> None:
    server.host.apply(DiskChanged(frozenset(map(str, paths))))


async def test_indexed_files_are_found_without_reading_others(kept: MakeKept, tree: Path) -> None:
    server = await kept(tree)
    status = server.index.status()
    assert (status.state, status.files, status.pending, status.problem) == ("on", 3, 0, "")
    assert status.disk_bytes > 0
    found = await server.search("Where does it split lines?")
    assert server.name(found.hits[0]) == "src/lines.py"
    assert found.hits[0].lines == ["def split_lines(text):", "    return text.split()"]
    assert (found.files, found.pending) == (3, 0)
    assert (await server.search("zebra lines")).absent == ("zebra",)


async def test_what_describes_an_agent_comes_after_the_code(kept: MakeKept, tree: Path) -> None:
    (tree / ".claude" / "agents").mkdir(parents=True)
    about = "Where does it split lines? You split lines of a text: split_lines splits lines.\n"
    (tree / ".claude" / "agents" / "split-lines.md").write_text(about)
    server = await kept(tree)
    first, *others = await server.paths("Where does it split lines?")
    assert first == "src/lines.py"
    assert ".claude/agents/split-lines.md" in others
    named = await server.paths("Which sub-agent splits lines?")
    assert named[0] == ".claude/agents/split-lines.md"


async def test_a_saved_file_is_found_at_once_and_then_indexed(kept: MakeKept, tree: Path) -> None:
    server = await kept(tree)
    (tree / "new.py").write_text("def zebra(): ...\n")
    (tree / "notes.md").unlink()
    changed(server, tree / "new.py", tree / "notes.md")
    for _ in range(2):
        assert await server.paths("zebra") == ["new.py"]
        assert await server.paths("entries evicted") == ["src/cache.py"]
        await server.index.settle()
    assert server.index.status().files == 3


async def test_an_open_document_masks_its_file(kept: MakeKept, tree: Path) -> None:
    os.symlink("src/lines.py", tree / "link.py")
    server = await kept(tree)
    uri = to_uri(str(tree / "src" / "lines.py"))
    server.host.apply(Opened(uri, 1, (tree / "src" / "lines.py").read_text()))
    assert await server.paths("split") == ["src/lines.py", "notes.md"]
    server.host.apply(Edited(uri, 2, (TextEdit(None, "def zebra(): ...\n"),)))
    assert await server.paths("zebra") == ["src/lines.py"]
    assert await server.paths("split") == ["notes.md"]
    server.host.apply(Closed(uri))
    assert await server.paths("zebra") == []
    assert (await server.paths("split_lines"))[0] == "src/lines.py"


async def test_hidden_files_do_not_leak(kept: MakeKept, tree: Path) -> None:
    (tree / "secret.txt").write_text("the zebra password of split lines\n")
    for settle in (True, False):
        server = await kept(tree, settle=settle)
        shown = [entry for entry in server.snapshot.files() if entry.relative != "secret.txt"]
        found = await server.search("zebra split lines", shown)
        assert "secret.txt" not in map(server.name, found.hits)
        assert found.absent == ("zebra",)
        few = [entry for entry in shown if entry.relative == "notes.md"]
        assert {server.name(hit) for hit in (await server.search("split", few)).hits} == {
            "notes.md"
        }


async def test_several_and_nested_roots(kept: MakeKept, tree: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "more.py").write_text("def split_more_lines(): ...\n")
    server = await kept(tree, tree / "src", other)
    found = await server.search("split lines")
    paths = [hit.document.path for hit in found.hits]
    assert sorted(set(paths)) == sorted(paths)
    assert {os.path.basename(path) for path in paths} == {"lines.py", "notes.md", "more.py"}


async def test_roots_change_while_they_are_indexed(
    kept: MakeKept, tree: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for n in range(300):
        (other / f"f{n}.py").write_text(f"def zebra_{n}(): ...\n" * 20)
    server = await kept(tree, settle=False)
    server.host.apply(RootsChanged((str(other),), ()))
    await server.host.ready()
    assert (await server.paths("zebra_7"))[0].endswith("f7.py")
    server.host.apply(RootsChanged((), (str(tree),)))
    await server.host.ready()
    await server.index.settle()
    assert await server.paths("split_lines") == []
    assert (await server.paths("zebra_7"))[0].endswith("f7.py")
    assert server.index.status().files == 300


@pytest.mark.parametrize("index", [True, False])
async def test_before_it_is_indexed_likely_files_are_read(
    kept: MakeKept, tree: Path, *, index: bool
) -> None:
    for n in range(90):
        (tree / f"zebra{n}.txt").write_text("one zebra\n")
    server = await kept(tree, settle=False, index=index)
    found = await server.search("zebra")
    assert len(found.hits) == 60
    assert found.pending == 30  # which is said
    if index:
        await server.index.settle()
        found = await server.search("zebra")
        assert (len(found.hits), found.pending) == (90, 0)
    else:
        assert server.index.status().state == "off: workspace.index is false"


async def test_where_the_server_ends_soon_the_first_searches_wait_for_the_index(
    kept: MakeKept, tree: Path
) -> None:
    for n in range(90):
        (tree / f"zebra{n}.txt").write_text("one zebra\n")
    server = await kept(tree, settle=False)
    server.retriever.wait = SECONDS
    for found in await asyncio.gather(server.search("zebra"), server.search("zebra")):
        assert (len(found.hits), found.pending) == (90, 0)
    assert server.notices == []


async def test_a_wait_for_the_index_is_bounded_and_said(kept: MakeKept, tree: Path) -> None:
    for n in range(90):
        (tree / f"zebra{n}.txt").write_text("one zebra\n")
    server = await kept(tree, settle=False)
    server.retriever.wait = 1e-9
    found = await server.search("zebra")
    assert (len(found.hits), found.advice) == (60, "`glossator index` completes it now.")
    (notice,) = server.notices
    assert "is not complete yet. Each search goes on with it." in notice
    await server.search("zebra")
    assert len(server.notices) == 1  # it waits once


@pytest.mark.parametrize(
    ("question", "last"),
    [
        ("zebra stripes", {"head.py", "tests/test_zebra.py", "package.json"}),
        ("Which package has zebra stripes?", {"head.py", "tests/test_zebra.py"}),
    ],
)
async def test_while_the_index_is_not_complete_code_comes_first(
    kept: MakeKept, tree: Path, question: str, last: set[str]
) -> None:
    zebra = "def {0}():\n    return zebra.stripes\n"
    files = {
        "head.py": "from zebra import stripes\n" * 9,
        "package.json": '{"name": "zebra-stripes", "description": "zebra stripes"}\n',
        "tests/test_zebra.py": zebra.format("test_zebra_stripes"),
        "src/paint.py": zebra.format("paint"),
        "src/wash.py": "# with water\n" * 20 + zebra.format("wash"),  # comments make no head of it
    }
    for path, text in files.items():
        (tree / path).parent.mkdir(exist_ok=True)
        (tree / path).write_text(text)
    server = await kept(tree, settle=False, index=False)
    paths = [path for path in await server.paths(question) if path in files]
    assert set(paths[-len(last) :]) == last


async def test_a_search_works_while_the_worker_is_down(kept: MakeKept, tree: Path) -> None:
    server = await kept(tree)
    for _ in range(4):
        process_id = server.worker.state.process_id
        if process_id is not None:
            os.kill(process_id, signal.SIGKILL)
        assert (await server.paths("split_lines"))[0] == "src/lines.py"
    assert server.notices == []


async def test_odd_names_and_contents(kept: MakeKept, tree: Path) -> None:
    odd = tree / os.fsdecode(b"odd\xff\nname.py")
    (tree / odd).write_text("def zebra(): ...\n")
    (tree / "binary.bin").write_bytes(b"\0zebra")
    (tree / "empty.py").write_text("")
    (tree / "latin.txt").write_bytes("ein Zebra für Ärzte\n".encode("latin-1"))
    (tree / "long.txt").write_text("zebra " * 100_000)
    server = await kept(tree)
    found = await server.search("zebra")
    assert str(odd) in {hit.document.path for hit in found.hits}
    assert server.index.status().problem == ""
    assert (await server.search("Ärzte")).hits


@pytest.mark.parametrize("in_the_workspace", [True, False])
async def test_the_state_folder_is_not_indexed(
    kept: MakeKept, tree: Path, monkeypatch: pytest.MonkeyPatch, *, in_the_workspace: bool
) -> None:
    if in_the_workspace:
        monkeypatch.setenv("XDG_STATE_HOME", str(tree / "state"))
    server = await kept(tree)
    (tree / "again.py").write_text("x = 1\n")
    changed(server, tree / "again.py", tree / "state")
    server.host.sweep("test")
    await server.host.ready()
    await server.index.settle()
    assert server.index.status().files == 4


async def test_random_changes_are_all_seen(kept: MakeKept, tree: Path) -> None:
    """Edits, saves, deletions and renames, open or not: hits are the lines of now, all of them."""
    chance = seeded()
    server = await kept(tree)
    texts: dict[str, str] = {}
    opened: dict[str, str] = {}
    version = 1
    for step in range(STEPS):
        version += 1
        name = chance.choice(["a.py", "b.py", "src/c.py", "d.md"])
        path, text = tree / name, f"def {chance.choice(WORDS)}_{version}(): ...\n"
        match chance.choice(["save", "save", "delete", "rename", "open", "edit", "close"]):
            case "save":
                path.write_text(text)
                texts[name] = text
                changed(server, path)
            case "delete" if name in texts:
                path.unlink()
                del texts[name]
                changed(server, path)
            case "rename" if name in texts:
                path.rename(tree / f"moved{version}.py")
                texts[f"moved{version}.py"] = texts.pop(name)
                changed(server, path, tree / f"moved{version}.py")
            case "open" if name not in opened:
                opened[name] = text
                server.host.apply(Opened(to_uri(str(path)), version, text))
            case "edit" if name in opened:
                opened[name] = text
                edit = Edited(to_uri(str(path)), version, (TextEdit(None, text),))
                server.host.apply(edit)
            case "close" if name in opened:
                del opened[name]
                server.host.apply(Closed(to_uri(str(path))))
        if step % 7 == 0:
            await server.index.settle()
        word = chance.choice(WORDS)
        now = {**texts, **opened}
        found = await server.search(word)
        for hit in found.hits:
            assert hit.document.text == now[server.name(hit)]
        assert {server.name(hit) for hit in found.hits} == {
            name for name, text in now.items() if f"def {word}_" in text
        }
    await server.index.settle()
    before = {word: set(await server.paths(word)) for word in WORDS}
    await server.index.rebuild()
    assert {word: set(await server.paths(word)) for word in WORDS} == before


@pytest.mark.parametrize("index", [True, False])
async def test_a_linked_file_is_found_once_under_its_own_path(
    kept: MakeKept, tree: Path, index: bool
) -> None:
    (tree / "a-link.py").symlink_to("src/lines.py")
    (tree / "z-link.py").symlink_to(tree / "src" / "lines.py")
    server = await kept(tree, index=index)
    assert server.index.status().pending == (0 if index else server.snapshot.file_count)
    found = [path for path in await server.paths("split_lines") if path.endswith(".py")]
    assert found == ["src/lines.py"]
