"""Edits that are asked about, as the diffs that a client shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.acp.serve import serve_streams  # noqa: F401 - it decides how the SDK is imported

# isort: split
from glossator.acp.blocks import diffs, fenced, previews
from glossator.core.document import Document, Origin, text_hash
from glossator.core.edit import EditPlan, FileDeletion, FileEdit, FileRename, PlanView
from glossator.core.line_diff import line_replacements
from glossator.core.uri import to_uri

PATH = "/sea/fish.py"
BEFORE = "a\nb\nc\nd\ne\n"


def document(text: str) -> Document:
    return Document(to_uri(PATH), PATH, text, text_hash(text), None, Origin.DISK)


def edit(before: str | None, after: str) -> EditPlan:
    base = None if before is None else document(before)
    changes = line_replacements(before or "", after)
    return EditPlan.of("edit", FileEdit(to_uri(PATH), PATH, base, changes))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (BEFORE, "a\nB\nc\nd\ne\nf\n"),
        (BEFORE, "x\na\nb\nc\nd\n"),
        ("a", "a\nb\n"),
        (None, "new\n"),
    ],
)
def test_a_plan_that_is_asked_about_is_shown_as_the_one_that_is_made(
    before: str | None, after: str
) -> None:
    plan = edit(before, after)
    (diff,) = previews(PlanView.of(plan), lambda _: before or "")
    assert [diff] == diffs(plan)
    assert (diff.old_text, diff.new_text) == (before or "", after)


def test_of_a_text_that_is_another_one_by_now_the_hunks_are_shown() -> None:
    shown = previews(PlanView.of(edit(BEFORE, "a\nB\nc\nd\nE\n")), lambda _: "z\n")
    assert [(each.old_text, each.new_text) for each in shown] == [("b\n", "B\n"), ("e\n", "E\n")]


def test_a_deletion_is_a_diff_and_a_move_a_sentence() -> None:
    gone = EditPlan.of("delete", FileDeletion(document(BEFORE)))
    (diff,) = previews(PlanView.of(gone), lambda _: BEFORE)
    assert (diff.old_text, diff.new_text) == (BEFORE, "")
    new = str(Path(PATH).with_name("sea.py"))
    moved = EditPlan.of("move", FileRename(to_uri(PATH), PATH, to_uri(new), new))
    (said,) = previews(PlanView.of(moved), lambda _: BEFORE)
    assert said.content.text == "Move `/sea/fish.py` to `/sea/sea.py`."


def test_a_text_with_fences_gets_a_longer_one() -> None:
    assert fenced("```\nx\n```\n").content.text == "````\n```\nx\n```\n````"
