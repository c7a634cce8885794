"""`workspace/applyEdit` in a terminal: all files are written as LSP says, or none."""

from __future__ import annotations

import contextlib
import resource
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glossator.cli.apply_edit import EditedFiles, EditResult, _Step, _take, apply_edit
from glossator.cli.render.screen import draw_diff
from glossator.core.atomic import opened
from glossator.core.document import Document, Origin, text_hash
from glossator.core.edit import FileEdit
from glossator.core.line_diff import line_replacements
from glossator.core.text import PositionEncoding
from glossator.core.uri import to_uri
from tests.workspace.files.trees import as_plain_user, write_tree

FILES: Mapping[str, str | bytes] = {
    "a.txt": "one\ntwo\nthree\n",
    "crlf.txt": b"\xef\xbb\xbfone\r\ntwo\r\n",
    "emoji.txt": "x \U0001f600 y\n",
    "bin": b"\0\1",
    "dir/b.txt": "b\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_tree(tmp_path, {"out.txt": "out", **{f"ws/{name}": FILES[name] for name in FILES}})
    (tmp_path / "ws/link").symlink_to(tmp_path / "out.txt")
    (tmp_path / "ws/folder").symlink_to("dir")
    return tmp_path / "ws"


def files_of(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and not path.is_symlink()
    }


def as_bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


def text_edit(first: tuple[int, int], last: tuple[int, int], text: str) -> dict[str, Any]:
    ends = ({"line": line, "character": character} for line, character in (first, last))
    return {"range": dict(zip(("start", "end"), ends, strict=True)), "newText": text}


class Edits:
    """Makes the parts of a WorkspaceEdit for files below `root`."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def uri(self, name: str) -> str:
        return to_uri(str(self._root / name))

    def edit(self, name: str, *edits: dict[str, Any], version: int | None = None) -> dict[str, Any]:
        document = {"uri": self.uri(name), "version": version}
        return {"textDocument": document, "edits": list(edits)}

    def create(self, name: str, **options: bool) -> dict[str, Any]:
        return {"kind": "create", "uri": self.uri(name), "options": options}

    def delete(self, name: str, **options: bool) -> dict[str, Any]:
        return {"kind": "delete", "uri": self.uri(name), "options": options}

    def rename(self, old: str, new: str, **options: bool) -> dict[str, Any]:
        uris = {"oldUri": self.uri(old), "newUri": self.uri(new)}
        return {"kind": "rename", **uris, "options": options}


def run(root: Path, *changes: Any, **more: Any) -> EditResult:
    params = {"label": "Test", "edit": {"documentChanges": list(changes)}, **more}
    return apply_edit(params, [str(root)], "utf-16")


Make = Callable[[Edits], list[dict[str, Any]]]
TOP = text_edit((0, 0), (0, 0), "top\n")


@pytest.mark.parametrize(
    ("changes", "expect"),
    [
        (
            lambda e: [e.edit("a.txt", text_edit((1, 0), (1, 3), "TWO"))],
            {"a.txt": "one\nTWO\nthree\n"},
        ),
        (
            lambda e: [e.edit("a.txt", text_edit((2, 0), (3, 0), ""), TOP)],
            {"a.txt": "top\none\ntwo\n"},
        ),
        (lambda e: [e.edit("a.txt", TOP, TOP)], {"a.txt": "top\ntop\none\ntwo\nthree\n"}),
        (
            lambda e: [e.edit("crlf.txt", text_edit((1, 0), (1, 9), "2\r\n3"))],
            {"crlf.txt": b"\xef\xbb\xbfone\r\n2\r\n3\r\n"},
        ),
        (
            lambda e: [e.edit("emoji.txt", text_edit((0, 4), (0, 5), "-"))],
            {"emoji.txt": "x \U0001f600-y\n"},
        ),
        (lambda e: [e.create("new/er"), e.edit("new/er", TOP)], {"new/er": "top\n"}),
        (lambda e: [e.create("a.txt", ignoreIfExists=True)], {}),
        (lambda e: [e.create("a.txt", overwrite=True), e.edit("a.txt", TOP)], {"a.txt": "top\n"}),
        (lambda e: [e.delete("dir/b.txt")], {"dir/b.txt": None}),
        (lambda e: [e.delete("nothing", ignoreIfNotExists=True)], {}),
        (lambda e: [e.rename("bin", "dir/bin")], {"bin": None, "dir/bin": b"\0\1"}),
        (
            lambda e: [
                e.edit("a.txt", TOP),
                e.rename("a.txt", "z"),
                e.edit("z", TOP),
                e.delete("bin"),
            ],
            {"a.txt": None, "z": "top\ntop\none\ntwo\nthree\n", "bin": None},
        ),
        (lambda e: [e.create("new"), e.delete("new")], {}),
    ],
)
def test_applied(root: Path, changes: Make, expect: Mapping[str, str | bytes | None]) -> None:
    outcome = run(root, *changes(Edits(root)))
    assert outcome.result == {"applied": True}
    after = {**FILES, **expect}
    assert files_of(root) == {
        name: as_bytes(text) for name, text in after.items() if text is not None
    }


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (lambda e: [e.edit("a.txt", TOP, version=3)], "is not open here"),
        (lambda e: [e.edit("a.txt", text_edit((9, 0), (9, 0), ""))], "outside the document"),
        (lambda e: [e.edit("a.txt", text_edit((1, 0), (0, 0), ""))], "overlap"),
        (lambda e: [e.edit("a.txt", *[text_edit((0, 0), (1, 0), "")] * 2)], "overlap"),
        (lambda e: [e.edit("emoji.txt", text_edit((0, 3), (0, 3), ""))], "lies inside a character"),
        (lambda e: [e.edit("a.txt", {"range": None})], "not the form of a TextEdit"),
        (lambda e: [e.edit("nothing", TOP)], "does not exist, so it cannot be edited"),
        (lambda e: [e.edit("bin", TOP)], "is binary"),
        (lambda e: [e.edit("a.txt", text_edit((0, 0), (0, 0), "\ud800"))], "has no character"),
        (lambda e: [e.edit("link", TOP)], "not inside the workspace"),
        (lambda e: [e.edit("../out.txt", TOP)], "not inside the workspace"),
        (lambda e: [e.edit("folder/b.txt", TOP)], "a link on the way leads elsewhere"),
        (lambda e: [e.create("folder/new")], "a link on the way leads elsewhere"),
        (lambda e: [e.delete("folder/b.txt")], "a link on the way leads elsewhere"),
        (lambda e: [e.rename("folder/b.txt", "x")], "a link on the way leads elsewhere"),
        (lambda e: [e.rename("a.txt", "folder/x")], "a link on the way leads elsewhere"),
        (lambda e: [e.create("../new")], "not inside the workspace"),
        (lambda e: [e.create("a.txt")], "exists already"),
        (lambda e: [e.rename("a.txt", "bin")], "exists already"),
        (lambda e: [e.rename("nothing", "x")], "does not exist, so it cannot be renamed"),
        (lambda e: [e.rename("dir", "x")], "not a regular file"),
        (lambda e: [e.delete("dir", recursive=True)], "not a regular file"),
        (lambda e: [e.delete("nothing")], "does not exist, so it cannot be deleted"),
        (lambda e: [{"kind": "fly"}], "unknown kind"),
        (lambda e: [{"kind": "delete", "uri": "untitled:1"}], "no file of this machine"),
    ],
)
def test_refused_as_a_whole(root: Path, changes: Make, says: str) -> None:
    edits = Edits(root)
    outcome = run(root, edits.edit("dir/b.txt", TOP), edits.create("made/new"), *changes(edits))
    assert not outcome.result["applied"]
    assert says in outcome.result["failureReason"]
    assert outcome.result["failureReason"].endswith("Nothing was written.")
    assert outcome.diffs == ()
    assert files_of(root) == {name: as_bytes(text) for name, text in FILES.items()}
    assert not (root / "made").exists()


def test_a_text_that_is_another_by_now(root: Path) -> None:
    edits = Edits(root)
    hashes = {edits.uri("a.txt"): text_hash("one\ntwo\nthree\n")}
    ours = {"sha256": hashes}
    assert run(root, edits.edit("a.txt", TOP), glossator=ours).result["applied"]
    outcome = run(root, edits.edit("a.txt", TOP), glossator=ours)
    assert "changed by somebody else" in outcome.result["failureReason"]


def test_texts_are_read_in_the_encodings_that_are_told(root: Path) -> None:
    """The bytes look like Latin-1."""
    text, edits = "\u043a\u043b\u044e\u0447\n", Edits(root)
    (root / "a.txt").write_bytes(text.encode("cp866"))
    ours: dict[str, Any] = {"sha256": {edits.uri("a.txt"): text_hash(text)}}
    assert not run(root, edits.edit("a.txt", TOP), glossator=ours).result["applied"]
    ours["encodings"] = {edits.uri("a.txt"): "cp866"}
    outcome = run(root, edits.edit("a.txt", TOP), glossator=ours)
    assert outcome.result["applied"]
    assert text.strip() in outcome.diffs[0]
    assert (root / "a.txt").read_bytes().endswith(text.encode("cp866"))


def test_a_full_disk(root: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        long = text_edit((0, 0), (0, 0), "x" * 5000)
        outcome = run(root, Edits(root).edit("dir/b.txt", TOP), Edits(root).edit("a.txt", long))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "cannot be written: File too large" in outcome.result["failureReason"]
    assert files_of(root) == {name: as_bytes(text) for name, text in FILES.items()}


def test_what_was_done_is_taken_back(root: Path) -> None:
    """The last of four changes fails at the last moment."""
    edits = Edits(root)
    (root / "a.txt").chmod(0o640)
    changes = (
        edits.edit("a.txt", TOP),
        edits.create("made/new"),
        edits.delete("dir/b.txt"),
        edits.edit("emoji.txt", TOP),
    )
    with staged(root, *changes) as steps:
        (root / "emoji.txt").write_text("theirs")
        problem = _take(steps)
    what = f"{root / 'emoji.txt'} cannot be written: it changed meanwhile."
    assert problem == (what, "Nothing was written.")
    expect = {**FILES, "emoji.txt": "theirs"}
    assert files_of(root) == {name: as_bytes(text) for name, text in expect.items()}
    assert stat.S_IMODE((root / "a.txt").stat().st_mode) == 0o640
    assert not (root / "made").exists()


def test_what_others_wrote_is_not_taken_back(root: Path) -> None:
    edits = Edits(root)
    with staged(root, edits.edit("a.txt", TOP), edits.edit("emoji.txt", TOP)) as (step, last):
        step.take()
        (root / "a.txt").write_text("theirs")
        assert not step.take_back()
        (root / "emoji.txt").unlink()
        with pytest.raises(OSError, match="changed meanwhile"):
            last.take()
    assert (root / "a.txt").read_text() == "theirs"


@contextlib.contextmanager
def staged(root: Path, *changes: dict[str, Any]) -> Iterator[list[_Step]]:
    """The steps of an edit, short of being taken."""
    with contextlib.ExitStack() as held:
        files = EditedFiles(
            lambda path: held.enter_context(opened(path, [str(root)])), "utf-16", {}, {}
        )
        for change in changes:
            files.take_in(change)
        yield [
            _Step(file, held.enter_context(opened(file.place.path, [str(root)])))
            for file in files.changed
        ]


def test_renaming_keeps_the_mode(root: Path) -> None:
    (root / "bin").chmod(0o750)
    assert run(root, Edits(root).rename("bin", "moved")).result["applied"]
    assert stat.S_IMODE((root / "moved").stat().st_mode) == 0o750


def test_a_rename_alone_moves_a_file_or_a_folder_itself(root: Path) -> None:
    edits = Edits(root)
    inode = (root / "bin").stat().st_ino
    outcome = run(root, edits.rename("bin", "made/moved"))
    assert outcome == EditResult({"applied": True}, ("rename from bin\nrename to made/moved\n",))
    assert (root / "made/moved").stat().st_ino == inode
    (root / "dir/empty").mkdir()
    assert run(root, edits.rename("dir", "other")).result["applied"]
    assert (root / "other/empty").is_dir()
    assert (root / "other/b.txt").read_text() == "b\n"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("a.txt", "bin", "bin cannot be moved: File exists."),
        ("dir", "bin", "bin cannot be moved: File exists."),
        ("nothing", "x", "nothing cannot be moved: it is not there."),
        ("link", "x", "cannot be moved: it is not inside the workspace."),
        ("a.txt", "../x", "x cannot be moved: it is not inside the workspace."),
    ],
)
def test_a_move_that_is_refused(root: Path, old: str, new: str, says: str) -> None:
    outcome = run(root, Edits(root).rename(old, new))
    assert not outcome.result["applied"]
    assert outcome.result["failureReason"].endswith(f"{says} Nothing was moved.")
    assert files_of(root) == {name: as_bytes(text) for name, text in FILES.items()}


@pytest.mark.parametrize(("encoding", "character"), [("utf-8", 6), ("utf-16", 4), ("utf-32", 3)])
def test_position_encodings(root: Path, encoding: PositionEncoding, character: int) -> None:
    change = Edits(root).edit("emoji.txt", text_edit((0, character), (0, character), "!"))
    outcome = apply_edit({"edit": {"documentChanges": [change]}}, [str(root)], encoding)
    assert outcome.result == {"applied": True}
    assert (root / "emoji.txt").read_text() == "x \U0001f600! y\n"


def test_the_older_form(root: Path) -> None:
    changes = {to_uri(str(root / "dir/b.txt")): [TOP]}
    outcome = apply_edit({"edit": {"changes": changes}}, [str(root)], "utf-8")
    assert outcome.result == {"applied": True}
    assert (root / "dir/b.txt").read_text() == "top\nb\n"


NASTY = st.text(alphabet="ab\n\r\u2028é😀", max_size=12)


@given(NASTY, NASTY, st.sampled_from(["utf-8", "utf-16", "utf-32"]))
@settings(max_examples=30)
def test_a_plan_arrives_as_it_was_meant(old: str, new: str, encoding: PositionEncoding) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder).resolve() / "f"
        path.write_bytes(old.encode())
        uri = to_uri(str(path))
        base = Document(uri, str(path), old, text_hash(old), None, Origin.DISK)
        plan = FileEdit(uri, str(path), base, line_replacements(old, new))
        edits = [text_edit(start, end, text) for start, end, text in plan.positioned(encoding)]
        change = Edits(path.parent).edit("f", *edits)
        outcome = apply_edit({"edit": {"documentChanges": [change]}}, [folder], encoding)
        assert outcome.result == {"applied": True}
        assert path.read_bytes() == new.encode()


def test_diffs(root: Path) -> None:
    edits = Edits(root)
    outcome = run(
        root,
        edits.edit("a.txt", text_edit((1, 0), (1, 3), "TWO\x1b[31m")),
        edits.create("new"),
        edits.edit("new", TOP),
        edits.delete("dir/b.txt"),
        edits.delete("bin"),
    )
    assert outcome.diffs == (
        "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\x1b[31m\n three\n",
        "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+top\n",
        "--- a/dir/b.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n",
    )
    drawn = draw_diff(outcome.diffs[0])
    assert "\x1b" not in drawn.plain
    assert [str(span.style) for span in drawn.spans] == "bold bold cyan red green".split()


def test_a_folder_that_is_read_only() -> None:
    with as_plain_user() as folder:
        write_tree(folder, {"a.txt": "a\n", "dir/b.txt": "b\n"})
        (folder / "dir").chmod(0o555)
        edits = Edits(folder)
        outcome = run(folder, edits.edit("a.txt", TOP), edits.edit("dir/b.txt", TOP))
        assert "cannot be written: Permission denied" in outcome.result["failureReason"]
        assert files_of(folder) == {"a.txt": b"a\n", "dir/b.txt": b"b\n"}
        (folder / "dir").chmod(0o755)
