"""Edits that are asked about, as the diffs that a client shows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from glossator.acp.serve import serve_streams  # noqa: F401 - it decides how the SDK is imported

# isort: split
from glossator.acp.blocks import Block, diffs, fenced, previews
from glossator.core.document import Document, Origin, text_hash
from glossator.core.edit import EditPlan, FileDeletion, FileEdit, FileRename, PlanView
from glossator.core.line_diff import line_replacements
from glossator.core.uri import to_uri

PATH = "/sea/fish.py"
BEFORE = "a\nb\nc\nd\ne\n"


def document(text: str) -> Document:
    return Document(to_uri(PATH), PATH, text, text_hash(text), None, Origin.DISK)


def texts_of(shown: list[Block]) -> list[tuple[str, str]]:
    return [(each.old_text, each.new_text) for each in shown]


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


@pytest.mark.parametrize(
    ("after", "now", "hunks"),
    [
        ("a\nB\nc\nd\nE\n", "z\n", [("b\n", "B\n"), ("e\n", "E\n")]),
        ("a\nB\nc\nd\ne\n", f"{BEFORE}typed\n", [("b\n", "B\n")]),
        ("a\nb\nnew\nc\nd\ne\n", f"typed\n{BEFORE}", [("", "new\n")]),
    ],
)
def test_of_a_text_that_is_another_one_by_now_the_hunks_are_shown(
    after: str, now: str, hunks: list[tuple[str, str]]
) -> None:
    assert texts_of(previews(PlanView.of(edit(BEFORE, after)), lambda _: now)) == hunks


def notebook(*sources: str) -> str:
    cells = [
        {"cell_type": "markdown", "id": f"c{at}", "metadata": {}, "source": [source]}
        for at, source in enumerate(sources)
    ]
    return json.dumps(
        {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1
    )


@pytest.mark.parametrize("sources", [("one", "two", "three"), ("ONE", "two")])
def test_of_a_notebook_its_cells_are_shown(sources: tuple[str, ...]) -> None:
    before, path = notebook("one", "two"), "/sea/fish.ipynb"
    base = Document(to_uri(path), path, before, text_hash(before), None, Origin.DISK)
    changes = line_replacements(before, notebook(*sources))
    plan = EditPlan.of("edit", FileEdit(to_uri(path), path, base, changes))
    shown = previews(PlanView.of(plan), lambda _: before)
    assert shown == diffs(plan)
    assert "cell_type" not in str(shown)
    assert {"three", "ONE"} & {each.new_text.strip().split("\n")[-1] for each in shown}


def test_whole_files_have_one_budget() -> None:
    """The last file of those that are edited goes beyond it, and so does the one deleted."""
    long = "a\n" * 110_000  # as old and new text 440,000 characters
    paths = [f"/sea/{name}.py" for name in ("first", "second", "third", "gone")]
    bases = [
        Document(to_uri(path), path, long, text_hash(long), None, Origin.DISK) for path in paths
    ]
    changes = line_replacements(long, f"new\n{long}")
    edits = [FileEdit(base.uri, base.path, base, changes) for base in bases[:3]]
    plan = EditPlan.of("edit", *edits, FileDeletion(bases[3]))
    *shown, deleted = diffs(plan)
    whole = (long, f"new\n{long}")
    assert texts_of(shown) == [whole, whole, ("", "new\n")]
    assert deleted.content.text == "Delete `/sea/gone.py`, 220,000 characters."


def test_a_deletion_is_a_diff_and_a_move_a_sentence() -> None:
    gone = EditPlan.of("delete", FileDeletion(document(BEFORE)))
    (diff,) = previews(PlanView.of(gone), lambda _: BEFORE)
    assert (diff.old_text, diff.new_text) == (BEFORE, "")
    new = str(Path(PATH).with_name("sea.py"))
    moved = EditPlan.of("move", FileRename(to_uri(PATH), PATH, to_uri(new), new))
    (said,) = previews(PlanView.of(moved), lambda _: BEFORE)
    assert said.content.text == "Move `/sea/fish.py` to `/sea/sea.py`."


def test_a_path_is_shown_as_it_is() -> None:
    old, new = "/sea/a`b``c.py", "/sea/\u202eyp.exe"
    moved = EditPlan.of("move", FileRename(to_uri(old), old, to_uri(new), new))
    (said,) = diffs(moved)
    assert said.content.text == "Move ``` /sea/a`b``c.py ``` to `/sea/\\u202eyp.exe`."


def test_a_text_with_fences_gets_a_longer_one() -> None:
    assert fenced("```\nx\n```\n").content.text == "````\n```\nx\n```\n````"
