"""Symbol jobs, run here: what is kept on disk, limits, slices, and names matched by letters."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import TypeVar

import pytest

from glossator.workspace.symbols import sources
from glossator.workspace.symbols.codec import SYMBOLS_VERSION
from glossator.workspace.symbols.find import (
    SLICE,
    Definition,
    FindDefinitions,
    FindUses,
    Found,
    Limits,
)
from glossator.workspace.symbols.names import Name
from glossator.workspace.symbols.single import ImportsOf, OutlineOf
from glossator.workspace.symbols.sources import Library, OpenText, outlines, read
from glossator.workspace.symbols.table import MatchNames, Stamp
from glossator.workspace.worker.jobs import Job, Progress

ENOUGH = Limits(texts=1_000, hits=1_000)


R = TypeVar("R")


def run(job: Job[R]) -> R:
    slices = job.run()
    while True:
        try:
            next(slices)
        except StopIteration as end:
            result: R = end.value
            return result


def definitions(
    library: Library, paths: list[str], name: str, limits: Limits = ENOUGH
) -> Found[Definition]:
    return run(FindDefinitions(library, tuple(paths), Name.parse(name), limits))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "ws"
    folder.mkdir()
    return folder


def written(root: Path, texts: dict[str, str]) -> list[str]:
    for name, text in texts.items():
        (root / name).write_text(text, "utf-8")
    return [str(root / name) for name in texts]


def library(root: Path, kept_bytes: int = 10_000_000) -> Library:
    return Library((str(root),), 1_000_000, kept_bytes)


def made(library: Library, path: str) -> int:
    """How many outlines had to be made for one file."""
    with outlines(library) as kept:
        text = read(library, path)
        assert text is not None
        assert kept.of(text)
        return kept.made


def test_an_outline_is_made_once_for_a_content(root: Path) -> None:
    one, two = written(root, {"a.py": "def f(): ...\n", "b.py": "def f(): ...\n"})
    kept = library(root)
    assert [made(kept, one), made(kept, one), made(kept, two)] == [1, 0, 0]
    written(root, {"a.py": "def f(): return 1\n"})
    assert [made(kept, one), made(kept, two)] == [1, 0]
    assert made(library(root, 0), two) == 1  # nothing is kept, nor looked up


def test_the_language_belongs_to_the_key(root: Path) -> None:
    one, two = written(root, {"a.js": "class A {}\n", "b.java": "class A {}\n"})
    kept = library(root)
    assert [made(kept, one), made(kept, two)] == [1, 1]


def test_what_is_kept_but_damaged_is_made_again(root: Path) -> None:
    (path,) = written(root, {"a.py": "def f(): ...\n"})
    kept = library(root)
    assert made(kept, path) == 1
    with outlines(kept) as shelf:
        text = read(kept, path)
        assert text is not None
        assert shelf._blobs is not None
        namespace = f"outline {SYMBOLS_VERSION} python"
        shelf._blobs.put(namespace, {bytes.fromhex(text.sha256): b'[["f", 3]]'})
    assert made(kept, path) == 1
    assert made(kept, path) == 0


def test_without_a_state_folder_outlines_are_made(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = root / "blocked"
    blocked.write_text("a file")
    monkeypatch.setenv("XDG_STATE_HOME", str(blocked))
    sources._blobs.cache_clear()
    (path,) = written(root, {"a.py": "def f(): ...\n"})
    assert [made(library(root), path), made(library(root), path)] == [1, 1]


def test_a_word_that_is_nowhere_in_what_is_kept(root: Path) -> None:
    paths = written(root, {"a.py": "def größe(): ...\nwhale = 1\n", "b.py": "whale()\n"})
    for _ in range(2):  # made, then kept
        found = definitions(library(root), paths, "größe")
        assert [hit.symbol.name for hit in found.hits] == ["größe"]
        found = definitions(library(root), paths, "whale")
        assert [hit.line.path for hit in found.hits] == [paths[0]]


def test_limits_are_accounted_for(root: Path) -> None:
    paths = written(root, {f"{n}.py": "def f(): ...\n" for n in range(10)})
    for limits in (Limits(texts=3, hits=99), Limits(texts=99, hits=3)):
        found = definitions(library(root), paths, "f", limits)
        assert len(found.hits) == 3
        assert (found.coverage.read, found.coverage.unread) == (3, 7)
    found = definitions(library(root), paths, "f", Limits(99, 99, seconds=-1.0))
    assert (found.hits, found.coverage.unread) == ((), 10)


def test_a_long_search_comes_in_slices(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("glossator.workspace.symbols.find.SLICE", -1.0)
    paths = written(root, {f"{n}.py": "def f(): ...\n" for n in range(5)})
    job = FindUses(library(root), tuple(paths), Name.parse("f"), ENOUGH, frozenset({"definition"}))
    slices = list(job.run())
    assert slices == [Progress(done, 5) for done in range(5)]
    assert SLICE > 0


def test_files_that_are_gone_are_counted(root: Path) -> None:
    paths = [*written(root, {"a.py": "def f(): ...\n"}), str(root / "gone.py"), "/etc/hostname"]
    found = definitions(library(root), paths, "f")
    assert (len(found.hits), found.coverage.read, found.coverage.unreadable) == (1, 1, 2)


def test_one_text(root: Path) -> None:
    text = OpenText(str(root / "a.py"), "import os\n\ndef f(): ...\n")
    (symbol,) = run(OutlineOf(library(root), text))
    assert symbol.name == "f"
    (imported,) = run(ImportsOf(library(root), text))
    assert imported.module == "os"
    unknown = OpenText(str(root / "a.txt"), "import os\n")
    assert run(OutlineOf(library(root), unknown)) == ()
    assert run(ImportsOf(library(root), unknown)) == ()


def stamps(paths: list[str]) -> dict[str, Stamp]:
    found = {}
    for path in paths:
        status = os.stat(path)
        found[path] = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
    return found


def matching(
    root: Path, number: int, listed: dict[str, Stamp] | None, query: str, *texts: OpenText
) -> list[str] | None:
    found = run(MatchNames(library(root), number, listed, texts, query, 200))
    if found is None:
        return None
    return [item.symbol.name for item in found]


def test_a_listing_that_the_worker_does_not_know_is_asked_for(root: Path) -> None:
    paths = written(root, {"a.py": "def one(): ...\n", "b.py": "def two(): ...\n"})
    assert matching(root, 7_001, None, "one") is None
    assert matching(root, 7_001, stamps(paths), "one") == ["one"]
    assert matching(root, 7_001, None, "two") == ["two"]
    assert matching(root, 7_002, None, "two") is None
    assert matching(root, 7_002, stamps(paths[:1]), "two") == []


def test_an_open_document_masks_its_file(root: Path) -> None:
    (path,) = written(root, {"a.py": "def one(): ...\n"})
    assert matching(root, 7_010, stamps([path]), "o", OpenText(path, "def two(): ...\n")) == ["two"]
    assert matching(root, 7_010, None, "o") == ["one"]


def test_names_hold_the_letters_in_their_order(root: Path) -> None:
    seed = random.randrange(1_000_000)
    chance = random.Random(seed)
    names = {"".join(chance.choices("abAB_", k=chance.randint(1, 8))) for _ in range(300)}
    names = {name for name in names if name.strip("_")}
    (path,) = written(root, {"a.py": "".join(f"def {name}(): ...\n" for name in sorted(names))})
    listed: dict[str, Stamp] | None = stamps([path])
    for _ in range(40):
        query = "".join(chance.choices("abAB_.", k=chance.randint(1, 4)))
        found = matching(root, seed + 10_000, listed, query)
        assert found is not None
        expected = {name for name in names if holds(name.lower(), query.lower())}
        assert len(found) == min(len(expected), 200), (seed, query)
        assert set(found) <= expected, (seed, query)
        kinds = [(name != query, not name.lower().startswith(query.lower())) for name in found]
        assert kinds == sorted(kinds), (seed, query)
        listed = None


def holds(name: str, letters: str) -> bool:
    rest = iter(name)
    return all(letter in rest for letter in letters)
