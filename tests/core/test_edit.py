"""Replacements and plans: what they do together, what of them can be kept."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from glossator.core.document import Document, Origin, text_hash
from glossator.core.edit import (
    EditPlan,
    FileDeletion,
    FileEdit,
    FileRename,
    Hunk,
    HunkKind,
    keep,
)
from glossator.core.line_diff import (
    Replacement,
    apply_replacements,
    compose,
    line_replacements,
    trimmed,
)
from glossator.core.text import LineTable, PositionEncoding

TEXT = st.text(alphabet="ab\n\ré😀", max_size=20)


def document(text: str, path: str = "/ws/a.py") -> Document:
    return Document(f"file://{path}", path, text, text_hash(text), 3, Origin.EDITOR)


@st.composite
def replacements(draw: st.DrawFn, text: str) -> tuple[Replacement, ...]:
    offsets = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6)))
    spans = list(pairwise(offsets))[::2]
    return tuple(Replacement(start, end, draw(TEXT)) for start, end in spans)


@given(st.data(), TEXT)
def test_one_after_the_other(data: st.DataObject, base: str) -> None:
    earlier = data.draw(replacements(base))
    result = apply_replacements(base, earlier)
    later = data.draw(replacements(result))
    together = compose(base, earlier, later)
    assert FileEdit("u", "/p", document(base), together).result == apply_replacements(result, later)


@given(st.data(), TEXT)
def test_cut_down_to_the_change(data: st.DataObject, base: str) -> None:
    for each in data.draw(replacements(base)):
        cut = trimmed(base, each)
        assert apply_replacements(base, [cut]) == apply_replacements(base, [each])
        assert each.start <= cut.start <= cut.end <= each.end
        for edge in {cut.start, cut.end} - {each.start, each.end}:
            assert base[edge - 1 : edge + 1] != "\r\n"


@given(TEXT, TEXT)
def test_whole_lines(old: str, new: str) -> None:
    assert apply_replacements(old, line_replacements(old, new)) == new


@given(st.data(), TEXT, st.sampled_from(["utf-8", "utf-16", "utf-32"]))
def test_as_an_editor_counts(data: st.DataObject, base: str, encoding: PositionEncoding) -> None:
    edit = FileEdit("u", "/p", document(base), data.draw(replacements(base)))
    edges = [edge for each in edit.replacements for edge in (each.start, each.end)]
    assume(all(base[edge - 1 : edge + 1] != "\r\n" for edge in edges))  # no position says that
    table = LineTable(base)
    back = [
        Replacement(table.offset(start, encoding), table.offset(end, encoding), text)
        for start, end, text in edit.positioned(encoding)
    ]
    assert apply_replacements(base, back) == edit.result


@pytest.mark.parametrize(
    "wrong", [(Replacement(0, 9, ""),), (Replacement(1, 0, ""),), (Replacement(0, 2, ""),) * 2]
)
def test_replacements_that_cannot_be(wrong: tuple[Replacement, ...]) -> None:
    with pytest.raises(ValueError, match="overlaps, or is outside"):
        FileEdit("u", "/p", document("abc"), wrong)


BASE = "".join(f"{number}\n" for number in range(1, 10))


def plan() -> EditPlan:
    text = BASE.replace("2\n", "two\n").replace("5\n", "").replace("9\n", "9\nten\n")
    edit = FileEdit("file:///ws/a.py", "/ws/a.py", document(BASE), line_replacements(BASE, text))
    new = FileEdit("file:///ws/new", "/ws/new", None, (Replacement(0, 0, "x\n"),))
    gone = FileDeletion(document("old\n", "/ws/gone"))
    moved = FileRename("file:///ws/from", "/ws/from", "file:///ws/to", "/ws/to")
    return EditPlan.of("Test", edit, new, gone, moved)


def row(hunk: Hunk) -> tuple[str, int, str, str]:
    return hunk.kind, hunk.first_line, hunk.before, hunk.after


def test_hunks() -> None:
    assert [row(hunk) for hunk in plan().hunks] == [
        ("edit", 2, "2\n", "two\n"),
        ("edit", 5, "5\n", ""),
        ("edit", 10, "", "ten\n"),
        ("create", 1, "", "x\n"),
        ("delete", 1, "old\n", ""),
        ("rename", 1, "/ws/from\n", "/ws/to\n"),
    ]


def test_ids_are_stable_and_different() -> None:
    ids = [hunk.id for hunk in plan().hunks]
    assert ids == [hunk.id for hunk in plan().hunks]
    assert len(set(ids)) == len(ids)


@given(st.sets(st.integers(0, 5)))
def test_keeping_some_hunks(numbers: set[int]) -> None:
    whole = plan()
    kept = keep(whole, {whole.hunks[number].id for number in numbers})
    assert [hunk.id for hunk in kept.hunks] == [whole.hunks[n].id for n in sorted(numbers)]
    lines = BASE
    for number, (old, new) in enumerate([("2\n", "two\n"), ("5\n", ""), ("9\n", "9\nten\n")]):
        lines = lines.replace(old, new) if number in numbers else lines
    edited = [change for change in kept.files if change.path == "/ws/a.py"]
    assert [change.result for change in edited if isinstance(change, FileEdit)] == (
        [lines] if numbers & {0, 1, 2} else []
    )


def test_a_new_empty_file_is_a_hunk() -> None:
    (hunk,) = FileEdit("u", "/p", None, ()).hunks
    assert hunk.kind is HunkKind.CREATE


def test_a_path_occurs_once() -> None:
    change = FileDeletion(document("a"))
    with pytest.raises(ValueError, match="same path"):
        EditPlan.of("Test", change, change)
