"""What a conversation was shown, carried over an edit."""

from __future__ import annotations

import pytest

from glossator.core.document import Document, Origin, text_hash
from glossator.core.span import Span, runs
from glossator.tools.reads import ReadState, carried_lines


def document(text: str) -> Document:
    return Document("file:///a", "/a", text, text_hash(text), None, Origin.DISK)


def spans(of: Document, lines: list[int]) -> list[Span]:
    return [Span(of.uri, of.sha256, first, last) for first, last in runs(lines)]


@pytest.mark.parametrize(
    ("before", "shown", "after", "by_model", "expect"),
    [
        ("a\nb\nc\n", [1, 2, 3], "a\nx\nb\nc\n", True, [1, 2, 3, 4]),
        ("a\nb\nc\n", [1, 2, 3], "a\nx\nb\nc\n", False, [1, 3, 4]),
        ("a\nb\nc\n", [3], "a\nx\nb\nc\n", False, [4]),
        ("a\nb\nc\n", [1, 3], "c\n", True, [1]),
        ("a\nb\nc\n", [1, 2, 3], "a\nb\nc\n", False, [1, 2, 3]),
        ("", [], "a\n", True, [1]),
        ("a\n", [1], "", True, []),
    ],
)
def test_lines_that_stay_count_as_shown(
    before: str, shown: list[int], after: str, by_model: bool, expect: list[int]
) -> None:
    reads, old, new = ReadState(), document(before), document(after)
    reads.saw(old)
    reads.show(spans(old, shown))
    lines = carried_lines(reads.lines(old), old, new, by_model=by_model)
    assert sorted(lines) == expect
    reads.became(new, lines)
    covered = [n for n in range(1, len(new.lines) + 1) if all(map(reads.covers, spans(new, [n])))]
    assert covered == expect
    assert reads.last("/a") == new


@pytest.mark.parametrize("was_read", [True, False])
def test_lines_that_stay_may_still_be_cited(was_read: bool) -> None:
    """Also those of a text that only a search showed."""
    reads, old, new = ReadState(), document("a\nb\nc\n"), document("x\na\nB\nc\n")
    if was_read:
        reads.saw(old)
    reads.mark_citable(spans(old, [2, 3]))
    reads.became(new, [1], was=old)
    assert reads.missing(Span(new.uri, new.sha256, 1, 4)) == (2, 3)


def test_what_calls_beside_each_other_show_stands_above_none_of_them() -> None:
    reads = ReadState()
    reads.remember("/a", (1, 2), "text")
    one, other = reads.draft(), reads.draft()
    other.remember("/a", (3, 2), "text")
    reads.adopt(other)
    assert one.unchanged("/a", (1, 2), "text")
    assert not one.unchanged("/a", (3, 2), "text")
    assert reads.unchanged("/a", (1, 4), "text")


def test_forgetting() -> None:
    reads = ReadState()
    reads.saw(document("a"))
    reads.forget("/a")
    assert reads.last("/a") is None
    reads.forget("/a")
