"""Files that the server writes itself: all of a plan, below the roots, as the plan found them."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.core.document import Document, Origin, text_hash
from glossator.core.edit import EditPlan, FileEdit
from glossator.core.line_diff import Replacement
from glossator.core.plan_on_disk import write_files


def plan(*paths: Path) -> EditPlan:
    text = (Replacement(0, 0, "é\r\n"),)
    return EditPlan.of("Create", *(FileEdit(p.as_uri(), str(p), None, text) for p in paths))


def test_all_files_are_written(tmp_path: Path) -> None:
    new = [tmp_path / "a.txt", tmp_path / "b" / "c.txt"]
    assert write_files(plan(*new), [str(tmp_path)]) is None
    assert [path.read_bytes() for path in new] == ["é\r\n".encode()] * 2


@pytest.mark.parametrize("now", ["mine\n", None])
def test_a_file_that_somebody_changed_is_left_alone(tmp_path: Path, now: str | None) -> None:
    path = tmp_path / "a.txt"
    found = Document(path.as_uri(), str(path), "old\n", text_hash("old\n"), None, Origin.DISK)
    edit = FileEdit(found.uri, found.path, found, (Replacement(0, 3, "new"),))
    if now is not None:
        path.write_text(now)
    why_not = write_files(EditPlan.of("Edit", edit), [str(tmp_path)])
    assert why_not == "the file was changed meanwhile"
    assert [each.read_text() for each in tmp_path.iterdir()] == ([] if now is None else [now])


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("ws/there.txt", "the file exists by now"),
        ("outside.txt", "the file could not be written (it is not inside the workspace)"),
        ("ws/link/new.txt", "the file could not be written (it is not inside the workspace)"),
        ("ws/inner/new.txt", "the file could not be written (a link on the way leads elsewhere)"),
        ("ws/there.txt/new.txt", "the file could not be written (Not a directory)"),
    ],
)
def test_what_cannot_be_written_leaves_nothing(tmp_path: Path, path: str, reason: str) -> None:
    root, outside = tmp_path / "ws", tmp_path / "elsewhere"
    root.mkdir()
    outside.mkdir()
    (root / "there.txt").write_text("mine\n")
    (root / "link").symlink_to(outside)
    (root / ".vscode").mkdir()
    (root / "inner").symlink_to(".vscode")
    before = sorted(tmp_path.rglob("*"))
    assert write_files(plan(root / "deep" / "a.txt", tmp_path / path), [str(root)]) == reason
    assert sorted(tmp_path.rglob("*")) == before
    assert (root / "there.txt").read_text() == "mine\n"
