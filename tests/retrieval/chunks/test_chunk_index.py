"""The index of chunks: put, drop, commit, reopen; filters; damage; one writer at a time."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glossator.retrieval.chunks import chunk_folder
from glossator.retrieval.chunks.chunk_index import (
    ChunkIndex,
    IndexBusy,
    IndexDamaged,
    IndexedFile,
    Matches,
    begin_again,
)
from glossator.retrieval.chunks.cutting import Chunk
from glossator.retrieval.chunks.words import question_of
from glossator.workspace.files import state_folder

FILE = IndexedFile(bytes(range(32)), b"12345678")
CORPUS = {
    "src/lines.py": ["def split_lines(text):", "    return text.split()"],
    "src/cache.py": ["class ReadCache:", "    def evict(self): ..."],
    "tests/test_lines.py": ["def test_split(): ..."],
    "bad\udcffname.py": ["def odd(): return split"],
}


def put(index: ChunkIndex, files: Mapping[str, list[str]]) -> None:
    with index.writing() as writer:
        for path, lines in files.items():
            chunk = Chunk(1, len(lines), (), (lines[0].split()[-1],), ("function",))
            writer.put(path, FILE, lines, (chunk,))
        writer.commit()


def paths(matches: Matches) -> set[str]:
    return {candidate.path for candidate in matches.candidates}


@pytest.fixture(params=["disk", "memory"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> ChunkIndex:
    return ChunkIndex("/root", str(tmp_path / "chunks") if request.param == "disk" else None)


def test_what_is_put_is_found_until_it_is_dropped(index: ChunkIndex) -> None:
    put(index, CORPUS)
    question = question_of("split lines")
    assert paths(index.search(question)) == {*CORPUS} - {"src/cache.py"}
    assert dict(index.known) == dict.fromkeys(CORPUS, FILE)
    with index.writing() as writer:
        writer.drop("src/lines.py")
        writer.drop("never/there.py")
        assert "src/lines.py" in paths(index.search(question))  # until it is committed
        writer.commit()
    matches = index.search(question)
    assert paths(matches) == {"tests/test_lines.py", "bad\udcffname.py"}
    assert (matches.chunks, matches.frequency["split"]) == (3, 2)
    assert matches.frequency["splitlines"] == 0


def test_a_file_takes_the_place_of_what_it_was(index: ChunkIndex) -> None:
    put(index, CORPUS)
    put(index, {"src/lines.py": ["def zebra(): ..."]})
    assert "src/lines.py" not in paths(index.search(question_of("split")))
    assert paths(index.search(question_of("zebra"))) == {"src/lines.py"}
    assert index.search(question_of("zebra")).chunks == len(CORPUS)


def test_what_is_not_committed_is_not_there(tmp_path: Path) -> None:
    folder = str(tmp_path / "chunks")
    put(ChunkIndex("/root", folder), CORPUS)
    with ChunkIndex("/root", folder).writing() as writer:
        writer.drop("src/lines.py")
    again = ChunkIndex("/root", folder)
    assert again.known.keys() == CORPUS.keys()
    assert "src/lines.py" in paths(again.search(question_of("split lines")))


@pytest.mark.parametrize("only", [{"src/lines.py"}, {*CORPUS} - {"src/lines.py"}, set(), {"other"}])
def test_filters_hold(index: ChunkIndex, only: set[str]) -> None:
    put(index, CORPUS)
    question = question_of("split lines evict odd")
    matches = index.search(question, frozenset(only))
    assert paths(matches) == only & CORPUS.keys()
    assert matches.files.keys() <= {f"/root/{path}" for path in only}
    without = index.search(question, None, frozenset(only))
    assert paths(without) == CORPUS.keys() - only
    both = index.search(question, frozenset(CORPUS), frozenset(only))
    assert paths(both) == CORPUS.keys() - only


def test_a_few_files_are_found_among_many_better_ones(index: ChunkIndex) -> None:
    many = {f"f{n}.py": ["zebra zebra zebra"] for n in range(900)}
    put(index, {**many, "last.txt": ["a zebra among many other words that say nothing"]})
    assert paths(index.search(question_of("zebra"), frozenset({"last.txt"}))) == {"last.txt"}


def test_what_only_others_hold_is_not_told(index: ChunkIndex) -> None:
    put(index, CORPUS)
    matches = index.search(question_of("evict split"), frozenset({"src/lines.py"}))
    assert (matches.frequency["evict"], matches.frequency["split"] > 0) == (0, True)


@settings(max_examples=25)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a.py", "b.py", "c/d.py", "c/e.md"]),
            st.none() | st.lists(st.sampled_from(["zebra", "horse", "zebra_cart"]), min_size=1),
        ),
        max_size=20,
    )
)
def test_updates_end_where_a_build_ends(changes: list[tuple[str, list[str] | None]]) -> None:
    updated, now = ChunkIndex("/root"), dict[str, list[str]]()
    for path, lines in changes:
        if lines is None:
            now.pop(path, None)
            with updated.writing() as writer:
                writer.drop(path)
                writer.commit()
        else:
            now[path] = lines
            put(updated, {path: lines})
    built = ChunkIndex("/root")
    put(built, now)
    assert updated.known == built.known
    for words in ("zebra", "horse cart", "zebra_cart horse", "d"):
        one, other = updated.search(question_of(words)), built.search(question_of(words))
        assert paths(one) == paths(other)
        assert (one.chunks, one.frequency) == (other.chunks, other.frequency)
        assert one.files.keys() == other.files.keys()


def test_two_of_them_see_each_others_work(tmp_path: Path) -> None:
    one, other = (ChunkIndex("/root", str(tmp_path / "chunks")) for _ in range(2))
    put(one, {"a.py": ["zebra"]})
    assert other.known.keys() == {"a.py"}
    put(other, {"b.py": ["zebra"]})
    put(one, {"c.py": ["zebra"], "a.py": ["horse"]})
    for index in (one, other):
        assert paths(index.search(question_of("zebra"))) == {"b.py", "c.py"}
    with one.writing(), pytest.raises(IndexBusy), other.writing():
        pass
    put(other, {"d.py": ["zebra"]})  # after which it may


def test_files_that_are_merged_away_are_deleted_whoever_wrote_them(tmp_path: Path) -> None:
    folder = tmp_path / "chunks"
    indexes = [ChunkIndex("/root", str(folder)) for _ in range(2)]
    for n in range(40):
        put(indexes[n % 2], {f"{n}.py": [f"zebra {n}"]})
    segments = {name.partition(".")[0] for name in os.listdir(folder) if len(name) > 32}
    used = chunk_folder.segments(str(folder))
    assert len(segments - used) <= 8  # of the last merge
    assert len(used) < 20


def test_an_index_of_another_version_is_begun_again(tmp_path: Path) -> None:
    folder = tmp_path / "chunks"
    put(ChunkIndex("/root", str(folder)), CORPUS)
    (folder / "version").write_text("0")
    (folder / "other.folder").mkdir()
    index = ChunkIndex("/root", str(folder))
    assert not index.known
    assert not (folder / "other.folder").exists()
    put(index, CORPUS)
    assert ChunkIndex("/root", str(folder)).known.keys() == CORPUS.keys()


def test_all_files_of_the_folder_are_known_to_be_ours(tmp_path: Path) -> None:
    folder = tmp_path / "chunks"
    index = ChunkIndex("/root", str(folder))
    for n in range(20):
        put(index, {f"{n}.py": ["zebra"], "a.py": [f"horse {n}"]})
        with index.writing():
            assert {path.name for path in state_folder.files(tmp_path)} >= set(os.listdir(folder))
    assert sum(path.stat().st_size for path in folder.iterdir()) == chunk_folder.disk_bytes(
        str(folder)
    )


@pytest.mark.parametrize("how", ["cut", "overwritten", "emptied", "deleted"])
def test_damage_is_found_whatever_file_it_is_in(tmp_path: Path, how: str) -> None:
    sound = tmp_path / "sound"
    put(ChunkIndex("/root", str(sound)), CORPUS)
    for name in sorted(os.listdir(sound)):
        folder = tmp_path / "chunks"
        shutil.copytree(sound, folder)
        harm(folder / name, how)
        known: Mapping[str, IndexedFile] = {}
        try:
            index = ChunkIndex("/root", str(folder))
            known = index.known
            found = [name for name in chunk_folder.damage(str(folder)) if name]
            right = not found and known.keys() == CORPUS.keys()
            right = right and "src/lines.py" in paths(index.search(question_of("split lines")))
        except IndexDamaged:
            found, right = ["all"], False
        assert found or right or not known, name  # nothing is wrong and goes unseen
        begin_again(str(folder))
        again = ChunkIndex("/root", str(folder))
        put(again, CORPUS)
        assert again.known.keys() == CORPUS.keys()
        shutil.rmtree(folder)


def harm(path: Path, how: str) -> None:
    content = path.read_bytes()
    match how:
        case "cut":
            path.write_bytes(content[: len(content) // 2])
        case "overwritten":
            path.write_bytes(content[: len(content) // 3] + b"\xff" * (len(content) * 2 // 3))
        case "emptied":
            path.write_bytes(b"")
        case "deleted":
            path.unlink()


def test_a_folder_that_cannot_be_written_to_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(OSError, match="file"):
        ChunkIndex("/root", str(tmp_path / "file" / "chunks"))
