"""A plan moved over the user's changes: both are there afterwards, or nothing happens."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossator.core.document import Document, Missing, MissingReason, Origin, text_hash
from glossator.core.edit import (
    Conflict,
    EditPlan,
    FileChange,
    FileDeletion,
    FileEdit,
    FileRename,
    Refused,
)
from glossator.core.line_diff import Replacement, apply_replacements
from glossator.edits.merge import rebase, rebase_plan

SMALL = st.text(alphabet="ab\n", max_size=12)


def document(text: str, path: str = "/ws/a.py") -> Document:
    return Document(f"file://{path}", path, text, text_hash(text), None, Origin.DISK)


def model_edit(base: str, old: str, new: str) -> tuple[Replacement, ...]:
    at = base.index(old)
    return (Replacement(at, at + len(old), new),)


@pytest.mark.parametrize(
    ("base", "current", "old", "new", "expect"),
    [
        ("1\n2\n3\n", "1\n2\n3\n", "2", "two", "1\ntwo\n3\n"),
        ("1\n2\n3\n", "0\n1\n2\n3\n", "2", "two", "0\n1\ntwo\n3\n"),
        ("1\n2\n3\n", "1\n2\n3\n4\n", "2", "two", "1\ntwo\n3\n4\n"),
        ("1\n2\n3\n", "one\n2\n3\n", "2", "two", "one\ntwo\n3\n"),
        ("1\n2\n3\n", "one\n2\nthree\n", "2", "two", "one\ntwo\nthree\n"),
        ("f(a, b)\n", "f(a, c)\n", "a", "x", "f(x, c)\n"),
        ("1\n2\n3\n", "1\nzwei\n3\n", "2", "two", (2, 2)),
        ("1\n2\n3\n", "1\n3\n", "2", "two", (2, 2)),
        ("1\n2\n3\n", "", "2", "two", (1, 1)),
        ("1\n2\n3\n", "1\n2x\n3\n", "2", "two", (2, 2)),
        ("1\n2\n3\n4\n", "1\n2\n2b\n3\n4\n", "2\n3", "-", (2, 4)),
        ("a\nb\n", "a\r\nb\r\n", "a\nb", "-", (1, 2)),
        ("x\n", "x\nx\n", "x", "y", (1, 2)),  # which x did the user type?
        ("a\n\n\nb\n", "a\n\nb\n", "\n\n\n", "\n", (1, 3)),
    ],
)
def test_moving(base: str, current: str, old: str, new: str, expect: str | tuple[int, int]) -> None:
    moved = rebase(base, model_edit(base, old, new), document(current))
    if isinstance(moved, Conflict):
        assert (moved.first_line, moved.last_line) == expect
    else:
        assert apply_replacements(current, moved) == expect


@given(st.data(), SMALL, SMALL)
def test_one_change_of_the_user_and_any_of_the_model(
    data: st.DataObject, base: str, typed: str
) -> None:
    """Whatever the two are: if they can be told apart, the result has just both."""
    start, end, first, last = sorted(data.draw(st.integers(0, len(base))) for _ in range(4))
    new = data.draw(SMALL)
    if data.draw(st.booleans()):
        user, model = Replacement(start, end, typed), Replacement(first, last, new)
    else:
        user, model = Replacement(first, last, typed), Replacement(start, end, new)
    moved = rebase(base, (model,), document(apply_replacements(base, [user])))
    if not isinstance(moved, Conflict):
        both = sorted([user, model], key=lambda each: (each.start, each.end))
        assert apply_replacements(apply_replacements(base, [user]), moved) == apply_replacements(
            base, both
        )


@given(st.lists(st.tuples(st.sampled_from("keep user model".split()), SMALL), max_size=12))
def test_many_changes_of_both(plan: list[tuple[str, str]]) -> None:
    """Lines that occur once are told apart: no conflict, and every character of both is there."""
    base, current, expect = "", "", ""
    wanted: list[Replacement] = []
    for number, (whose, text) in enumerate(plan):
        line, between = f"line {number}\n", f"between {number}\n"
        new = f"{number} {text}\n"
        if whose == "model":
            wanted.append(Replacement(len(base), len(base) + len(line), new))
        current += (new if whose == "user" else line) + between
        expect += (line if whose == "keep" else new) + between
        base += line + between
    moved = rebase(base, wanted, document(current))
    assert not isinstance(moved, Conflict)
    assert apply_replacements(current, moved) == expect


@given(st.data(), SMALL, SMALL)
def test_only_what_was_asked_for_is_replaced(data: st.DataObject, base: str, current: str) -> None:
    start, end = sorted(data.draw(st.integers(0, len(base))) for _ in range(2))
    moved = rebase(base, (Replacement(start, end, "new"),), document(current))
    if isinstance(moved, Conflict):
        lines = max(len(moved.document.lines), 1)
        assert 1 <= moved.first_line <= moved.last_line <= lines
    else:
        ((at, until),) = ((each.start, each.end) for each in moved)
        assert current[at:until] == base[start:end]
        assert 0 <= at <= until <= len(current)


def test_a_long_text() -> None:
    base = "".join(f"    line {number} of a long text\n" for number in range(60_000))
    current = base.replace("line 7 ", "line seven ").replace("line 59000 ", "")
    wanted = model_edit(base, "line 30000 of", "LINE of")
    moved = rebase(base, wanted, document(current))
    assert not isinstance(moved, Conflict)
    assert apply_replacements(current, moved) == current.replace("line 30000 of", "LINE of")


def test_a_long_line() -> None:
    base = "x" * 1_000_000 + "|" + "y" * 1_000_000
    moved = rebase(base, model_edit(base, "|", "-"), document("z" + base))
    assert moved == (Replacement(1_000_001, 1_000_002, "-"),)


OLD = document("1\n2\n3\n")
EDIT = FileEdit(OLD.uri, OLD.path, OLD, (Replacement(2, 3, "two"),))
NEW = FileEdit("file:///ws/new", "/ws/new", None, (Replacement(0, 0, "new\n"),))
MOVE = FileRename(OLD.uri, OLD.path, "file:///ws/b.py", "/ws/b.py")


@pytest.mark.parametrize(
    ("change", "texts", "expect"),
    [
        (EDIT, {"/ws/a.py": OLD.text}, "1\ntwo\n3\n"),
        (EDIT, {"/ws/a.py": "0\n1\n2\n3\n"}, "0\n1\ntwo\n3\n"),
        (EDIT, {"/ws/a.py": "1\n-\n3\n"}, Conflict),
        (EDIT, {}, Refused),
        (NEW, {}, "new\n"),
        (NEW, {"/ws/new": "theirs"}, Refused),
        (FileDeletion(OLD), {"/ws/a.py": OLD.text}, EditPlan),
        (FileDeletion(OLD), {"/ws/a.py": "changed"}, Conflict),
        (FileDeletion(OLD), {}, Refused),
        (MOVE, {"/ws/a.py": OLD.text}, EditPlan),
        (MOVE, {"/ws/a.py": "changed"}, EditPlan),  # what was typed goes with it
        (MOVE, {}, Refused),
        (MOVE, {"/ws/a.py": OLD.text, "/ws/b.py": "theirs"}, Refused),
    ],
)
def test_plans(change: FileChange, texts: Mapping[str, str], expect: str | type) -> None:
    def read(path: str) -> Document | Missing:
        if path in texts:
            return document(texts[path], path)
        return Missing(path, MissingReason.ABSENT, f"{path} does not exist.")

    moved = rebase_plan(EditPlan.of("Test", change), read)
    if isinstance(expect, type):
        assert isinstance(moved, expect)
    else:
        assert isinstance(moved, EditPlan)
        assert [each.result for each in moved.files if isinstance(each, FileEdit)] == [expect]


@pytest.mark.parametrize("reason", [r for r in MissingReason if r is not MissingReason.ABSENT])
def test_a_new_file_where_something_else_is_by_now(reason: MissingReason) -> None:
    told = Missing("/ws/new", reason, f"It is {reason}.")
    moved = rebase_plan(EditPlan.of("Test", NEW), lambda _: told)
    assert moved == Refused(f"Nothing was changed: It is {reason}.")


@pytest.mark.parametrize("outside", ["/ws/a.py", "/ws/b.py"])
def test_a_move_from_or_to_where_a_link_leads_outside_by_now(outside: str) -> None:
    def read(path: str) -> Document | Missing:
        if path == outside:
            return Missing(path, MissingReason.OUTSIDE, "It leads outside.")
        return OLD if path == OLD.path else Missing(path, MissingReason.ABSENT, "There is none.")

    moved = rebase_plan(EditPlan.of("Test", MOVE), read)
    assert moved == Refused("Nothing was changed: It leads outside.")
