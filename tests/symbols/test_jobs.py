"""Symbol jobs, run here: what is kept on disk, limits, slices, and names matched by letters."""

from __future__ import annotations

import itertools
import math
import os
import random
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest

from glossator.symbols import sources
from glossator.symbols.find import Definition, FindDefinitions, FindUses, Limits, Name, SymbolHits
from glossator.symbols.jobs import ImportsOf, OutlineOf
from glossator.symbols.sources import (
    SLICE,
    Library,
    editor_text,
    outlines,
    read,
    read_each,
    statistics,
)
from glossator.symbols.symbol import SYMBOLS_VERSION
from glossator.symbols.table import FileStamp, MatchNames, ReadNames
from glossator.worker.jobs import Job, JobProgress
from glossator.workspace.files.roots import EncodingRule, Roots

ENOUGH = Limits(texts=1_000, hits=1_000)
numbers = itertools.count()  # of listings; one worker process knows each once


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
) -> SymbolHits[Definition]:
    return run(FindDefinitions(library, tuple(paths), Name.parse(name), limits))


@pytest.fixture(autouse=True)
def nothing_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "_RECENT", sources._Recent())


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


def test_what_is_typed_is_remembered_and_not_kept_on_disk(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "_RECENT_SYMBOLS", 4)
    (path,) = written(root, {"a.py": "def f(): ...\n"})
    assert statistics(Roots((str(root),))) is None
    assert made(library(root), path) == 1
    kept = statistics(Roots((str(root),)))
    assert kept is not None
    assert (kept.entries, kept.bytes > 0) == (1, True)
    typed = [editor_text(path, f"def f{n}(): ...\ndef g(): ...\n") for n in range(3)]
    with outlines(library(root)) as shelf:
        for text in (typed[0], typed[1], typed[0], typed[2], typed[0]):
            assert len(shelf.of(text)) == 2
        assert shelf.made == 3  # there is room for two, and the first was used in between
        shelf.of(typed[1])
        assert shelf.made == 4
        masked = replace(library(root), open_texts={path: "def typed(): ...\n"})
        assert [hit.symbol.name for hit in definitions(masked, [path], "typed").hits] == ["typed"]
    assert statistics(Roots((str(root),))) == kept


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
    monkeypatch.setattr("glossator.symbols.find.SLICE", -1.0)
    paths = written(root, {f"{n}.py": "def f(): ...\n" for n in range(5)})
    job = FindUses(library(root), tuple(paths), Name.parse("f"), ENOUGH, frozenset({"definition"}))
    slices = list(job.run())
    assert slices == [JobProgress(done, 5) for done in range(5)]
    assert SLICE > 0


def test_files_that_are_gone_are_counted(root: Path) -> None:
    paths = [*written(root, {"a.py": "def f(): ...\n"}), str(root / "gone.py"), "/etc/hostname"]
    found = definitions(library(root), paths, "f")
    assert (len(found.hits), found.coverage.read, found.coverage.unreadable) == (1, 1, 2)


def test_one_text(root: Path) -> None:
    path, text = str(root / "a.py"), "import os\n\ndef f(): ...\ndef g(): ...\n"
    f, g = run(OutlineOf(library(root), path, text))
    assert (f.name, g.name) == ("f", "g")
    assert run(OutlineOf(library(root), path, text, name="g")) == (g,)
    assert run(OutlineOf(library(root), path, text, name_line=3)) == (f,)
    (imported,) = run(ImportsOf(library(root), path, text))
    assert imported.module == "os"
    unknown = str(root / "a.txt")
    assert run(OutlineOf(library(root), unknown, text)) == ()
    assert run(ImportsOf(library(root), unknown, text)) == ()


def test_many_texts(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two, unknown = written(root, {"a.py": "def f(): ...\n", "b.py": "x = 1\n", "c": "x"})
    opened = replace(library(root), open_texts={two: "def g(): ...\n"})
    paths = (one, two, unknown, str(root / "gone.py"))
    texts = {text.path: text for text in read_each(opened, paths, math.inf) if text}
    with outlines(opened) as kept:
        assert {path: [at.name for at in kept.of(text)] for path, text in texts.items()} == {
            one: ["f"],
            two: ["g"],
            unknown: [],
        }
    assert texts[two].sha256 == editor_text(two, "def g(): ...\n").sha256
    assert list(read_each(opened, paths, -1.0)) == []
    monkeypatch.setattr("glossator.symbols.sources.SLICE", -1.0)
    slices = [text for text in read_each(opened, paths, math.inf) if text is None]
    assert len(slices) == 4  # each time it may be dropped


def test_a_link_to_an_open_document_is_the_open_document(root: Path) -> None:
    (path,) = written(root, {"a.py": "def one(): ...\n"})
    link = str(root / "link.py")
    os.symlink("a.py", link)
    opened = replace(library(root), open_texts={path: "def two(): ...\n"})
    for name, places in (("one", []), ("two", [path, link])):
        found = definitions(opened, [path, link], name)
        assert [hit.line.path for hit in found.hits] == places
    library_ = library(root)
    number = next(numbers)
    run(ReadNames(library_, number, stamps([path])))
    for query, expected in (("one", []), ("two", [link, path])):
        matches = run(MatchNames(opened, number, (link, path), query, 200))
        assert matches is not None
        assert sorted(match.line.path for match in matches) == sorted(expected)


def stamps(paths: list[str]) -> dict[str, FileStamp]:
    found = {}
    for path in paths:
        status = os.stat(path)
        found[path] = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
    return found


def matching(library: Library, number: int, query: str, *unstamped: str) -> list[str] | None:
    found = run(MatchNames(library, number, unstamped, query, 200))
    if found is None:
        return None
    return [item.symbol.name for item in found]


def test_a_listing_that_the_worker_does_not_know_is_asked_for(root: Path) -> None:
    paths = written(root, {"a.py": "def one(): ...\n", "b.py": "def two(): ...\n"})
    kept, number, later = library(root), next(numbers), next(numbers)
    assert matching(kept, number, "one") is None
    run(ReadNames(kept, number, stamps(paths)))
    assert matching(kept, number, "one") == ["one"]
    assert matching(kept, number, "two") == ["two"]
    assert matching(kept, later, "two") is None
    run(ReadNames(kept, later, stamps(paths[:1])))
    assert matching(kept, later, "two") == []
    run(ReadNames(kept, number, stamps(paths)))  # came late
    assert matching(kept, number, "two") == []


def test_an_open_document_masks_its_file(root: Path) -> None:
    (path,) = written(root, {"a.py": "def one(): ...\n"})
    kept, number = library(root), next(numbers)
    opened = replace(kept, open_texts={path: "def two(): ...\n"})
    run(ReadNames(kept, number, stamps([path])))
    assert matching(opened, number, "o", path) == ["two"]
    assert matching(kept, number, "o") == ["one"]


def test_names_hold_the_letters_in_their_order(root: Path) -> None:
    seed = random.randrange(1_000_000)
    chance = random.Random(seed)
    names = {"".join(chance.choices("abAB_", k=chance.randint(1, 8))) for _ in range(300)}
    names = {name for name in names if name.strip("_")}
    (path,) = written(root, {"a.py": "".join(f"def {name}(): ...\n" for name in sorted(names))})
    kept, number = library(root), next(numbers)
    run(ReadNames(kept, number, stamps([path])))
    for _ in range(40):
        query = "".join(chance.choices("abAB_.", k=chance.randint(1, 4)))
        found = matching(kept, number, query)
        assert found is not None
        expected = {name for name in names if holds(name.lower(), query.lower())}
        assert len(found) == min(len(expected), 200), (seed, query)
        assert set(found) <= expected, (seed, query)
        kinds = [(name != query, not name.lower().startswith(query.lower())) for name in found]
        assert kinds == sorted(kinds), (seed, query)


def holds(name: str, letters: str) -> bool:
    rest = iter(name)
    return all(letter in rest for letter in letters)


def test_texts_and_their_folder_follow_the_encodings_that_are_declared(root: Path) -> None:
    word = "\u043a\u043b\u044e\u0447"
    (root / "a.py").write_bytes(f"# {word}\n".encode("cp866"))
    plain = library(root)
    told = replace(plain, encodings=(EncodingRule("", "*.py", "cp866"),))
    text = read(told, str(root / "a.py"))
    assert text is not None
    assert text.text == f"# {word}\n"
    assert told.folder(str(root)) != plain.folder(str(root))
