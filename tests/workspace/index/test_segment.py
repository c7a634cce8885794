"""Segments: what they hold, and that damage is never taken for an answer."""

from __future__ import annotations

import os
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from glossator.workspace.index import layout, segment_writer
from glossator.workspace.index.searchable import Traits
from glossator.workspace.index.segment import CorruptSegment, Segment
from glossator.workspace.index.trigrams import ANYTHING, NOTHING, Query
from tests.workspace.index.naive import (
    TextDocument,
    document,
    literal,
    may_match,
    meets,
    naive_trigrams,
    write_segment,
)

TEXTS = st.lists(st.text("abcK\N{KELVIN SIGN} \n\0", max_size=12).map(str.encode), max_size=12)
KEYS = st.sampled_from([literal(text) for text in (b"abc", b"bca", b"aaa", b"abcabc", b"k a")])
QUERIES = st.recursive(
    KEYS | st.just(ANYTHING) | st.just(NOTHING),
    lambda inner: st.builds(
        Query,
        KEYS.map(lambda query: query.keys) | st.just(frozenset()),
        st.lists(st.lists(inner, max_size=3).map(tuple), max_size=2).map(tuple),
    ),
    max_leaves=6,
)


def write(folder: Path, texts: list[bytes]) -> Segment:
    folder.mkdir(exist_ok=True)
    info = write_segment(folder, [document(f"{i}.txt", raw) for i, raw in enumerate(texts)])
    segment = Segment.open(folder / info.name)
    assert (segment.name, segment.bytes, segment.checksum) == (info.name, info.bytes, info.checksum)
    assert info.documents == segment.documents == len(texts)
    return segment


@settings(max_examples=60, deadline=None)
@given(texts=TEXTS, query=QUERIES, folds=st.booleans())
def test_candidates_are_exactly_those_that_meet_the_query(
    tmp_path_factory: pytest.TempPathFactory, texts: list[bytes], query: Query, folds: bool
) -> None:
    query = replace(query, folds=folds)
    segment = write(tmp_path_factory.mktemp("segment"), texts)
    expected = [i for i, raw in enumerate(texts) if may_match(raw, query)]
    assert list(segment.candidates(query)) == expected
    list(segment.verify())


def ranges_that_meet(text: bytes, query: Query) -> list[tuple[int, int]]:
    """Runs of neighbouring passages."""
    *others, (_, last) = segment_writer.passages(text)
    ranges: list[tuple[int, int]] = []
    start = 0
    for end, passage in (*others, (len(text), last)):
        if meets(naive_trigrams(passage), query):
            before = ranges.pop()[0] if ranges and ranges[-1][1] == start else start
            ranges.append((before, end))
        start = end
    return ranges


LINES = st.lists(st.text("abc", max_size=6), max_size=8).map("\n".join).map(str.encode)


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(texts=st.lists(LINES, max_size=12), query=QUERIES, words=st.sampled_from(["abc", "c\na"]))
def test_what_is_looked_for_lies_within_one_passage_unless_it_spans_lines(
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    texts: list[bytes],
    query: Query,
    words: str,
) -> None:
    monkeypatch.setattr(segment_writer, "LONG", 6)
    monkeypatch.setattr(segment_writer, "PASSAGE", 4)
    folder = tmp_path_factory.mktemp("segment")
    documents = [document(str(i), raw, (len(raw), 0, 0, 0)) for i, raw in enumerate(texts)]
    segment = Segment.open(folder / write_segment(folder, documents).name)
    met = [
        i
        for i, raw in enumerate(texts)
        if any(meets(naive_trigrams(passage), query) for _, passage in segment_writer.passages(raw))
    ]
    assert list(segment.candidates(query)) == met
    found = segment.find(query)
    for i in found.long:
        assert segment.ranges(i, found.passages) == ranges_that_meet(texts[i], query)
    spanning = replace(query, spans=True)
    assert list(segment.candidates(spanning)) == [
        i for i, raw in enumerate(texts) if may_match(raw, spanning)
    ]
    holding = segment.candidates(replace(literal(words.encode()), spans="\n" in words))
    assert set(holding) >= {i for i, raw in enumerate(texts) if words.encode() in raw[:-1]}


def test_a_passage_is_whole_lines_and_what_touches_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segment_writer, "LONG", 6)
    monkeypatch.setattr(segment_writer, "PASSAGE", 4)
    text = b"ab\ncd\nefghijkl\nm\nn\no\np"
    assert list(segment_writer.passages(text)) == [
        (6, b"\nab\ncd\nef"),
        (15, b"d\nefghijkl\nm\n"),
        (21, b"l\nm\nn\no\np\n"),
        (22, b"o\np\n"),
    ]
    assert list(segment_writer.passages(b"")) == [(0, b"\n\n")]
    framed = b"\n" + b"x" * 100 + b"\n"
    assert list(segment_writer.passages(b"x" * 100)) == [(100, framed)]
    assert list(segment_writer.passages(b"x" * 100 + b"\n")) == [(100, framed)]
    monkeypatch.setattr(segment_writer, "PASSAGES_OF_TEXT", 2)
    assert len(list(segment_writer.passages(b"ab\n" * 100))) == 2


def test_neighbouring_passages_are_one_range(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segment_writer, "LONG", 6)
    monkeypatch.setattr(segment_writer, "PASSAGE", 4)
    text = b"one abc\ntwo abc\nno match\nabc end"
    info = write_segment(tmp_path, [document("long", text, (len(text), 0, 0, 0))])
    segment = Segment.open(tmp_path / info.name)
    found = segment.find(literal(b"abc"))
    assert (list(found.documents), list(found.long)) == ([0], [0])
    assert segment.ranges(0, found.passages) == [(0, 16), (25, 32)]


def test_documents_come_back(tmp_path: Path) -> None:
    stamps = [(1, -2, 3, 2**64 - 1), (0, 2**62, 0, 0)]
    info = write_segment(
        tmp_path,
        [
            document("ä/plain.txt", b"abc\n", stamps[0]),
            document("b", b"\0", stamps[1]),
        ],
    )
    segment = Segment.open(tmp_path / info.name)
    assert list(segment.stamps()) == stamps == [segment.stamp(0), segment.stamp(1)]
    assert list(segment.paths()) == ["ä/plain.txt".encode(), b"b"]
    assert (list(segment.plain), list(segment.binary), list(segment.exotic)) == ([0], [1], [])
    assert (tmp_path / info.name).stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [info.name]


def test_all_names_come_back_below_a_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("glossator.workspace.index.segment._PATHS", 8)
    names = ["a", "b/\n", os.fsdecode(b"\xff/\xc3"), "ä/\N{SLICE OF PIZZA}.py", "b" * 20, "c", "d"]
    info = write_segment(tmp_path, [document(name, b"") for name in names])
    segment = Segment.open(tmp_path / info.name)
    assert segment.paths() == list(map(os.fsencode, names))
    for root in ("/", "/ro\udcffot/"):
        assert list(chain(*segment.paths_below(root))) == [root + name for name in names]
    empty = Segment.open(tmp_path / write_segment(tmp_path, []).name)
    assert [*empty.paths(), *empty.paths_below("/")] == []


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segment_writer, "_BATCH", 5000)
    monkeypatch.setattr(segment_writer, "_RANGE", 3000)


@pytest.mark.usefixtures("small_batches")
@settings(
    max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(seed=st.integers(0, 2**32))
def test_many_documents_with_frequent_and_rare_keys(tmp_path: Path, seed: int) -> None:
    numbers = np.random.default_rng(seed)
    count = layout.ROARING_ARRAY + 500
    held = numbers.random((count, 7)) < [1, 0.95, layout.ROARING_ARRAY / count, 0.5, 0.01, 0.05, 0]
    keys = np.array([3, 700, 9000, 70_000, 200_000, 200_001, 262_143])
    info = write_segment(
        tmp_path,
        (
            TextDocument(b"%d" % i, (0, 0, 0, i), Traits.PLAIN, ((0, keys[row]),))
            for i, row in enumerate(held)
        ),
    )
    segment = Segment.open(tmp_path / info.name)
    for place, key in enumerate(keys.tolist()):
        found = list(segment.candidates(Query(frozenset({key}))))
        assert found == np.flatnonzero(held[:, place]).tolist()
    both = segment.candidates(Query(frozenset({700, 70_000})))
    assert list(both) == np.flatnonzero(held[:, 1] & held[:, 3]).tolist()


@pytest.mark.parametrize("passages", [1, 2, 64, 65, 511, 512, 513, 520, 1_000])
def test_however_many_passages_have_a_key(tmp_path: Path, passages: int) -> None:
    counts = range(1, passages + 1, max(1, passages // 120))
    numbers = np.random.default_rng(passages)
    having = [numbers.permutation(passages) < count for count in counts]
    held = [np.flatnonzero([has[number] for has in having]) for number in range(passages)]
    info = write_segment(
        tmp_path,
        (
            TextDocument(b"%d" % number, (0, 0, 0, number), Traits.PLAIN, ((0, keys),))
            for number, keys in enumerate(held)
        ),
    )
    segment = Segment.open(tmp_path / info.name)
    list(segment.verify())
    for key, has in enumerate(having):
        assert list(segment.candidates(Query(frozenset({key})))) == np.flatnonzero(has).tolist()
    for number in range(0, passages, 1 + passages // 20):
        assert segment.holds(number, held[number].tolist())
        assert not any(
            segment.holds(number, [key, *held[number]])
            for key, has in enumerate(having)
            if not has[number]
        )


def test_postings_have_three_forms() -> None:
    forms = {count: layout.form(count, 40_000) for count in (1, 64, 65, 4_096, 4_097, 40_000)}
    numbers, codes, bits = layout.Form.NUMBERS, layout.Form.ELIAS_FANO, layout.Form.BITS
    assert list(forms.values()) == [numbers, numbers, codes, codes, bits, bits]
    assert [layout.form(count, 800) for count in (64, 100, 101)] == [numbers, codes, bits]


def test_a_segment_takes_so_many_passages(tmp_path: Path) -> None:
    same = TextDocument(b"x", (0, 0, 0, 0), Traits.PLAIN, ((0, np.array([5])),) * 2)
    info = write_segment(tmp_path, [same] * (layout.MAX_PASSAGES // 2))
    segment = Segment.open(tmp_path / info.name)
    assert len(segment.candidates(Query(frozenset({5})))) == layout.MAX_PASSAGES // 2
    with pytest.raises(ValueError, match="full"):
        write_segment(tmp_path, [same] * (layout.MAX_PASSAGES // 2 + 1))
    assert [path.name for path in tmp_path.iterdir()] == [info.name]


def test_every_damaged_byte_is_noticed(tmp_path: Path) -> None:
    texts = [b"abcdef", b"defabc", b"\0", "\N{KELVIN SIGN}".encode()]
    segment = write(tmp_path, texts)
    good = (tmp_path / segment.name).read_bytes()
    expected = list(segment.candidates(literal(b"abc")))
    damaged = tmp_path / "damaged.seg"
    for at in range(len(good)):
        damaged.write_bytes(good[:at] + bytes([good[at] ^ 0x41]) + good[at + 1 :])
        try:
            opened = Segment.open(damaged)
        except CorruptSegment:
            damaged.unlink()
            continue
        with pytest.raises(CorruptSegment, match="posting"):
            list(opened.verify())
        found = list(opened.candidates(literal(b"abc")))  # of another key, or all there are
        assert found == (expected if opened.damage is None else [0, 1, 3])
        damaged.unlink()


@pytest.mark.parametrize("form", layout.Form)
def test_a_damaged_posting_of_any_form_leaves_nothing_out(
    tmp_path: Path, form: layout.Form
) -> None:
    total = 1_000
    count = {layout.Form.NUMBERS: 9, layout.Form.ELIAS_FANO: 90, layout.Form.BITS: 300}[form]
    assert layout.form(count, total) is form
    keys = [np.array([7] if number < count else [], np.intp) for number in range(total)]
    documents = [
        TextDocument(b"%d" % number, (0, 0, 0, number), Traits.PLAIN, ((0, held),))
        for number, held in enumerate(keys)
    ]
    path = tmp_path / write_segment(tmp_path, documents).name
    good, whole = path.read_bytes(), Segment.open(path)
    assert list(whole.candidates(Query(frozenset({7})))) == list(range(count))
    for at in range(whole.memory_bytes, len(good)):
        path.unlink()
        path.write_bytes(good[:at] + bytes([good[at] ^ 1 << at % 8]) + good[at + 1 :])
        opened = Segment.open(path)
        assert list(opened.candidates(Query(frozenset({7})))) == list(range(total))
        assert opened.damage is not None


def test_a_file_cut_anywhere_is_noticed(tmp_path: Path) -> None:
    segment = write(tmp_path, [b"abcdef"])
    good = (tmp_path / segment.name).read_bytes()
    damaged = tmp_path / "damaged.seg"
    for content in (*(good[:at] for at in range(len(good))), good + b"\0"):
        damaged.write_bytes(content)
        with pytest.raises(CorruptSegment):
            Segment.open(damaged)
        damaged.unlink()


def test_a_file_cut_while_it_is_in_use_is_noticed(tmp_path: Path) -> None:
    length = write(tmp_path / "whole", [b"abcdef", b"defabc", b"\0"]).bytes
    for kept in range(0, length, 7):
        folder = tmp_path / str(kept)
        segment = write(folder, [b"abcdef", b"defabc", b"\0"])
        os.truncate(folder / segment.name, kept)
        assert list(segment.candidates(literal(b"abc"))) == [0, 1]
        assert [segment.stamp(2), *segment.paths()] == [(0, 0, 0, 0), b"0.txt", b"1.txt", b"2.txt"]
        with pytest.raises(CorruptSegment):
            list(segment.verify())


def test_a_segment_that_is_not_used_any_more_is_closed(tmp_path: Path) -> None:
    before = set(os.listdir("/dev/fd"))
    segment = write(tmp_path, [b"abc"])
    assert len(set(os.listdir("/dev/fd")) - before) == 1
    del segment
    (tmp_path / "cut.seg").write_bytes(b"GLOSTEXT")
    with pytest.raises(CorruptSegment):
        Segment.open(tmp_path / "cut.seg")
    assert set(os.listdir("/dev/fd")) == before


def test_a_damaged_posting_makes_all_texts_candidates(tmp_path: Path) -> None:
    segment = write(tmp_path, [b"abc", b"xyz", b"\0"])
    path = tmp_path / segment.name
    good = path.read_bytes()
    path.unlink()
    path.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
    segment = Segment.open(path)
    assert list(segment.candidates(literal(b"abc"))) == [0]  # its posting is whole
    assert list(segment.candidates(literal(b"\nxy"))) == [0, 1]  # the last one is not
    assert segment.damage is not None
    assert list(segment.candidates(literal(b"abc"))) == [0, 1]
