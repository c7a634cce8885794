"""The index as a whole: no file that holds a match is ever left out."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glossator.workspace.files.entries import FileEntry, Files
from glossator.workspace.index.index import TextIndex, TextView
from glossator.workspace.index.merge_policy import SegmentFigures
from glossator.workspace.index.searchable import searchable
from glossator.workspace.index.segment import Segment
from glossator.workspace.index.trigrams import ANYTHING, Candidate
from tests.workspace.index.naive import document, entry, literal, may_match, write_segment

WORDS = (b"alpha", b"ALPHABET", b"beta", b"\r\n", b"\0", "\N{KELVIN SIGN}".encode(), b"\xff", b"  ")
LITERALS = (b"alpha", b"bet", b"abeta", b"nowhere")


class Tree:
    """A root on disk, its listing, and the index of it."""

    def __init__(self, top: Path) -> None:
        self.root, self.state = top / "root", top / "state"
        self.root.mkdir()
        self.state.mkdir()
        self.listed: dict[str, FileEntry] = {}
        self.index = TextIndex(self.listed.get)
        self.segments: list[Segment] = []
        self.texts: dict[FileEntry, bytes] = {}  # of all entries there ever were
        self._clock = 0

    def write(self, name: str, raw: bytes) -> Path:
        path = self.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(raw)
        self._clock += 1  # the disk's may stand still between two writes
        os.utime(path, ns=(self._clock, self._clock))
        return path

    def look(self) -> None:
        """List what is there now."""
        now = {str(path): entry(path, self.root) for path in self.root.rglob("*") if path.is_file()}
        self.texts |= {file: Path(path).read_bytes() for path, file in now.items()}
        paths = self.listed.keys() | now.keys()
        self.changed(
            {path: now.get(path) for path in paths if now.get(path) != self.listed.get(path)}
        )

    def changed(self, entries: dict[str, FileEntry | None]) -> None:
        listed = {path: file for path, file in entries.items() if file is not None}
        gone = entries.keys() - listed.keys()
        self.listed |= listed
        for path in gone:
            self.listed.pop(path, None)
        self.index.changed(Files.of(listed.values()), gone)

    def build(self, files: list[FileEntry]) -> Segment:
        info = write_segment(
            self.state,
            [
                document(
                    file.relative,
                    self.texts[file],
                    (file.size, file.mtime_ns, file.ctime_ns, file.inode),
                )
                for file in files
            ],
        )
        return Segment.open(self.state / info.name)

    def adopt(self, meanwhile: Callable[[], None] = lambda: None) -> None:
        preparation = self.index.prepare(str(self.root))
        meanwhile()
        assert self.index.adopt(preparation.place(self.segments))

    def keep(self, file: FileEntry) -> bool:
        made = document(file.relative, self.texts[file])
        return self.index.keep(file, made.keys, made.traits)

    def check(self) -> None:
        view, pending = self.index.freeze(), self.index.pending()
        assert self.index.freeze() is view
        for text in LITERALS:
            query = replace(literal(text), folds=text.islower() and len(text) > 3)
            expected = {
                path
                for path, file in self.listed.items()
                if path in pending or may_match(self.texts[file], query)
            }
            found = {candidate.entry.path: candidate for candidate in view.candidates(query)}
            assert len(found) == len(view.candidates(query))
            assert found.keys() == expected
            assert all(self.listed[path] == found[path].entry for path in found)
            assert all(self._plain(found[path]) for path in found if found[path].plain)
        binary = {file.path for file in view.unsearchable()}
        everything = {candidate.entry.path for candidate in view.candidates(ANYTHING)}
        assert binary | everything == self.listed.keys()
        assert not binary & everything
        statistics = self.index.statistics()
        assert statistics.pending == len(pending)
        assert statistics.documents + statistics.in_memory + len(pending) == len(self.listed)

    def _plain(self, candidate: Candidate) -> bool:
        found = searchable(self.texts[candidate.entry])
        return found is not None and found.plain


def answers(view: TextView) -> list[set[FileEntry]]:
    return [{c.entry for c in view.candidates(literal(text))} for text in LITERALS]


class Storm:
    """Random changes of a tree and its index."""

    def __init__(self, tree: Tree, random: Random) -> None:
        self._tree, self._random = tree, random

    def change(self) -> None:
        for _ in range(self._random.randrange(1, 6)):
            name = self._random.choice(("", "x/", "ä/")) + self._random.choice("abcdef")
            path = self._tree.root / name
            what = self._random.randrange(4)
            if what == 0:
                path.unlink(missing_ok=True)
            elif what == 1 and path.exists():
                path.replace(path.with_name(self._random.choice("abcdef")))
            else:
                self._tree.write(name, b"".join(self._random.choices(WORDS, k=4)))
        self._tree.look()

    def build(self) -> None:
        files = list(self._tree.index.pending().values())
        some = self._random.sample(files, self._random.randint(0, len(files)))
        self._tree.segments.append(self._tree.build(some))

    def merge(self) -> None:
        count = self._random.randint(0, len(self._tree.segments))
        self._tree.segments[:count] = [self._tree.build(list(self._tree.listed.values()))]

    def keep(self) -> None:
        for file in list(self._tree.texts)[-8:]:  # some of them are out of date
            assert self._tree.keep(file)

    def hide_and_show(self) -> None:
        """As when an ignore rule comes and goes: the stamps stay."""
        listed = self._tree.listed
        some = self._random.sample(sorted(listed), min(3, len(listed)))
        back: dict[str, FileEntry | None] = {path: listed[path] for path in some}
        self._tree.changed(dict.fromkeys(some))
        self._tree.check()
        self._tree.changed(back)

    def adopt(self) -> None:
        self._tree.adopt()

    def adopt_meanwhile(self) -> None:
        self._tree.adopt(self._random.choice([self.change, self.keep, self.hide_and_show]))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_whatever_happens_no_match_is_left_out(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    random = Random(seed)
    tree = Tree(tmp_path_factory.mktemp("tree"))
    storm = Storm(tree, random)
    steps = [storm.change, storm.build, storm.merge, storm.keep, storm.hide_and_show]
    views: list[tuple[TextView, list[set[FileEntry]]]] = []
    for _ in range(25):
        random.choice([*steps, storm.change, storm.adopt, storm.adopt_meanwhile])()
        tree.check()
        views.append((tree.index.freeze(), answers(tree.index.freeze())))
    for view, then in views:
        assert answers(view) == then  # whatever came after


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    tree = Tree(tmp_path)
    for name, raw in {"a": b"alpha\n", "b": b"beta\n", "c": b"\0"}.items():
        tree.write(name, raw)
    tree.look()
    return tree


def adopt_all(tree: Tree) -> None:
    tree.segments = [tree.build(list(tree.listed.values()))]
    tree.adopt()


def test_everything_is_pending_at_first(tree: Tree) -> None:
    assert tree.index.pending() == tree.listed
    assert set(tree.index.freeze().candidates(literal(b"nowhere"))) == {
        Candidate(file, plain=False) for file in tree.listed.values()
    }


def test_what_is_adopted_is_not_pending(tree: Tree) -> None:
    adopt_all(tree)
    assert not tree.index.pending()
    found = tree.index.freeze().candidates(literal(b"alpha"))
    assert [candidate.entry.relative for candidate in found] == ["a"]
    assert list(found.plain) == [tree.listed[str(tree.root / "a")]]
    assert tree.index.figures(str(tree.root)) == (SegmentFigures(tree.segments[0].name, 3, 3),)
    assert tree.index.statistics().disk_bytes == tree.segments[0].bytes


def test_a_changed_file_is_pending_until_it_is_kept(tree: Tree) -> None:
    adopt_all(tree)
    file = tree.write("a", b"gamma\n")
    tree.look()
    assert list(tree.index.pending()) == [str(file)]
    assert tree.index.figures(str(tree.root))[0].live == 2
    tree.keep(tree.listed[str(file)])
    assert not tree.index.pending()
    assert tree.index.kept() == [tree.listed[str(file)]]
    assert len(tree.index.freeze().candidates(literal(b"alpha"))) == 0
    adopt_all(tree)
    assert not tree.index.kept()
    assert tree.index.statistics().memory_bytes < 1 << 20
    tree.check()


def test_a_link_is_never_indexed(tree: Tree) -> None:
    (tree.root / "link").symlink_to("a")
    tree.look()
    adopt_all(tree)
    link = str(tree.root / "link")
    assert tree.keep(tree.listed[link])
    assert list(tree.index.pending()) == [link]


def test_an_older_placement_is_refused(tree: Tree) -> None:
    older, newer = (tree.index.prepare(str(tree.root)) for _ in range(2))
    assert not tree.index.adopt(older.place([]))
    assert tree.index.adopt(newer.place([]))
    tree.check()


def test_two_roots(tmp_path: Path) -> None:
    (tmp_path / "1").mkdir()
    (tmp_path / "2").mkdir()
    one, two = Tree(tmp_path / "1"), Tree(tmp_path / "2")
    two.index = one.index
    for tree, raw in ((one, b"alpha"), (two, b"beta")):
        tree.write("same", raw)
        tree.look()
    adopt_all(two)
    assert list(one.index.pending()) == list(one.listed)
    adopt_all(one)
    assert not one.index.pending()
    (found,) = one.index.freeze().candidates(literal(b"beta"))
    assert found.entry.path == str(two.root / "same")


def test_damage_found_by_a_search_is_told_and_leaves_nothing_out(tree: Tree) -> None:
    adopt_all(tree)
    (segment,) = tree.segments
    path = tree.state / segment.name
    good = path.read_bytes()
    path.unlink()
    path.write_bytes(good[:-4] + b"\xff" * 4)  # of postings
    tree.segments = [Segment.open(path)]
    tree.adopt()
    assert tree.index.damage() == ()
    found = tree.index.freeze().candidates(literal(b"\nbe"))
    assert {candidate.entry.relative for candidate in found} == {"a", "b"}
    (damage,) = tree.index.damage()
    assert (damage.root, damage.segment) == (str(tree.root), segment.name)
    assert "checksum" in damage.reason
    tree.segments = []
    tree.adopt()
    assert tree.index.pending() == tree.listed
    assert tree.index.damage() == ()
