"""Files at which a parser fails, or that are odd, do not keep others out of Search."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from glossator.retrieval import cut_documents
from glossator.retrieval.chunks import candidate, work
from glossator.retrieval.chunks.cutting import Chunk
from glossator.retrieval.chunks.jobs import CutFiles, SearchChunks, SyncChunks
from glossator.retrieval.chunks.requests import SearchRequest, Synced, SyncRequest
from glossator.settings import WorkspaceSettings
from glossator.symbols import Library, Outlines, SourceText, SymbolFinder
from glossator.symbols.find import Name
from glossator.worker import finished
from glossator.worker.items import HERE
from tests.broken_grammars import break_grammars
from tests.retrieval.conftest import MakeKept

SILENCE = 3.0  # seconds
MINIFIED = "".join(f"function f{n}(a){{return a+{n}}}" for n in range(985))


@cache
def odd_files() -> dict[str, str]:
    return {
        "a/minified.js": MINIFIED,
        "a/huge.js": MINIFIED * 100,
        "a/deep.json": "[" * 100_000 + "]" * 100_000,
        "a/nested.kt": "".join(f"{' ' * n}fun f{n}() {{\n" for n in range(1_500)),
        "a/keys.toml": f"[{'a.' * 100_000}a]\n",
        "a/line.txt": "anchovy " + " ".join(f"w{n}" for n in range(1_000_000)),
    }


def write(tree: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (tree / name).parent.mkdir(exist_ok=True)
        (tree / name).write_text(text)


async def test_odd_files_are_indexed_with_the_others(kept: MakeKept, tree: Path) -> None:
    write(tree, odd_files())
    server = await kept(tree)
    status = server.index.status()
    assert (status.problem, status.files, status.pending) == ("", len(odd_files()) + 3, 0)
    assert (await server.paths("evict the read cache"))[0] == "src/cache.py"
    assert "a/minified.js" in await server.paths("f984")
    assert await server.paths("anchovy") == ["a/line.txt"]


async def test_50_mb_in_a_line_are_indexed_as_far_as_people_write(
    kept: MakeKept, tree: Path
) -> None:
    (tree / "line.txt").write_text("needle " + "0123456789 " * 4_800_000)
    server = await kept(tree, maxFileBytes=60_000_000)
    assert (server.index.status().problem, server.index.status().files) == ("", 4)
    assert await server.paths("needle") == ["line.txt"]


@pytest.mark.parametrize("harm", ["raises", "crashes", "loops"])
async def test_a_grammar_that_fails_costs_outlines_alone(
    kept: MakeKept, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harm: str
) -> None:
    break_grammars(tmp_path / "broken", monkeypatch, {"ruby": harm})
    write(tree, {"bad.rb": "def harpoon\nend\n"})
    server = await kept(tree, silence=SILENCE)
    status = server.index.status()
    assert (status.problem, status.files, status.pending) == ("", 4, 0)
    (trouble,) = server.worker.troubles.listed
    assert trouble.in_words.startswith(f"{tree}/bad.rb has no outline: ")
    assert await server.paths("harpoon") == ["bad.rb"]  # cut by its lines
    assert (await server.paths("evict the read cache"))[0] == "src/cache.py"

    finder = SymbolFinder(server.worker, WorkspaceSettings())
    found = await finder.definitions(server.snapshot, Name.parse("evict"))
    assert [hit.symbol.name for hit in found.hits] == ["evict"]
    uses = await finder.uses(server.snapshot, Name.parse("harpoon"))
    assert uses.coverage.unparsed == 1
    files = server.snapshot.files()
    made = await cut_documents(server.worker, server.snapshot, WorkspaceSettings(), files)
    assert len(made) == 4


async def test_it_is_not_tried_again_before_it_changes(
    kept: MakeKept, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    break_grammars(tmp_path / "broken", monkeypatch, {"ruby": "crashes"})
    write(tree, {"bad.rb": "def harpoon\nend\n"})
    first = await kept(tree)
    await first.close()
    again = await kept(tree)
    process_id = again.worker.state.process_id
    await again.index.rebuild()
    assert await again.paths("harpoon") == ["bad.rb"]
    assert again.worker.state.process_id == process_id
    assert len(again.worker.troubles.listed) == 1

    await again.close()
    monkeypatch.delenv("PYTHONPATH")
    repaired = await kept(tree)
    write(tree, {"bad.rb": "def trident\nend\n"})
    repaired.host.sweep("test")
    await repaired.host.ready()
    await repaired.index.settle()
    assert await repaired.paths("trident") == ["bad.rb"]
    assert repaired.worker.troubles.listed == ()


@pytest.mark.usefixtures("state")
def test_what_fails_beside_parsing_costs_the_one_file(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def chunks_of(text: SourceText, lines: Sequence[str], kept: Outlines) -> tuple[Chunk, ...]:
        if text.path.endswith("cache.py"):
            raise ZeroDivisionError
        return real(text, lines, kept)

    real = candidate.chunks_of
    monkeypatch.setattr(work, "chunks_of", chunks_of)
    monkeypatch.setattr(candidate, "chunks_of", chunks_of)
    root, paths = str(tree), ("src/cache.py", "src/lines.py", "notes.md")
    library = Library((root,), 1_000_000)
    places = tuple(f"{root}/{path}" for path in paths)

    def sync() -> Synced:
        stamps = dict.fromkeys(paths, bytes(32))
        return finished(SyncChunks(SyncRequest(library, root, stamps, (), True, 10**9)).run())

    def found(question: str, fresh: frozenset[str] = frozenset()) -> set[str]:
        asked = SearchRequest(library, (root,), question, 10, fresh)
        return {hit.path for hit in finished(SearchChunks(asked).run()).hits}

    assert (sync().files, found("evict")) == (3, {f"{root}/notes.md"})
    assert found("split lines evict", frozenset(places)) == set(places[1:])
    assert {cut.path for cut in finished(CutFiles(library, places).run())} == set(places[1:])

    monkeypatch.undo()
    monkeypatch.setattr(HERE.get(), "_known", {})  # as after an update of Glossator
    assert sync().read == 1
    assert f"{root}/src/cache.py" in found("evict")
