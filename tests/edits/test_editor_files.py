"""Files as the user sees them, kept and brought back: open documents through the editor."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from glossator.core.edit import EditPlan, FileDeletion, FileEdit
from glossator.edits import wait
from glossator.edits.editor_files import EditorFiles
from glossator.undo.file_states import Content, DiskFiles, Link, NoFile, Restoration, as_state
from tests.stage import Recorder
from tests.workspaces import MakeWorkspace, Workspace

_LIMIT = 100  # bytes
Restorable = Content | Link | NoFile


async def restored(ws: Workspace, port: Recorder, found: Restorable) -> dict[str, str]:
    """Restore `a.txt`, as it is now; gives what failed."""
    files, path = files_of(ws, port), str(ws.root / "a.txt")
    step = Restoration(path, found, as_state(files.now()(path, _LIMIT)))
    done = await files.restore([step], _LIMIT)
    assert done.changed == []
    assert (path in done.left) is (done.failed == {})
    return done.failed


def files_of(ws: Workspace, port: Recorder) -> EditorFiles:
    return EditorFiles(ws.host, port, DiskFiles(lambda: [str(ws.root)], ws.host.encoding_of))


def applying(ws: Workspace, port: Recorder) -> list[EditPlan]:
    """Let the editor apply what it is asked for; gives what that was."""
    asked: list[EditPlan] = []

    def apply(plan: EditPlan) -> str | None:
        asked.append(plan)
        (change,) = plan.files
        if isinstance(change, FileEdit):
            ws.edit("a.txt", change.result)
        else:
            (ws.root / "a.txt").unlink()
            ws.close("a.txt")
        return None

    port.applying = apply
    return asked


@pytest.mark.parametrize(
    ("disk", "shown", "found"),
    [
        (b"a\n", None, b"a\n"),
        (b"a\r\n", "a\r\n", b"a\r\n"),
        (b"a\n", "b\n", b"b\n"),
        (b"\xef\xbb\xbfa\n", "b\n", b"\xef\xbb\xbfb\n"),
        (b"\xe9\n", "\xe9\xe9\n", b"\xe9\xe9\n"),
        (b"\xe9\n", "\xe9 \u20ac\n", "\xe9 \u20ac\n".encode()),
        (b"a\n", "\ud800\n", "holds characters that no file can hold"),
        (b"a\n", "a" * 101, "has 101 bytes, and at most 100 are kept of a file"),
    ],
)
async def test_what_is_shown_is_kept(
    workspace: MakeWorkspace, disk: bytes, shown: str | None, found: bytes | str
) -> None:
    ws = await workspace({"a.txt": disk})
    if shown is not None:
        ws.open("a.txt", shown)
    kept = files_of(ws, Recorder()).now()(str(ws.root / "a.txt"), _LIMIT)
    assert (kept.data if isinstance(kept, Content) else getattr(kept, "reason", "")) == found


@pytest.mark.parametrize(
    ("disk", "shown", "found"),
    [
        ("\u0434\u0430", "\u0434\u0430", "\u0434\u0430"),
        ("\u0434\u0430", "\u043d\u0435", "\u043d\u0435"),
        ("a", "\u0434\u0430", "\u0434\u0430"),
    ],
)
async def test_what_is_shown_is_kept_in_the_declared_encoding(
    workspace: MakeWorkspace, disk: str, shown: str, found: str
) -> None:
    ws, port = await workspace({"a.txt": disk.encode("cp866")}, {"*.txt": "cp866"}), Recorder()
    ws.open("a.txt", shown)
    kept = files_of(ws, port).now()(str(ws.root / "a.txt"), _LIMIT)
    assert isinstance(kept, Content)
    assert kept.data == found.encode("cp866")


async def test_an_open_document_gets_back_the_text_that_its_declared_encoding_has(
    workspace: MakeWorkspace,
) -> None:
    old, new = "\u0434\u0430\n", "\u043d\u0435\n"
    ws, port = await workspace({"a.txt": new.encode("cp866")}, {"*.txt": "cp866"}), Recorder()
    ws.open("a.txt", new)
    asked = applying(ws, port)
    assert await restored(ws, port, Content(old.encode("cp866"), 0o644)) == {}
    assert len(asked) == 1
    assert ws.snapshot.overlays[str(ws.root / "a.txt")].text == old


@pytest.mark.parametrize(
    ("found", "kind", "text"),
    [(Content(b"old\n", 0o644), FileEdit, "old\n"), (NoFile(), FileDeletion, None)],
)
async def test_an_open_document_is_brought_back_by_the_editor(
    workspace: MakeWorkspace,
    found: Content | NoFile,
    kind: type[FileEdit | FileDeletion],
    text: str | None,
) -> None:
    ws, port = await workspace({"a.txt": "new\n"}), Recorder()
    ws.open("a.txt", "newer\n")
    asked = applying(ws, port)
    path = str(ws.root / "a.txt")
    assert await restored(ws, port, found) == {}
    assert [type(change) for plan in asked for change in plan.files] == [kind]
    assert getattr(ws.snapshot.read(path), "text", None) == text


async def test_what_is_shown_already_asks_for_nothing(workspace: MakeWorkspace) -> None:
    ws, port = await workspace({"a.txt": "new\n"}), Recorder()
    ws.open("a.txt", "old\n")
    asked = applying(ws, port)
    assert await restored(ws, port, Content(b"old\n", 0o644)) == {}
    assert asked == []


async def test_looking_sees_what_was_open_when_it_began(workspace: MakeWorkspace) -> None:
    ws = await workspace({"a.txt": "new\n"})
    ws.open("a.txt", "old\n")
    look = files_of(ws, Recorder()).now()
    ws.edit("a.txt", "newer\n")
    found = look(str(ws.root / "a.txt"), _LIMIT)
    assert isinstance(found, Content)
    assert found.data == b"old\n"


_CLOSE = "is open in the editor; close it there first"


@pytest.mark.parametrize(
    ("found", "answer", "reason"),
    [
        (Content(b"old\n", 0o644), "no", "could not be changed in the editor: no"),
        (Content(b"old\n", 0o644), None, _CLOSE),  # it says yes, and does nothing
        (Content(b"\0", 0o644), None, _CLOSE),
        (Link("b.txt"), None, _CLOSE),
        (NoFile(), "the editor cannot delete files", _CLOSE),
        (NoFile(), None, _CLOSE),
    ],
)
async def test_what_the_editor_does_not_do_is_told(
    workspace: MakeWorkspace,
    monkeypatch: pytest.MonkeyPatch,
    found: Content | Link | NoFile,
    answer: str | None,
    reason: str,
) -> None:
    monkeypatch.setattr(wait, "ARRIVAL_SECONDS", 0.01)
    ws, port = await workspace({"a.txt": "new\n"}), Recorder()
    ws.open("a.txt", "newer\n")
    port.applying = _answering(answer)
    path = str(ws.root / "a.txt")
    assert await restored(ws, port, found) == {path: reason}
    assert (ws.root / "a.txt").read_text() == "new\n"


async def test_a_closed_file_is_written(workspace: MakeWorkspace) -> None:
    ws, port = await workspace({"a.txt": "new\n"}), Recorder()
    back = Content(b"\0", 0o600)
    path = str(ws.root / "a.txt")
    assert await restored(ws, port, back) == {}
    assert files_of(ws, port).now()(path, _LIMIT) == back


def _answering(answer: str | None) -> Callable[[EditPlan], str | None]:
    return lambda _: answer
