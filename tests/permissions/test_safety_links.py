"""What is written is what was decided about, whenever a link is swapped on the way to it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from glossator.core.document import Document, Origin, text_hash
from glossator.core.edit import (
    Applied,
    EditOutcome,
    EditPlan,
    FileDeletion,
    FileEdit,
    FileRename,
    Refused,
)
from glossator.core.events import EditProposed, EditSettled, Envelope
from glossator.core.line_diff import Replacement
from glossator.core.permission import Choice, PermissionAnswer
from glossator.core.ports import Review
from glossator.core.tool_result import ToolResult
from glossator.core.uri import to_uri
from glossator.edits.edit_tools import Edit, Write
from glossator.sessions.session import Session
from glossator.tools.base import Tool, ToolArgs, ToolContext
from glossator.workspace.documents.overlays import Opened
from tests.stage import Stage, stage
from tests.standin import Script, Text, ToolUse, Turn

_SETTINGS = ".vscode/settings.json"
_FILES = {"src/a.json": "{}\n", _SETTINGS: "{}\n"}
_EDIT = ToolUse("Edit", {"path": "link", "old_text": "{}", "new_text": "{1}"}, "act")
_SCRIPT: Script = [
    Turn(ToolUse("Read", {"path": "link"}), ToolUse("Read", {"path": _SETTINGS})),
    Turn(_EDIT),
    Turn(Text("Well.")),
]
_NEW = ToolUse("Write", {"path": "src/new.json", "content": "{1}\n"}, "act")
_ONCE = PermissionAnswer(Choice.ONCE)
_MODES = ["ask", "acceptEdits", "auto"]
_STRAY = "a link on the way leads elsewhere"
_WAYS = ["file", "folder"]


def begin(root: Path, way: str) -> Script:
    """A link to a file, or a new file in a folder; what the model does about it."""
    if way == "file":
        (root / "link").symlink_to("src/a.json")
        return _SCRIPT
    return [Turn(_NEW), Turn(Text("Well."))]


def swap(root: Path, way: str) -> None:
    """From now on the same path leads to what is protected."""
    if way == "file":
        (root / "link").unlink()
        (root / "link").symlink_to(_SETTINGS)
    else:
        (root / "src").rename(root / "aside")
        (root / "src").symlink_to(".vscode")


def settings(mode: str, review: str = "apply") -> dict[str, Any]:
    return {"permissions": {"mode": mode}, "edits": {"review": review}}


def check_kept(s: Stage, told: str) -> None:
    """Nothing was written, and the model was told."""
    result = s.results(len(s.api.requests) - 1)["act"]
    assert result["is_error"]
    assert told in result["content"]
    assert [path.name for path in (s.root / ".vscode").iterdir()] == ["settings.json"]
    found = [path.read_text() for path in s.root.rglob("*.json")]
    assert found == ["{}\n"] * len(found)


@pytest.mark.parametrize("way", _WAYS)
async def test_while_the_question_is_open(tmp_path: Path, way: str) -> None:
    """The user is asked again, about what it would be now; the second answer is no."""
    async with stage(tmp_path, _FILES, begin(tmp_path, way), settings("ask")) as s:
        ask = s.port.ask_permission

        async def swap_first(request: Any) -> PermissionAnswer:
            if not s.port.permissions:
                swap(tmp_path, way)
                s.port.permitted = [_ONCE]
            return await ask(request)

        s.port.ask_permission = swap_first  # type: ignore[method-assign]  # the user's hand
        await s.ask("Do it.")
        first, second = s.port.permissions
        assert "is protected" not in first.reasons[0]
        assert "is protected" in second.reasons[0]
        check_kept(s, "The user refused this")


@pytest.mark.parametrize("mode", _MODES)
@pytest.mark.parametrize("way", _WAYS)
async def test_between_the_permission_and_the_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, mode: str
) -> None:
    tool: type[Tool] = Edit if way == "file" else Write
    run = tool.run

    async def late(self: Tool, args: ToolArgs, context: ToolContext) -> ToolResult:
        swap(tmp_path, way)
        return await run(self, args, context)

    monkeypatch.setattr(tool, "run", late)
    async with stage(tmp_path, _FILES, begin(tmp_path, way), settings(mode)) as s:
        s.port.permitted = [_ONCE]
        await s.ask("Do it.")
        assert len(s.port.permissions) == (mode == "ask")
        assert s.port.of(EditProposed) == []  # the user is not troubled with it
        check_kept(s, _STRAY)


@pytest.mark.parametrize("mode", _MODES)
async def test_while_it_is_reviewed(tmp_path: Path, mode: str) -> None:
    async with stage(tmp_path, _FILES, begin(tmp_path, "folder"), settings(mode, "propose")) as s:

        def swap_and_accept(plan: EditPlan) -> Review:
            swap(tmp_path, "folder")
            return Review(tuple(hunk.id for hunk in plan.hunks))

        s.port.reviewed = swap_and_accept
        await s.ask("Do it.")
        assert s.port.permissions == []
        (settled,) = s.port.of(EditSettled)
        assert not settled.applied
        check_kept(s, _STRAY)


@pytest.mark.parametrize("mode", _MODES)
async def test_between_the_plan_and_applying_it(tmp_path: Path, mode: str) -> None:
    async with stage(tmp_path, _FILES, begin(tmp_path, "folder"), settings(mode)) as s:
        emit = s.port.emit

        def swap_then_emit(envelope: Envelope) -> None:
            if isinstance(envelope.event, EditProposed):
                swap(tmp_path, "folder")
            emit(envelope)

        s.port.emit = swap_then_emit  # type: ignore[method-assign]  # a moment that is known
        s.port.permitted = [_ONCE]
        await s.ask("Do it.")
        check_kept(s, _STRAY)


@pytest.mark.parametrize("other", ["{}\n{hidden}\n", "{hidden}\n"])
async def test_between_two_tries(tmp_path: Path, other: str) -> None:
    """The editor refuses once, for the user typed; nothing is told of a file of the same name."""
    files = {**_FILES, ".vscode/a.json": other}
    edit = ToolUse("Edit", {"path": "src/a.json", "old_text": "{}", "new_text": "{1}"}, "act")
    script = [Turn(ToolUse("Read", {"path": "src/a.json"})), Turn(edit), Turn(Text("Well."))]
    async with stage(tmp_path, files, script, settings("acceptEdits")) as s:
        applied: list[EditPlan] = []

        def refuse(plan: EditPlan) -> str | None:
            applied.append(plan)
            shutil.rmtree(tmp_path / "src")
            (tmp_path / "src").symlink_to(".vscode")
            return "The document changed."

        s.port.applying = refuse
        await s.ask("Do it.")
        assert len(applied) == 1
        result = s.results(2)["act"]
        assert result["is_error"]
        assert _STRAY in result["content"]
        assert "{hidden}" not in result["content"]
        assert (tmp_path / ".vscode/a.json").read_text() == other


async def test_in_plan_mode_nothing_is_edited(tmp_path: Path) -> None:
    async with stage(tmp_path, _FILES, begin(tmp_path, "file"), settings("plan")) as s:
        await s.ask("Do it.")
        check_kept(s, "Plan mode only reads")


@pytest.mark.parametrize("target", ["src/a.json", _SETTINGS])
@pytest.mark.parametrize("mode", _MODES)
async def test_a_link_that_rests_is_followed(tmp_path: Path, mode: str, target: str) -> None:
    (tmp_path / "link").symlink_to(target)
    async with stage(tmp_path, _FILES, _SCRIPT, settings(mode)) as s:
        s.port.permitted = [_ONCE]
        await s.ask("Do it.")
        assert len(s.port.permissions) == (mode == "ask" or target == _SETTINGS)
        assert (tmp_path / target).read_text() == "{1}\n"
        assert (tmp_path / "link").is_symlink()


@pytest.mark.parametrize(
    ("change", "permitted"),
    [
        (lambda w: w.edit("way/settings.json"), ["way/settings.json"]),
        (lambda w: w.edit("way/settings.json"), [_SETTINGS]),
        (lambda w: w.edit(_SETTINGS), ["way/settings.json"]),
        (lambda w: w.create("way/new.json"), ["way/new.json"]),
        (lambda w: w.create("way/new.json"), [".vscode/new.json"]),
        (lambda w: w.create("src/new.json"), ["src"]),
        (lambda w: w.delete("way/settings.json"), ["way/settings.json"]),
        (lambda w: w.rename("src/a.json", "src/b.json"), ["src/a.json"]),
        (lambda w: w.rename("src/a.json", "src/b.json"), ["src/b.json"]),
        (lambda w: w.rename("src/a.json", "way/b.json"), ["src/a.json", "way/b.json"]),
        (lambda w: w.rename("way/settings.json", "b"), ["way/settings.json", "b"]),
        (lambda w: w.rename("src/a.json", _SETTINGS), ["src/a.json", "way/settings.json"]),
    ],
)
async def test_a_plan_names_what_was_decided_about(
    tmp_path: Path, change: Callable[[Paths], Any], permitted: list[str]
) -> None:
    """`way` is a link to a protected folder."""
    async with stage(tmp_path, _FILES, []) as s:
        (tmp_path / "way").symlink_to(".vscode")
        outcome = await apply(s, change(Paths(tmp_path)), permitted)
        assert isinstance(outcome, Refused)
        assert _STRAY in outcome.reason
        assert s.port.of(EditProposed) == []


async def test_a_plan_about_several_files(tmp_path: Path) -> None:
    async with stage(tmp_path, _FILES, []) as s:
        w = Paths(tmp_path)
        edits = (w.edit("src/a.json"), w.create("new.json"))
        outcome = await apply(s, edits, ["src/a.json"])
        assert isinstance(outcome, Refused)
        assert (tmp_path / "src/a.json").read_text() == "{}\n"
        outcome = await apply(s, edits, ["src/a.json", "new.json"])
        assert isinstance(outcome, Applied)


async def test_a_document_that_the_editor_knows_by_a_link(tmp_path: Path) -> None:
    """Its text is saved to wherever that link leads."""
    async with stage(tmp_path, _FILES, []) as s:
        await s.app.ready()
        (tmp_path / "link").symlink_to("src/a.json")
        s.app.host.apply(Opened(to_uri(str(tmp_path / "link")), 1, "{}\n"))
        s.port.applying = lambda _: "The editor says no."
        open_ = s.app.host.snapshot().read("src/a.json")
        assert isinstance(open_, Document)
        edit = FileEdit(open_.uri, open_.path, open_, (Replacement(0, 0, " "),))
        assert "The editor says no." in str(await apply(s, edit, ["src/a.json"]))
        (tmp_path / "link").unlink()
        (tmp_path / "link").symlink_to(_SETTINGS)
        assert _STRAY in str(await apply(s, edit, ["src/a.json"]))


async def test_a_text_that_is_no_file_is_edited(tmp_path: Path) -> None:
    async with stage(tmp_path, {}, []) as s:
        await s.app.ready()
        s.app.host.apply(Opened("untitled:1", 1, "a\n"))
        document = s.app.host.snapshot().read("untitled:1")
        assert isinstance(document, Document)
        s.port.applying = lambda _: "The editor says no."
        edit = FileEdit(document.uri, document.path, document, (Replacement(0, 0, " "),))
        assert "The editor says no." in str(await apply(s, edit, []))


async def apply(s: Stage, change: Any, permitted: list[str]) -> EditOutcome:
    """What becomes of a plan of a tool that may change `permitted`."""
    await s.app.ready()
    session: Session = s.app.sessions.create()
    async with s.app.runs.open(session.id, None, session.note) as run:
        editing = s.app.acting.of(session).edits(run)
        changes = change if isinstance(change, tuple) else (change,)
        paths = {str(s.root / path) for path in permitted}
        return await editing.within(paths, run.clock.waiting).apply(EditPlan.of("Test", *changes))


class Paths:
    """Changes by relative paths that nobody has resolved."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def edit(self, name: str) -> FileEdit:
        base = self._document(name)
        return FileEdit(base.uri, base.path, base, (Replacement(0, 0, " "),))

    def create(self, name: str) -> FileEdit:
        path = str(self._root / name)
        return FileEdit(to_uri(path), path, None, (Replacement(0, 0, "new\n"),))

    def delete(self, name: str) -> FileDeletion:
        return FileDeletion(self._document(name))

    def rename(self, name: str, new: str) -> FileRename:
        old, path = str(self._root / name), str(self._root / new)
        return FileRename(to_uri(old), old, to_uri(path), path)

    def _document(self, name: str) -> Document:
        path = self._root / name
        text = path.read_text()
        return Document(to_uri(str(path)), str(path), text, text_hash(text), None, Origin.DISK)
