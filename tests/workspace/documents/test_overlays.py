"""Open documents: whose text counts, versions, edits that are refused whole."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from glossator.core.document import Document, MissingReason, Origin
from glossator.core.errors import UsageError
from glossator.core.text import Position
from glossator.core.uri import to_uri
from glossator.workspace.documents.overlays import (
    Change,
    Closed,
    DiskChanged,
    Edited,
    Opened,
    Saved,
    TextEdit,
    masked,
)
from tests.workspace.files.trees import host, reason, text, write_tree


def insert(line: int, character: int, new: str) -> TextEdit:
    return TextEdit((Position(line, character), Position(line, character)), new)


def test_the_editor_counts_until_the_document_is_closed(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.txt": "disk\r\n"})
    uri = to_uri(str(tmp_path / "a.txt"))
    workspace = host(tmp_path)
    workspace.apply(Opened(uri, 7, "editor"))
    before = workspace.snapshot()
    workspace.apply(Edited(uri, 8, (insert(0, 6, "!"), insert(0, 0, ">"))))
    assert workspace.snapshot().read("a.txt") == Document(
        uri,
        str(tmp_path / "a.txt"),
        ">editor!",
        hashlib.sha256(b">editor!").hexdigest(),
        8,
        Origin.EDITOR,
    )
    assert text(before, "a.txt") == "editor", "a snapshot does not change"
    workspace.apply(Closed(uri))
    assert text(workspace.snapshot(), "a.txt") == "disk\r\n"
    assert text(before, "a.txt") == "editor"


def test_the_whole_text_may_be_replaced_and_edited_further(tmp_path: Path) -> None:
    workspace = host(tmp_path)
    uri = to_uri(str(tmp_path / "a"))
    workspace.apply(Opened(uri, 1, "old"))
    workspace.apply(Edited(uri, 2, (TextEdit(None, "a\x0cb\nSECOND\n"), insert(1, 0, "the "))))
    assert text(workspace.snapshot(), "a") == "a\x0cb\nthe SECOND\n"


def test_opening_again_replaces_even_with_a_lower_version(tmp_path: Path) -> None:
    workspace = host(tmp_path)
    uri = to_uri(str(tmp_path / "a"))
    workspace.apply(Opened(uri, 5, "five"))
    workspace.apply(Opened(uri, 1, "one"))
    assert text(workspace.snapshot(), "a") == "one"


@pytest.mark.parametrize("version", [3, 5])
def test_a_version_must_increase(tmp_path: Path, version: int) -> None:
    workspace = host(tmp_path)
    uri = to_uri(str(tmp_path / "a"))
    workspace.apply(Opened(uri, 5, "kept"))
    before = workspace.snapshot()
    with pytest.raises(UsageError, match=f"Version {version} .* does not follow version 5"):
        workspace.apply(Edited(uri, version, (TextEdit(None, "lost"),)))
    assert workspace.snapshot() is before


@pytest.mark.parametrize(
    ("start", "end", "after"),
    [
        ((1, 0), (9, 0), "one\nX"),  # an end behind the last line
        ((1, 4), (2, 0), "one\ntwo X"),
        ((7, 3), (9, 9), "one\ntwo 😀X"),  # all of it is behind the text
        ((1, 0), (0, 1), "oXtwo 😀"),  # reversed
        ((1, 5), (1, 6), "one\ntwo X"),  # inside a character
        ((0, 99), (1, 0), "oneXtwo 😀"),
    ],
)
def test_an_edit_outside_the_text_is_clamped_and_never_dropped(
    tmp_path: Path, start: tuple[int, int], end: tuple[int, int], after: str
) -> None:
    workspace = host(tmp_path)
    uri = to_uri(str(tmp_path / "a"))
    workspace.apply(Opened(uri, 1, "one\ntwo 😀"))
    edit = TextEdit((Position(*start), Position(*end)), "X")
    workspace.apply(Edited(uri, 2, (edit, insert(0, 0, "# "))))
    assert text(workspace.snapshot(), "a") == f"# {after}"


@pytest.mark.parametrize(
    "change",
    [Edited("file:///x", 1, ()), Saved("file:///x"), Closed("file:///x")],
    ids=["edit", "save", "close"],
)
def test_what_is_not_open_cannot_change(tmp_path: Path, change: Change) -> None:
    with pytest.raises(UsageError, match="is not open"):
        host(tmp_path).apply(change)


def test_a_new_document_is_listed_before_it_is_saved(tmp_path: Path) -> None:
    write_tree(tmp_path, {".gitignore": "*.log\n", "b.txt": ""})
    workspace = host(tmp_path)
    workspace.apply(DiskChanged(frozenset({str(tmp_path)})))
    for name in ("new.txt", "new.log"):
        workspace.apply(Opened(to_uri(str(tmp_path / name)), 1, "é"))
    files = workspace.snapshot().files()
    assert [(entry.relative, entry.size) for entry in files] == [
        (".gitignore", 6),
        ("b.txt", 0),
        ("new.txt", 2),
    ]
    workspace.apply(Closed(to_uri(str(tmp_path / "new.txt"))))
    assert reason(workspace.snapshot(), "new.txt") is MissingReason.ABSENT
    assert len(workspace.snapshot().files()) == 2


def test_figures_are_of_all_files(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a": "12345", "in/b": "123"})
    workspace = host(tmp_path)
    workspace.apply(DiskChanged(frozenset({str(tmp_path)})))
    workspace.apply(Opened(to_uri(str(tmp_path / "new")), 1, "1234é"))
    snapshot = workspace.snapshot()
    assert snapshot.file_count == len(snapshot.files()) == 3
    assert snapshot.total_bytes == sum(file.size for file in snapshot.files()) == 14


def test_a_file_is_its_overlay_under_every_name(tmp_path: Path) -> None:
    write_tree(tmp_path, {"real/a.txt": "disk", "bin": b"\0"})
    (tmp_path / "link.txt").symlink_to("real/a.txt")
    (tmp_path / "folder").symlink_to("real")
    workspace = host(tmp_path)
    workspace.apply(Opened(to_uri(str(tmp_path / "folder" / "a.txt")), 1, "editor"))
    workspace.apply(Opened(to_uri(str(tmp_path / "folder" / "new.txt")), 1, "new"))
    snapshot = workspace.snapshot()
    names = ["real/a.txt", "link.txt", "folder/a.txt", "real/../real/a.txt", "./real//a.txt"]
    for name in names:
        assert text(snapshot, name) == "editor", name
    assert text(snapshot, "real/../real/new.txt") == "new"


def test_untitled_documents_are_read_by_their_uri(tmp_path: Path) -> None:
    workspace = host(tmp_path)
    workspace.apply(Opened("untitled:Untitled-1", 1, "draft"))
    snapshot = workspace.snapshot()
    assert text(snapshot, "untitled:Untitled-1") == "draft"
    assert snapshot.files() == ()
    assert snapshot.resolve("untitled:Untitled-1") == str(tmp_path / "untitled:Untitled-1")


def test_an_open_file_outside_is_for_the_editor_not_for_tools(tmp_path: Path) -> None:
    write_tree(tmp_path, {"ws/": "", "secret.txt": "disk"})
    outside = str(tmp_path / "secret.txt")
    workspace = host(tmp_path / "ws")
    workspace.apply(Opened(to_uri(outside), 1, "editor"))
    snapshot = workspace.snapshot()
    for name in (outside, "../secret.txt", to_uri(outside)):
        assert reason(snapshot, name) in (MissingReason.OUTSIDE, MissingReason.ABSENT), name
    document = snapshot.open_document(to_uri(outside))
    assert document is not None
    assert document.text == "editor"
    assert snapshot.open_document("untitled:none") is None


def test_of_two_uris_for_a_file_the_one_opened_last_counts(tmp_path: Path) -> None:
    """Also if it was open before."""
    write_tree(tmp_path, {"a.txt": "disk"})
    (tmp_path / "link.txt").symlink_to("a.txt")
    workspace = host(tmp_path)
    uri, other = (f"file://{tmp_path}/{name}" for name in ("a.txt", "link.txt"))
    workspace.apply(Opened(uri, 1, "first"))
    workspace.apply(Opened(other, 1, "second"))
    assert text(workspace.snapshot(), "a.txt") == "second"
    workspace.apply(Opened(uri, 1, "third"))
    assert text(workspace.snapshot(), "a.txt") == "third"
    workspace.apply(Closed(uri))
    assert text(workspace.snapshot(), "a.txt") == "second"


@pytest.mark.parametrize(
    ("path", "expect"), [("/real", "open"), ("/link", "open"), ("/other", "disk")]
)
def test_what_is_open_masks_a_file_behind_a_link_too(path: str, expect: str) -> None:
    def load(asked: str) -> Document:
        real = "/real" if asked == "/link" else asked
        return Document(f"file://{real}", real, "disk", "", None, Origin.DISK)

    overlays = {"/real": replace(load("/real"), text="open", origin=Origin.EDITOR)}
    assert masked(overlays, path, load).text == expect
