"""Which documents are valid, whether files are listed one by one or a folder as a whole."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glossator.workspace.files.entries import STAMP, FileEntry, Files, FolderFiles, joined
from glossator.workspace.index.index import TextIndex
from glossator.workspace.index.placement import ValidDocuments
from glossator.workspace.index.segment import Segment
from glossator.workspace.index.trigrams import ANYTHING
from tests.workspace.index.naive import document, write_segment

ROOT, OTHER = "/ws", "/ws2"
FOLDERS = ("", "a", "a/b", "a/b2", "a b", "z\udcff")
NAMES = ("a", "a.py", "ab", "b", "b\udcfe", "é", "zz")


def file(path: str, chance: Random, *, is_link: bool = False) -> FileEntry:
    times = chance.randrange(-5, 9), chance.randrange(9)
    return FileEntry(path, len(ROOT) + 1, chance.randrange(3), *times, chance.randrange(9), is_link)


def stamp(entry: FileEntry) -> tuple[int, int, int, int]:
    return entry.size, entry.mtime_ns, entry.ctime_ns, entry.inode


def whole(folder: str, files: Iterable[FileEntry]) -> FolderFiles:
    """The files of a folder as a start lists them."""
    listed = sorted(files)
    names = joined(os.path.basename(entry.path) for entry in listed)
    stamps = b"".join(STAMP.pack(*stamp(entry)) for entry in listed)
    return FolderFiles(os.path.join(folder, ""), len(ROOT) + 1, names, stamps)


class Some:
    """Files of two roots, segments of what one of them held at some moments, and the index."""

    def __init__(self, top: Path, chance: Random) -> None:
        self._chance = chance
        self.listed = dict(self._files(ROOT)) | dict(self._files(OTHER))
        self.held: list[dict[str, tuple[int, int, int, int]]] = []
        self.segments: list[Segment] = []
        for _ in range(chance.randrange(4)):
            self._write(top)
        self.index = TextIndex(self.listed.get)

    def list_all(self) -> None:
        folders: dict[str, list[FileEntry]] = {}
        for path, entry in self.listed.items():
            folders.setdefault(os.path.dirname(path), []).append(entry)
        listed = list(folders.items())
        self._chance.shuffle(listed)
        parts = self._chance.randint(1, 3)
        for part in range(parts):
            self.index.changed(
                Files(
                    {
                        folder: sorted(files)
                        if self._chance.random() < 0.2 or any(each.is_link for each in files)
                        else whole(folder, files)
                        for folder, files in listed[part::parts]
                    }
                )
            )

    def change(self) -> None:
        """A file is changed, or as it was when it was indexed, or gone, or new."""
        path = self._chance.choice([*self.listed, *chain.from_iterable(self.held)])
        entry = file(path, self._chance)
        if was := [held[path] for held in self.held if path in held]:
            size, mtime_ns, ctime_ns, inode = self._chance.choice(was)
            then = FileEntry(path, len(ROOT) + 1, size, mtime_ns, ctime_ns, inode)
            entry = self._chance.choice((entry, then, then))
        if self._chance.random() < 0.3 and path in self.listed:
            del self.listed[path]
            self.index.changed(Files({}), [path])
        else:
            self.listed[path] = entry
            self.index.changed(Files.of([entry]))

    def check(self) -> None:
        expected: dict[str, set[int | None]] = {}
        for path, entry in self.listed.items():
            valid = (at for at, held in enumerate(self.held) if held.get(path) == stamp(entry))
            expected[path] = (set() if entry.is_link else set(valid)) or {None}
        view = self.index.freeze()
        parts = [part for part in view.parts if isinstance(part, ValidDocuments)]
        found = {entry.path: at for at, part in enumerate(parts) for entry in part.files()}
        pending = {entry.path: None for entry in view.pending}
        where = found | pending
        assert where.keys() == expected.keys()
        assert all(where[path] in valid for path, valid in expected.items())
        assert len(found) + len(pending) == len(expected)
        assert self.index.statistics().pending == len(pending)
        for entry in chain(view.pending, *(part.files() for part in parts)):
            assert self.listed[entry.path] == entry
            assert view.knows_plain(entry) == (entry.path in found)
        masked = self._chance.sample(sorted(expected), min(3, len(expected)))
        unmasked = {each.entry.path for each in view.candidates(ANYTHING, masked)}
        assert unmasked == expected.keys() - set(masked)

    def _files(self, root: str) -> Iterable[tuple[str, FileEntry]]:
        for folder in FOLDERS:
            for name in self._chance.sample(NAMES, self._chance.randrange(len(NAMES))):
                path = os.path.join(root, folder, name)
                is_link = self._chance.random() < 0.03
                yield path, file(path, self._chance, is_link=is_link)

    def _write(self, top: Path) -> None:
        """A segment of what was, as a rule, the same as now."""
        chance, much = self._chance, self._chance.choice((0.0, 0.1, 0.5))
        held = {path: stamp(entry) for path, entry in self.listed.items() if path < OTHER}
        for path, entry in self._files(ROOT):
            if chance.random() < much:
                held[path] = stamp(entry)
        for path in list(held):
            if chance.random() < much:
                del held[path]
        order = sorted(held, key=os.path.split) if chance.random() < 0.7 else list(held)
        held = {path: held[path] for path in order}
        documents = [document(path[len(ROOT) + 1 :], b"text", at) for path, at in held.items()]
        self.segments.append(Segment.open(top / write_segment(top, documents).name))
        self.held.append(held)


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_the_valid_documents_are_those_with_the_stamps_of_the_listed_files(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    chance = Random(seed)
    some = Some(tmp_path_factory.mktemp("segments"), chance)
    some.list_all()
    for _ in range(chance.choice((0, 0, 1, 5))):
        some.change()
    assert len(some.index.freeze().pending) == len(some.listed)
    preparation = some.index.prepare(ROOT)
    for _ in range(chance.choice((0, 0, 1, 5))):
        some.change()
    assert some.index.adopt(preparation.place(some.segments))
    some.check()
    for _ in range(5):
        some.change()
        some.check()
    assert some.index.adopt(some.index.prepare(OTHER).place([]))
    some.check()
    assert some.index.adopt(some.index.prepare(ROOT).place(some.segments))
    some.check()


def test_a_start_compares_whole_folders_and_makes_no_entries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = Random(1)
    paths = [os.path.join(ROOT, folder, name) for folder in FOLDERS for name in sorted(NAMES)]
    files = {path: file(path, chance) for path in paths}
    documents = [document(path[len(ROOT) + 1 :], b"text", stamp(files[path])) for path in paths]
    segment = Segment.open(tmp_path / write_segment(tmp_path, documents).name)
    changed = f"{ROOT}/a/zz"
    files[changed] = files[changed]._replace(size=99)
    together = Files.of(files.values()).folders
    folders = {folder: whole(folder, inside) for folder, inside in together.items()}
    made: list[str] = []
    monkeypatch.setattr(FolderFiles, "_make", _noting(made))
    index = TextIndex(Files(folders).get)
    index.changed(Files(folders))
    view = index.freeze()
    assert index.adopt(index.prepare(ROOT).place([segment]))
    assert set(made) == {f"{ROOT}/a/"}  # in which a file has changed
    assert (index.statistics().documents, index.statistics().pending) == (len(paths) - 1, 1)
    assert [entry.path for entry in index.freeze().pending] == [changed]
    assert len(view.pending) == len(paths)  # as it was then
    assert len(made) == len(FOLDERS)


def test_a_change_before_that_concerns_its_folder_only(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = Random(2)
    files = [file(os.path.join(ROOT, folder, "f"), chance) for folder in FOLDERS]
    together = Files.of(files).folders
    listed = Files({folder: whole(folder, inside) for folder, inside in together.items()})
    made: list[str] = []
    monkeypatch.setattr(FolderFiles, "_make", _noting(made))
    index = TextIndex(listed.get)
    index.changed(listed)
    index.changed(Files.of([files[1]._replace(size=99)]))
    index.changed(Files({}), [files[2].path])
    assert made == [f"{ROOT}/a/", f"{ROOT}/a/b/"]
    assert index.pending().get(files[3].path) == files[3]
    assert made == [f"{ROOT}/a/", f"{ROOT}/a/b/", f"{ROOT}/a/b2/"]
    assert index.statistics().pending == len(files) - 1
    assert len(index.freeze().pending) == len(files) - 1


def _noting(made: list[str]):  # type: ignore[no-untyped-def]
    make = FolderFiles._make

    def noting(files: FolderFiles) -> Iterable[FileEntry]:
        made.append(files.inside)
        return make(files)

    return noting


def test_a_folder_whose_first_file_is_gone_is_compared_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"{number:04}" for number in range(500)]
    files = [FileEntry(f"{ROOT}/{name}", len(ROOT) + 1, 1, 1, 1, int(name)) for name in names]
    documents = [document(each.relative, b"text", stamp(each)) for each in files]
    segment = Segment.open(tmp_path / write_segment(tmp_path, documents).name)
    made: list[str] = []
    monkeypatch.setattr(FolderFiles, "_make", _noting(made))
    listed = Files({ROOT: whole(ROOT, files[1:])})
    index = TextIndex(listed.get)
    index.changed(listed)
    assert index.adopt(index.prepare(ROOT).place([segment]))
    assert (index.statistics().documents, index.statistics().pending) == (len(names) - 1, 0)
    assert not made


def test_another_name_with_the_same_stamp_is_another_file(tmp_path: Path) -> None:
    segment = Segment.open(
        tmp_path / write_segment(tmp_path, [document("a/old", b"text", (1, 1, 1, 1))]).name
    )
    renamed = FileEntry(f"{ROOT}/a/new", len(ROOT) + 1, 1, 1, 1, 1)
    listed = Files({f"{ROOT}/a": whole(f"{ROOT}/a", [renamed])})
    index = TextIndex(listed.get)
    index.changed(listed)
    assert index.adopt(index.prepare(ROOT).place([segment]))
    assert dict(index.pending()) == {renamed.path: renamed}
