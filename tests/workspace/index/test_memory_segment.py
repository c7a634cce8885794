"""Documents in memory."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from glossator.workspace.files.entries import FileEntry
from glossator.workspace.index import memory_segment
from glossator.workspace.index.memory_segment import BlockView, MemorySegment
from glossator.workspace.index.trigrams import ANYTHING, Query
from tests.workspace.index.naive import document, literal, may_match

TEXTS = (b"abc", b"abcdef", b"xyz", b"\0", "abc\N{KELVIN SIGN}".encode(), b"\rabc", b"")
MADE = {raw: document("", raw) for raw in TEXTS}
QUERIES = (
    ANYTHING,
    literal(b"abc"),
    literal(b"abcdef"),
    Query(literal(b"abc").keys, ((literal(b"def"), literal(b"xyz")),)),
    Query(groups=((literal(b"def"), literal(b"xyz")),)),
    Query(groups=((),)),
    Query(groups=((),), folds=True),
)


def entry(number: int, version: int = 0) -> FileEntry:
    path = f"/r/{number}"
    return FileEntry(path, path[3:], 0, version, version, number)


def found(blocks: tuple[BlockView, ...], query: Query) -> set[FileEntry]:
    answers = [block.candidates(query) for block in blocks]
    every = [candidate.entry for answer in answers for candidate in answer]
    assert len(set(every)) == len(every)
    return set(every)


def add(documents: MemorySegment, file: FileEntry, raw: bytes) -> bool:
    made = MADE[raw]
    return documents.add(file, made.keys, made.traits)


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_views_find_what_was_valid_when_they_were_made(seed: int) -> None:
    random = Random(seed)
    documents, held = MemorySegment(), dict[FileEntry, bytes]()
    views: list[tuple[tuple[BlockView, ...], dict[FileEntry, bytes]]] = []
    for version in range(2000):
        number = random.randrange(memory_segment.SIZE + 40)
        held = {file: raw for file, raw in held.items() if file.inode != number}
        if random.random() < 0.2:
            documents.remove(entry(number).path)
        else:
            raw = random.choice(TEXTS)
            if add(documents, entry(number, version), raw):
                held[entry(number, version)] = raw
            else:
                assert len(held) == memory_segment.SIZE
        if version % 250 == 0:
            views.append((documents.freeze(), held))
    assert set(documents.entries()) == set(held)
    assert len(documents) == len(held)
    for view, then in (*views, (documents.freeze(), held)):
        for query in QUERIES:
            assert found(view, query) == {f for f, raw in then.items() if may_match(raw, query)}
        unsearchable = {file for block in view for file in block.unsearchable()}
        assert unsearchable == {file for file, raw in then.items() if raw == b"\0"}


def test_it_takes_so_many_documents_and_reuses_room() -> None:
    documents = MemorySegment()
    assert all(add(documents, entry(number), b"abc") for number in range(memory_segment.SIZE))
    view = documents.freeze()
    assert not add(documents, entry(memory_segment.SIZE), b"xyz")
    assert add(documents, entry(7, version=1), b"xyz")
    assert documents.get("/r/7") == entry(7, version=1)
    assert found(documents.freeze(), literal(b"xyz")) == {entry(7, version=1)}
    assert len(found(view, literal(b"abc"))) == memory_segment.SIZE
    assert found(view, literal(b"xyz")) == set()


def test_plain_files_are_told_from_others() -> None:
    documents = MemorySegment()
    for number, raw in enumerate(TEXTS):
        add(documents, entry(number), raw)
    (block,) = documents.freeze()
    found = block.candidates(literal(b"abc"))
    assert (found.plain, found.others) == ([entry(0), entry(1), entry(4)], [entry(5)])
